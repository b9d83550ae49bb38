"""``bayeswood compare``: every method on the same folds of a data file."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import RenderableType

from bayeswood.cli.columns import split_names
from bayeswood.cli.data_options import data_options
from bayeswood.cli.output_files import OutputFiles
from bayeswood.cli.parameters import find_class, make_estimator
from bayeswood.cli.problem import FitRequest, Problem, read_problem
from bayeswood.cli.screen import Screen, screen_options, share_option, warnings_as_notes
from bayeswood.cli.table_file import check_ending, source_path, write_table
from bayeswood.errors import BayeswoodError
from bayeswood.methods.registry import METHODS
from bayeswood.progress import progress_bar
from bayeswood.report import (
    DEFAULT_GAMMA0,
    ClassifierScores,
    RegressorScores,
    predict_rows,
    score_predictions,
)
from bayeswood.report.names import percent

Scores = ClassifierScores | RegressorScores


@dataclass(frozen=True)
class MethodScores:
    """What one method reached.

    Attributes
    ----------
    method : str
    folds : tuple of ClassifierScores or RegressorScores
        Of the rows held out, one per fold.
    fit_seconds : float
        Mean over the folds.
    """

    method: str
    folds: tuple[Scores, ...]
    fit_seconds: float

    def values(self, name: str) -> NDArray[np.float64]:
        """A score, by fold."""
        return np.array([getattr(fold, name) for fold in self.folds], dtype=np.float64)


@click.command()
@data_options
@click.option(
    "--methods", "-m", multiple=True, help="Which, separated by commas; otherwise all that can."
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
    folds: int,
    out: Path | None,
    quiet: bool,
    as_json: bool,
    debug: bool,
    **options: Any,
) -> None:
    """Fit every method to DATA and say which is better, by how much, and how sure that is.

    The rows are dealt into folds; each fold in turn is held out and predicted by a model of the
    others. All methods see the same folds, at their default parameters. Scores are means over the
    folds with the standard error of the mean; the difference from the best method is taken fold by
    fold.
    """
    screen = Screen(quiet=quiet, as_json=as_json)
    request = FitRequest(**options)
    with OutputFiles(source_path(request.data)) as files:
        files.check(out)
        if out is not None:
            check_ending(out, "--out")
        problem = read_problem(request)
        chosen = _chosen_methods(methods, problem)
        parts = _deal(problem, folds, request.seed)
        notes: list[str] = []
        with warnings_as_notes(notes):
            found = _run(request, problem, chosen, parts, screen)
        if out is not None:
            table = _fold_table(found)
            files.write(out, lambda path: write_table(table, path, kind_of=out))
    _show(request, problem, found, folds, screen)
    screen.tell(problem.reading_notes)
    screen.show_notes([*problem.notes, *notes])
    said = [*problem.reading_notes, *problem.notes, *notes]
    screen.finish(_result(request, problem, found, folds, said))


def _chosen_methods(asked: tuple[str, ...], problem: Problem) -> list[str]:
    if not asked:
        side = 0 if problem.task == "classification" else 1
        return [name for name, sides in METHODS.items() if sides[side] is not None]
    names = list(dict.fromkeys(split_names(asked, list(METHODS))))
    for name in names:
        find_class(name, problem.task)
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
) -> list[MethodScores]:
    n_folds = int(parts.max()) + 1
    found = []
    with progress_bar("compare", "fits", show=screen.shows_progress) as report:
        for at, method in enumerate(methods):
            scores = []
            seconds = []
            for fold, (score, taken) in enumerate(_folds(request, problem, method, parts)):
                scores.append(score)
                seconds.append(taken)
                if report is not None:
                    report(at * n_folds + fold + 1, len(methods) * n_folds)
            found.append(MethodScores(method, tuple(scores), float(np.mean(seconds))))
    return found


def _folds(
    request: FitRequest, problem: Problem, method: str, parts: NDArray[np.intp]
) -> Iterator[tuple[Scores, float]]:
    """Scores and seconds of a method on each fold."""
    parameters: dict[str, Any] = {"random_state": request.seed, "n_jobs": request.n_jobs}
    if problem.features.forced:
        parameters["categorical_features"] = problem.features.categories
    table = problem.features.table
    for fold in range(int(parts.max()) + 1):
        is_test = parts == fold
        weights = None if problem.weights is None else problem.weights[~is_test]
        estimator = make_estimator(method, problem.task, parameters)
        start = time.perf_counter()
        estimator.fit(table.filter(~is_test), problem.y[~is_test], weights)
        seconds = time.perf_counter() - start
        predictions = predict_rows(
            estimator,
            table.filter(is_test),
            coverage=request.coverage,
            gamma0=request.gamma0,
            class_intervals=False,
        )
        yield score_predictions(predictions, problem.y[is_test]), seconds


def _short(value: float, digits: int = 4) -> str:
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.{digits}g}"


def _three(value: float) -> str:
    return f"{value:.3f}"


def _percent(value: float) -> str:
    return f"{value:.1%}"


# What is shown of the scores: (heading, attribute, style), the first deciding which is best.
_SHOWN: dict[str, tuple[tuple[str, str, Callable[[float], str]], ...]] = {
    "classification": (
        ("log p", "log_predictive_probability", _three),
        ("acc.", "accuracy", _three),
        ("unsure", "uncertain", _percent),
        ("wrong", "confident_incorrect", _percent),
    ),
    "regression": (
        ("RMSE", "rmse", _short),
        ("R²", "r2", _three),
        ("covered", "covered", _percent),
        ("width", "mean_width", _short),
    ),
}


def _mean_and_error(values: NDArray[np.float64]) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def _best(found: Sequence[MethodScores], task: str) -> MethodScores:
    name = _SHOWN[task][0][1]
    sign = 1 if task == "classification" else -1
    return max(found, key=lambda scores: sign * scores.values(name).mean())


def _show(
    request: FitRequest, problem: Problem, found: list[MethodScores], n_folds: int, screen: Screen
) -> None:
    from bayeswood.report.render import heading, render_columns

    main = _SHOWN[problem.task][0]
    best = _best(found, problem.task)
    header = [
        "method",
        main[0],
        "from best",
        *(name for name, _, _ in _SHOWN[problem.task][1:]),
    ]
    rows = []
    for scores in sorted(found, key=lambda s: _from_best(s, best, problem.task)[0]):
        mean, _ = _mean_and_error(scores.values(main[1]))
        cells = [scores.method, main[2](mean), _difference_text(scores, best, problem.task)]
        for _, name, style in _SHOWN[problem.task][1:]:
            cells.append(style(float(scores.values(name).mean())))
        rows.append([*cells, f"{scores.fit_seconds:.2f}"])
    size = f"{len(problem.y):,} rows of {request.data}, target {problem.target}"
    screen.show(heading(f"{len(found)} methods on {size}, {n_folds} folds"))
    screen.show(render_columns([*header, "fit s"], rows), _explanation(problem.task, request))


def _from_best(scores: MethodScores, best: MethodScores, task: str) -> tuple[float, float]:
    """How much worse than the best, and its standard error."""
    name = _SHOWN[task][0][1]
    sign = 1 if task == "classification" else -1
    return _mean_and_error(sign * (best.values(name) - scores.values(name)))


def _difference_text(scores: MethodScores, best: MethodScores, task: str) -> str:
    if scores is best:
        return "best"
    is_classifier = task == "classification"
    mean, error = _from_best(scores, best, task)
    text = _three(-mean) if is_classifier else "+" + _short(mean, 3)
    return f"{text}±{_three(error) if is_classifier else _short(error, 2)}"


def _explanation(task: str, request: FitRequest) -> RenderableType:
    from rich.text import Text

    if task == "classification":
        trees = f"{percent(request.gamma0)} of the trees"
        text = f"wrong: predicted by at least {trees}, and wrong; unsure: by fewer."
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
    n_folds: int,
    notes: list[str],
) -> dict[str, Any]:
    best = _best(found, problem.task)
    methods = []
    for scores in found:
        names = [name for name in vars(scores.folds[0]) if name != "n_rows"]
        means = {name: float(scores.values(name).mean()) for name in names}
        difference, error = _from_best(scores, best, problem.task)
        methods.append(
            {
                "method": scores.method,
                **means,
                "worse_than_best": difference,
                "worse_than_best_error": error,
                "fit_seconds": round(scores.fit_seconds, 4),
            }
        )
    return {
        "data": request.data,
        "target": problem.target,
        "task": problem.task,
        "folds": n_folds,
        "best": best.method,
        "methods": methods,
        "notes": notes,
    }
