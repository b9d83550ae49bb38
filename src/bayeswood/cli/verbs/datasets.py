"""``bayeswood datasets``: which data sets there are by name, and where they come from."""

from pathlib import Path
from typing import Any

import click

from bayeswood.cli.screen import Screen, screen_options
from bayeswood.cli.tables.output_files import OutputFiles
from bayeswood.cli.tables.table_file import check_ending, write_table
from bayeswood.datasets import names, source_of
from bayeswood.datasets.catalogue import Facts, facts_of
from bayeswood.datasets.csv_file import whole_as_integers
from bayeswood.datasets.loader import load_columns
from bayeswood.datasets.places import find_places


@click.command()
@click.argument("name", required=False)
@click.option(
    "--save",
    "-o",
    type=click.Path(path_type=Path),
    help="Write the table of NAME here (.csv, .csv.gz, .parquet).",
)
@screen_options
def datasets(name: str | None, save: Path | None, quiet: bool, as_json: bool, debug: bool) -> None:
    """List the data sets that are known by name, or describe NAME.

    They come from the folder that BAYESWOOD_DATA names, from the cache, from the package itself or
    from OpenML; the list says which it would be now. --save fetches NAME if need be.
    """
    screen = Screen(quiet=quiet, as_json=as_json)
    if name is None:
        if save is not None:
            raise click.UsageError("--save needs the NAME of a data set.")
        _list(screen)
        return
    facts = facts_of(name)
    written = {} if save is None else _save(facts, save)
    _describe(facts, written, screen)


def _list(screen: Screen) -> None:
    from bayeswood.report.render import heading, render_columns

    known = [facts_of(name) for name in names()]
    screen.show(heading(f"{len(known)} data sets"))
    header = ["name", "task", "rows", "features", "classes", "from"]
    screen.show(render_columns(header, [_row(facts) for facts in known]))
    screen.finish({"datasets": [_plain(facts) for facts in known]})


def _row(facts: Facts) -> list[str]:
    sizes = [f"{facts.rows:,}", f"{len(facts.features):,}", str(len(facts.classes) or "")]
    return [facts.name, facts.task, *sizes, source_of(facts.name)]


def _plain(facts: Facts) -> dict[str, Any]:
    return {
        "name": facts.name,
        "task": facts.task,
        "rows": facts.rows,
        "features": len(facts.features),
        "classes": dict(facts.classes),
        "missing": facts.missing,
        "categorical": list(facts.categorical),
        "split": dict(facts.split),
        "origin": facts.origin,
        "sha256": facts.sha256,
        "openml": None if facts.openml is None else facts.openml.id,
        "from": source_of(facts.name),
    }


def _describe(facts: Facts, written: dict[str, str], screen: Screen) -> None:
    from bayeswood.report.render import heading, render_pairs

    pairs = [*facts.summary(), ("from", source_of(facts.name)), *written.items()]
    screen.show(heading(f"Data set {facts.name}"), render_pairs(pairs))
    screen.finish({**_plain(facts), **written})


def _save(facts: Facts, path: Path) -> dict[str, str]:
    check_ending(path, "--save")
    with OutputFiles() as files:
        files.check(path)
        table = _arrow_table(facts)
        files.write(path, lambda staged: write_table(table, staged, kind_of=path))
    return {"saved": str(path)}


def _arrow_table(facts: Facts) -> Any:
    import pyarrow as pa

    _, columns = load_columns(facts, find_places())
    cells = {name: whole_as_integers(column) for name, column in columns.items()}
    # Missing numbers are NaN in an array, and no value in a table.
    return pa.table({name: pa.array(column, from_pandas=True) for name, column in cells.items()})
