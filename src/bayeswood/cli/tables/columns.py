"""Which columns are features, what each is, and what the target asks for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.table.arrow_functions import cast

Task = Literal["classification", "regression"]

MAX_INTEGER_CLASSES = 20
_MANY_LEVELS = 50


@dataclass
class Features:
    """The feature columns of a table, ready for an estimator.

    Attributes
    ----------
    table : pyarrow.Table
        Numbers as float64; categories as text, bool or int64.
    categories : list of str
        Columns taken as categories.
    forced : bool
        Whether a column is among them that its values do not make one.
    notes : list of str
        What a user should know about the choices made.
    """

    table: Any
    categories: list[str] = field(default_factory=list)
    forced: bool = False
    notes: list[str] = field(default_factory=list)


def split_names(values: Sequence[str], known: Sequence[str]) -> list[str]:
    """Column names from repeated and comma-separated options.

    Examples
    --------
    >>> split_names(["a,b", "c,d"], known=["a", "b", "c,d"])
    ['a', 'b', 'c,d']
    """
    names: list[str] = []
    for value in values:
        parts = [value] if value in known else [part.strip() for part in value.split(",")]
        names.extend(part for part in parts if part)
    return names


def check_names(names: Iterable[str], known: Sequence[str], what: str) -> None:
    """Refuse an unknown name and suggest the nearest ones.

    Parameters
    ----------
    names : iterable of str
    known : sequence of str
    what : str
        What the name is, for the message, such as ``"target column"``.
    """
    for name in names:
        if name not in known:
            raise BayeswoodError(f"No {what} '{name}'.{suggest(name, known)}")


def suggest(name: str, known: Sequence[str]) -> str:
    """A sentence with the names most like a wrong one, or all if few; empty if there are none.

    Examples
    --------
    >>> suggest("agee", ["age", "income"])
    " Did you mean 'age'?"
    """
    from difflib import get_close_matches

    folded = {other.casefold(): other for other in known}
    near = [folded[key] for key in get_close_matches(name.casefold(), list(folded), n=3)]
    if near:
        return " Did you mean " + " or ".join(f"'{other}'" for other in near) + "?"
    shown = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
    return f" There are: {shown}." if known else ""


def choose_features(
    table: Any,
    *,
    exclude: Sequence[str],
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
) -> Features:
    """Take the feature columns out of a table and decide which are categories.

    Parameters
    ----------
    table : pyarrow.Table
    exclude : sequence of str
        Target, weights and groups.
    columns : sequence of str
        The features; all columns if empty.
    drop : sequence of str
        Columns that are no features.
    categorical : sequence of str
        Columns to be taken as categories whatever their type.

    Returns
    -------
    Features
    """
    known = table.column_names
    chosen, dropped = split_names(columns, known), split_names(drop, known)
    forced = split_names(categorical, known)
    check_names([*chosen, *dropped, *forced], known, "column")
    # A column without a name is what a data frame's row labels become in a CSV file.
    names = [n for n in chosen or known if n and n not in dropped and n not in exclude]
    if not names:
        raise BayeswoodError("No feature column is left.")
    unused = [name for name in forced if name not in names]
    if unused:
        raise BayeswoodError(f"The --categorical column '{unused[0]}' is not among the features.")
    features = Features(table.select(names))
    if "" in known:
        features.notes.append("the column without a name is left out.")
    for name in names:
        _prepare_column(features, name, force=name in forced)
    return features


def _prepare_column(features: Features, name: str, *, force: bool) -> None:
    import pyarrow as pa

    column = features.table[name]
    if pa.types.is_dictionary(column.type):
        column = cast(column, column.type.value_type)
    if force or _is_category(column.type):
        features.categories.append(name)
        features.forced |= force or _is_number(column.type)
        column = category_column(column)
        _note_many_levels(features, name, column)
    elif pa.types.is_temporal(column.type):
        pass  # the estimator takes it apart
    elif _is_number(column.type) or pa.types.is_null(column.type):
        column = cast(column, pa.float64(), safe=False)
    else:
        raise BayeswoodError(
            f"Column '{name}' holds {column.type}, which is neither number nor category. "
            f"Leave it out with --drop {name}, or take it as a category with --categorical {name}."
        )
    position = features.table.column_names.index(name)
    features.table = features.table.set_column(position, name, column)


def _note_many_levels(features: Features, name: str, column: Any) -> None:
    n_levels = column.combine_chunks().unique().drop_null()
    if len(n_levels) > max(_MANY_LEVELS, len(column) // 2):
        features.notes.append(
            f"column '{name}' has {len(n_levels)} different values in {len(column)} rows; "
            f"if it is a name or a number of the row, leave it out with --drop {name}."
        )


def category_column(column: Any) -> Any:
    """A column as text, bool or int64: the kinds of level that a model knows."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type) or pa.types.is_string(column.type):
        return column
    if pa.types.is_integer(column.type):
        return cast(column, pa.int64())
    if _is_number(column.type):
        return cast(column, pa.float64())
    return cast(column, pa.string())


