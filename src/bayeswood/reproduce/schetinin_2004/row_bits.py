"""Rows of a table as bits of whole numbers: a set of rows goes down a split by one ``&``."""

from math import log

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

# Weight of each class in a leaf before any row.
_ALPHA = 1
# Cuts of nodes that are kept for the next time.
_N_KEPT = 100_000


def to_bits(mask: NDArray[np.bool_]) -> int:
    """A set of rows as a whole number.

    Examples
    --------
    >>> to_bits(np.array([True, False, True]))
    5
    """
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


def to_mask(bits: int, n_rows: int) -> NDArray[np.uint8]:
    """The same set, a 0 or 1 for each row.

    Examples
    --------
    >>> to_mask(5, 3)
    array([1, 0, 1], dtype=uint8)
    """
    whole = np.frombuffer(bits.to_bytes((n_rows + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(whole, count=n_rows, bitorder="little")


class RowBits:
    """Training and test rows; `train` and `test` have those that go left, by feature and cut.

    Parameters
    ----------
    X, y : ndarray, (n_rows, n_features) and (n_rows,)
        Training rows; classes 0, 1, ...
    X_test : ndarray, (n_test, n_features)
    p_min : int
        Fewest rows on either side of a cut.
    """

    def __init__(self, X: F64, y: I64, X_test: F64, p_min: int) -> None:
        self.n_rows, self.n_features = X.shape
        self.n_test, self.p_min = len(X_test), p_min
        self.everything = (1 << self.n_rows) - 1
        self.n_classes = int(y.max()) + 1
        self.classes = [to_bits(y == label) for label in range(self.n_classes)]
        values = [np.unique(column) for column in X.T]
        self.train = [
            [to_bits(column <= cut) for cut in cuts]
            for column, cuts in zip(X.T, values, strict=True)
        ]
        self.test = [
            [to_bits(column <= cut) for cut in cuts]
            for column, cuts in zip(X_test.T, values, strict=True)
        ]
        self._order = [np.argsort(column, kind="stable") for column in X.T]
        self._codes = [
            np.searchsorted(cuts, column[order])
            for column, cuts, order in zip(X.T, values, self._order, strict=True)
        ]
        self._cuts: dict[tuple[int, int], list[int]] = {}
        self.log = [0.0, *(log(n) for n in range(1, self.n_rows + self.n_classes * _ALPHA + 1))]

    def cuts(self, rows: int, feature: int) -> list[int]:
        """Cuts of a node's own values that leave p_min rows on both sides."""
        key = (rows, feature)
        found = self._cuts.get(key)
        if found is None:
            if len(self._cuts) > _N_KEPT:
                self._cuts.clear()
            found = self._cuts[key] = self._find_cuts(rows, feature)
        return found

    def _find_cuts(self, rows: int, feature: int) -> list[int]:
        inside = to_mask(rows, self.n_rows)[self._order[feature]].astype(bool)
        codes = self._codes[feature][inside]
        low = codes[self.p_min - 1 : len(codes) - self.p_min]
        high = codes[self.p_min : len(codes) - self.p_min + 1]
        lawful: list[int] = low[low < high].tolist()
        return lawful

    def score(self, rows: int) -> float:
        """Log likelihood of a leaf's rows at its own posterior mean."""
        total, n = 0.0, 0
        for label in self.classes:
            m = (rows & label).bit_count()
            n += m
            total += m * self.log[m + _ALPHA]
        return total - n * self.log[n + self.n_classes * _ALPHA]

    def vote(self, rows: int) -> int:
        """The class of a leaf."""
        counts = [(rows & label).bit_count() for label in self.classes]
        return counts.index(max(counts))
