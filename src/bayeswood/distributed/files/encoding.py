"""How rows of files become numbers: one encoding for all files, batches and workers.

Levels of categories and classes are those of all rows of all files; a batch is then encoded by
itself, and a row gets the same numbers as it would in memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.column_roles import Roles
from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.table import (
    MAX_LEVELS,
    Column,
    Level,
    Schema,
    check_weights,
    fit_class_target,
    fit_numeric_target,
    fit_table,
    transform_table,
)
from bayeswood.table.finite import refuse_infinite
from bayeswood.table.schema import Kind
from bayeswood.table.written import Reading, Written

_DATES = ("date", "time", "duration")
# Arrow types whose every value a float32 holds.
_NARROW = ("float", "halffloat", "int8", "int16", "uint8", "uint16", "bool")


@dataclass(frozen=True)
class Rows:
    """Encoded rows.

    Attributes
    ----------
    X : ndarray, (n_rows, n_features)
        Float32 or float64.
    y : ndarray
        Class numbers, int32 (n_rows,), or responses, float64 (n_rows, n_outputs).
    weight : ndarray, (n_rows,) or None
        Sample weights.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    weight: NDArray[np.float64] | None

    def take(self, rows: NDArray[Any]) -> "Rows":
        """Some of the rows, by number or by mask."""
        weight = None if self.weight is None else self.weight[rows]
        return Rows(self.X[rows], self.y[rows], weight)

    def thin(self, most: int) -> "Rows":
        """At most so many of the rows, evenly spaced."""
        if len(self.X) <= most:
            return self
        return self.take(np.linspace(0, len(self.X) - 1, most).astype(np.int64))


@dataclass(frozen=True)
class Totals:
    """What all rows together have shown.

    Attributes
    ----------
    n_rows : int
        Rows that take part, those of weight 0 left out.
    weight : float
        Their summed weight, scaled as the rows' weights are.
    """

    n_rows: int
    weight: float