def _is_category(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_boolean(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)
    )


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def infer_task(column: Any) -> tuple[Task, str]:
    """Classification or regression, and why.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The target.

    Returns
    -------
    task : str
    reason : str
    """
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) or _is_category(column.type):
        return "classification", "its values are " + (
            "true or false" if pa.types.is_boolean(column.type) else "text"
        )
    if not pa.types.is_integer(column.type):
        return "regression", "its values are numbers with decimals"
    n_distinct = len(column.combine_chunks().unique())
    if n_distinct <= MAX_INTEGER_CLASSES and 2 * n_distinct <= len(column):
        return "classification", f"its values are {n_distinct} different whole numbers"
    return "regression", f"its values are {n_distinct} different whole numbers"


def target_array(column: Any, name: str, task: Task) -> NDArray[Any]:
    """The target as float64 numbers, or as labels of text, bool or int64.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    name : str
    task : str

    Returns
    -------
    (n_rows,) ndarray
    """
    import pyarrow as pa

    check_complete(column, f"target column '{name}'")
    if pa.types.is_dictionary(column.type):
        column = cast(column, column.type.value_type)
    if task == "regression":
        return number_array(column, f"target column '{name}'")
    values = np.asarray(category_column(column).to_pylist())
    is_whole = values.dtype == np.float64 and bool(np.all(values == np.round(values)))
    return values.astype(np.int64) if is_whole else values


def with_target(table: Any, target: str, *, drop: bool) -> tuple[Any, list[str]]:
    """The rows that have a target, if the others are to be left out, and how many these are."""
    n_missing = table[target].null_count
    if not drop or not n_missing:
        return table, []
    if n_missing == table.num_rows:
        raise BayeswoodError(f"The target column '{target}' has no values.")
    import pyarrow.compute as pc

    note = f"rows without a target are left out: {n_missing:,} of {table.num_rows:,}."
    return table.filter(pc.is_valid(table[target])), [note]


def label_array(column: Any, what: str) -> NDArray[Any]:
    """A complete column as labels of text, bool or number.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    what : str
        What the column is, for messages.

    Returns
    -------
    (n_rows,) ndarray
    """
    import pyarrow as pa

    check_complete(column, what)
    if pa.types.is_dictionary(column.type):
        column = cast(column, column.type.value_type)
    return np.asarray(category_column(column).to_pylist())


def number_array(column: Any, what: str) -> NDArray[np.float64]:
    """A complete column of numbers as float64.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    what : str
        What the column is, for messages.

    Returns
    -------
    (n_rows,) ndarray
    """
    import pyarrow as pa

    check_complete(column, what)
    if not (_is_number(column.type) or pa.types.is_boolean(column.type)):
        raise BayeswoodError(f"The {what} must hold numbers. It holds {column.type}.")
    if pa.types.is_boolean(column.type):
        column = cast(column, pa.int8())
    return np.asarray(cast(column, pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def check_complete(column: Any, what: str) -> None:
    """Refuse a column with missing cells and say where the first one is (row 1 is the first)."""
    if column.null_count:
        row = 1 + column.is_null().to_pylist().index(True)
        out = "Leave such rows out."
        if what.startswith("target"):
            out = "--drop-missing-target leaves such rows out."
        cells = "a missing cell" if column.null_count == 1 else "missing cells, the first"
        raise BayeswoodError(f"The {what} has {cells} in data row {row}. {out}")
