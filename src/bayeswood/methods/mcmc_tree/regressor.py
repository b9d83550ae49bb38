"""The posterior over decision trees, by Markov chain Monte Carlo with restarts: numbers.

Model. A tree T is drawn from a prior (Chipman's or Denison's); the responses in a leaf are normal,
y ~ N(μ, σ²), μ | σ² ~ N(μ0, σ²/κ), σ² ~ InverseGamma(a, b), different leaves independent.
Sufficient statistics: n, Σ y and Σ y² in each leaf, whole numbers of a small unit.
Formulas: priors and moves as for classes (`mcmc_tree.py`); leaves in
`core/include/bayeswood/leaf/normal_inverse_gamma.hpp`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.methods.base.parameters import Constraint, real
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.conjugate_leaves.leaf_table import LeafTable
from bayeswood.methods.conjugate_leaves.student_regressor import StudentRegressor
from bayeswood.methods.mcmc_tree.chain_estimator import (
    CHAINS,
    ChainEstimator,
    warn_of_monte_carlo_error,
)
from bayeswood.methods.mcmc_tree.trace import ChainDraws
from bayeswood.posterior.monte_carlo import UNCERTAIN_MEAN

F64 = NDArray[np.float64]


class MCMCTreeRegressor(ChainEstimator, StudentRegressor):
    """A numeric response averaged over the posterior of one decision tree.

    Parameters
    ----------
    n_chains : int, default=10
        Independent chains, each from a tree drawn from the prior: the restarts of Schetinin et
        al.
    n_burn_in : int or "auto", default="auto"
        Iterations of each chain that are not kept.
    n_draws : int or "auto", default="auto"
        Draws kept of each chain.
    thin : int or "auto", default="auto"
        Iterations for each draw; "auto" with a number of draws is 1. With "auto" for all three
        they are planned by the rows: 20,000 iterations of burn-in and as many for 500 draws up to
        1,000 rows, fewer in proportion for more rows (2,000 at 10,000, where SMC trees begin to be
        the better choice), at least 500.
    prior : {"chipman", "denison"}, default="chipman"
        Over trees; see `MCMCTreeClassifier`.
    rule_support : {"table", "node"}, default="table"
        Where the rules of Denison's prior come from; see `MCMCTreeClassifier`.
    alpha_split, beta_split : float, default=0.95, 0.5
        α_s and β_s of Chipman's prior. Denison's takes them for the start of a chain only.
    prior_strength : float, default=0.3
        κ: how many rows the prior mean of a leaf, the mean response, counts for.
    prior_shape : float, default=2.0
        a > 1 of the inverse-gamma prior of a leaf's variance.
    prior_noise : float, default=0.5
        Prior mean of a leaf's variance, b/(a − 1), as a share of the variance of the response.
    move_probabilities : {"schetinin", "chipman", "local"} or mapping, default="local"
        How often each move is tried; see `MCMCTreeClassifier`.
    min_samples_leaf : int or float, default=1
        Trees with a leaf of fewer rows have probability 0; a float is a share of the rows.
    max_leaves : int or None, default=None
        Trees with more leaves have probability 0.
    power : float, default=1.0
        The likelihood is raised to it; 0 draws from the prior.
    chain_weights : {"equal", "evidence", "stacking"}, default="equal"
        Chains count alike, by the posterior mass that they have visited, or by weights that
        predict left-out rows best.
    burn_in_growth_leaves : int or None, default=None
        Most leaves at the beginning of the burn-in, the restriction of Denison et al.; None for
        none.
    burn_in_growth_iterations : int or None, default=None
        How long that lasts; None: half the burn-in.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt, or keep what was sampled so far, with a
        warning: the chains that ran to their end, or if none did, those that have draws, cut to
        the shortest.
    n_jobs : int, default=None
        Threads, one chain each; -1 for all processors, None for 1 unless a
        `joblib.parallel_config` says otherwise. The result is the same, to the bit, for any
        number.
    random_state : int, Generator, RandomState or None, default=None
        Where the seed of the fit comes from; the seed itself is kept as `seed_`.
    verbose : int, default=0
        If positive, a bar on the terminal shows iterations and chains done, the acceptance rate
        and time left.
    categorical_features : "from_dtype", None, mask, or list of names or indices, \
            default="from_dtype"
        Which columns are categories: those of strings, categoricals and bools, none, or those
        named. A category is cut by a random subset of its levels.

    Attributes
    ----------
    forest_ : Forest
        The distinct trees among the draws, weighted by how often they were drawn; leaves hold the
        mean of their predictive distribution.
    leaf_variance_ : ndarray, (n_leaves in all,)
        Variance of the predictive distribution of each leaf, tree after tree.
    member_weights_ : ndarray, (n_members,)
        Weights of the trees; they sum to 1.
    draw_tree_ : ndarray of int32, (n_chains, n_draws)
        Which of the trees each draw is.
    trace_ : ChainTrace
        Log likelihood, log posterior, leaves and depth after every iteration, (n_chains,
        n_iterations), burn-in included.
    acceptance_ : dict
        Share of accepted proposals after the burn-in, by move.
    proposals_ : dict
        Their number.
    monte_carlo_error_ : float
        Standard error of `predict` between chains, in the mean over 100 rows like new ones
        (training rows with a tenth of their cells from another); `fit` warns above a tenth of the
        response's standard deviation. NaN with one chain. `monte_carlo_error` gives it row by row.
    chain_weights_ : ndarray, (n_chains,)
        Weights of the chains; they sum to 1.
    response_center_, response_unit_, prior_scale_ : float
        μ0; the step to which responses are rounded, so that sums are exact; b.
    feature_importances_, feature_importances_std_ : ndarray, (n_features,)
        Share of the evidence for splitting that each feature brings, and its standard deviation
        over the members.
    min_samples_leaf_ : int
        The value used, after resolving a share.
    n_outputs_ : int
        1.
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
    MCMCTreeClassifier : The same trees for classes, and the priors over trees.

    Notes
    -----
    The chains' target is p(T) p(Y | T)^power. In a leaf with n rows of mean ȳ, k = κ + n,
    a_n = a + n/2 and b_n = b + ½ Σ (y − ȳ)² + ½ κ n (ȳ − μ0)²/k,

        log p = −n/2 log 2π + ½ log(κ/k) + a log b − a_n log b_n + log Γ(a_n) − log Γ(a),

    and the predictive is Student t with 2 a_n degrees of freedom about μ0 + n (ȳ − μ0)/k, squared
    scale b_n (k + 1)/(a_n k). A forest predicts the mixture over its trees: quantiles, intervals
    and variances of kind "prediction" are the mixture's own.

    Memory is as for classes, with 16 bytes per leaf in place of those per leaf and class.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from bayeswood import MCMCTreeRegressor
    >>> X, y = make_friedman1(n_samples=200, random_state=0)
    >>> trees = MCMCTreeRegressor(1, n_burn_in=500, n_draws=500, random_state=0).fit(X, y)
    >>> trees.predict_interval(X[:3]).shape
    (3, 2)
    """

    _part_kinds = (ChainDraws,)
    _saved_numbers = (
        "min_samples_leaf_",
        "monte_carlo_error_",
        "response_center_",
        "response_unit_",
        "prior_scale_",
    )
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CHAINS,
        "prior_strength": real(0, closed="neither", integers=True),
        "prior_shape": real(1, closed="neither", integers=True),
        "prior_noise": real(0, closed="neither", integers=True),
    }

    def __init__(
        self,
        n_chains: int = 10,
        *,
        n_burn_in: int | str = "auto",
        n_draws: int | str = "auto",
        thin: int | str = "auto",
        prior: str = "chipman",
        rule_support: str = "table",
        alpha_split: float = 0.95,
        beta_split: float = 0.5,
        prior_strength: float = 0.3,
        prior_shape: float = 2.0,
        prior_noise: float = 0.5,
        move_probabilities: str | Mapping[str, float] = "local",
        min_samples_leaf: int | float = 1,
        max_leaves: int | None = None,
        power: float = 1.0,
        chain_weights: str = "equal",
        burn_in_growth_leaves: int | None = None,
        burn_in_growth_iterations: int | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_chains = n_chains
        self.n_burn_in = n_burn_in
        self.n_draws = n_draws
        self.thin = thin
        self.prior = prior
        self.rule_support = rule_support
        self.alpha_split = alpha_split
        self.beta_split = beta_split
        self.prior_strength = prior_strength
        self.prior_shape = prior_shape
        self.prior_noise = prior_noise
        self.move_probabilities = move_probabilities
        self.min_samples_leaf = min_samples_leaf
        self.max_leaves = max_leaves
        self.power = power
        self.chain_weights = chain_weights
        self.burn_in_growth_leaves = burn_in_growth_leaves
        self.burn_in_growth_iterations = burn_in_growth_iterations
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    def _leaf_model(
        self, data: TrainingData, copies: NDArray[np.int32] | None
    ) -> tuple[_core.LeafModel, dict[str, Any]]:
        return self._number_leaves(data, copies)

    def _warn_of_error(self, error: float, data: TrainingData) -> None:
        if error > UNCERTAIN_MEAN * float(np.std(data.target.y)):
            warn_of_monte_carlo_error(f"Predictions are uncertain by ±{error:.3g}", data.n_rows)

    def _log_density(self, rows: NDArray[Any], y: Any, n_jobs: int) -> F64:
        return self._number_density(rows, y, n_jobs)

    def _log_left_out(
        self, table: LeafTable, leaves: NDArray[np.int64], y: NDArray[Any], leaf_variance: F64
    ) -> F64:
        return self._students(leaf_variance).log_left_out(table, leaves, y)