@dataclass(frozen=True)
class Encoding:
    """What every batch is encoded by.

    Attributes
    ----------
    roles : Roles
        What the columns are for.
    schema : Schema
        Kinds and levels of the features.
    narrow : tuple of bool
        Which features a float32 holds exactly.
    classes : ndarray or None
        Class labels, ascending; None in regression.
    narrow_target : bool
        Whether a float32 holds the responses.
    weight_exponent : int
        Weights are divided by two to this power.
    owner : str
        Who reads the rows, for the errors.
    """

    roles: Roles
    schema: Schema
    narrow: tuple[bool, ...]
    classes: NDArray[Any] | None
    narrow_target: bool
    weight_exponent: int
    owner: str

    @cached_property
    def matrix_type(self) -> type[np.floating[Any]]:
        """Float32 if that holds every feature exactly, else float64."""
        return np.float32 if all(self.narrow) else np.float64

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 in regression."""
        return 0 if self.classes is None else len(self.classes)

    def encode(self, batch: Any) -> Rows:
        """The rows of a batch that take part: those whose weight is not 0."""
        X = self.encode_features(batch)
        y = self._encode_target(batch)
        weight = self._encode_weight(batch)
        rows = Rows(X, y, weight)
        if weight is None or bool((weight > 0).all()):
            return rows
        return rows.take(weight > 0)

    def encode_features(self, batch: Any) -> NDArray[Any]:
        """The matrix of a batch."""
        columns = batch.select(list(self.roles.features))
        if self.schema.all_numeric and self.matrix_type is np.float32:
            return self._float_matrix(columns)
        import pyarrow as pa

        table = pa.Table.from_batches([columns])
        matrix = transform_table(table, self.schema, estimator_name=self.owner)
        return matrix.astype(self.matrix_type, copy=False)

    def _float_matrix(self, columns: Any) -> NDArray[Any]:
        """All columns as float32, one after another; NaN where missing."""
        matrix = np.empty((columns.num_rows, columns.num_columns), dtype=np.float32, order="F")
        for j, column in enumerate(columns.columns):
            matrix[:, j] = _floats(column)
        refuse_infinite(matrix, self.schema, self.owner)
        return matrix

    def _encode_target(self, batch: Any) -> NDArray[Any]:
        if self.classes is None:
            return read_numbers(batch, self.roles, self.owner)
        codes, found = fit_class_target(_column(batch, self.roles.targets[0]), self.owner)
        number = {label: place for place, label in enumerate(self.classes.tolist())}
        places = np.array([number[label] for label in found.tolist()], dtype=np.int32)
        return places[codes]

    def _encode_weight(self, batch: Any) -> NDArray[np.float64] | None:
        weight = read_weight(batch, self.roles, self.owner)
        if weight is None or self.weight_exponent == 0:
            return weight
        return np.ldexp(weight, -self.weight_exponent)


def _column(batch: Any, name: str) -> Any:
    import pyarrow as pa

    return pa.chunked_array([batch.column(name)])


def _floats(column: Any) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return np.asarray(column.cast("float").to_numpy(zero_copy_only=False))


def read_numbers(batch: Any, roles: Roles, owner: str) -> NDArray[np.float64]:
    """The responses of a batch, (n_rows, n_outputs)."""
    columns = [fit_numeric_target(_column(batch, name), owner)[0] for name in roles.targets]
    return np.hstack(columns)


def read_weight(batch: Any, roles: Roles, owner: str) -> NDArray[np.float64] | None:
    """The weights of a batch; all of one batch may be 0."""
    if roles.weight is None:
        return None
    column = _column(batch, roles.weight)
    try:
        return check_weights(column, batch.num_rows, owner)
    except BayeswoodError:
        zeros = np.zeros(batch.num_rows)
        if column.null_count == 0 and np.array_equal(column.to_numpy(), zeros):
            return zeros
        raise


@contextmanager
def naming_rows(path: str, first_row: int, n_rows: int) -> Iterator[None]:
    """Say of an error in which file, and from which of its rows on, it arose."""
    try:
        yield
    except BayeswoodError as error:
        last = first_row + n_rows - 1
        place = f"In '{path}', rows {first_row} to {last} (rows below count from {first_row}): "
        raise type(error)(place + str(error)) from error


def narrow_columns(types: dict[str, str], schema: Schema) -> tuple[bool, ...]:
    """Whether a float32 holds every value of each encoded column, by its Arrow type."""
    return tuple(
        column.kind == "category" or types[column.name] in _NARROW for column in schema.columns
    )


class LevelsSeen:
    """Levels of the category columns, gathered batch by batch.

    Parameters
    ----------
    roles : Roles
        What the columns are for.
    types : dict of str to str
        Arrow types of the columns.
    owner : str
        Who reads the rows, for the errors.
    """

    def __init__(self, roles: Roles, types: dict[str, str], owner: str) -> None:
        self._roles = roles
        self._owner = owner
        numeric = [n for n in roles.features if _is_numeric(types[n]) and n not in roles.forced]
        self.to_read = [name for name in roles.features if name not in numeric]
        self._kinds: dict[str, Kind] = dict.fromkeys(numeric, "numeric")
        self._levels: dict[str, set[Level]] = {name: set() for name in self.to_read}
        self._refuse_dates([n for n in self.to_read if types[n].startswith(_DATES)])

    def _refuse_dates(self, names: Sequence[str]) -> None:
        if names:
            raise DataTypeError(
                f"Column {names[0]!r} holds dates or times. {self._owner} reads rows in pieces and "
                "does not take them apart: write them as numbers, or fit in memory. Text that is "
                "named in categorical_features stays a category."
            )

    def add(self, batch: Any) -> None:
        """See the rows of a batch."""
        if not self.to_read:
            return
        import pyarrow as pa

        wanted = [name for name in self._roles.forced if name in self.to_read]
        _, schema = fit_table(
            pa.Table.from_batches([batch.select(self.to_read)]),
            categorical_features=None if self._roles.no_categories else wanted or "from_dtype",
            estimator_name=self._owner,
        )
        self._refuse_dates([moments.name for moments in schema.moments])
        self.merge({column.name: (column.kind, column.levels) for column in schema.columns})

    def merge(self, seen: dict[str, tuple[Kind, Iterable[Level]]]) -> None:
        """See what others have seen, in the form of `found`."""
        for name, (kind, levels) in seen.items():
            self._kinds[name] = kind
            self._levels.setdefault(name, set()).update(levels)
            self._check_number(name)

    def _check_number(self, name: str) -> None:
        if len(self._levels[name]) > MAX_LEVELS:
            raise BayeswoodError(
                f"Column {name!r} has more than {MAX_LEVELS} levels over all files; a category "
                f"of {self._owner} can have at most that many. Drop it, or join its rare levels."
            )

    def found(self) -> dict[str, tuple[Kind, list[Level]]]:
        """Kind and levels of each column that was read."""
        kinds = self._kinds
        return {
            n: (kinds.get(n, "category"), list(_ascending(self._levels[n]))) for n in self.to_read
        }

    def _refuse_numbers(self) -> None:
        """Refuse text that a fit in memory may read as numbers or dates: both see one table."""
        import pyarrow as pa

        from bayeswood.table.reading import number_text
        from bayeswood.table.reading.date_text import read_dates

        for name in self.to_read:
            levels = [level for level in self._levels[name] if isinstance(level, str)]
            if name in self._roles.forced or not levels:
                continue
            texts = pa.array(levels)
            self._refuse_dates([name] if read_dates(texts) is not None else [])
            found = number_text.read_numbers(texts)
            if found is not None and found.written != Written():
                raise DataTypeError(
                    f"Column {name!r} holds numbers that are not written plainly, such as "
                    f"{min(levels)!r}. {self._owner} reads rows in pieces and takes plain numbers "
                    "alone: write them so, and missing cells empty, or fit in memory, where --na, "
                    "--decimal and --thousands help; or name it in categorical_features."
                )

    def schema(self) -> Schema:
        """The columns with all their levels."""
        self._refuse_numbers()
        columns = tuple(
            Column(name, self._kinds.get(name, "category"), _ascending(self._levels.get(name, ())))
            for name in self._roles.features
        )
        target = self._roles.targets[0] if len(self._roles.targets) == 1 else None
        return Schema(columns, named=True, reading=Reading(target))


def _is_numeric(kind: str) -> bool:
    starts = ("int", "uint", "float", "double", "halffloat", "decimal")
    return kind.startswith(starts)


def _ascending(levels: Iterable[Level]) -> tuple[Level, ...]:
    """Sorted, of one type: a decimal among whole numbers makes all of them floats."""
    ordered = sorted(levels)
    if any(isinstance(level, float) for level in ordered):
        return tuple(float(level) for level in ordered)
    return tuple(ordered)


def join_classes(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The classes of several batches, ascending, in their type."""
    return np.unique(np.concatenate(parts))
