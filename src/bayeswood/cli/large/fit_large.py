"""``bayeswood fit`` for input larger than the memory limit: an empirical Bayesian forest."""

import time
from typing import Any

import click

from bayeswood.cli.large.large_input import large_files, refuse_reading
from bayeswood.cli.parameters import DEFAULT_METHOD, make_estimator, parse_parameters
from bayeswood.cli.problem import FitRequest
from bayeswood.cli.screen import Screen, file_size, warnings_as_notes
from bayeswood.cli.tables.columns import Task, check_names, infer_task, split_names
from bayeswood.cli.tables.output_files import OutputFiles
from bayeswood.distributed.files.batches import read_batches
from bayeswood.distributed.files.input_files import InputFile
from bayeswood.distributed.tasks.memory import in_words
from bayeswood.errors import BayeswoodError
from bayeswood.report import summarize_importances
from bayeswood.table.reading.number_text import read_numbers

METHOD = "empirical-bayesian-forest"
# Rows of the target by which the task is decided.
_LOOKED_AT = 100_000


def fit_large(request: FitRequest, limit: int, screen: Screen) -> None:
    """Fit to files in pieces, and say what came of it.

    Parameters
    ----------
    request : FitRequest
    limit : int
        Bytes of memory.
    screen : Screen
    """
    _refuse_what_needs_memory(request)
    refuse_reading(request.reading)
    files = large_files(request.data)
    notes = [f"DATA is read in pieces, within {in_words(limit)} of memory."]
    with OutputFiles(*(_path(file) for file in files)) as outputs:
        outputs.check(request.out)
        task = _task(request, files, notes)
        estimator = _unfitted(request, task, screen, notes)
        features = _features(request, files[0])
        screen.show_notes(notes)
        start = time.perf_counter()
        with warnings_as_notes(notes):
            estimator.fit_parquet(
                request.data,
                request.target,
                features,
                request.weights,
                spill_dir=request.spill_dir,
                memory_limit=limit,
                n_jobs=-1 if request.n_jobs is None else request.n_jobs,
                resume=request.resume,
                on_large_branch="split",
            )
        estimator.set_params(verbose=0)
        seconds = time.perf_counter() - start
        if request.out is not None:
            outputs.write(request.out, estimator.save)
    _show(request, estimator, task, seconds, notes, screen)


def _path(file: InputFile) -> Any:
    from pathlib import Path

    return Path(file.path)


def _refuse_what_needs_memory(request: FitRequest) -> None:
    asked = {
        "--test-size": request.test_size > 0,
        "--predictions": request.predictions is not None,
        "--plot": request.plot is not None,
        "--groups": request.groups is not None,
        "--drop-missing-target": request.drop_missing_target,
    }
    for option, given in asked.items():
        if given:
            raise click.UsageError(
                f"{option} needs all rows in memory, and DATA is larger than the memory limit. "
                "Raise --memory-limit, or leave it out and use 'bayeswood predict' or 'evaluate'."
            )
    if request.method not in (METHOD, DEFAULT_METHOD):
        raise click.UsageError(
            f"--method {request.method} needs all rows in memory, and DATA is larger than the "
            f"memory limit. Use --method {METHOD}, or raise --memory-limit."
        )
    if request.target is None:
        raise click.UsageError("Name the column to predict with --target.")


def _task(request: FitRequest, files: list[InputFile], notes: list[str]) -> Task:
    """Classification or regression, by the first rows of the target."""
    if request.task is not None:
        return request.task
    import pyarrow as pa

    assert request.target is not None
    check_names([request.target], list(files[0].types), "target column")
    found, n_rows = [], 0
    file = next((file for file in files if file.n_rows), files[0])
    for batch in read_batches(file, [request.target]):
        found.append(batch.column(0))
        n_rows += batch.num_rows
        if n_rows >= _LOOKED_AT:
            break
    if not found:
        raise BayeswoodError(f"{request.data}: the files have no rows.")
    column = pa.chunked_array(found)
    _refuse_numbers_as_text(column, request.target)
    task, reason = infer_task(column)
    notes.append(f"'{request.target}' is taken for {task}: {reason}. --task overrides.")
    return task


def _refuse_numbers_as_text(column: Any, target: str) -> None:
    """Refuse text that a fit in memory would read as numbers, and not as classes."""
    import pyarrow as pa

    if not pa.types.is_string(column.type) or column.null_count == len(column):
        return
    if read_numbers(column.unique().drop_null()) is not None:
        raise BayeswoodError(
            f"The target column '{target}' holds numbers that are not written plainly, such as "
            f"'{column.drop_null()[0]}'. DATA is read in pieces, which takes plain numbers alone: "
            "write them so, or raise --memory-limit, so that --na, --decimal and --thousands help."
        )


def _unfitted(request: FitRequest, task: Task, screen: Screen, notes: list[str]) -> Any:
    parameters: dict[str, Any] = {
        "random_state": request.seed,
        "verbose": int(screen.shows_progress),
    }
    if request.method != METHOD:
        notes.append(
            f"the method is {METHOD}, which needs no more than a part of the rows at once."
        )
    if task == "regression":
        parameters["keep_responses"] = False
    if request.n_estimators is not None:
        parameters["n_estimators"] = request.n_estimators
    if request.categorical:
        parameters["categorical_features"] = split_names(request.categorical, ())
    parameters |= parse_parameters(request.param)
    if parameters.get("keep_responses") is False:
        notes.append(
            "leaves do not remember their rows, so that there are intervals of the mean and none "
            "of new values; --param keep_responses=true keeps them."
        )
    return make_estimator(METHOD, task, parameters)


def _features(request: FitRequest, file: InputFile) -> list[str]:
    """Names of the feature columns."""
    known = list(file.types)
    chosen, dropped = split_names(request.columns, known), split_names(request.drop, known)
    check_names([*chosen, *dropped], known, "column")
    taken = {request.target, request.weights, *dropped, ""}
    return [name for name in chosen or known if name not in taken]


def _show(
    request: FitRequest,
    estimator: Any,
    task: Task,
    seconds: float,
    notes: list[str],
    screen: Screen,
) -> None:
    from bayeswood.report.render import heading, render_importances, render_pairs

    plan = estimator.memory_plan_
    n_trees = len(estimator.member_weights_)
    screen.show(heading(f"Fitted {n_trees} trees to {plan.n_rows:,} rows in {seconds:.2f} s"))
    screen.show(render_pairs([("memory", str(plan))]))
    screen.show(heading("Importance ± spread over the trees"))
    importances = summarize_importances(estimator)
    screen.show(render_importances(importances))
    if request.out is not None:
        screen.show(heading("Wrote"))
        screen.show(render_pairs([("model", f"{request.out} ({file_size(request.out)})")]))
    screen.finish(
        {
            "data": request.data,
            "target": request.target,
            "task": task,
            "method": METHOD,
            "n_train": plan.n_rows,
            "features": list(estimator.schema_.names),
            "parameters": estimator.get_params(deep=False),
            "memory_plan": plan.to_json(),
            "fit_seconds": round(seconds, 4),
            "importances": importances.to_json(),
            "outputs": {} if request.out is None else {"model": str(request.out)},
            "notes": notes,
        }
    )
