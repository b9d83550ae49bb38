"""``bayeswood compare``: every method, and other libraries' models, on the same folds."""

import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import floor, isnan, log10
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import RenderableType

from bayeswood.cli.baselines import BASELINES, FittedBaseline, installed_baselines
from bayeswood.cli.comparison import MAIN, Comparison, Difference, MethodScores, Scores
from bayeswood.cli.parameters import find_class, make_estimator
from bayeswood.cli.problem import FitRequest, Problem, read_problem
from bayeswood.cli.screen import Screen, screen_options, share_option
from bayeswood.cli.tables.columns import split_names
from bayeswood.cli.tables.data_options import data_options
from bayeswood.cli.tables.output_files import OutputFiles
from bayeswood.cli.tables.table_file import check_ending, source_path, write_table
from bayeswood.errors import BayeswoodError
from bayeswood.methods.registry import METHODS
from bayeswood.progress import progress_bar
from bayeswood.report import DEFAULT_GAMMA0, predict_rows, score_predictions
from bayeswood.report.names import percent
from bayeswood.threads import n_threads

_NUMBERS = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?")


@click.command()
@data_options
@click.option(
    "--methods",
    "-m",
    multiple=True,
    help="Which, separated by commas; otherwise all that can, and the baselines: "
    f"{', '.join(BASELINES)}.",
)
@click.option(
    "--baselines/--no-baselines",
    default=True,
    help="Without --methods: whether to fit other libraries' models too, where installed.",
)
@click.option(
    "--folds", type=click.IntRange(2), default=5, show_default=True, help="Parts to hold out."
)
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    help="Write the scores of every fold here (.csv, .csv.gz, .parquet).",
)
@share_option("--coverage", 0.9, "Coverage of the intervals.")
@share_option("--gamma0", DEFAULT_GAMMA0, "Least share of votes of a confident class.")
@screen_options
def compare(
    methods: tuple[str, ...],
    baselines: bool,
    folds: int,
    out: Path | None,
    quiet: bool,
    as_json: bool,
    debug: bool,
    **options: Any,
) -> None:
    """Fit every method to DATA and say which is better, by how much, and how sure that is.

    The rows are dealt into folds; each fold in turn is held out and predicted by a model of the
    others. All methods see the same folds, at their default parameters, and so do scikit-learn's
    random forest and gradient boosting, LightGBM and CatBoost where they are installed. Scores are
    means over the folds; the difference from the best is taken fold by fold, with its standard
    error, and one sentence says what to take.
    """
    screen = Screen(quiet=quiet, as_json=as_json)
    request = FitRequest(**options)
    with OutputFiles(source_path(request.data)) as files:
        files.check(out)
        if out is not None:
            check_ending(out, "--out")
        problem = read_problem(request)
        chosen = _chosen_methods(methods, baselines, problem)
        parts = _deal(problem, folds, request.seed)
        found, warned = _run(request, problem, chosen, parts, screen)
        if out is not None:
            table = _fold_table(found)
            files.write(out, lambda path: write_table(table, path, kind_of=out))
    comparison, notes = Comparison(found, problem.task), [*problem.notes, *warned]
    _show(request, problem, comparison, folds, screen)
    screen.tell(problem.reading_notes)
    screen.show_notes(notes)
    said = [*problem.reading_notes, *notes]
    screen.finish(_result(request, problem, found, comparison, folds, said))


def _chosen_methods(asked: tuple[str, ...], baselines: bool, problem: Problem) -> list[str]:
    if not asked:
        side = 0 if problem.task == "classification" else 1
        ours = [name for name, sides in METHODS.items() if sides[side] is not None]
        return [*ours, *(installed_baselines() if baselines else ())]
    names = list(dict.fromkeys(split_names(asked, [*METHODS, *BASELINES])))
    for name in names:
        if name not in BASELINES:
            find_class(name, problem.task)
        elif name not in installed_baselines():
            raise BayeswoodError(f"The baseline '{name}' needs a package that is not installed.")
    return names


