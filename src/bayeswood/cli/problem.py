"""What ``bayeswood fit`` was asked for, and the data it works on."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from bayeswood.cli.parameters import DEFAULT_METHOD
from bayeswood.cli.tables.columns import (
    Features,
    Task,
    check_names,
    choose_features,
    infer_task,
    label_array,
    number_array,
    split_names,
    target_array,
    with_target,
)
from bayeswood.cli.tables.table_file import BUILTIN, DEFAULT_DATA, ReadOptions, read_table
from bayeswood.errors import BayeswoodError
from bayeswood.report import DEFAULT_GAMMA0
from bayeswood.table.reading import ReadTable, note_lines

BUILTIN_TARGET = "target"


@dataclass(frozen=True)
class FitRequest:
    """The options of ``bayeswood fit``; its help says what each means."""

    data: str = DEFAULT_DATA
    target: str | None = None
    method: str = DEFAULT_METHOD
    out: Path | None = None
    predictions: Path | None = None
    plot: Path | None = None
    report: Path | None = None
    test_size: float = 0.0
    task: Task | None = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    weights: str | None = None
    groups: str | None = None
    param: tuple[str, ...] = ()
    n_estimators: int | None = None
    seed: int = 0
    n_jobs: int | None = None
    coverage: float = 0.9
    gamma0: float = DEFAULT_GAMMA0
    memory_limit: str | None = None
    spill_dir: Path | None = None
    resume: bool = False
    drop_missing_target: bool = False
    na: tuple[str, ...] = ()
    decimal: str | None = None
    thousands: str | None = None
    header: bool = True
    encoding: str | None = None
    day_first: bool | None = None

    @property
    def reading(self) -> ReadOptions:
        """How DATA is written."""
        return ReadOptions(**{name: getattr(self, name) for name in vars(ReadOptions())})


@dataclass(frozen=True)
class Problem:
    """The data of one fit.

    Attributes
    ----------
    features : Features
    y : (n_rows,) ndarray
    weights : (n_rows,) ndarray or None
    groups : (n_rows,) ndarray or None
        Labels of rows that belong together.
    target : str
    task : str
    is_test : (n_rows,) ndarray of bool
    notes : list of str
    reading_notes : list of str
        What cells of the file were taken for.
    """

    features: Features
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    groups: NDArray[Any] | None
    target: str
    task: Task
    is_test: NDArray[np.bool_]
    notes: list[str]
    reading_notes: list[str] = field(default_factory=list)

    @property
    def shown_rows(self) -> NDArray[np.intp]:
        """The test rows, or all if there are none."""
        has_test = bool(self.is_test.any())
        return np.flatnonzero(self.is_test) if has_test else np.arange(len(self.y))


def read_problem(request: FitRequest) -> Problem:
    """Read the data of a fit and decide on features, task and test rows.

    Parameters
    ----------
    request : FitRequest

    Returns
    -------
    Problem
    """
    target = request.target or (BUILTIN_TARGET if request.data.startswith(BUILTIN) else None)
    read = read_table(request.data, request.reading, target=target)
    table = _as_spelt(request, read)
    if target is None:
        raise click.UsageError(
            f"Name the column to predict with --target. There are: {', '.join(table.column_names)}."
        )
    check_names([target], table.column_names, "target column")
    table, dropped = with_target(table, target, drop=request.drop_missing_target)
    weights = groups = None
    if request.weights is not None:
        column = _other_column(table, request.weights, "weights", target)
        weights = number_array(column, f"weights column '{request.weights}'")
    if request.groups is not None:
        column = _other_column(table, request.groups, "groups", target)
        groups = label_array(column, f"groups column '{request.groups}'")
    others = (target, request.weights, request.groups)
    features = choose_features(
        table,
        exclude=[name for name in others if name is not None],
        columns=request.columns,
        drop=request.drop,
        categorical=request.categorical,
    )
    task, note = _decide_task(request.task, table[target], target)
    y = target_array(table[target], target, task)
    is_test = hold_out(y, request.test_size, task, request.seed, groups)
    said = set(features.table.column_names)
    reading = note_lines(n for n in read.notes if n.column in {None, target, *said})
    notes = [*dropped, *note, *features.notes]
    return Problem(features, y, weights, groups, target, task, is_test, notes, reading)


def _other_column(table: Any, name: str, what: str, target: str) -> Any:
    """A column that is neither target nor feature."""
    check_names([name], table.column_names, f"{what} column")
    if name == target:
        raise BayeswoodError(f"Column '{target}' cannot be both target and {what}.")
    return table[name]


def _as_spelt(request: FitRequest, read: ReadTable) -> Any:
    """The table; --categorical columns keep their spelling where another type would change it.

    So do 01234 and 1234, or 9:05 and 09:05:00, stay two levels, and new data find theirs.
    """
    import pyarrow as pa

    table = read.table
    for name in split_names(request.categorical, table.column_names):
        if name not in read.text or not _may_respell(read, name):
            continue
        if table[name].cast(pa.string()) != read.text[name]:
            table = table.set_column(table.column_names.index(name), name, read.text[name])
    return table


def _may_respell(read: ReadTable, name: str) -> bool:
    import pyarrow as pa

    kind = read.table[name].type
    is_marked = name in read.reading.written
    return bool(is_marked or pa.types.is_integer(kind) or pa.types.is_temporal(kind))


def _decide_task(asked: Task | None, column: Any, target: str) -> tuple[Task, list[str]]:
    if asked is not None:
        return asked, []
    task, reason = infer_task(column)
    note = f"'{target}' is taken for {task}: {reason}."
    if task == "regression":
        note += " --task classification overrides."
    elif "number" in reason:
        note += " --task regression overrides."
    return task, [note]


def hold_out(
    y: NDArray[Any],
    test_size: float,
    task: Task,
    seed: int,
    groups: NDArray[Any] | None = None,
) -> NDArray[np.bool_]:
    """Which rows are held out: a random share, of every class where the counts allow it.

    Parameters
    ----------
    y : (n_rows,) ndarray
    test_size : float
        Share of the rows; 0 holds out none.
    task : str
    seed : int
    groups : (n_rows,) ndarray, default=None
        Held out as a whole, at random and with no regard to classes, until the share is reached.

    Returns
    -------
    (n_rows,) ndarray of bool
    """
    from sklearn.model_selection import train_test_split

    is_test = np.zeros(len(y), dtype=np.bool_)
    if test_size == 0:
        return is_test
    n_test = max(1, round(test_size * len(y)))
    if n_test >= len(y):
        raise BayeswoodError(f"--test-size {test_size} leaves none of the {len(y)} rows to fit on.")
    if groups is not None:
        return _hold_out_groups(groups, n_test, seed)
    stratify = None
    if task == "classification":
        counts = np.unique(y, return_counts=True)[1]
        if counts.min() >= 2 and min(n_test, len(y) - n_test) >= len(counts):
            stratify = y
    _, rows = train_test_split(
        np.arange(len(y)), test_size=n_test, random_state=seed, stratify=stratify
    )
    is_test[rows] = True
    return is_test


def _hold_out_groups(groups: NDArray[Any], n_test: int, seed: int) -> NDArray[np.bool_]:
    labels, number, counts = np.unique(groups, return_inverse=True, return_counts=True)
    if len(labels) < 2:
        raise BayeswoodError(
            "--test-size holds out whole groups, and --groups has one only. Leave one of them out."
        )
    order = np.random.default_rng(seed).permutation(len(labels))
    before = np.cumsum(counts[order]) - counts[order]
    n_taken = min(int((before < n_test).sum()), len(labels) - 1)
    return np.isin(number, order[:n_taken])
