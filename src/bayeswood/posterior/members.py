"""The members of a fitted estimator, a few at a time.

All draws of many members at many rows need not fit in memory. A functional of a member needs all
rows of that member at once, but one member at a time: so members come in blocks whose draws take
at most `BLOCK_BYTES`.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.table import Schema, transform_table
from bayeswood.threads import n_threads
from bayeswood.uncertainty.intervals import BLOCK_BYTES

F64 = NDArray[np.float64]
Rows = NDArray[Any]

# Below so many steps from rows to leaves, starting threads costs more than it saves.
_SMALL = 10_000


class Members:
    """What can be asked of the members of a fitted estimator.

    Parameters
    ----------
    estimator : fitted bayeswood estimator
    caller : str
        Who asks, for the errors.

    Attributes
    ----------
    forest : Forest
    schema : Schema
    weights : (n_members,) ndarray
        ``member_weights_``: they sum to 1.
    is_classifier : bool
    classes : (n_classes,) ndarray
        Empty for a regressor.
    """

    def __init__(self, estimator: Any, caller: str) -> None:
        missing = [
            n for n in ("forest_", "schema_", "member_weights_") if not hasattr(estimator, n)
        ]
        if missing:
            raise BayeswoodError(
                f"The 'model' parameter of {caller} must be a fitted bayeswood estimator. "
                f"Got {type(estimator).__name__} without '{missing[0]}' instead; fit it first."
            )
        self.forest: Forest = estimator.forest_
        self.schema: Schema = estimator.schema_
        self.weights: F64 = np.asarray(estimator.member_weights_, dtype=np.float64)
        self.is_classifier = hasattr(estimator, "classes_")
        self.classes: NDArray[Any] = np.asarray(getattr(estimator, "classes_", ()))
        self.n_jobs = n_threads(getattr(estimator, "n_jobs", None))
        self._name = type(estimator).__name__
        self._linked = getattr(getattr(estimator, "predictive_", None), "linked", None)
        # A regressor of one response gives its draws without an axis for it.
        self._squeeze = not self.is_classifier and bool(getattr(estimator, "_single_output", True))

    def __len__(self) -> int:
        return len(self.weights)

    def encode(self, X: Any) -> Rows:
        """Rows in the encoding of the fitted table."""
        return transform_table(X, self.schema, estimator_name=self._name)

    def column(self, feature: int | str, caller: str) -> int:
        """Number of a feature given by name or number."""
        names = self.schema.names
        if isinstance(feature, str) and feature in names:
            return names.index(feature)
        is_int = isinstance(feature, int | np.integer) and not isinstance(feature, bool)
        if is_int and -len(names) <= int(feature) < len(names):
            return range(len(names))[int(feature)]
        raise BayeswoodError(
            f"The 'feature' parameter of {caller} must be a column's name or a number below "
            f"{len(names)}. Got {feature!r} instead.{self._parts_of(feature)}"
        )

    def _parts_of(self, feature: object) -> str:
        """A sentence with the parts of a column of dates; empty for others."""
        parts = [
            name
            for moments in self.schema.moments
            if moments.name == feature
            for name in moments.names
        ]
        return f" It was taken apart into {', '.join(parts)}." if parts else ""

    def output(self, target: Any, caller: str) -> int:
        """Number of the class or response that is asked for; None is the only sensible one."""
        n_outputs = self.forest.n_outputs
        if target is None and (n_outputs == 1 or (self.is_classifier and n_outputs == 2)):
            return n_outputs - 1
        known = self.classes.tolist() if self.is_classifier else list(range(n_outputs))
        if target in known:
            return known.index(target)
        what = "classes" if self.is_classifier else "numbers of the responses"
        shown = ", ".join(map(repr, known[:8])) + (", ..." if len(known) > 8 else "")
        raise BayeswoodError(
            f"The 'target' parameter of {caller} must be one of the {what} {shown}. "
            f"Got {target!r} instead."
        )

    def blocks(self, n_rows: int) -> Iterator[slice]:
        """Slices of members whose draws at so many rows fit in `BLOCK_BYTES`; one at least."""
        step = max(1, BLOCK_BYTES // max(1, 8 * n_rows * self.forest.n_outputs))
        return (slice(i, min(i + step, len(self))) for i in range(0, len(self), step))

    def some(self, block: slice) -> Callable[[Rows], F64]:
        """A function from encoded rows to the draws of some members, (n_block, n_rows, ...)."""
        n_members = block.stop - block.start
        whole = n_members == len(self)
        # Unweighted: among the chosen there may be none but members of weight 0.
        chosen = self.forest if whole else self.forest.unweighted(block)

        def draws(rows: Rows) -> F64:
            n_jobs = 1 if len(rows) * n_members <= _SMALL else self.n_jobs
            found = chosen.draws(rows, n_jobs)
            if self._linked is not None:
                found = self._linked(found)
            return found[..., 0] if self._squeeze else found

        return draws

    def stream(self, rows: Rows) -> Iterator[tuple[slice, F64]]:
        """Blocks of members with their draws at the rows."""
        for block in self.blocks(len(rows)):
            yield block, self.some(block)(rows)


def thin_rows(rows: Rows, max_rows: int | None, rng: Any) -> NDArray[np.intp]:
    """All row numbers, or a random sample of them in order."""
    if max_rows is None or len(rows) <= max_rows:
        return np.arange(len(rows))
    chosen = np.random.default_rng(rng).choice(len(rows), max_rows, replace=False)
    return np.sort(chosen)


def as_rows(x: Any) -> Any:
    """One row as a table of one row: a flat sequence, or a pandas Series with the columns' names.

    Tables stay as they are.
    """
    if hasattr(x, "to_frame") and getattr(x, "ndim", 2) == 1:
        return x.to_frame().T.infer_objects()
    if hasattr(x, "columns") or np.ndim(np.asarray(x, dtype=object)) != 1:
        return x
    return x[None] if isinstance(x, np.ndarray) else [list(x)]
