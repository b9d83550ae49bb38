"""Classes: members are sums of trees, and a link makes probabilities of them.

Two classes: P(second) = Φ(f_m(x)). More: P(k) = exp f_mk(x) / Σ_j exp f_mj(x).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, softmax

from bayeswood.attribution import (
    Additive,
    AdditivePart,
    AdditiveSpread,
    Question,
    SpreadPart,
    explain_draws,
)
from bayeswood.forest import Forest
from bayeswood.methods.base.predictive import (
    ClassPredictive,
    entropy_parts,
    over_blocks,
    sum_over_members,
)
from bayeswood.uncertainty import Uncertainty, split_entropy

F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkedSums(ClassPredictive):
    """Probabilities of the members' sums, averaged by their weights."""

    def linked(self, draws: F64) -> F64:
        """Probabilities of sums, (..., n_classes)."""
        if draws.shape[-1] != 2:
            found: F64 = softmax(draws, axis=-1)
            return found
        # Of two classes the first has no trees.
        return np.stack([ndtr(-draws[..., 1]), ndtr(draws[..., 1])], axis=-1)

    def additive(self, forest: Forest) -> Additive:
        """Probabilities of each member's sums, averaged."""
        op = "probit-pair" if forest.n_outputs == 2 else "softmax"
        part = AdditivePart(forest, link=self.linked, steps=({"op": op},))
        return Additive((part,), raw="mean probability", steps=({"op": "normalise"},))

    def additive_spread(self, forest: Forest, coverage: float) -> AdditiveSpread | None:
        """Every member a bag."""
        members = np.arange(forest.n_members)
        steps = self.additive(forest).parts[0].steps
        part = SpreadPart(
            forest, np.ones(forest.n_trees), forest.trees_per_member, members, steps=steps
        )
        reach = float(ndtri((1.0 + coverage) / 2.0))
        return AdditiveSpread((part,), forest.weights, reach, ({"op": "normalise"},))

    def shap_draws(
        self, forest: Forest, question: Question, *, raw: bool = False
    ) -> tuple[F64, F64, F64]:
        """Of the members' probabilities, which raw values are of too."""
        return (*explain_draws(forest, question, self.linked), forest.weights)

    def probabilities(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Σ_m w_m p_m."""
        return self._averaged(forest, rows, n_jobs, lambda p: _mean(p, forest.weights))

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Over the members."""
        weights = forest.weights

        def of_block(p: F64) -> F64:
            order = np.argsort(p, axis=0)
            sums = np.cumsum(weights[order], axis=0)
            ordered = np.take_along_axis(p, order, axis=0)
            places = [(sums < level - 1e-12).sum(axis=0) for level in levels]
            found = [
                np.take_along_axis(ordered, np.minimum(at, len(p) - 1)[None], axis=0)[0]
                for at in places
            ]
            return np.stack(found, axis=-1)

        return self._averaged(forest, rows, n_jobs, of_block)

    def interval(self, forest: Forest, rows: NDArray[Any], coverage: float, n_jobs: int) -> F64:
        """p_c ± z sd_c within [0, 1], sd_c the members' standard deviation of probabilities."""
        weights = forest.weights
        z = ndtri((1.0 + coverage) / 2.0)

        def of_block(p: F64) -> F64:
            mean = _mean(p, weights)
            reach = z * np.sqrt(sum_over_members(weights, (p - mean) ** 2))
            upper = np.maximum(np.minimum(mean + reach, 1.0), mean)
            return np.stack([np.maximum(mean - reach, 0.0), upper], axis=-1)

        return self._averaged(forest, rows, n_jobs, of_block)

    def entropy_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Entropy of the answer: total, data and knowledge, each (n_rows,)."""
        return entropy_parts(
            forest, rows, n_jobs, lambda draws: split_entropy(self.linked(draws), forest.weights)
        )

    def log_density(
        self, forest: Forest, rows: NDArray[Any], y: NDArray[np.int32], n_jobs: int
    ) -> F64:
        """Log probability of class numbers by every member, (n_members, n_rows)."""
        p = self.draws(forest, rows, n_jobs)[:, np.arange(len(y)), y]
        return np.log(np.maximum(p, 1e-300))

    def _averaged(self, forest: Forest, rows: NDArray[Any], n_jobs: int, summarise: Any) -> F64:
        return over_blocks(forest, rows, n_jobs, lambda draws: summarise(self.linked(draws)))


def _mean(p: F64, weights: F64) -> F64:
    """Over the members; rounding must not push a probability past 1."""
    mean = sum_over_members(weights, p)
    mean /= mean.sum(axis=-1, keepdims=True)
    return mean
