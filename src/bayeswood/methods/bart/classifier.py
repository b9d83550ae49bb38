"""Sums of trees for classes.

Model. Two classes: P(y = 1) = Φ(f(x)) (Chipman, George and McCulloch 2010, section 4.1). More:
P(y = k) = exp f_k(x) / Σ_j exp f_j(x), one sum for each class, all alike, given each other by
Pólya-gamma weights (Polson, Scott and Windle 2013).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.bart.default_prior import class_prior
from bayeswood.methods.bart.linked_sums import LinkedSums
from bayeswood.methods.bart.run_sums import SampledSums, SumResponses
from bayeswood.methods.bart.sum_estimator import SUMS, SumEstimator, warn_of_chains
from bayeswood.methods.base.class_weight import WHOLE_CLASS_WEIGHT
from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.parameters import Constraint
from bayeswood.methods.base.parts import ClassLabels, SavedModel
from bayeswood.methods.base.predictive import Predictive
from bayeswood.methods.base.training_data import (
    Target,
    TrainingData,
    read_known_classes,
)
from bayeswood.posterior.monte_carlo import UNCERTAIN_PROBABILITY

F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkedLabels(ClassLabels):
    """The classes of a forest whose outputs are sums, one for each class."""

    @classmethod
    def read(cls, saved: SavedModel) -> Self:
        """Checked against the trees."""
        classes = cls.labels_in(saved)
        if saved.forest.is_classifier or len(classes) != saved.forest.n_outputs:
            raise BayeswoodError("The model file's classes do not match its trees.")
        return cls(classes)


class BARTClassifier(SumEstimator, ForestClassifier):
    """Bayesian additive regression trees for classes: probabilities linked to sums of small trees.

    Parameters
    ----------
    n_estimators : int, default=200
        m, trees of a sum; for more than two classes every class has a sum.
    n_chains : int, default=4
        Independent chains.
    n_warm_up : int, default=10
        Sweeps from the root before the others: they bring each chain near the posterior's mass. 0
        starts from trees of one leaf.
    n_burn_in : int or "auto", default="auto"
        Sweeps after that which are not kept; "auto": a hundred times `thin`.
    n_draws : int, default=250
        Draws kept of each chain.
    thin : int or "auto", default="auto"
        Sweeps for each draw; "auto" is planned by the rows: 10 up to 1,000, fewer in proportion for
        more, 1 from 10,000 on; 1 for the other samplers.
    sampler : {"mh", "grow-from-root", "particle-gibbs"}, default="mh"
        As of `BARTRegressor`.
    n_particles : int, default=10
        Of ``"particle-gibbs"``.
    prior_base, prior_power : float, default=0.95, 2.0
        α and β: a node at depth d is split with probability α (1 + d)^−β.
    prior_k : float, default=2.0
        k: f(x) is within ±3 of its offset with prior probability 2Φ(k) − 1; with more classes the
        difference of two sums is within ±5.1.
    leaf_sd : float or None, default=None
        Prior standard deviation of one leaf's value, in place of `prior_k`.
    sparse : bool, default=False
        As of `BARTRegressor`; all sums have the same shares.
    move_probabilities : mapping or None, default=None
        How often each of "birth", "death", "change", "swap" and "shift" is tried; None: .25, .25,
        .4, .1, 0.
    min_samples_leaf : int or float, default=1
        Trees with a leaf of fewer rows have probability 0; a float is a share of the rows.
    max_cuts : int, default=254
        As of `BARTRegressor`.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt, or keep what was drawn so far, with a warning:
        the chains that ran to their end, or if none did, those that have draws, cut to the
        shortest.
    class_weight : dict or None, default=None
        Weights of the classes, which multiply those of their rows: ``{class: weight}`` in whole
        numbers, for rows are counted (so that "balanced", which gives fractions, is refused); a
        class that is not named weighs 1. The posterior is that of rows repeated so often, and
        its probabilities those of a world with such shares of classes: to move a decision
        alone, leave it and set a threshold on `predict_proba`.
    n_jobs : int, default=None
        Threads, one chain each; where there are twice as many as chains, and more than 65,536
        rows, several share the rows of a chain. -1 for all processors, None for 1 unless a
        `joblib.parallel_config` says otherwise. The result is the same, to the bit, for any
        number.
    random_state : int, Generator, RandomState or None, default=None
        Where the seed of the fit comes from; the seed itself is kept as `seed_`.
    verbose : int, default=0
        If positive, a bar on the terminal shows sweeps done and time left.
    categorical_features : "from_dtype", None, mask, or list of names or indices, \
            default="from_dtype"
        Which columns are categories: those of strings, categoricals and bools, none, or those
        named. A category is cut by a random subset of its levels.

    Attributes
    ----------
    forest_ : Forest
        A member is a draw: sums of `n_estimators` trees, with an output for each class. Of two
        classes the second has the sum and the first has 0.
    classes_ : ndarray, (n_classes,)
        The classes.
    n_classes_ : int
        Their number.
    offset_ : ndarray, (n_sums,)
        What the sums start from: the shares of the classes on the scale of the link.
    leaf_sd_ : float
        Prior standard deviation of one leaf's value.
    feature_shares_ : ndarray, (n_chains, n_draws, n_features)
        With `sparse`: draws of the features' shares.
    trace_ : SumTrace
        The size of the trees after every sweep, those before the draws included.
    acceptance_ : dict
        Share of accepted proposals in the sweeps of the draws, by move.
    inclusion_probabilities_ : ndarray, (n_features,)
        Share of the draws in which some split asks each feature.
    feature_importances_, feature_importances_std_ : ndarray, (n_features,)
        Share of the trees' variation over the training rows that is due to splits by each feature,
        and its standard deviation over the draws.
    monte_carlo_error_ : float
        Standard error of `predict_proba` between chains, the largest of a row's, in the mean over
        100 rows like new ones; `fit` warns above .03. NaN with one chain.
    min_samples_leaf_ : int
        The value used, after resolving a share.
    member_weights_ : ndarray, (n_members,)
        All alike.
    schema_ : Schema
        Names, kinds and category levels of the columns.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had names.
    seed_ : int
        The seed all randomness came from.

    See Also
    --------
    BARTRegressor : The same sums for numbers, and the prior over trees.

    Notes
    -----
    Two classes: latent z ~ N(f(x), 1), y = 1[z > 0] (Albert and Chib 1993), so that given z the
    sum is one of numbers with known noise. More: given the other sums, with c = log Σ_{j≠k} exp
    f_j, weights ω ~ PG(1, f_k − c) make (1[y = k] − ½)/ω + c normal about f_k with variance 1/ω.
    All classes have a sum, so that no class is the reference; the prior fixes what the likelihood
    leaves open.

    Memory is as of `BARTRegressor`, times the number of sums.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import BARTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bart = BARTClassifier(20, n_chains=2, n_draws=100, random_state=0).fit(X, y)
    >>> bart.predict_proba(X[:3]).shape
    (3, 3)
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **SUMS,
        "class_weight": WHOLE_CLASS_WEIGHT,
    }
    _target_kind = LinkedLabels

    def __init__(
        self,
        n_estimators: int = 200,
        *,
        n_chains: int = 4,
        n_warm_up: int = 10,
        n_burn_in: int | str = "auto",
        n_draws: int = 250,
        thin: int | str = "auto",
        sampler: str = "mh",
        n_particles: int = 10,
        prior_base: float = 0.95,
        prior_power: float = 2.0,
        prior_k: float = 2.0,
        leaf_sd: float | None = None,
        sparse: bool = False,
        move_probabilities: Mapping[str, float] | None = None,
        min_samples_leaf: int | float = 1,
        max_cuts: int = 254,
        on_interrupt: str = "raise",
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.n_chains = n_chains
        self.n_warm_up = n_warm_up
        self.n_burn_in = n_burn_in
        self.n_draws = n_draws
        self.thin = thin
        self.sampler = sampler
        self.n_particles = n_particles
        self.prior_base = prior_base
        self.prior_power = prior_power
        self.prior_k = prior_k
        self.leaf_sd = leaf_sd
        self.sparse = sparse
        self.move_probabilities = move_probabilities
        self.min_samples_leaf = min_samples_leaf
        self.max_cuts = max_cuts
        self.on_interrupt = on_interrupt
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    @property
    def offset_(self) -> F64:
        """What the sums start from."""
        self._check_fitted()
        offset: F64 = self._offset
        return offset

    @property
    def leaf_sd_(self) -> float:
        """Prior standard deviation of one leaf's value."""
        self._check_fitted()
        return float(self._leaf_sd[0])

    def _target_part(self, target: Target) -> LinkedLabels:
        return LinkedLabels(np.asarray(target.classes))

    def _responses(self, data: TrainingData) -> tuple[SumResponses, NDArray[Any]]:
        copies = data.copies(self._name)
        y, rows = data.target.y, data.X
        if copies is not None:
            y, rows = np.repeat(y, copies), np.repeat(rows, copies, axis=0)
        counts = np.bincount(y, minlength=data.n_classes)
        prior = class_prior(
            counts, n_trees=int(self.n_estimators), k=float(self.prior_k), leaf_sd=self.leaf_sd
        )
        kind = "two-classes" if data.n_classes == 2 else "classes"
        return SumResponses(kind, y, None, prior), rows

    def _mean_of(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        return LinkedSums().probabilities(forest, rows, n_jobs)

    def _warn_of_error(self, error: float, data: TrainingData) -> None:
        if error > UNCERTAIN_PROBABILITY:
            warn_of_chains(f"Probabilities are uncertain by ±{error:.2g}")

    def _log_density(self, rows: NDArray[Any], y: Any, n_jobs: int) -> F64:
        from sklearn.utils.validation import check_consistent_length

        numbers = read_known_classes(y, self.classes_, self._name, learns=False).y
        check_consistent_length(rows, numbers)
        found: F64 = self.predictive_.log_density(self.forest_, rows, numbers, n_jobs)
        return found

    def _predictive_kind(self) -> type[Predictive]:
        return LinkedSums

    def _predictive_of(self, sums: SampledSums) -> LinkedSums:
        return LinkedSums()
