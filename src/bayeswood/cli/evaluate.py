"""``bayeswood evaluate``: how good and how sure a model is on labelled data."""

from pathlib import Path
from typing import Any

import click

from bayeswood.cli.data_options import drop_missing_option, reading_options, take_reading
from bayeswood.cli.model_table import (
    find_target,
    load_model,
    model_features,
    read_for_model,
    true_values,
    unseen_classes,
)
from bayeswood.cli.problem import with_target
from bayeswood.cli.screen import Screen, screen_options, share_option, warnings_as_notes
from bayeswood.report import DEFAULT_GAMMA0, predict_rows, score_predictions
from bayeswood.report.summarize import to_plain


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data")
@click.option(
    "--target", "-t", help="Column of true values; otherwise that of the fit, or the one not used."
)
@share_option("--coverage", 0.9, "Coverage of the intervals.")
@share_option("--gamma0", DEFAULT_GAMMA0, "Least share of votes of a confident class.")
@reading_options
@drop_missing_option
@screen_options
def evaluate(
    model: Path,
    data: str,
    target: str | None,
    coverage: float,
    gamma0: float,
    quiet: bool,
    as_json: bool,
    debug: bool,
    drop_missing_target: bool,
    **options: Any,
) -> None:
    """Compare the predictions of MODEL with the true values in DATA.

    Classifiers: accuracy, log predictive probability, Brier score, and the shares of cases that are
    confident and correct, uncertain, and confident but wrong. Regressors: errors, and how often and
    how narrowly the intervals hold the truth.
    """
    from bayeswood.report.render import heading, render_scores

    screen = Screen(quiet=quiet, as_json=as_json)
    estimator = load_model(model)
    table, read_notes = read_for_model(data, estimator, take_reading(options))
    name = find_target(table, estimator, target)
    table, dropped = with_target(table, name, drop=drop_missing_target)
    y = true_values(table[name], name, estimator)
    features, notes = model_features(table, estimator)
    screen.tell(read_notes)
    notes = [*dropped, *notes]
    notes += unseen_classes(y, estimator)
    with warnings_as_notes(notes):
        predictions = predict_rows(
            estimator, features, coverage=coverage, gamma0=gamma0, class_intervals=False
        )
    scores = score_predictions(predictions, y)
    screen.show(heading(f"{type(estimator).__name__} on {len(y):,} rows of {data}, target {name}"))
    screen.show_notes(notes)
    screen.show(render_scores(scores))
    screen.finish(
        {"data": data, "target": name, **to_plain(scores), "notes": [*read_notes, *notes]}
    )
