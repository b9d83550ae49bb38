"""Sums of trees for numbers.

Model. y = f(x) + ε, ε ~ N(0, σ²), f an offset and the sum of m trees; Chipman, George and McCulloch
(2010), eqs 1 to 5. Sufficient statistics of a leaf: how many rows, and the sum of what the other
trees leave over.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest
from bayeswood.methods.bart.default_prior import number_prior, rough_noise
from bayeswood.methods.bart.normal_sums import NormalSums
from bayeswood.methods.bart.run_sums import SampledSums, SumResponses
from bayeswood.methods.bart.sum_estimator import SUMS, SumEstimator, warn_of_chains
from bayeswood.methods.base.parameters import (
    MAX_TREES,
    NONE,
    Constraint,
    integer,
    parameter_error,
    real,
)
from bayeswood.methods.base.predictive import Predictive
from bayeswood.methods.base.regressor import ForestRegressor
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.posterior.monte_carlo import UNCERTAIN_MEAN

F64 = NDArray[np.float64]


class BARTRegressor(SumEstimator, ForestRegressor):
    """Bayesian additive regression trees: a numeric response as a sum of small trees.

    Parameters
    ----------
    n_estimators : int, default=200
        m, trees of a sum.
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
        ``"mh"``: in each sweep every tree makes a Metropolis-Hastings step (birth, death, change,
        swap), exact in the long run. ``"particle-gibbs"``: every tree is drawn anew by particles
        (Lakshminarayanan, Roy and Teh 2015), as exact, slower and less tied to the tree before.
        ``"grow-from-root"``: every tree is drawn anew from its root (He and Hahn 2023), fast to
        find structure and approximate: intervals are not the posterior's.
    n_particles : int, default=10
        Of ``"particle-gibbs"``.
    prior_base, prior_power : float, default=0.95, 2.0
        α and β: a node at depth d is split with probability α (1 + d)^−β.
    prior_k : float, default=2.0
        k: f(x) is within the range of y with prior probability 2Φ(k) − 1.
    prior_df, prior_quantile : float, default=3.0, 0.9
        ν and q: σ² ~ ν λ / χ²_ν, with λ such that σ is below the residual standard deviation of a
        linear model with probability q.
    leaf_sd : float or None, default=None
        Prior standard deviation of one leaf's value, on the scale of y, in place of `prior_k`.
    noise_sd : float or None, default=None
        σ, if it is known.
    sparse : bool, default=False
        Whether features have shares with a Dirichlet prior (Linero 2018), so that most of many
        features are left out; else all that vary in a node are alike.
    variance_trees : int, default=0
        m', trees whose product is the variance of the noise, σ²(x) (Pratola and others 2020); 0: σ
        is the same everywhere. `prior_df` must be above 2 then.
    move_probabilities : mapping or None, default=None
        How often each of "birth", "death", "change", "swap" and "shift" is tried; None: .25, .25,
        .4, .1, 0.
    min_samples_leaf : int or float, default=1
        Trees with a leaf of fewer rows have probability 0; a float is a share of the rows.
    max_cuts : int, default=254
        A number is cut at its values, or at so many of its quantiles if there are more; up to 254
        take a byte per cell.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt, or keep what was drawn so far, with a warning:
        the chains that ran to their end, or if none did, those that have draws, cut to the
        shortest.
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
        A member is a draw of f: the sum of `n_estimators` trees (for each response); draws of the
        first chain come first. What the sum starts from is in the first tree's leaves.
    offset_ : float or ndarray, (n_outputs,)
        What the sum starts from: the middle of the range of y.
    leaf_sd_ : float or ndarray, (n_outputs,)
        Prior standard deviation of one leaf's value.
    noise_sd_ : ndarray, (n_chains, n_draws[, n_outputs])
        Draws of σ; with `variance_trees` the square root of σ²(x), averaged over the training rows.
    feature_shares_ : ndarray, (n_chains, n_draws, n_features)
        With `sparse`: draws of the features' shares.
    trace_ : SumTrace
        σ and the size of the trees after every sweep, those before the draws included.
    acceptance_ : dict
        Share of accepted proposals in the sweeps of the draws, by move.
    inclusion_probabilities_ : ndarray, (n_features,)
        Share of the draws in which some split asks each feature.
    feature_importances_, feature_importances_std_ : ndarray, (n_features,)
        Share of the trees' variation over the training rows that is due to splits by each feature,
        and its standard deviation over the draws.
    monte_carlo_error_ : float
        Standard error of `predict` between chains, in the mean over 100 rows like new ones; `fit`
        warns above a tenth of the response's standard deviation. NaN with one chain.
    min_samples_leaf_ : int
        The value used, after resolving a share.
    member_weights_ : ndarray, (n_members,)
        All alike.
    n_outputs_ : int
        Number of responses.
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
    BARTClassifier : The same sums for classes.
    MCMCTreeRegressor : One tree, with its posterior.

    Notes
    -----
    The prior over trees: a rule's feature is uniform over those that vary in the node, its cut over
    the cuts that leave rows on both sides; see `core/include/bayeswood/sums/sum_law.hpp`. Leaves
    have values μ ~ N(0, σ_μ²), σ_μ being `leaf_sd_`. With n rows in a leaf and s the sum of what
    the other trees leave over, μ | … ~ N(s / (n + σ²/σ_μ²), σ² / (n + σ²/σ_μ²)), and a proposal is
    weighed with μ integrated out (Bayesian backfitting). Several responses have independent sums.

    Memory: a byte per row, tree and chain while the chains are alive, and some 15 kB per draw of
    200 trees; trees that a sweep left alone share their shape. See docs/bart.md.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from bayeswood import BARTRegressor
    >>> X, y = make_friedman1(n_samples=200, noise=1.0, random_state=0)
    >>> bart = BARTRegressor(50, n_chains=2, n_draws=100, random_state=0).fit(X, y)
    >>> bart.predict_interval(X[:3]).shape, bart.noise_sd_.shape
    ((3, 2), (2, 100))
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **SUMS,
        "prior_df": real(0, closed="neither", integers=True),
        "prior_quantile": real(0, 1, "neither"),
        "noise_sd": real(0, closed="neither", integers=True) | NONE,
        "variance_trees": integer(0, MAX_TREES),
    }

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
        prior_df: float = 3.0,
        prior_quantile: float = 0.9,
        leaf_sd: float | None = None,
        noise_sd: float | None = None,
        sparse: bool = False,
        variance_trees: int = 0,
        move_probabilities: Mapping[str, float] | None = None,
        min_samples_leaf: int | float = 1,
        max_cuts: int = 254,
        on_interrupt: str = "raise",
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
        self.prior_df = prior_df
        self.prior_quantile = prior_quantile
        self.leaf_sd = leaf_sd
        self.noise_sd = noise_sd
        self.sparse = sparse
        self.variance_trees = variance_trees
        self.move_probabilities = move_probabilities
        self.min_samples_leaf = min_samples_leaf
        self.max_cuts = max_cuts
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    @property
    def offset_(self) -> float | F64:
        """What the sum starts from."""
        return self._by_response(self._offset)

    @property
    def leaf_sd_(self) -> float | F64:
        """Prior standard deviation of one leaf's value."""
        return self._by_response(self._leaf_sd)

    def _by_response(self, values: F64) -> float | F64:
        self._check_fitted()
        return float(values[0]) if self._single_output else values

    def _noise_freedom(self) -> float:
        return 0.0 if self.noise_sd is not None else float(self.prior_df)

    def _n_variance_trees(self) -> int:
        if self.variance_trees and self.noise_sd is not None:
            words = "0 where noise_sd is given"
            raise parameter_error("variance_trees", self._name, words, self.variance_trees)
        if self.variance_trees and self.prior_df <= 2:
            raise parameter_error(
                "prior_df", self._name, "above 2 with variance_trees", self.prior_df
            )
        return int(self.variance_trees)

    def _responses(self, data: TrainingData) -> tuple[SumResponses, NDArray[Any]]:
        y, weight = data.target.y, data.sample_weight
        prior = number_prior(
            y,
            rough_noise(data.X, data.schema.n_levels, y, weight),
            n_trees=int(self.n_estimators),
            k=float(self.prior_k),
            df=float(self.prior_df),
            quantile=float(self.prior_quantile),
            leaf_sd=self.leaf_sd,
            noise_sd=self.noise_sd,
        )
        return SumResponses("number", y, weight, prior), data.X

    def _mean_of(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        return forest.predict(rows, n_jobs)

    def _warn_of_error(self, error: float, data: TrainingData) -> None:
        if error > UNCERTAIN_MEAN * float(data.target.y.std(axis=0).max()):
            warn_of_chains(f"Predictions are uncertain by ±{error:.3g}")

    def _log_density(self, rows: NDArray[Any], y: Any, n_jobs: int) -> F64:
        from sklearn.utils.validation import check_consistent_length

        target = self._read_target(y)
        check_consistent_length(rows, target.y)
        found: F64 = self.predictive_.log_density(self.forest_, rows, target.y, None, n_jobs)
        return found

    def _predictive_kind(self) -> type[Predictive]:
        return NormalSums

    def _predictive_of(self, sums: SampledSums) -> NormalSums:
        noise = sums.trace.kept(sums.trace.noise_sd)
        return NormalSums(noise.reshape(-1, noise.shape[-1]), sums.variance)
