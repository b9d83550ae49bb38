"""``bayeswood predict``: predictions with their uncertainty for every row of a data file."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from bayeswood.cli.large.large_input import is_large, jobs_option, memory_option, refuse_reading
from bayeswood.cli.large.large_input import memory_limit as limit_bytes
from bayeswood.cli.predicted_facts import PredictedFacts, lacks_responses
from bayeswood.cli.screen import Screen, screen_options, share_option, warnings_as_notes
from bayeswood.cli.tables.columns import check_names, split_names
from bayeswood.cli.tables.data_options import reading_options, take_reading
from bayeswood.cli.tables.model_table import load_model, model_features, read_for_model
from bayeswood.cli.tables.output_files import OutputFiles
from bayeswood.cli.tables.prediction_table import prediction_table
from bayeswood.cli.tables.table_file import check_ending, source_path, write_csv, write_table
from bayeswood.report import DEFAULT_GAMMA0, predict_rows
from bayeswood.report.names import member_words, percent, shorten
from bayeswood.uncertainty import NO_DATA_BELOW

_STDOUT = Path("-")
_N_CLASSES = 10


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data")
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    required=True,
    help="Write here (.csv, .csv.gz, .parquet); - writes CSV to the standard output.",
)
@click.option("--keep", multiple=True, help="Columns of DATA to copy before the predictions.")
@share_option("--coverage", 0.9, "Coverage of the intervals.")
@click.option(
    "--guarantee",
    is_flag=True,
    help="Promise the coverage: of intervals for numbers, of sets of classes (calibrated forests).",
)
@share_option("--gamma0", DEFAULT_GAMMA0, "Least share of votes of a confident class.")
@jobs_option
@memory_option
@reading_options
@screen_options
def predict(
    model: Path,
    data: str,
    out: Path,
    keep: tuple[str, ...],
    coverage: float,
    guarantee: bool,
    gamma0: float,
    n_jobs: int | None,
    memory_limit: str | None,
    quiet: bool,
    as_json: bool,
    debug: bool,
    **options: Any,
) -> None:
    """Predict every row of DATA with MODEL, in order.

    Classes come with probabilities, the intervals around them, and whether the trees agree enough
    to be confident; numbers come with intervals. DATA needs the model's columns; others are left
    aside.
    """
    reading = take_reading(options)
    asked: dict[str, Any] = {"coverage": coverage, "gamma0": gamma0, "guarantee": guarantee}
    screen = Screen(quiet=quiet, as_json=as_json, to_stderr=out == _STDOUT)
    with OutputFiles(model, source_path(data)) as files:
        if out != _STDOUT:
            files.check(out)
            check_ending(out, "--out")
        estimator = load_model(model).set_params(n_jobs=n_jobs)
        if lacks_responses(estimator) or is_large(data, limit_bytes(memory_limit)):
            from bayeswood.cli.large.predict_large import predict_large

            refuse_reading(reading)
            predicted = predict_large(
                str(source_path(data)),
                out,
                estimator,
                keep,
                to_stdout=out == _STDOUT,
                show_progress=screen.shows_progress,
                **asked,
            )
            _show(screen, estimator, predicted.facts.plain(), out, predicted.notes())
            return
        table, read_notes = read_for_model(data, estimator, reading)
        kept = split_names(keep, table.column_names)
        check_names(kept, table.column_names, "column")
        features, notes = model_features(table, estimator)
        with warnings_as_notes(notes):
            predictions = predict_rows(estimator, features, support=True, **asked)
        facts = PredictedFacts(coverage, gamma0)
        facts.add(predictions)
        notes += facts.notes()
        result = prediction_table(predictions, {name: table[name] for name in kept})
        if out == _STDOUT:
            _write_stdout(result)
        else:
            files.write(out, lambda path: write_table(result, path, kind_of=out))
    screen.tell(read_notes)
    _show(screen, estimator, facts.plain(), out, notes, read_notes)


def _write_stdout(table: Any) -> None:
    write_csv(table, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _show(
    screen: Screen,
    estimator: Any,
    facts: dict[str, Any],
    out: Path,
    notes: list[str],
    read_notes: Sequence[str] = (),
) -> None:
    from bayeswood.report.render import heading, render_pairs

    screen.show_notes(notes)
    where = "the standard output" if out == _STDOUT else str(out)
    screen.show(heading(f"Wrote {facts['n_rows']:,} predictions to {where}"))
    members = member_words(1, estimator.forest_.trees_per_member).plural
    screen.show(render_pairs(_rows(facts, members)))
    screen.finish({**facts, "out": str(out), "notes": [*read_notes, *notes]})


def _rows(facts: dict[str, Any], members: str) -> list[tuple[str, str]]:
    alone = _no_data_row(facts)
    if "mean_predicted" in facts:
        width = f"mean width of the {percent(facts['coverage'])} interval"
        mean = ("mean prediction", f"{facts['mean_predicted']:.5g}")
        return [mean, (width, f"{facts['mean_width']:.5g}"), *alone]
    n_confident = facts["n_confident"]
    least = f"at least {percent(facts['gamma0'])} of the {members} agree"
    by_count = sorted(facts["classes"].items(), key=lambda item: -item[1])
    rows = [("confident", f"{n_confident:,} ({n_confident / facts['n_rows']:.1%}), {least}")]
    rows += [
        (f"predicted {shorten(label)}", f"{count:,}") for label, count in by_count[:_N_CLASSES]
    ]
    if len(by_count) > _N_CLASSES:
        rows.append(("", f"and {len(by_count) - _N_CLASSES} more classes"))
    return [*rows, *alone]


def _no_data_row(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """How many rows have no data near; nothing where that is not known."""
    if "n_no_data" not in facts:
        return []
    share = f"support < {NO_DATA_BELOW:g}; {NO_DATA_BELOW:.0%} are usual"
    return [("no data near", f"{facts['n_no_data']:,} of {facts['n_rows']:,} rows ({share})")]
