"""``bayeswood fit``: from a data file to a model, its test scores, predictions and a picture."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from bayeswood.cli.large.fit_large import fit_large
from bayeswood.cli.large.large_input import is_large, memory_limit, memory_option
from bayeswood.cli.out_of_bag import HOLD_OUT, OutOfBag, score_rows
from bayeswood.cli.parameters import (
    DEFAULT_METHOD,
    check_method,
    make_estimator,
    parse_parameters,
)
from bayeswood.cli.problem import FitRequest, Problem, read_problem
from bayeswood.cli.screen import (
    Screen,
    file_size,
    screen_options,
    share_option,
    warnings_as_notes,
)
from bayeswood.cli.tables.data_options import data_options
from bayeswood.cli.tables.output_files import OutputFiles
from bayeswood.cli.tables.prediction_table import prediction_table
from bayeswood.cli.tables.table_file import BUILTIN, check_ending, source_path, write_table
from bayeswood.errors import BayeswoodError
from bayeswood.report import (
    DEFAULT_GAMMA0,
    ClassPredictions,
    HtmlReport,
    Importances,
    NumberPredictions,
    html,
    predict_rows,
    score_predictions,
    summarize_importances,
)

PLOT_ENDINGS = (".png", ".pdf", ".svg")
_TRAINING_ROWS = f"the predictions are of rows used for the fit and look too good; {HOLD_OUT}"


@click.command()
@data_options
@click.option("--method", "-m", default=DEFAULT_METHOD, show_default=True, help="Kind of forest.")
@click.option("--out", "-o", type=click.Path(path_type=Path), help="Write the model here.")
@click.option(
    "--predictions",
    type=click.Path(path_type=Path),
    help="Write predictions of all rows here (.csv, .csv.gz, .parquet).",
)
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Draw the predictions here (.png, .pdf, .svg)."
)
@click.option(
    "--test-size",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    show_default=True,
    help="Share of the rows to hold out and test the model on.",
)
@click.option(
    "--groups",
    metavar="COLUMN",
    help="Column of who belongs together: calibrated and held out as a whole.",
)
@click.option(
    "--param",
    "-p",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the method; may be repeated.",
)
@click.option("--n-estimators", "-n", type=click.IntRange(1), help="Number of trees.")
@share_option("--coverage", 0.9, "Coverage of the intervals.")
@share_option("--gamma0", DEFAULT_GAMMA0, "Least share of votes of a confident class.")
@memory_option
@click.option(
    "--spill-dir",
    type=click.Path(path_type=Path),
    help="Folder for the rows of a fit in pieces; needed to resume it.",
)
@click.option("--resume", is_flag=True, help="Go on from what an earlier fit in pieces left.")
@screen_options
def fit(quiet: bool, as_json: bool, debug: bool, **options: Any) -> None:
    """Fit a model to DATA and say how good and how sure it is.

    DATA is a .csv, .csv.gz, .jsonl, .parquet or .feather file, - for the standard input, or
    builtin:NAME for a bundled data set. Without DATA the bundled breast cancer data are used. Text
    and true/false columns are taken as categories, an empty cell as missing, dates are taken apart;
    what is taken for what is said on the standard error. DATA that would take more than the memory
    limit, and a folder or pattern of files, are fitted in pieces by an empirical Bayesian forest.
    """
    run_fit(FitRequest(**options), Screen(quiet=quiet, as_json=as_json))


def run_fit(request: FitRequest, screen: Screen) -> None:
    """Do what ``bayeswood fit`` does.

    Parameters
    ----------
    request : FitRequest
    screen : Screen
    """
    limit = memory_limit(request.memory_limit)
    if is_large(request.data, limit):
        fit_large(request, limit, screen)
        return
    with OutputFiles(source_path(request.data)) as files:
        files.check(request.out, request.predictions, request.plot, request.report)
        _check_plot(request.plot)
        if request.predictions is not None:
            check_ending(request.predictions, "--predictions")
        check_method(request.method)
        problem = read_problem(request)
        estimator = _unfitted(request, problem, screen)
        _check_groups(request, estimator)
        if screen.is_text:
            _show_problem(request, problem, screen)
        warned: list[str] = []
        with warnings_as_notes(warned):
            fitted = _fitted(request, problem, estimator)
        screen.tell(problem.reading_notes)
        screen.show_notes(warned)
        problem.notes.extend(warned)
        _write_outputs(files, request, problem, fitted)
        result = _result(request, problem, fitted)
    if screen.is_text:
        _show_result(request, result, fitted, screen)
    screen.finish(result)


def _check_plot(path: Path | None) -> None:
    """Fail before the fit if the picture cannot be drawn after it."""
    if path is None:
        return
    if path.suffix.lower() not in PLOT_ENDINGS:
        raise BayeswoodError(f"--plot must end in {', '.join(PLOT_ENDINGS)}. Got '{path}' instead.")
    import matplotlib.figure  # noqa: F401


def _unfitted(request: FitRequest, problem: Problem, screen: Screen) -> Any:
    parameters: dict[str, Any] = {
        "random_state": request.seed,
        "n_jobs": request.n_jobs,
        "verbose": int(screen.shows_progress),
    }
    if request.n_estimators is not None:
        parameters["n_estimators"] = request.n_estimators
    if problem.features.forced:
        parameters["categorical_features"] = problem.features.categories
    parameters |= parse_parameters(request.param)
    return make_estimator(request.method, problem.task, parameters)


def _check_groups(request: FitRequest, estimator: Any) -> None:
    from inspect import signature

    if request.groups is not None and "oob_groups" not in signature(estimator.fit).parameters:
        raise BayeswoodError(
            f"--groups is of no use to the method '{request.method}'. Take --method "
            f"{DEFAULT_METHOD}, or leave --groups out."
        )


def _fit_estimator(estimator: Any, problem: Problem) -> None:
    is_train = ~problem.is_test
    weights = None if problem.weights is None else problem.weights[is_train]
    others = {} if problem.groups is None else {"oob_groups": problem.groups[is_train]}
    estimator.fit(problem.features.table.filter(is_train), problem.y[is_train], weights, **others)
    # Whoever loads the model asked for no progress bar.
    estimator.set_params(verbose=0)


@dataclass(frozen=True)
class Predicted:
    """Predictions of some rows of the problem.

    Attributes
    ----------
    rows : (n_predicted,) ndarray of int
    predictions : ClassPredictions or NumberPredictions
    """

    rows: NDArray[np.intp]
    predictions: ClassPredictions | NumberPredictions

    def of(self, rows: NDArray[np.intp]) -> ClassPredictions | NumberPredictions:
        """The predictions of some of the rows, which ascend."""
        return self.predictions.take(np.searchsorted(self.rows, rows))


@dataclass(frozen=True)
class Fitted:
    """What came of a fit.

    Attributes
    ----------
    estimator : fitted bayeswood estimator
    seconds : float
        That the fit took.
    importances : Importances
    predicted : Predicted or None
        None if no output needs predictions.
    out_of_bag : dict or None
        Scores of the rows that trees left out; None if there are rows held out, or none such.
    advice : str
        How to get scores where there are none.
    """

    estimator: Any
    seconds: float
    importances: Importances
    predicted: Predicted | None
    out_of_bag: dict[str, Any] | None
    advice: str


def _fitted(request: FitRequest, problem: Problem, estimator: Any) -> Fitted:
    """Fit, and predict the rows that some output needs."""
    start = time.perf_counter()
    if problem.is_test.any():
        _fit_estimator(estimator, problem)
        scores, advice = None, ""
    else:
        left_out = OutOfBag(estimator)
        _fit_estimator(estimator, problem)
        scores, advice = left_out.take(problem.y, problem.weights), left_out.advice()
    seconds = time.perf_counter() - start
    predicted = _predict(request, problem, estimator)
    importances = summarize_importances(estimator)
    return Fitted(estimator, seconds, importances, predicted, scores, advice)


def _predict(request: FitRequest, problem: Problem, estimator: Any) -> Predicted | None:
    """Predictions of the rows that some output needs."""
    if request.predictions is not None:
        rows = np.arange(len(problem.y))
    elif request.plot is not None or problem.is_test.any():
        rows = problem.shown_rows
    else:
        return None
    table = problem.features.table.take(rows)
    predictions = predict_rows(
        estimator,
        table,
        coverage=request.coverage,
        gamma0=request.gamma0,
        support=request.predictions is not None,
        class_intervals=request.predictions is not None or request.plot is not None,
    )
    return Predicted(rows, predictions)


def _write_outputs(
    files: OutputFiles, request: FitRequest, problem: Problem, fitted: Fitted
) -> None:
    if request.out is not None:
        files.write(request.out, fitted.estimator.save)
    if request.report is not None:
        files.write(request.report, _report_page(request, problem, fitted).save)
    if (predicted := fitted.predicted) is None:
        return
    if (place := request.predictions) is not None:
        split = np.where(problem.is_test, "test", "train").tolist()
        before = {"split": split, "actual": problem.y.tolist()}
        table = prediction_table(predicted.predictions, before)
        files.write(place, lambda path: write_table(table, path, kind_of=place))
    if (picture := request.plot) is not None:
        figure = _draw(request, problem, fitted, predicted)
        ending = picture.suffix.lower().removeprefix(".")
        files.write(picture, lambda path: figure.savefig(path, format=ending))


def _report_page(request: FitRequest, problem: Problem, fitted: Fitted) -> HtmlReport:
    rows = problem.shown_rows
    return html(
        fitted.estimator,
        problem.features.table.take(rows),
        problem.y[rows],
        sample_weight=None if problem.weights is None else problem.weights[rows],
        coverage=request.coverage,
        gamma0=request.gamma0,
        notes=[*problem.reading_notes, *problem.notes],
        model_file=None if request.out is None else str(request.out),
        data_file=request.data,
        random_state=request.seed,
    )


def _draw(request: FitRequest, problem: Problem, fitted: Fitted, predicted: Predicted) -> Any:
    from bayeswood.plots import plot_overview

    rows = problem.shown_rows
    is_builtin = request.data.startswith(BUILTIN)
    name = request.data.removeprefix(BUILTIN) if is_builtin else Path(request.data).name
    return plot_overview(
        predicted.of(rows),
        problem.y[rows],
        fitted.importances,
        title=f"{type(fitted.estimator).__name__} · {name}",
        rows_are="test rows" if problem.is_test.any() else "training rows",
        target=problem.target,
    )


def _result(request: FitRequest, problem: Problem, fitted: Fitted) -> dict[str, Any]:
    test, predicted = np.flatnonzero(problem.is_test), fitted.predicted
    outputs = {
        "model": request.out,
        "predictions": request.predictions,
        "plot": request.plot,
        "report": request.report,
    }
    return {
        "data": request.data,
        "target": problem.target,
        "task": problem.task,
        "method": request.method,
        "n_train": int(np.sum(~problem.is_test)),
        "n_test": len(test),
        "features": problem.features.table.column_names,
        "categories": problem.features.categories,
        "parameters": fitted.estimator.get_params(deep=False),
        "fit_seconds": round(fitted.seconds, 4),
        "test": None
        if predicted is None or not len(test)
        else score_predictions(predicted.of(test), problem.y[test]),
        "out_of_bag": fitted.out_of_bag,
        "importances": fitted.importances.to_json(),
        "outputs": {kind: str(path) for kind, path in outputs.items() if path is not None},
        "notes": [*problem.reading_notes, *problem.notes],
    }


def _show_problem(request: FitRequest, problem: Problem, screen: Screen) -> None:
    from bayeswood.report.names import listing
    from bayeswood.report.render import heading, render_pairs

    categories = problem.features.categories
    n_missing = sum(column.null_count for column in problem.features.table.columns)
    target = problem.target
    if problem.task == "classification":
        labels, counts = np.unique(problem.y, return_counts=True)
        target += ": " + listing(f"{a} ({n})" for a, n in zip(labels, counts, strict=True))
    else:
        target += f": {problem.y.min():.5g} to {problem.y.max():.5g}"
    n_features = problem.features.table.num_columns
    rows = [
        ("data", request.data),
        ("size", f"{len(problem.y):,} rows, {n_features} features"),
        ("target", target),
        ("categories", listing(categories, 40) if categories else "none"),
        ("missing cells", f"{n_missing:,}" if n_missing else "none"),
    ]
    screen.show(heading(f"Fit {request.method} for {problem.task}"), render_pairs(rows))
    screen.show_notes(problem.notes)


def _show_result(
    request: FitRequest, result: dict[str, Any], fitted: Fitted, screen: Screen
) -> None:
    from bayeswood.report.names import member_words
    from bayeswood.report.render import heading, render_importances, render_pairs, render_scores

    forest = fitted.estimator.forest_
    members = member_words(forest.n_members, forest.trees_per_member)
    done = f"Fitted {members.counted} to {result['n_train']:,} rows"
    screen.show(heading(f"{done} in {result['fit_seconds']:.2f} s"))
    if result["test"] is not None:
        screen.show(heading(f"On the {result['n_test']:,} rows held out"))
        screen.show(render_scores(result["test"], members.plural))
    elif (scores := result["out_of_bag"]) is not None:
        judged = f"{scores['n_rows']:,} rows"
        screen.show(heading(f"Out of bag: {judged}, each by the trees that left it out"))
        screen.show(render_pairs(score_rows(scores)))
    else:
        screen.show_notes([fitted.advice])
    if result["test"] is None and (request.predictions or request.plot):
        screen.show_notes([_TRAINING_ROWS])
    screen.show(heading(f"Importance ± spread over the {members.plural}"))
    screen.show(render_importances(fitted.importances))
    if result["outputs"]:
        screen.show(heading("Wrote"))
        rows = [(kind, f"{path} ({file_size(path)})") for kind, path in result["outputs"].items()]
        screen.show(render_pairs(rows))
