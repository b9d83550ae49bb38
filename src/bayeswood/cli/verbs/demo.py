"""``bayeswood demo``: the main job on a bundled data set."""

from pathlib import Path

import click

from bayeswood.cli.problem import FitRequest
from bayeswood.cli.screen import Screen, screen_options
from bayeswood.cli.tables.table_file import BUILTIN
from bayeswood.cli.verbs.fit import run_fit
from bayeswood.datasets import builtin_names


@click.command()
@click.option(
    "--out",
    "-o",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default="demo",
    show_default=True,
    help="Folder to write to; made if need be.",
)
@click.option(
    "--data",
    type=click.Choice(builtin_names()),
    default="breast_cancer_wisconsin",
    show_default=True,
    help="Bundled data set.",
)
@screen_options
def demo(folder: Path, data: str, quiet: bool, as_json: bool, debug: bool) -> None:
    """Fit a calibrated forest to bundled data and draw its uncertainty.

    A quarter of the rows is held out. Writes the model, predictions with intervals, a picture, and
    a report to open in a browser.
    """
    folder.mkdir(parents=True, exist_ok=True)
    request = FitRequest(
        data=f"{BUILTIN}{data}",
        test_size=0.25,
        # A tree with leaves of one row knows no doubt: with a few, its probability is a share.
        param=("min_samples_leaf=3",),
        task="regression" if data == "wine_quality" else None,
        out=folder / "model.bayeswood",
        predictions=folder / "predictions.csv",
        plot=folder / f"{data}.png",
        report=folder / "report.html",
    )
    screen = Screen(quiet=quiet, as_json=as_json)
    run_fit(request, screen)
    screen.show("\nTo fit your own data: bayeswood fit DATA --target COLUMN --out MODEL")
