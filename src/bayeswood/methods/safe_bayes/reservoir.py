"""A bounded sample of the rows seen, for what needs rows: leave-one-out predictions.

Each distinct row (with its response) has a hash. The reservoir keeps the rows with the smallest
hashes, and of each how often it was seen. Whether a row is kept does not depend on when it came or
by which shard, and a row that is kept at the end was kept from its first appearance: so chunks in
any order, merged shards and forgotten rows give the same reservoir. While all rows fit, the order
of their arrival is known too.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.saved_state import read_value
from bayeswood.table.splitmix import splitmix64

F64 = NDArray[np.float64]
U64 = NDArray[np.uint64]

_NO_LIMIT = np.uint64(2**64 - 1)


_ARRAYS = ("keys", "X", "y", "copies", "arrivals")


@dataclass(frozen=True, eq=False)
class Reservoir:
    """Distinct rows of the smallest hashes, ascending by hash.

    Attributes
    ----------
    capacity : int
        Most distinct rows.
    keys : ndarray of uint64, (n_kept,)
        Their hashes.
    X : ndarray, (n_kept, n_features)
        The rows, encoded.
    y : ndarray, (n_kept,)
        Their responses.
    copies : ndarray of int64, (n_kept,)
        How often each was seen.
    limit : uint64
        Rows of a larger hash are not kept.
    arrivals : ndarray of uint64 or None
        Hashes of the rows in the order of their arrival; None if some row was not kept.
    """

    capacity: int
    keys: U64
    X: F64
    y: NDArray[Any]
    copies: NDArray[np.int64]
    limit: np.uint64
    arrivals: U64 | None

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Put everything where a model file keeps it."""
        meta["reservoir"] = {
            "capacity": self.capacity,
            "limit": int(self.limit),
            "complete": self.arrivals is not None,
        }
        kept = {f"reservoir_{name}": getattr(self, name) for name in _ARRAYS}
        arrays |= {name: array for name, array in kept.items() if array is not None}

    @classmethod
    def read(
        cls, meta: dict[str, Any], arrays: dict[str, NDArray[Any]], n_features: int
    ) -> "Reservoir":
        """What `write` put there; BayeswoodError if anything is amiss."""
        plain = read_value(meta, "reservoir", dict)
        complete = read_value(plain, "complete", bool)
        names = _ARRAYS if complete else _ARRAYS[:-1]
        if any(f"reservoir_{name}" not in arrays for name in names):
            raise BayeswoodError("The model file lacks rows of its reservoir.")
        found = {name: arrays[f"reservoir_{name}"] for name in names}
        n_kept = len(found["keys"])
        lawful = (
            found["X"].shape == (n_kept, n_features)
            and found["y"].shape == found["copies"].shape == found["keys"].shape == (n_kept,)
            and found["keys"].dtype == np.uint64
            and bool((found["keys"][:-1] < found["keys"][1:]).all())
            and found["X"].dtype.kind == "f"
            and found["copies"].dtype.kind == "i"
        )
        if complete:
            lawful = lawful and bool(np.isin(found["arrivals"], found["keys"]).all())
        limit = read_value(plain, "limit", int)
        if not lawful or not 0 <= limit < 2**64:
            raise BayeswoodError("The model file holds an unusable reservoir.")
        return cls(
            read_value(plain, "capacity", int),
            found["keys"],
            found["X"],
            found["y"],
            found["copies"].astype(np.int64),
            np.uint64(limit),
            found.get("arrivals"),
        )

    @classmethod
    def empty(cls, capacity: int, n_features: int, y_type: Any) -> Self:
        """A reservoir that has seen nothing."""
        return cls(
            capacity,
            np.empty(0, dtype=np.uint64),
            np.empty((0, n_features)),
            np.empty(0, dtype=y_type),
            np.empty(0, dtype=np.int64),
            _NO_LIMIT,
            np.empty(0, dtype=np.uint64),
        )

    @property
    def n_kept(self) -> int:
        """Distinct rows kept."""
        return len(self.keys)

    @property
    def nbytes(self) -> int:
        """Memory of the rows kept."""
        arrays = (self.keys, self.X, self.y, self.copies, self.arrivals)
        return sum(array.nbytes for array in arrays if array is not None)

    @property
    def order(self) -> NDArray[np.int64] | None:
        """The place in the reservoir of each row seen, in order of arrival, if all are kept."""
        return None if self.arrivals is None else np.searchsorted(self.keys, self.arrivals)

    def add(
        self, X: NDArray[Any], y: NDArray[Any], copies: NDArray[np.int32] | None = None
    ) -> "Reservoir":
        """The reservoir after more rows."""
        keys = row_keys(X, y)
        times = np.ones(len(keys), dtype=np.int64) if copies is None else copies.astype(np.int64)
        arrivals = None
        if self.arrivals is not None and len(self.arrivals) + len(keys) <= self.capacity:
            arrivals = np.concatenate([self.arrivals, keys])
        kept = keys <= self.limit
        added = replace(
            self,
            keys=np.concatenate([self.keys, keys[kept]]),
            X=np.concatenate([self.X, X[kept]]),
            y=np.concatenate([self.y, y[kept]]),
            copies=np.concatenate([self.copies, times[kept]]),
            arrivals=arrivals,
        )
        return added._settled()

    def merge(self, other: "Reservoir") -> "Reservoir":
        """The reservoir of the rows of both."""
        arrivals = None
        if self.arrivals is not None and other.arrivals is not None:
            both = np.concatenate([self.arrivals, other.arrivals])
            arrivals = both if len(both) <= self.capacity else None
        joined = replace(
            self,
            capacity=min(self.capacity, other.capacity),
            keys=np.concatenate([self.keys, other.keys]),
            X=np.concatenate([self.X, other.X]),
            y=np.concatenate([self.y, other.y]),
            copies=np.concatenate([self.copies, other.copies]),
            limit=min(self.limit, other.limit),
            arrivals=arrivals,
        )
        return joined._settled()

    def remove(
        self, X: NDArray[Any], y: NDArray[Any], copies: NDArray[np.int32] | None = None
    ) -> "Reservoir":
        """The reservoir without some rows that were seen; the room they leave is not refilled."""
        keys = row_keys(X, y)
        times = np.ones(len(keys), dtype=np.int64) if copies is None else copies.astype(np.int64)
        relevant = np.flatnonzero(keys <= self.limit)
        place = np.searchsorted(self.keys, keys[relevant])
        known = place < self.n_kept
        known[known] = self.keys[place[known]] == keys[relevant[known]]
        left = self.copies.copy()
        np.subtract.at(left, place[known], times[relevant[known]])
        if not known.all() or (left < 0).any():
            row = int(relevant[np.argmin(known)] if not known.all() else relevant[0])
            raise BayeswoodError(
                f"Rows can be forgotten only if they were seen, as often as they were seen. "
                f"Row {row} of X (or a row like it) was not."
            )
        shorter = replace(self, copies=left, arrivals=_without(self.arrivals, keys))
        return shorter._at(left > 0)

    def _settled(self) -> "Reservoir":
        """Equal rows joined, then as many as there is room for."""
        keys, first, group = np.unique(self.keys, return_index=True, return_inverse=True)
        copies = np.bincount(group, weights=self.copies, minlength=len(keys)).astype(np.int64)
        joined = replace(self, keys=keys, X=self.X[first], y=self.y[first], copies=copies)
        kept = np.arange(len(keys)) < self.capacity
        kept &= keys <= self.limit
        if kept.all():
            return joined
        limit = keys[kept][-1] if kept.any() else np.uint64(0)
        return replace(joined._at(kept), limit=min(self.limit, limit), arrivals=None)

    def _at(self, kept: NDArray[np.bool_]) -> "Reservoir":
        return replace(
            self, keys=self.keys[kept], X=self.X[kept], y=self.y[kept], copies=self.copies[kept]
        )


def _without(arrivals: U64 | None, keys: U64) -> U64 | None:
    """The arrivals less the first of each key."""
    if arrivals is None:
        return None
    gone = np.zeros(len(arrivals), dtype=np.bool_)
    for key in keys:
        at = np.flatnonzero((arrivals == key) & ~gone)
        gone[at[:1]] = True
    return arrivals[~gone]


def row_keys(X: NDArray[Any], y: NDArray[Any]) -> U64:
    """A 64-bit hash of each row and its response: equal rows have equal hashes.

    Examples
    --------
    >>> import numpy as np
    >>> keys = row_keys(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]), np.zeros(3))
    >>> bool(keys[0] == keys[1]), bool(keys[0] == keys[2])
    (True, False)
    """
    keys = splitmix64(_bits(np.asarray(y, dtype=np.float64)))
    for column in np.asarray(X, dtype=np.float64).T:
        keys = splitmix64(keys ^ _bits(column))
    return keys


def _bits(column: F64) -> U64:
    """Bit patterns, the same for -0.0 and 0.0 and for all NaN."""
    clean = np.ascontiguousarray(np.where(np.isnan(column), np.nan, column) + 0.0)
    return clean.view(np.uint64)
