"""How the leaves of a forest become an answer.

A fitted model is two objects: a `Forest` (trees and their weights) and a `Predictive`. Everything
that a user can ask is the two together, and nothing that takes them asks which method made them. A
`Predictive` is small and immutable: it never changes the forest, and knows no estimator.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution import (
    Additive,
    AdditivePart,
    AdditiveSpread,
    LeafEnds,
    Question,
    ResponseInterval,
    SpreadPart,
    draws_around,
    explain_draws,
)
from bayeswood.errors import BayeswoodError
from bayeswood.forest import SCHEMES, Forest, RowWeights
from bayeswood.forest.leaf_values import with_leaf_values
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.saved_state import read_array, read_scalar
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.modelfile.laws import LARGEST_MEAN
from bayeswood.uncertainty import (
    Responses,
    Uncertainty,
    member_variance,
    row_blocks,
    split_entropy,
)
from bayeswood.uncertainty.intervals import hold
from bayeswood.uncertainty.reach import normal_reach

F64 = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]


def over_blocks(
    forest: Forest, rows: NDArray[Any], n_jobs: int, summarise: Callable[[F64], F64]
) -> F64:
    """Apply `summarise` to the members' draws, a block of rows at a time."""
    blocks = row_blocks(len(rows), forest.n_members, forest.n_outputs)
    return np.concatenate([summarise(forest.draws(rows[block], n_jobs)) for block in blocks])


def sum_over_members(weights: F64, values: F64) -> F64:
    """Σ_m w_m v_m in the members' order: a row's bits do not depend on the rows beside it.

    A matrix product's do, and so do NumPy's of a single column, which it adds up in pairs.

    Examples
    --------
    >>> sum_over_members(np.array([0.25, 0.75]), np.array([[1.0], [2.0]]))
    array([1.75])
    """
    is_single = values[0].size == 1
    wide = np.concatenate([values, values], axis=-1) if is_single else values
    found: F64 = np.add.reduce(weights.reshape(-1, *[1] * (values.ndim - 1)) * wide, axis=0)
    return found[..., :1] if is_single else found


class Predictive:
    """What makes an answer of leaves."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file keeps of it, by name; numbers and words have no dimension.

        A name that ends in an underscore is a fitted attribute of the estimator too.
        """
        return {}

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> Self:
        """The same again; BayeswoodError if anything is amiss, for a file may come from anyone."""
        return cls()

    def additive(self, forest: Forest) -> Additive:
        """The answer as sums over trees: the members' weighted mean, unless said otherwise."""
        return Additive((AdditivePart(forest),))

    def additive_spread(self, forest: Forest, coverage: float) -> AdditiveSpread | None:
        """The interval of the answer by what trees say; None where it is made otherwise."""
        return None

    def shap_draws(
        self, forest: Forest, question: Question, *, raw: bool = False
    ) -> tuple[F64, F64, F64]:
        """Shapley values of what the members say, their bases, and the members' weights.

        (n_members, n_rows, n_features, n_outputs), (n_members, n_rows, n_outputs), (n_members,).
        Their means are those of the answer; raw, of what it is made of.
        """
        additive = self.additive(forest)
        if raw or additive.is_linear:
            found = explain_draws(additive.parts[0].forest, question)
        else:
            found = draws_around(additive, forest, question)
        return (*found, forest.weights)


