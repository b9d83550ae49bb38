"""Safe-Bayesian forests for classes: as published, and calibrated.

Model. K trees are drawn from a prior before any data are seen. Given tree k, the classes in a leaf
are independent with probabilities θ ~ Dirichlet(α, ..., α); different leaves are independent.
Sufficient statistics: the number m_vc of rows of class c in each leaf v, whole numbers that add up.
Formulas: marginal likelihood and predictive of a leaf, eqs 3 and 7 of the paper
(`core/include/bayeswood/leaf/dirichlet_multinomial.hpp`); average over prunings
(`core/include/bayeswood/safe_bayes/pruning.hpp`); pooling (`pooling.py`).

Reference: N. Quadrianto and Z. Ghahramani. A very simple safe-Bayesian random forest. IEEE
Transactions on Pattern Analysis and Machine Intelligence 37(6), 2015.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest.class_prior import class_alphas
from bayeswood.methods.base.class_weight import WHOLE_CLASS_WEIGHT
from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.parameters import (
    NONE,
    Constraint,
    one_of,
    parameter_error,
    per_class,
    real,
)
from bayeswood.methods.base.training_data import Target, read_class_target, read_known_classes
from bayeswood.methods.safe_bayes.choose_power import curve_of
from bayeswood.methods.safe_bayes.class_posterior import ClassModel, ClassPosterior
from bayeswood.methods.safe_bayes.conformal_sets import full_p_values, quick_p_values
from bayeswood.methods.safe_bayes.operating_curve import OperatingCurve
from bayeswood.methods.safe_bayes.prior_forest import PRIOR_FOREST, PriorForestEstimator
from bayeswood.methods.safe_bayes.prior_trees import PriorTrees
from bayeswood.table import transform_table
from bayeswood.uncertainty import Uncertainty, check_coverage

F64 = NDArray[np.float64]


class SafeBayesForestClassifier(PriorForestEstimator, ForestClassifier):
    """A forest of trees drawn before any data are seen, weighted by their evidence.

    Trees do not depend on the classes and leaves hold counts, so that the forest can be updated,
    merged, un-learned and cross-validated exactly.

    Parameters
    ----------
    n_estimators : int, default=300
        Trees, K.
    tree_prior : {"full", "galton-watson", "rows"}, default="full"
        ``"full"``: trees of a fixed depth, cuts uniform within the block of the node.
        ``"galton-watson"``: every node below the root splits with `split_probability`, cuts
        uniform on [0, 1] (the paper's, eqs 1 and 2); the shapes depend on the seed alone.
        ``"rows"``: the prior sees X, but no response: a cut parts two rows of its node, drawn at
        random, by a feature in which they differ. For more than a few thousand rows: trees drawn
        without data stop learning there.
    depth : int or "auto", default="auto"
        Depth of full trees, at most 24. ``"auto"``: 10, beyond 1,024 rows (of the first chunk)
        log2 of their number, as far as counts and `forest_` take less than 512 MiB.
    split_probability : float, default=0.475
        λ of Galton-Watson trees. At 1/2 and above their expected size is infinite.
    max_leaves : int, default=10000
        Galton-Watson trees that reach it have all their open nodes closed; trees over the rows
        stop there, or earlier where counts and `forest_` would take more than 512 MiB.
    pooling : {"evidence", "power"}, default="evidence"
        ``"evidence"``: the trees' log odds are added up and sharpened until rows left out are
        predicted best. ``"power"``: the paper's weighted mean of probabilities.
    prune_average : bool, default=True
        Whether each tree is averaged over all its prunings, exactly.
    power : float or None, default=None
        β in (0, 1], the power of the marginal likelihood in a tree's weight; 1 is Bayesian model
        averaging. None: `effective_sample_size` / N.
    effective_sample_size : float, default=5
        m, see `power`.
    dirichlet_alpha : float, array-like (n_classes,) or None, default=None
        α_c of **each** class, the same for all or one for each in the order of `classes_`; None:
        1/C.
    transform : {"pit", "none"}, default="pit"
        Where cuts on [0, 1] fall: on the ranks of the reference rows (probability integral
        transform), or on columns that lie in [0, 1] already.
    ties : {"midrank", "random"}, default="midrank"
        Tied values share their mean rank, or are ranked at random (`fit` only).
    pit_reference : array-like or data frame, default=None
        Rows whose ranks freeze the transform; None: the rows of `fit`, or of the first chunk.
    reservoir_size : int, default=2000
        Most distinct rows kept for what needs rows: the sharpness, prediction sets, operating
        curves, `loo_predict_proba` without arguments.
    class_weight : dict or None, default=None
        Weights of the classes, which multiply those of their rows: ``{class: weight}`` in whole
        numbers, for rows are counted (so that "balanced", which gives fractions, is refused); a
        class that is not named weighs 1. The posterior is that of rows repeated so often, and
        its probabilities those of a world with such shares of classes: to move a decision
        alone, leave it and set a threshold on `predict_proba`.
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
    classes_ : ndarray, (n_classes,)
        The classes.
    forest_ : Forest
        The trees, their predictions in each leaf and their weights. Subtrees of full trees that
        no row reached are one leaf.
    member_weights_ : ndarray, (n_members,)
        w_k, proportional to (marginal likelihood)^β.
    log_evidence_ : ndarray, (n_members,)
        Log marginal likelihood of each tree, averaged over prunings if so asked.
    power_ : float
        β.
    sharpness_ : float
        γ of evidence pooling; 1 for power pooling.
    operating_curve_ : OperatingCurve
        Accuracy and log probability over β, on the training rows of the reservoir.
    feature_importances_, feature_importances_std_ : ndarray, (n_features,)
        Share of the evidence for splitting that each feature brings, and its standard deviation
        over the members.
    depth_, n_rows_seen_, nbytes_ : int
        Depth of full trees, rows in the leaves, bytes kept between updates.
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
    SafeBayesForestRegressor : The same trees for numeric responses.

    Notes
    -----
    With C classes, counts m_vc and n_v in node v, the marginal likelihood is (eq. 3)

        ML(v) = Γ(α)/Γ(n_v + α) Π_c Γ(m_vc + α_c)/Γ(α_c),   α = Σ_c α_c,

    averaged over prunings W(leaf) = ML(leaf), W(v) = ½ ML(v) + ½ W(left) W(right), and the weight
    of a tree w_k ∝ W_k(root)^β. A tree predicts the average of (m_vc + α_c)/(n_v + α) over the
    nodes that x passes, weighted by the posterior probability that each is the leaf. Evidence
    pooling, with class shares π_c = (n_c + α_c)/(N + α), is

        log p(c|x) = log π_c + γ Σ_k w_k log[p_k(c|x)/π_c] − log Z,

    where γ maximises the exact leave-one-out log probability of the rows in the reservoir under
    log γ ~ N(0, 2²).

    `predict_draws` gives the members' own p_k, which are much flatter than the pooled
    probabilities; intervals are as wide as these differ, around the pooled ones. Weights of rows
    are numbers of copies: whole numbers.

    Memory between updates, in bytes, for K full trees of depth d and C classes: K·2^d·(4C + 4)
    for counts and rules, and up to `reservoir_size`·(8·n_features + 28); whatever the number of
    rows. See `nbytes_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import SafeBayesForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = SafeBayesForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> forest.predict(X[:2])
    array([0, 0])
    >>> forest.loo_predict_proba().shape
    (150, 3)
    >>> forest.forget(X[:50], y[:50]).n_rows_seen_
    100
    """

    _part_kinds = (ClassPosterior,)
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **PRIOR_FOREST,
        "pooling": one_of("evidence", "power"),
        "dirichlet_alpha": per_class(real(0, closed="neither", integers=True)) | NONE,
        "class_weight": WHOLE_CLASS_WEIGHT,
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
        dirichlet_alpha: ArrayLike | None = None,
        transform: str = "pit",
        ties: str = "midrank",
        pit_reference: Any = None,
        reservoir_size: int = 2000,
        class_weight: dict[Any, float] | str | None = None,
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
        self.dirichlet_alpha = dirichlet_alpha
        self.transform = transform
        self.ties = ties
        self.pit_reference = pit_reference
        self.reservoir_size = reservoir_size
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    @classmethod
    def as_published(cls, **overrides: Any) -> Self:
        """The forest of the paper's §5: 1,000 Galton-Watson trees, α = 1, power pooling.

        Parameters
        ----------
        **overrides
            Parameters to set otherwise.

        Returns
        -------
        SafeBayesForestClassifier
            Not fitted.

        Examples
        --------
        >>> SafeBayesForestClassifier.as_published(random_state=3).split_probability
        0.475
        """
        published: dict[str, Any] = {
            "n_estimators": 1000,
            "tree_prior": "galton-watson",
            "split_probability": 0.475,
            "pooling": "power",
            "prune_average": False,
            "effective_sample_size": 5,
            "dirichlet_alpha": 1.0,
        }
        return cls(**{**published, **overrides})

    # --- members --------------------------------------------------------------------------------

    def _n_outputs(self, target: Target) -> int:
        return 0 if target.classes is None else len(target.classes)

    def _without_rows(
        self, trees: PriorTrees, target: Target, copies: NDArray[np.int32] | None
    ) -> ClassPosterior:
        n_classes = self._n_outputs(target)
        model = self._class_model(n_classes)
        return ClassPosterior.without_rows(
            trees, n_classes, int(self.reservoir_size), model, self._threads()
        )

    def _class_model(self, n_classes: int) -> ClassModel:
        alpha = 1 / n_classes if self.dirichlet_alpha is None else self.dirichlet_alpha
        alphas = class_alphas(alpha, n_classes, self._name)
        power = None if self.power is None else float(self.power)
        return ClassModel(
            bool(self.prune_average), self.pooling, power, float(self.effective_sample_size), alphas
        )

    def _later_target(self, y: Any) -> Target:
        return read_known_classes(y, self.classes_, self._name)

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: Any = None
    ) -> Self:
        """Learn from a chunk of rows.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows. The first chunk settles columns, category levels, the depth of the trees and,
            without `pit_reference`, the edges of the transform.
        y : array-like, (n_rows,)
            Classes.
        classes : array-like, default=None
            All classes that will ever come; needed in the first call unless all are in `y`.
        sample_weight : array-like, (n_rows,), default=None
            Whole numbers: copies of each row.

        Returns
        -------
        self
            With the very counts of a forest that saw all rows at once over the same edges, in any
            order of the chunks. The work depends on the chunk, not on the rows seen before.
        """
        if "_posterior" not in self.__dict__:
            self._first_chunk(X, self._first_target(y, classes), sample_weight)
            return self
        if classes is not None and not np.array_equal(_sorted_classes(classes), self.classes_):
            raise BayeswoodError(
                f"The 'classes' parameter of {self._name}.partial_fit must be as in the first "
                f"call, {self.classes_.tolist()}. Got {np.asarray(classes).tolist()} instead."
            )
        self._add_chunk(X, y, sample_weight)
        return self

    def _first_target(self, y: Any, classes: ArrayLike | None) -> Target:
        if classes is None:
            return read_class_target(y, self._name)
        return read_known_classes(y, _sorted_classes(classes), self._name)

    def _refuse_merge(self, other: Self) -> None:
        super()._refuse_merge(other)
        if not np.array_equal(self.classes_, other.classes_):
            raise BayeswoodError(
                "Only forests over the same classes can be merged. These have "
                f"{self.classes_.tolist()} and {other.classes_.tolist()}."
            )

    # --- predictions ----------------------------------------------------------------------------

    @property
    def sharpness_(self) -> float:
        """γ of evidence pooling; 1 for power pooling."""
        self._check_fitted()
        return float(self._posterior.sharpness)

    def uncertainty(self, X: Any) -> Uncertainty:
        """Entropy of the prediction and where it comes from, in nats.

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
        ``total`` is the entropy of `predict_proba`. ``knowledge`` is the mutual information of
        class and member, H(Σ w_k p_k) − Σ w_k H(p_k), but no more than the total; ``data`` is the
        rest.
        """
        return super().uncertainty(X)

    @property
    def operating_curve_(self) -> OperatingCurve:
        """Accuracy and log probability over β, on the training rows of the reservoir."""
        return self.operating_curve()

    def operating_curve(
        self, X: Any = None, y: Any = None, *, on: str = "train", powers: ArrayLike | None = None
    ) -> OperatingCurve:
        """Accuracy and log probability over the power β.

        Parameters
        ----------
        X, y : array-like, default=None
            Rows to measure on; None: rows of the reservoir.
        on : {"train", "loo"}, default="train"
            Without X: whether rows are predicted by the forest that saw them, as in the paper's
            Figure 4, or by the forest without them.
        powers : array-like, default=None
            Values of β in (0, 1]; None: m/N for m = 1 .. N, or 200 of them that thin out.

        Returns
        -------
        OperatingCurve
            ``best_power()`` of it is a value for `power`.
        """
        self._check_fitted()
        given = None if X is None else self._seen_rows(X, y)
        n_rows = self._posterior.reservoir.n_kept if given is None else len(given[0])
        caller = f"{self._name}.operating_curve"
        return curve_of(self._posterior, given, on, powers, self._workers(n_rows), caller)

    def loo_predict_proba(self, X: Any = None, y: Any = None) -> F64:
        """Class probabilities of training rows, each predicted without itself, exactly.

        Parameters
        ----------
        X, y : array-like, default=None
            Training rows and their classes. None: all rows seen, in order of arrival, which must
            be at most `reservoir_size`.

        Returns
        -------
        ndarray, (n_rows, n_classes)
            What a forest without the row would give, over the same edges and with the same
            sharpness; nothing is fitted again.
        """
        self._check_fitted()
        if X is None:
            kept = self._posterior.rows_left_out(self._name, "loo_predict_proba")
            found: F64 = self._posterior.predict_left_out(kept.X, kept.y)
            in_order: F64 = found[kept.order]
            return in_order
        rows, codes = self._seen_rows(X, y)
        return self._left_out(rows, codes)

    def _seen_rows(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[np.int32]]:
        rows = transform_table(X, self.schema_, estimator_name=self._name)
        codes = read_known_classes(y, self.classes_, self._name).y
        if len(rows) != len(codes):
            raise BayeswoodError(
                f"X and y must have as many rows. Got {len(rows)} and {len(codes)} instead."
            )
        return rows, codes

    def _left_out(self, rows: NDArray[Any], codes: NDArray[np.int32]) -> F64:
        try:
            return self._posterior.predict_left_out(rows, codes)  # type: ignore[no-any-return]
        except ValueError as error:
            raise BayeswoodError(
                f"Only rows that the forest has seen can be left out: {error}."
            ) from error

    def predict_set(self, X: Any, coverage: float = 0.9, method: str = "loo") -> NDArray[np.bool_]:
        """Sets of classes that hold the true one with a stated probability (conformal).

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        coverage : float, default=0.9
            Wanted probability, in (0, 1).
        method : {"loo", "full"}, default="loo"
            ``"loo"``: scores from exact leave-one-out predictions. ``"full"``: full conformal
            prediction; every row with every class is learned and un-learned, which takes about as
            long as a fit for each.

        Returns
        -------
        ndarray of bool, (n_rows, n_classes)
            Which classes are in the set; may be none.

        Notes
        -----
        ``"full"``: if the rows seen and the new row are exchangeable, all rows seen are in the
        reservoir, and the edges of the transform do not come from them (``transform="none"`` or an
        independent `pit_reference`), then P(class in set) >= coverage, for any distribution and
        any number of rows. Edges from the training rows break the symmetry between them and the
        new row a little. ``"loo"`` leaves out what the one new row would change in the scores of
        the others: no guarantee for finite data, and close to ``"full"`` in practice.
        """
        caller = f"{self._name}.predict_set"
        least = 1.0 - check_coverage(coverage, caller)
        if method not in ("loo", "full"):
            raise parameter_error("method", caller, "one of 'loo', 'full'", method)
        rows = self._encode(X)
        if not self._posterior.reservoir.n_kept:
            raise BayeswoodError(f"{caller} needs rows. Fit with a positive reservoir_size.")
        if method == "full":
            return full_p_values(self._posterior, rows) > least
        return quick_p_values(self._posterior, rows, self._workers(len(rows))) > least


def _sorted_classes(classes: ArrayLike) -> NDArray[Any]:
    """Distinct classes in ascending order, as `fit` finds them."""
    return read_class_target(classes, "partial_fit").classes  # type: ignore[return-value]
