"""``bayeswood evaluate``: how good and how sure a model is on labelled data."""

from pathlib import Path
from typing import Any

import click

from bayeswood.cli.evaluated_rows import EvaluatedRows
from bayeswood.cli.large.large_input import is_large, jobs_option, memory_option, refuse_reading
from bayeswood.cli.large.large_input import memory_limit as limit_bytes
from bayeswood.cli.screen import Screen, screen_options, share_option, warnings_as_notes
from bayeswood.cli.tables.columns import with_target
from bayeswood.cli.tables.data_options import drop_missing_option, reading_options, take_reading
from bayeswood.cli.tables.model_table import find_target, load_model, read_for_model
from bayeswood.report import DEFAULT_GAMMA0
from bayeswood.report.names import member_words


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data")
@click.option(
    "--target", "-t", help="Column of true values; otherwise that of the fit, or the one not used."
)
@share_option("--coverage", 0.9, "Coverage of the intervals.")
@share_option("--gamma0", DEFAULT_GAMMA0, "Least share of votes of a confident class.")
@jobs_option
@memory_option
@reading_options
@drop_missing_option
@screen_options
def evaluate(
    model: Path,
    data: str,
    target: str | None,
    coverage: float,
    gamma0: float,
    n_jobs: int | None,
    memory_limit: str | None,
    quiet: bool,
    as_json: bool,
    debug: bool,
    drop_missing_target: bool,
    **options: Any,
) -> None:
    """Compare the predictions of MODEL with the true values in DATA.

    Classifiers: accuracy, log predictive probability, Brier score, and the shares of cases that are
    confident and correct, uncertain, and confident but wrong. Regressors: errors, and how often and
    how narrowly the intervals hold the truth. DATA that would take more than the memory limit, and
    a folder or pattern of files, are read in pieces, with the same scores.
    """
    from bayeswood.report.render import heading, render_scores
    from bayeswood.report.summarize import to_plain

    screen = Screen(quiet=quiet, as_json=as_json)
    estimator = load_model(model).set_params(n_jobs=n_jobs)
    rows = EvaluatedRows(estimator, coverage, gamma0)
    reading = take_reading(options)
    warned: list[str] = []
    read_notes: list[str] = []
    dropped: list[str] = []
    with warnings_as_notes(warned):
        if is_large(data, limit_bytes(memory_limit)):
            refuse_reading(reading)
            name = _evaluate_large(data, rows, estimator, target, screen)
        else:
            table, read_notes = read_for_model(data, estimator, reading)
            name = find_target(table, estimator, target)
            table, dropped = with_target(table, name, drop=drop_missing_target)
            rows.add(table, name)
    notes, scores = [*dropped, *rows.notes(), *warned], rows.scores()
    screen.tell(read_notes)
    screen.show(
        heading(f"{type(estimator).__name__} on {rows.n_rows:,} rows of {data}, target {name}")
    )
    screen.show_notes(notes)
    screen.show(render_scores(scores, member_words(1, estimator.forest_.trees_per_member).plural))
    said = [*read_notes, *notes]
    screen.finish({"data": data, "target": name, **to_plain(scores), "notes": said})


def _evaluate_large(
    data: str, rows: EvaluatedRows, estimator: Any, target: str | None, screen: Screen
) -> str:
    """Evaluate rows in pieces; the target's name."""
    from bayeswood.cli.large.evaluate_large import evaluate_large

    return evaluate_large(data, rows, estimator, target, show_progress=screen.shows_progress)