def _deal(problem: Problem, n_folds: int, seed: int) -> NDArray[np.intp]:
    """The fold of each row: at random, every class dealt out evenly."""
    n_rows = len(problem.y)
    if n_rows < 2 * n_folds:
        raise BayeswoodError(f"--folds {n_folds} needs at least {2 * n_folds} rows. Got {n_rows}.")
    order = np.random.default_rng(seed).permutation(n_rows)
    if problem.task == "classification":
        order = order[np.argsort(problem.y[order], kind="stable")]
    part = np.empty(n_rows, dtype=np.intp)
    part[order] = np.arange(n_rows) % n_folds
    return part


def _run(
    request: FitRequest,
    problem: Problem,
    methods: Sequence[str],
    parts: NDArray[np.intp],
    screen: Screen,
) -> tuple[list[MethodScores], list[str]]:
    """The scores of every method, and what was warned of, once."""
    n_folds = int(parts.max()) + 1
    found, notes = [], []
    with progress_bar("compare", "fits", show=screen.shows_progress) as report:
        for at, method in enumerate(methods):
            scores, seconds = [], []
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for fold, (score, taken) in enumerate(_folds(request, problem, method, parts)):
                    scores.append(score)
                    seconds.append(taken)
                    if report is not None:
                        report(at * n_folds + fold + 1, len(methods) * n_folds, method)
            notes += _once(method, [str(warning.message) for warning in caught])
            mean = float(np.mean(seconds))
            found.append(MethodScores(method, tuple(scores), mean, method in BASELINES))
    return found, notes


def _once(method: str, messages: list[str]) -> list[str]:
    """The warnings of a method's fits, without those that differ in their numbers alone."""
    first: dict[str, str] = {}
    for message in messages:
        first.setdefault(_NUMBERS.sub("#", message), message)
    times = Counter(_NUMBERS.sub("#", message) for message in messages)
    return [
        f"{method}: {message}" + (f" (One of {times[kind]} like it.)" if times[kind] > 1 else "")
        for kind, message in first.items()
    ]


def _folds(
    request: FitRequest, problem: Problem, method: str, parts: NDArray[np.intp]
) -> Iterator[tuple[Scores, float]]:
    """Scores and seconds of a method on each fold."""
    make = _fitted_baseline if method in BASELINES else _fitted_forest
    table = problem.features.table
    for fold in range(int(parts.max()) + 1):
        is_test = parts == fold
        start = time.perf_counter()
        score = make(request, problem, method, ~is_test)
        seconds = time.perf_counter() - start
        yield score(table.filter(is_test), problem.y[is_test]), seconds


def _fitted_forest(
    request: FitRequest, problem: Problem, method: str, rows: NDArray[np.bool_]
) -> Callable[[Any, NDArray[Any]], Scores]:
    """What scores rows by a method of ours that was fitted to some of the rows."""
    parameters: dict[str, Any] = {"random_state": request.seed, "n_jobs": request.n_jobs}
    if problem.features.forced:
        parameters["categorical_features"] = problem.features.categories
    estimator = make_estimator(method, problem.task, parameters)
    weights = None if problem.weights is None else problem.weights[rows]
    estimator.fit(problem.features.table.filter(rows), problem.y[rows], weights)
    return partial(_score, request, estimator)


def _score(request: FitRequest, estimator: Any, table: Any, y: NDArray[Any]) -> Scores:
    predictions = predict_rows(
        estimator,
        table,
        coverage=request.coverage,
        gamma0=request.gamma0,
        class_intervals=False,
    )
    return score_predictions(predictions, y)


def _fitted_baseline(
    request: FitRequest, problem: Problem, method: str, rows: NDArray[np.bool_]
) -> Callable[[Any, NDArray[Any]], Scores]:
    """What scores rows by another library's model that was fitted to some of the rows."""
    weights = None if problem.weights is None else problem.weights[rows]
    baseline = FittedBaseline(
        method,
        problem.task,
        request.seed,
        n_threads(request.n_jobs),
        problem.features.table.filter(rows),
        problem.y[rows],
        weights,
        problem.features.categories if problem.features.forced else [],
    )
    return baseline.score


def _short(value: float, digits: int = 4) -> str:
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.{digits}g}"


def _three(value: float) -> str:
    return f"{value:.3f}"


