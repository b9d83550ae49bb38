"""``bayeswood report``: one HTML page about a model and how it does on labelled data."""

from pathlib import Path
from typing import Any

import click

from bayeswood.cli.large.large_input import is_large, jobs_option, memory_limit
from bayeswood.cli.screen import Screen, file_size, screen_options, share_option, warnings_as_notes
from bayeswood.cli.tables.columns import check_names, number_array, with_target
from bayeswood.cli.tables.data_options import drop_missing_option, reading_options, take_reading
from bayeswood.cli.tables.model_table import (
    find_target,
    load_model,
    model_features,
    read_for_model,
    true_values,
)
from bayeswood.cli.tables.output_files import OutputFiles
from bayeswood.cli.tables.table_file import ReadOptions, source_path
from bayeswood.errors import BayeswoodError
from bayeswood.report import DEFAULT_GAMMA0, HtmlReport, html


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data")
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    default="report.html",
    show_default=True,
    help="Write the page here.",
)
@click.option(
    "--target", "-t", help="Column of true values; otherwise that of the fit, or the one not used."
)
@click.option("--weights", metavar="COLUMN", help="Column of weights of the rows in the scores.")
@click.option("--title", help="Of the page.")
@share_option("--coverage", 0.9, "Coverage of intervals and bands.")
@share_option("--gamma0", DEFAULT_GAMMA0, "Least share of votes of a confident class.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of samples of the rows."
)
@jobs_option
@reading_options
@drop_missing_option
@screen_options
def report(
    model: Path,
    data: str,
    out: Path,
    target: str | None,
    weights: str | None,
    title: str | None,
    coverage: float,
    gamma0: float,
    seed: int,
    n_jobs: int | None,
    quiet: bool,
    as_json: bool,
    debug: bool,
    drop_missing_target: bool,
    **options: Any,
) -> None:
    """Write a page about MODEL and how it does on DATA.

    One HTML file that needs no other and no network: the data as the model saw them, scores with
    intervals, when to trust a prediction (with sliders), where promises are kept, where no data are
    near, what drives the predictions, single cases with their reasons, the trees, and how to load
    the model. DATA has the true values, better of rows that were not used in the fit.
    """
    screen = Screen(quiet=quiet, as_json=as_json)
    with OutputFiles(model, source_path(data)) as files:
        files.check(out)
        estimator = load_model(model).set_params(n_jobs=n_jobs)
        notes: list[str] = []
        with warnings_as_notes(notes):
            asked = _read(data, estimator, target, weights, take_reading(options),
                          drop_missing_target)  # fmt: skip
            page = html(
                estimator,
                **asked,
                title=title,
                coverage=coverage,
                gamma0=gamma0,
                model_file=str(model),
                data_file=data,
                random_state=seed,
                verbose=int(screen.shows_progress),
            )
        files.write(out, page.save)
    _show(screen, page, out, [*asked["notes"], *notes])


def _read(
    data: str,
    estimator: Any,
    target: str | None,
    weights: str | None,
    reading: ReadOptions,
    drop: bool,
) -> dict[str, Any]:
    """Rows, their true values, weights, and what to note about them."""
    if is_large(data, memory_limit(None)):
        raise BayeswoodError(
            f"A report needs all rows in memory, and '{data}' has too many. Give it some of them."
        )
    table, notes = read_for_model(data, estimator, reading)
    name = find_target(table, estimator, target)
    table, dropped = with_target(table, name, drop=drop)
    own = None
    if weights is not None:
        check_names([weights], table.column_names, "weights column")
        own = number_array(table[weights], f"weights column '{weights}'")
    features, unseen = model_features(table, estimator)
    return {
        "X": features,
        "y": true_values(table[name], name, estimator),
        "sample_weight": own,
        "notes": [*notes, *dropped, *unseen],
    }


def _show(screen: Screen, page: HtmlReport, out: Path, notes: list[str]) -> None:
    from bayeswood.report.render import heading, render_pairs

    found = page.summary.scores
    rows = [(s.name, f"{s.value:.4g} ({s.lower:.4g} to {s.upper:.4g})") for s in found.scores]
    screen.show(heading(f"Report on {found.n_rows:,} rows"))
    screen.show_notes(notes)
    screen.show(render_pairs([*rows, ("wrote", f"{out} ({file_size(out)})")]))
    screen.finish(
        {
            "out": str(out),
            "bytes": out.stat().st_size,
            "n_rows": found.n_rows,
            "scores": {s.name: [s.value, s.lower, s.upper] for s in found.scores},
            "notes": notes,
        }
    )
