"""Recalibrating averaged class probabilities on out-of-bag predictions.

Model: with p̄ the average over the trees that left a row out, C classes, and B the mean over the
rows of the number of these trees,

    p̃_c = (B p̄_c + 1/C) / (B + 1),      log p_c = γ s_c log(C p̃_c) + b_c − log Z.

p̃ is the average with one more member that knows nothing, so that no class has probability 0. The
floor that B gives is where rare classes live; so the same B smooths all rows of the fit and all
predictions, though more trees are behind these. γ > 1 sharpens, γ < 1 flattens, b shifts between
classes, and s lets classes that are easily told from the rest be sharper than those that hardly
are. Fit, in three steps, w the weights scaled to a mean of 1:

1. γ and b minimise  Σ_i w_i (−log p_{i, y_i}) + (log γ)² / (2·1.5²) + Σ_c b_c² / 2  with s = 1 and
   0.2 <= γ <= 8. The likelihood is log-linear, so its part is convex in (γ, b).
2. Of three classes or more (30 at most), s and b minimise with this γ the same sum with the penalty
   Σ_c (log s_c)² / (2·0.3²) + Σ_c b_c² / 2, and γ s_c in [0.2, 8].
3. The penalty on b pulls at rare classes, and a power of an average over many trees is less in the
   mean than that over the few that left a row out. So with these γ and s, b solves

       Σ_i w_i p_ic + b_c / 2²  =  Σ_i w_i 1[y_i = c] + (1 − B / B') Σ_i w_i (h_ic − p_ic),

   h the mean of the probabilities made of one half of the trees and of the other, B' the trees of
   a prediction. The last term is how means change with the number of trees, in the first order of
   1/B. The mean prediction of a class then is its share of the rows. Where classes are all but
   certain, so that h changes too fast with b, h − p is taken at the b of the second step.

The fit is native (`core/calibration`). Sufficient are the classes that trees voted for: all others
share one floor, p̃ = 1 / (C (B + 1)). Rows are kept in that sparse form, at most one entry per tree,
so that neither time nor memory grows with the number of classes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core

F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Votes:
    """Averaged class probabilities of rows, as the classes that got any.

    Attributes
    ----------
    start : ndarray of int64, (n_rows + 1,)
        The entries of row i are start[i], ..., start[i + 1] − 1; none if no tree left it out.
    label : ndarray of int32, (n_entries,)
        Class of each positive average, ascending in a row.
    mean : ndarray, (n_entries,)
        p̄ there.
    halves : tuple of two ndarrays, (n_entries,) each, or None
        p̄ over either half of the trees; None if that is not known.
    n_classes : int
    n_trees : float
        B.
    n_trees_predicting : float
        B', at least B.
    """

    start: NDArray[np.int64]
    label: NDArray[np.int32]
    mean: F64
    halves: tuple[F64, F64] | None
    n_classes: int
    n_trees: float
    n_trees_predicting: float

    @classmethod
    def from_means(
        cls, means: F64, n_trees: NDArray[Any], halves: tuple[F64, F64] | None = None
    ) -> "Votes":
        """From averages, (n_rows, n_classes), over so many trees each (if weighted, effectively).

        Examples
        --------
        >>> votes = Votes.from_means(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([9, 11]))
        >>> votes.start, votes.label, votes.n_trees
        (array([0, 1, 3]), array([0, 0, 1], dtype=int32), 10.0)
        """
        row, label = np.nonzero(means)
        start = np.searchsorted(row, np.arange(len(means) + 1)).astype(np.int64)
        entries = None if halves is None else (halves[0][row, label], halves[1][row, label])
        number = float(n_trees.mean()) if len(n_trees) else 1.0
        return cls(
            start,
            label.astype(np.int32),
            means[row, label],
            entries,
            means.shape[1],
            number,
            number,
        )

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """Which rows some tree left out."""
        return np.diff(self.start) > 0

    def weights(self, given: F64 | None) -> F64:
        """The rows' weights, 0 where no tree left the row out."""
        return np.where(self.seen, 1.0 if given is None else given, 0.0)

    def native(self) -> _core.ClassVotes:
        """The same in the core."""
        first, second = (None, None) if self.halves is None else self.halves
        beyond = max(0.0, 1.0 - self.n_trees / self.n_trees_predicting)
        return _core.ClassVotes(
            self.start, self.label, self.mean, first, second, self.n_classes, self.n_trees, beyond
        )


@dataclass(frozen=True)
class ClassCalibration:
    """The fitted map from averaged to calibrated class probabilities.

    Attributes
    ----------
    power : float
        γ; above 1 the averages were too timid.
    offset : ndarray, (n_classes,)
        b, centred; positive for classes whose averages were too low.
    slopes : ndarray, (n_classes,)
        s; above 1 for classes that are told apart more sharply than the average says.
    n_trees : float
        B, which smooths an average.
    """

    power: float
    offset: F64
    slopes: F64
    n_trees: float

    @classmethod
    def identity(cls, n_classes: int, n_trees: float) -> "ClassCalibration":
        """γ = 1, b = 0 and s = 1: nothing but smoothing."""
        return cls(1.0, np.zeros(n_classes), np.ones(n_classes), n_trees)

    def apply(self, means: F64) -> F64:
        """Calibrated probabilities of averages, (..., n_classes)."""
        scores = np.log((self.n_trees * (means.shape[-1] * means) + 1.0) / (self.n_trees + 1.0))
        scores *= self.power * self.slopes
        scores += self.offset
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        found: F64 = scores
        return found

    def steps(self) -> tuple[dict[str, Any], ...]:
        """The same in elementary steps, see `bayeswood.export.steps`."""
        n_classes, smooth = len(self.offset), self.n_trees + 1.0
        factor = np.full(n_classes, self.n_trees * n_classes / smooth)
        return (
            {"op": "affine", "factor": factor, "offset": np.full(n_classes, 1.0 / smooth)},
            {"op": "log"},
            {"op": "affine", "factor": self.power * self.slopes, "offset": self.offset},
            {"op": "softmax"},
        )


def fit_class_calibration(
    votes: Votes, label: NDArray[Any], weights: F64 | None = None
) -> ClassCalibration:
    """Fit γ, then, of three to 30 classes, the slopes s, then b.

    Parameters
    ----------
    votes : Votes
        Out-of-bag averages; rows that no tree left out take no part.
    label : ndarray of int, (n_rows,)
        True classes.
    weights : ndarray, (n_rows,), default=None
        Not negative; only their ratios matter.

    Examples
    --------
    Four in five are right where the average says two in three: the averages are too timid.

    >>> means = np.tile([[2 / 3, 1 / 3]], (500, 1))
    >>> votes = Votes.from_means(means, np.full(500, 60))
    >>> label = np.where(np.arange(500) % 5 < 4, 0, 1)
    >>> fitted = fit_class_calibration(votes, label)
    >>> fitted.apply(means[:1]).round(2)
    array([[0.8, 0.2]])
    """
    found = votes.native().fit(label.astype(np.int32), votes.weights(weights))
    return ClassCalibration(*found, votes.n_trees)