class ClassPredictive(Predictive, ABC):
    """Answers about classes.

    Attributes
    ----------
    leaf_prior : ndarray, (n_classes,), or None
        α_c that the leaves' probabilities (m_c + α_c) / (n + Σ α) contain; None if that is not
        their form.
    """

    leaf_prior: F64 | None = None

    @abstractmethod
    def probabilities(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Class probabilities, (n_rows, n_classes)."""

    def linked(self, draws: F64) -> F64:
        """Class probabilities of what members say, (..., n_classes): most say them themselves."""
        return draws

    def draws(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Class probabilities by every member, (n_members, n_rows, n_classes)."""
        return self.linked(forest.draws(rows, n_jobs))

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Quantiles of each class probability over the members, (n_rows, n_classes, n_levels)."""
        return forest.quantiles(rows, levels, n_jobs)

    def interval(self, forest: Forest, rows: NDArray[Any], coverage: float, n_jobs: int) -> F64:
        """Ends of an interval around each class probability, (n_rows, n_classes, 2).

        p_c ± z sd_c within [0, 1], p the answer, sd_c the members' standard deviation and z the
        normal quantile at (1 + coverage) / 2.
        """
        answer = self.probabilities(forest, rows, n_jobs)
        reach = normal_reach(coverage) * forest.spread(rows, n_jobs)[1]
        # Rounding may have taken an answer past 1: it still is within.
        upper = np.maximum(np.minimum(answer + reach, 1.0), answer)
        return np.stack([np.maximum(answer - reach, 0.0), upper], axis=-1)

    def entropy_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Entropy of the answer: total, data and knowledge, each (n_rows,)."""
        return entropy_parts(
            forest, rows, n_jobs, lambda draws: split_entropy(draws, forest.weights)
        )


def entropy_parts(
    forest: Forest,
    rows: NDArray[Any],
    n_jobs: int,
    split: Callable[[F64], tuple[F64, F64, F64]],
) -> Uncertainty:
    """Total, data and knowledge, (n_rows,) each, by a split of the members' draws."""
    found = over_blocks(forest, rows, n_jobs, lambda draws: np.stack(split(draws), axis=-1))
    return Uncertainty(*np.ascontiguousarray(found.T))


@dataclass(frozen=True, eq=False)
class MemberAverage(ClassPredictive):
    """The members' class probabilities, averaged by their weights."""

    leaf_prior: F64 | None = None

    def probabilities(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Σ_m w_m p_m."""
        return forest.predict(rows, n_jobs)

    def additive_spread(self, forest: Forest, coverage: float) -> AdditiveSpread | None:
        """Every member a bag."""
        part = SpreadPart(forest, np.ones(forest.n_trees), 1, np.arange(forest.n_trees))
        return AdditiveSpread((part,), forest.weights, normal_reach(coverage))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """α, where the leaves contain one."""
        return plain_leaf_prior(self.leaf_prior)

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> Self:
        """With α, where there is one."""
        return cls(read_leaf_prior(arrays, forest.n_outputs))


def plain_leaf_prior(leaf_prior: F64 | None) -> dict[str, NDArray[Any]]:
    """α_c of leaves as a model file keeps them: one number where all are alike."""
    if leaf_prior is None:
        return {}
    is_even = bool((leaf_prior == leaf_prior[0]).all())
    return {"leaf_prior": np.array(leaf_prior[0]) if is_even else leaf_prior}


def read_leaf_prior(arrays: Arrays, n_classes: int) -> F64 | None:
    """What `plain_leaf_prior` gave; 0 means None."""
    if "leaf_prior" not in arrays:
        return None
    if arrays["leaf_prior"].ndim:
        prior = read_array(arrays, "leaf_prior", (n_classes,))
    else:
        prior = np.full(n_classes, read_scalar(arrays, "leaf_prior", float))
    if not (bool((prior > 0).all()) or not prior.any()):
        raise BayeswoodError("The model file holds a 'leaf_prior' out of range.")
    return prior if prior.any() else None


@dataclass(frozen=True, eq=False)
class HardVotes(ClassPredictive):
    """The weight of the members that vote for each class."""

    def probabilities(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Σ_m w_m 1[class c is m's most probable]."""
        return forest.votes(rows, n_jobs)

    def additive(self, forest: Forest) -> Additive:
        """Of trees with votes in their leaves."""
        return Additive((AdditivePart(with_leaf_values(forest, _leaf_votes(forest))),))


def _leaf_votes(forest: Forest) -> F64:
    """1 for the class that a leaf prefers, of equals the first, (n_leaves in all, n_classes)."""
    arrays = forest.core.to_arrays()
    n_entries = np.asarray(arrays["leaf_n_entries"])
    leaf = np.repeat(np.arange(len(n_entries)), n_entries)
    shares = np.zeros((len(n_entries), forest.n_outputs))
    shares[leaf, arrays["leaf_class"]] = arrays["leaf_value"]
    votes: F64 = np.zeros_like(shares)
    votes[np.arange(len(shares)), np.argmax(shares, axis=1)] = 1.0
    return votes


class NumberPredictive(Predictive, ABC):
    """Answers about numbers: of the response itself, and of its mean."""

    # Whether quantiles of the response are searched for, one by one, among all members: whoever
    # asks for many of many rows had better ask for fewer.
    searches_quantiles: ClassVar[bool] = False

    def check(self, caller: str, levels: F64 | None = None) -> None:
        """Raise, or warn, where it cannot give the distribution (or levels) that `caller` asks."""

    @property
    def gives_distribution(self) -> bool:
        """Whether it knows more of the response than its mean."""
        return True

    def mean(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Mean response, (n_rows, n_outputs)."""
        return forest.predict(rows, n_jobs)

    @abstractmethod
    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Quantiles of the response, (n_rows, n_outputs, n_levels)."""

    @abstractmethod
    def variance_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Variance of the response: total, data and knowledge, each (n_rows, n_outputs)."""

    def interval(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Quantiles at two levels, or the mean where it lies beyond, (n_rows, n_outputs, 2)."""
        ends = self.quantiles(forest, rows, levels, n_jobs)
        return hold(ends, self.mean(forest, rows, n_jobs))

    def response_interval(self, forest: Forest, levels: F64) -> ResponseInterval | None:
        """Such quantiles in parts; None where they are made otherwise."""
        return None

    def quantiles_of_mean(
        self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int
    ) -> F64:
        """Quantiles of the members' means, (n_rows, n_outputs, n_levels)."""
        return forest.quantiles(rows, levels, n_jobs)

    def variance_of_mean(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Variance of the members' means, (n_rows, n_outputs)."""
        weights = forest.weights
        return over_blocks(forest, rows, n_jobs, lambda d: member_variance(d, weights))


@dataclass(frozen=True, eq=False)
class LeafResponses(NumberPredictive):
    """The training responses in the leaves, as far as they were kept.

    Attributes
    ----------
    responses : Responses or None
        None if leaves know their means only.
    """

    responses: Responses | None = None

    @classmethod
    def of(cls, data: TrainingData, grown: GrownForest) -> Self:
        """From the data that the members were grown from."""
        if grown.row_weights is None or not grown.forest.has_rows:
            return cls()
        return cls(Responses(data.target.y, data.sample_weight, grown.row_weights))

    @property
    def gives_distribution(self) -> bool:
        """Whether responses were kept."""
        return self.responses is not None

    def check(self, caller: str, levels: F64 | None = None) -> None:
        """Raise if responses were not kept."""
        if self.responses is None:
            raise BayeswoodError(
                f"{caller} needs the training responses in the leaves, which were not kept. Fit "
                "with keep_responses=True, or ask for kind='mean'."
            )

    def variances(self, forest: Forest, n_jobs: int) -> F64 | None:
        """Variance of y in every leaf, (n_leaves, n_outputs); None if it is not known, or 0."""
        return None if self.responses is None else self.responses.leaf_variances(forest, n_jobs)

    def _kept(self) -> Responses:
        self.check("A distribution")
        assert self.responses is not None
        return self.responses

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """Of the mixture over members of the weighted responses in the row's leaves."""
        return self._kept().quantiles(forest, rows, levels, n_jobs)

    def interval(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """As of all; one walk finds quantiles and mean."""
        return hold(*self._kept().quantiles_and_mean(forest, rows, levels, n_jobs))

    def response_interval(self, forest: Forest, levels: F64) -> ResponseInterval | None:
        """The responses in leaves, all of it."""
        n = forest.n_outputs
        leaves = LeafEnds(forest, self._kept(), np.tile(levels, (n, 1)))
        return ResponseInterval(np.zeros(n), None, leaves)

    def out_of_bag(
        self,
        forest: Forest,
        rows: NDArray[Any],
        chosen: NDArray[np.bool_],
        levels: F64,
        n_jobs: int,
    ) -> F64:
        """Quantiles at some training rows, each by the trees that left it out."""
        return self._kept().out_of_bag(forest, rows, chosen, levels, n_jobs)

    def variance_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Σ w_m Var(y | leaf_m) + Σ w_m (ȳ_m − ȳ)², data and knowledge."""
        data = self._kept().variance(forest, rows, n_jobs)
        knowledge = self.variance_of_mean(forest, rows, n_jobs)
        return Uncertainty(data + knowledge, data, knowledge)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Responses, weights, and the law of the weights in each tree."""
        return {} if self.responses is None else _response_arrays(self.responses)

    @classmethod
    def from_arrays(cls, arrays: Arrays, forest: Forest) -> Self:
        """The responses, if they are there, checked against the forest."""
        return cls(_responses_from(arrays, forest) if "y" in arrays else None)


def _response_arrays(responses: Responses) -> dict[str, NDArray[Any]]:
    law = responses.row_weights
    optional = {
        "sample_weight": responses.sample_weight,
        "weight_threshold": np.array(law.threshold) if law.threshold > 0 else None,
        "row_groups": law.groups,
        "row_parts": law.parts,
        "trees_per_draw": np.array(law.trees_per_draw) if law.trees_per_draw > 1 else None,
        "n_draws": np.array(law.n_draws) if law.n_draws > 0 else None,
    }
    kept = {name: array for name, array in optional.items() if array is not None}
    seed = np.array(law.seed, dtype=np.uint64)
    return {"y": responses.y, "scheme": np.array(law.scheme), "seed": seed, **kept}


def _responses_from(arrays: Arrays, forest: Forest) -> Responses:
    y = read_array(arrays, "y", (-1, forest.n_outputs), LARGEST_MEAN)
    weights = None
    if "sample_weight" in arrays:
        weights = read_array(arrays, "sample_weight", (len(y),))
    scheme = read_scalar(arrays, "scheme", str)
    rows = forest.to_arrays()["leaf_rows"]
    outside = rows.size > 0 and (int(rows.min()) < 0 or int(rows.max()) >= len(y))
    if not forest.has_rows or outside or scheme not in SCHEMES:
        raise BayeswoodError("The model file's training responses do not match its trees.")
    if weights is not None and not (weights > 0).all():
        raise BayeswoodError("The model file holds a training weight that is not positive.")
    threshold, groups = _left_out_from(arrays, scheme, len(y))
    parts = _parts_from(arrays, scheme, groups, len(y))
    seed = read_scalar(arrays, "seed", int)
    shared = read_scalar(arrays, "trees_per_draw", int) if "trees_per_draw" in arrays else 1
    if shared < 1:
        raise BayeswoodError("The model file says wrongly which trees share their rows.")
    n_draws = read_scalar(arrays, "n_draws", int) if "n_draws" in arrays else 0
    if n_draws != 0 and not (scheme == "bootstrap" and 0 < n_draws <= len(y)):
        raise BayeswoodError("The model file says wrongly how many rows its trees drew.")
    law = RowWeights(scheme, seed, threshold, groups, parts, shared, n_draws)
    return Responses(y, weights, law)


def _left_out_from(
    arrays: Arrays, scheme: str, n_rows: int
) -> tuple[float, NDArray[np.int32] | None]:
    """How rows were left out of trees: the threshold of their weights, and their groups."""
    threshold = 0.0
    if "weight_threshold" in arrays:
        threshold = read_scalar(arrays, "weight_threshold", float)
    groups = arrays.get("row_groups")
    drawn = scheme in ("exponential", "subsample")
    usable = threshold == 0.0 or (threshold > 0 and isfinite(threshold) and drawn)
    if groups is None and usable:
        return threshold, None
    if not (usable and threshold > 0) or groups is None or not _are_groups(groups, n_rows):
        raise BayeswoodError("The model file says wrongly how rows were left out of its trees.")
    return threshold, np.ascontiguousarray(groups, dtype=np.int32)


def _parts_from(
    arrays: Arrays, scheme: str, groups: NDArray[np.int32] | None, n_rows: int
) -> NDArray[np.int32] | None:
    """The parts of the rows that had random numbers of their own."""
    parts = arrays.get("row_parts")
    if parts is None:
        return None
    if scheme != SCHEMES[0] or groups is not None or not _are_groups(parts, n_rows):
        raise BayeswoodError("The model file says wrongly in which parts its rows are.")
    return np.ascontiguousarray(parts, dtype=np.int32)


def _are_groups(groups: NDArray[Any], n_rows: int) -> bool:
    """Whether there is one number from 0 to n_rows - 1 for each row."""
    if groups.shape != (n_rows,) or groups.dtype.kind not in "iu":
        return False
    return bool(((groups >= 0) & (groups < n_rows)).all())
