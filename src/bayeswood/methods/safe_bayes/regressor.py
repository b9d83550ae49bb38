"""Safe-Bayesian forests for numbers.

Model. K trees are drawn from a prior before any data are seen. Given tree k, the responses in a
leaf are independent N(μ, σ²) with μ | σ² ~ N(μ0, σ²/κ) and σ² ~ InverseGamma(a, b); different
leaves are independent. Sufficient statistics: number, sum and sum of squares of each leaf, kept as
whole numbers. Formulas: `core/include/bayeswood/leaf/normal_inverse_gamma.hpp`, average over
prunings `core/include/bayeswood/safe_bayes/pruning.hpp`, pooling `number_pooling.py`.

Reference: N. Quadrianto and Z. Ghahramani. A very simple safe-Bayesian random forest. IEEE
Transactions on Pattern Analysis and Machine Intelligence 37(6), 2015 (trees, weights); numbers are
not in the paper.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parameters import Constraint, one_of, real
from bayeswood.methods.base.regressor import ForestRegressor
from bayeswood.methods.base.training_data import Target, read_single_response
from bayeswood.methods.conjugate_leaves.response_scale import ResponseScale
from bayeswood.methods.safe_bayes.number_posterior import NumberModel, NumberPosterior
from bayeswood.methods.safe_bayes.prior_forest import PRIOR_FOREST, PriorForestEstimator
from bayeswood.methods.safe_bayes.prior_trees import PriorTrees
from bayeswood.methods.safe_bayes.reservoir import Reservoir
from bayeswood.uncertainty import Uncertainty

F64 = NDArray[np.float64]


class SafeBayesForestRegressor(PriorForestEstimator, ForestRegressor):
    """A forest of trees drawn before any data are seen, for one numeric response.

    Trees do not depend on the response and leaves hold sums, so that the forest can be updated,
    merged and un-learned exactly.

    Parameters
    ----------
    n_estimators : int, default=300
        Trees, K.
    tree_prior : {"full", "galton-watson", "rows"}, default="full"
        ``"full"``: trees of a fixed depth, cuts uniform within the block of the node.
        ``"galton-watson"``: every node below the root splits with `split_probability`, cuts
        uniform on [0, 1]. ``"rows"``: the prior sees X, but no response; see
        `SafeBayesForestClassifier`.
    depth : int or "auto", default="auto"
        Depth of full trees, at most 24. ``"auto"``: 10, beyond 1,024 rows (of the first chunk)
        log2 of their number, as far as sums and `forest_` take less than 512 MiB.
    split_probability : float, default=0.475
        λ of Galton-Watson trees. At 1/2 and above their expected size is infinite.
    max_leaves : int, default=10000
        Galton-Watson trees that reach it have all their open nodes closed; trees over the rows
        stop there, or earlier where counts and `forest_` would take more than 512 MiB.
    pooling : {"evidence", "power"}, default="evidence"
        ``"evidence"``: the trees' distributions, taken as normal, are multiplied and sharpened
        until rows left out are predicted best. ``"power"``: their weighted mixture.
    prune_average : bool, default=True
        Whether each tree is averaged over all its prunings, exactly.
    power : float or None, default=None
        β in (0, 1], the power of the marginal likelihood in a tree's weight. None:
        `effective_sample_size` / N.
    effective_sample_size : float, default=5
        m, see `power`.
    prior_strength : float, default=0.3
        κ: how many rows the prior mean of a leaf, the mean response, counts for.
    prior_shape : float, default=2.0
        a > 1 of the inverse-gamma prior of a leaf's variance.
    prior_noise : float, default=0.5
        Prior mean of a leaf's variance, b/(a − 1), as a share of the variance of the response.
    transform : {"pit", "none"}, default="pit"
        Where cuts on [0, 1] fall: on the ranks of the reference rows (probability integral
        transform), or on columns that lie in [0, 1] already.
    ties : {"midrank", "random"}, default="midrank"
        Tied values share their mean rank, or are ranked at random (`fit` only).
    pit_reference : array-like or data frame, default=None
        Rows whose ranks freeze the transform; None: the rows of `fit`, or of the first chunk.
    reservoir_size : int, default=1000
        Most distinct rows kept for the sharpness.
    n_jobs : int, default=None
        Threads; -1 for all processors, None for 1 unless a `joblib.parallel_config` says
        otherwise. The result is the same, to the bit, for any number.
    random_state : int, Generator, RandomState or None, default=None
        Where the seed of the fit comes from; the seed itself is kept as `seed_`.
    verbose : int, default=0
        If positive, a bar on the terminal shows trees done and time left.
    categorical_features : "from_dtype", None, mask, or list of names or indices, \
            default="from_dtype"
        Which columns are categories: those of strings, categoricals and bools, none, or those
        named. A category is cut by a random subset of its levels.

    Attributes
    ----------
    forest_ : Forest
        The trees, their predictive means in each leaf and their weights. Subtrees of full trees
        that no row reached are one leaf.
    member_weights_ : ndarray, (n_members,)
        w_k, proportional to (marginal likelihood)^β.
    log_evidence_ : ndarray, (n_members,)
        Log marginal likelihood of each tree, averaged over prunings if so asked.
    power_ : float
        β.
    sharpness_ : float
        γ of evidence pooling; 1 for power pooling.
    response_unit_ : float
        The step to which responses are rounded, so that sums are exact.
    feature_importances_, feature_importances_std_ : ndarray, (n_features,)
        Share of the evidence for splitting that each feature brings, and its standard deviation
        over the members.
    depth_, n_rows_seen_, nbytes_ : int
        Depth of full trees, rows in the leaves, bytes kept between updates.
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
    SafeBayesForestClassifier : The same trees for classes.

    Notes
    -----
    In a node with n rows of mean ȳ, k = κ + n, a_n = a + n/2 and
    b_n = b + ½ Σ (y − ȳ)² + ½ κ n (ȳ − μ0)²/k,

        log ML = −n/2 log 2π + ½ log(κ/k) + a log b − a_n log b_n + log Γ(a_n) − log Γ(a),

    and the predictive is Student t with 2 a_n degrees of freedom about μ0 + n (ȳ − μ0)/k, squared
    scale b_n (k + 1)/(a_n k). Averages over prunings and weights are as for classes. Each tree's
    mixture of Students along a path enters the pooling by its mean, variance and mean degrees of
    freedom.

    Mean and variance of the response, which scale the prior, and the unit of its rounding (between
    2^-24 and 2^-23 of its range) come from `fit`'s rows or the first chunk. Responses are then
    whole numbers of units: sums are exact, and chunks in any order, merges and un-learning give
    the same bits.

    Memory between updates, in bytes, for K full trees of depth d: 36·K·2^d for sums and rules, and
    up to `reservoir_size`·(8·n_features + 28); whatever the number of rows. See `nbytes_`.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from bayeswood import SafeBayesForestRegressor
    >>> X, y = make_friedman1(n_samples=300, random_state=0)
    >>> forest = SafeBayesForestRegressor(n_estimators=100, random_state=0).fit(X, y)
    >>> forest.predict_interval(X[:4]).shape
    (4, 2)
    >>> forest.partial_fit(X[:10], y[:10]).n_rows_seen_
    310
    """

    _part_kinds = (NumberPosterior,)
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **PRIOR_FOREST,
        "pooling": one_of("evidence", "power"),
        "prior_strength": real(0, closed="neither", integers=True),
        "prior_shape": real(1, closed="neither", integers=True),
        "prior_noise": real(0, closed="neither", integers=True),
    }

    def __init__(
        self,
        n_estimators: int = 300,
        *,
        tree_prior: str = "full",
        depth: int | str = "auto",
        split_probability: float = 0.475,
        max_leaves: int = 10_000,
        pooling: str = "evidence",
        prune_average: bool = True,
        power: float | None = None,
        effective_sample_size: float = 5,
        prior_strength: float = 0.3,
        prior_shape: float = 2.0,
        prior_noise: float = 0.5,
        transform: str = "pit",
        ties: str = "midrank",
        pit_reference: Any = None,
        reservoir_size: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.tree_prior = tree_prior
        self.depth = depth
        self.split_probability = split_probability
        self.max_leaves = max_leaves
        self.pooling = pooling
        self.prune_average = prune_average
        self.power = power
        self.effective_sample_size = effective_sample_size
        self.prior_strength = prior_strength
        self.prior_shape = prior_shape
        self.prior_noise = prior_noise
        self.transform = transform
        self.ties = ties
        self.pit_reference = pit_reference
        self.reservoir_size = reservoir_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect of the estimator."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        # A mixture over trees that know no response stays near the mean of all responses.
        tags.regressor_tags.poor_score = self.pooling == "power"
        return tags

    # --- members --------------------------------------------------------------------------------

    def _read_target(self, y: Any) -> Target:
        return read_single_response(y, self._name)

    def _later_target(self, y: Any) -> Target:
        return self._read_target(y)

    def _n_outputs(self, target: Target) -> int:
        return 8  # four sums of 8 bytes, where a class has a count of 4

    def _without_rows(
        self, trees: PriorTrees, target: Target, copies: NDArray[np.int32] | None
    ) -> NumberPosterior:
        model = self._number_model(ResponseScale.of(target.y[:, 0], copies))
        sums = np.zeros((trees.n_leaves_in_all, 4), dtype=np.int64)
        n_features = len(trees.scale.n_levels)
        reservoir = Reservoir.empty(int(self.reservoir_size), n_features, np.int32)
        return NumberPosterior(trees, sums, reservoir, model, self._threads())

    def _number_model(self, scale: ResponseScale) -> NumberModel:
        shape = float(self.prior_shape)
        return NumberModel(
            bool(self.prune_average),
            self.pooling,
            None if self.power is None else float(self.power),
            float(self.effective_sample_size),
            float(self.prior_strength),
            shape,
            float(self.prior_noise) * scale.variance * (shape - 1),
            scale,
        )

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a chunk of rows.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows. The first chunk settles columns, category levels, the depth of the trees, the
            scale of the response and, without `pit_reference`, the edges of the transform.
        y : array-like, (n_rows,)
            Responses.
        sample_weight : array-like, (n_rows,), default=None
            Whole numbers: copies of each row.

        Returns
        -------
        self
            With the very sums of a forest that saw all rows at once over the same edges and the
            same scale of the response, in any order of the later chunks.
        """
        if "_posterior" not in self.__dict__:
            self._first_chunk(X, self._read_target(y), sample_weight)
        else:
            self._add_chunk(X, y, sample_weight)
        return self

    def _refuse_merge(self, other: Self) -> None:
        super()._refuse_merge(other)
        if self._posterior.scale != other._posterior.scale:
            raise BayeswoodError(
                "Only forests over the same scale of the response can be merged. Start both from "
                "the same first chunk: fit one, copy it, and `partial_fit` each on its shard."
            )

    @property
    def sharpness_(self) -> float:
        """γ of evidence pooling; 1 for power pooling."""
        self._check_fitted()
        return float(self._posterior.sharpness)

    @property
    def response_unit_(self) -> float:
        """The step to which responses are rounded."""
        self._check_fitted()
        return float(self._posterior.scale.unit)

    # --- predictions ----------------------------------------------------------------------------

    def predict_quantiles(self, X: Any, alpha: Any, kind: str = "prediction") -> F64:
        """Quantiles of the response, or of the members' means.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        alpha : float or array-like of float
            Levels in [0, 1]; 0 and 1 are minus and plus infinity for kind "prediction".
        kind : {"prediction", "mean"}, default="prediction"
            ``"prediction"``: of the pooled predictive distribution. ``"mean"``: of the members'
            means, weighted.

        Returns
        -------
        ndarray, (n_rows[, n_levels])
            Without the last axis for a single level.
        """
        return super().predict_quantiles(X, alpha, kind)

    def uncertainty(self, X: Any) -> Uncertainty:
        """Variance of the response and where it comes from.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        Uncertainty
            ``total``, ``data`` and ``knowledge``, each (n_rows,).

        Notes
        -----
        ``total`` is the variance of the pooled predictive distribution. ``knowledge`` is the
        variance of the members' means, but no more than the total; ``data`` is the rest.
        """
        return super().uncertainty(X)

    def loo_predict(self, X: Any = None, y: Any = None) -> F64:
        """Means of training rows, each predicted without itself, exactly (evidence pooling).

        Parameters
        ----------
        X, y : array-like, default=None
            Training rows and their responses. None: all rows seen, in order of arrival, which
            must be at most `reservoir_size`.

        Returns
        -------
        ndarray, (n_rows,)
            What a forest without the row would give, over the same edges, scale of the response
            and sharpness.
        """
        self._check_fitted()
        members: NumberPosterior = self._posterior
        if members.model.pooling != "evidence":
            raise BayeswoodError(f"{self._name}.loo_predict needs pooling='evidence'.")
        if X is None:
            kept = members.rows_left_out(self._name, "loo_predict")
            return members.predict_left_out(kept.X, kept.y).mean[kept.order]
        chunk = self._later_chunk(X, y, None, "loo_predict")
        units = members.scale.to_units(chunk.target.y[:, 0], self._name)
        try:
            return members.predict_left_out(chunk.X, units).mean
        except ValueError as error:
            raise BayeswoodError(
                f"Only rows that the forest has seen can be left out: {error}."
            ) from error