def _percent(value: float) -> str:
    return f"{value:.1%}"


# What is shown of the scores: (heading, attribute, style), the one that decides first.
_SHOWN: dict[str, tuple[tuple[str, str, Callable[[float], str]], ...]] = {
    "classification": (
        ("log p", MAIN["classification"][0], _three),
        ("acc.", "accuracy", _three),
        ("unsure", "uncertain", _percent),
        ("wrong", "confident_incorrect", _percent),
    ),
    "regression": (
        ("RMSE", MAIN["regression"][0], _short),
        ("R²", "r2", _three),
        ("covered", "covered", _percent),
        ("width", "mean_width", partial(_short, digits=3)),
    ),
}


def _show(
    request: FitRequest, problem: Problem, comparison: Comparison, n_folds: int, screen: Screen
) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from bayeswood.report.render import heading, render_columns

    shown = _SHOWN[problem.task]
    rows = []
    for scores in comparison.ranked:
        means = [float(scores.values(name).mean()) for _, name, _ in shown]
        cells = ["–" if isnan(m) else s(m) for m, (_, _, s) in zip(means, shown, strict=True)]
        is_best = scores is comparison.best
        gap = "best" if is_best else _gap_text(comparison.difference(scores), problem.task)
        rows.append([scores.method, cells[0], gap, *cells[1:], f"{scores.fit_seconds:.2f}"])
    header = ["method", shown[0][0], "from best", *(name for name, _, _ in shown[1:]), "fit s"]
    size = f"{len(problem.y):,} rows of {request.data}, target {problem.target}"
    screen.show(heading(f"{len(comparison.ranked)} methods on {size}, {n_folds} folds"))
    screen.show(render_columns(header, rows), _explanation(problem.task, request))
    advice = Text(_recommendation(comparison), style="bold")
    screen.show("", Padding(advice, (0, 0, 0, 2)))


def _recommendation(comparison: Comparison) -> str:
    return comparison.recommendation("{:.3f}" if comparison.task == "classification" else "{:.3g}")


def _gap_text(gap: Difference, task: str) -> str:
    if task == "classification":
        return f"{_three(-gap.mean)}±{_three(gap.error)}"
    # Two digits of the error, and as many decimals of what it is the error of.
    decimals = max(0, 1 - floor(log10(gap.error))) if gap.error > 0 else 3
    return f"+{gap.mean:,.{decimals}f}±{gap.error:,.{decimals}f}"


def _explanation(task: str, request: FitRequest) -> RenderableType:
    from rich.text import Text

    if task == "classification":
        members = f"{percent(request.gamma0)} of the members"
        text = f"wrong: predicted by at least {members}, and wrong; unsure: by fewer."
    else:
        text = f"covered: in the {percent(request.coverage)} interval, width: its mean width."
    return Text(f"  {text}", style="dim")


def _fold_table(found: Sequence[MethodScores]) -> Any:
    import pyarrow as pa

    rows = [
        {"method": scores.method, "fold": number, **vars(fold)}
        for scores in found
        for number, fold in enumerate(scores.folds)
    ]
    return pa.Table.from_pylist(rows)


def _result(
    request: FitRequest,
    problem: Problem,
    found: Sequence[MethodScores],
    comparison: Comparison,
    n_folds: int,
    notes: list[str],
) -> dict[str, Any]:
    methods = []
    for scores in found:
        names = [name for name in vars(scores.folds[0]) if name != "n_rows"]
        gap = comparison.difference(scores)
        methods.append(
            {
                "method": scores.method,
                "baseline": scores.is_baseline,
                **{name: float(scores.values(name).mean()) for name in names},
                "worse_than_best": gap.mean,
                "worse_than_best_error": gap.error,
                "worse_than_best_spread": gap.spread,
                "clearly_worse": gap.is_clear,
                "fit_seconds": round(scores.fit_seconds, 4),
            }
        )
    return {
        "data": request.data,
        "target": problem.target,
        "task": problem.task,
        "folds": n_folds,
        "best": comparison.best.method,
        "recommendation": _recommendation(comparison),
        "methods": methods,
        "notes": notes,
    }
