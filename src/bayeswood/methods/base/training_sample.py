"""Some of the training rows, kept to tell how well new rows are surrounded by them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parts import SavedModel
from bayeswood.methods.base.saved_state import read_value
from bayeswood.table import Schema
from bayeswood.uncertainty import RowSupport

F64 = NDArray[np.float64]

# What stands for a level that training did not see; no level has this number.
UNSEEN = -1.0
_MOST_ROWS = 1_000
# Beyond so many values there are fewer rows, but never fewer than this.
_MOST_VALUES = 50_000
_FEWEST_ROWS = 200
# Keeps these draws apart from others of the same seed.
_STREAM = 0x50


@dataclass(frozen=True, eq=False)
class TrainingSample:
    """Training rows drawn at random, in random order.

    Attributes
    ----------
    rows : ndarray, (n_sample, n_features)
        Encoded; NaN is missing.
    n_seen : int
        Rows that they were drawn from.
    """

    rows: F64
    n_seen: int

    @classmethod
    def draw(cls, X: NDArray[Any], seed: int, n_seen: int | None = None) -> Self:
        """Draw from encoded rows, which may stand for more.

        At most 1,000 rows; of more than 50 columns as many as make 50,000 values, at least 200.
        """
        n_rows, n_features = X.shape
        size = min(n_rows, sample_size(n_features))
        chosen = np.random.default_rng([_STREAM, seed]).choice(n_rows, size, replace=False)
        return cls(np.array(X[chosen], dtype=np.float64, order="C"), n_seen or n_rows)

    def merged(self, other: Self, seed: int) -> "TrainingSample":
        """A sample of the rows that two samples stand for."""
        n_seen = self.n_seen + other.n_seen
        generator = np.random.default_rng([_STREAM, seed, n_seen])
        room = sample_size(self.rows.shape[1])
        if n_seen > room:
            # As if drawn from all: the rows of each, in their order, as chance mixes them.
            n_mine = int(generator.hypergeometric(self.n_seen, other.n_seen, room))
        else:
            n_mine = len(self.rows)
        n_theirs = min(room - n_mine, len(other.rows))
        rows = np.concatenate([self.rows[:n_mine], other.rows[:n_theirs]])
        return TrainingSample(generator.permutation(rows), n_seen)

    def without(self, X: NDArray[Any]) -> "TrainingSample":
        """The sample after rows were forgotten, each equal row of the sample but once."""
        counts: dict[bytes, int] = {}
        for row in _keys(X):
            counts[row] = counts.get(row, 0) + 1
        stays = np.ones(len(self.rows), dtype=np.bool_)
        for i, row in enumerate(_keys(self.rows)):
            if counts.get(row, 0) > 0:
                counts[row] -= 1
                stays[i] = False
        return TrainingSample(self.rows[stays], max(self.n_seen - len(X), int(stays.sum())))

    def support(self, schema: Schema, use: Callable[[], F64], n_jobs: int) -> RowSupport:
        """The rows made ready; kept from the first call on.

        `use` tells how much the forest uses each column.
        """
        found: RowSupport | None = vars(self).get("_support")
        if found is None:
            is_category = np.array([column.kind == "category" for column in schema.columns])
            found = RowSupport.fit(self.rows, is_category, use(), n_jobs)
            vars(self)["_support"] = found
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {"rows": self.rows, "n_seen": self.n_seen}

    def attributes(self) -> Mapping[str, Any]:
        """The sample itself."""
        return {"_training_sample": self}

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """The rows, and how many they stand for."""
        meta["n_rows_sampled"] = self.n_seen
        arrays["sample_rows"] = self.rows

    @classmethod
    def read(cls, saved: SavedModel) -> Self | None:
        """Checked against the schema."""
        if "sample_rows" not in saved.arrays:
            return None
        rows = np.asarray(saved.arrays["sample_rows"])
        n_seen = read_value(saved.meta, "n_rows_sampled", int)
        lawful = rows.ndim == 2 and rows.shape[1] == saved.schema.n_features
        if not lawful or rows.dtype != np.float64 or np.isinf(rows).any() or n_seen < len(rows):
            raise BayeswoodError("The model file holds an unusable sample of training rows.")
        return cls(np.ascontiguousarray(rows), n_seen)


def sample_size(n_features: int) -> int:
    """Most rows that are kept of a table."""
    return min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_VALUES // max(n_features, 1)))


def _keys(rows: NDArray[Any]) -> list[bytes]:
    """Rows as bytes, equal where the values are; 0 is -0, and one missing value like another."""
    plain = np.ascontiguousarray(rows, dtype=np.float64) + 0.0
    plain[np.isnan(plain)] = np.nan
    return [row.tobytes() for row in plain]
