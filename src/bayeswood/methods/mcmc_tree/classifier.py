"""The posterior over decision trees, by Markov chain Monte Carlo with restarts: classes.

Model. A tree T is drawn from a prior (Chipman's or Denison's); the classes in a leaf are
independent with probabilities θ ~ Dirichlet(α_1, ..., α_K), different leaves independent.
Sufficient statistics: the number m_lc of rows of each class in each leaf.
Formulas: priors and ratios of the moves in `core/include/bayeswood/sample/tree_law.hpp` and
`metropolis.hpp`, derived in docs/mcmc-trees.md; leaves in
`core/include/bayeswood/leaf/dirichlet_multinomial.hpp`.

References: H. Chipman, E. George, R. McCulloch. Bayesian CART model search. JASA 93, 1998.
D. Denison, C. Holmes, B. Mallick, A. Smith. Bayesian methods for nonlinear classification and
regression. Wiley, 2002. V. Schetinin et al. Comparison of the Bayesian and randomised decision tree
ensembles within an uncertainty envelope technique. 2004.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood import _core
from bayeswood.methods.base.class_weight import WHOLE_CLASS_WEIGHT
from bayeswood.methods.base.parameters import Constraint
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.conjugate_leaves.dirichlet_classifier import (
    CLASS_PRIOR,
    CONCENTRATION,
    DirichletClassifier,
)
from bayeswood.methods.conjugate_leaves.leaf_table import LeafTable
from bayeswood.methods.mcmc_tree.chain_estimator import (
    CHAINS,
    ChainEstimator,
    warn_of_monte_carlo_error,
)
from bayeswood.methods.mcmc_tree.trace import ChainDraws
from bayeswood.posterior.monte_carlo import UNCERTAIN_PROBABILITY

F64 = NDArray[np.float64]


class MCMCTreeClassifier(ChainEstimator, DirichletClassifier):
    """Class probabilities averaged over the posterior of one decision tree.

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
        ``"chipman"``: a node at depth d splits with probability α_s/(1 + d)^β_s, by a feature
        that varies in it and a cut uniform over the extent of its rows. ``"denison"``: the same
        weight for every number of leaves and for each of its shapes, cuts uniform over the
        distinct training values of any feature but the largest, and 0 for trees with an empty
        leaf: what is left favours small trees.
    rule_support : {"table", "node"}, default="table"
        Where the rules of Denison's prior come from. ``"table"``: all distinct training values,
        whatever the node holds. ``"node"``: the node's own values that leave `min_samples_leaf`
        rows on both sides, and the features that have one; larger trees keep far more of their
        prior weight then.
    alpha_split, beta_split : float, default=0.95, 0.5
        α_s and β_s of Chipman's prior. Denison's takes them for the start of a chain only.
    concentration : float, default=5.0
        α, the sum of the α_c: each of K classes has α/K.
    dirichlet_alpha : float, array-like (n_classes,) or None, default=None
        In place of `concentration`: α_c of **each** class, the same for all or one for each in
        the order of `classes_`.
    move_probabilities : {"schetinin", "chipman", "local"} or mapping, default="local"
        How often each move is tried. ``"schetinin"``: birth .1, death .1, change_split .1,
        change_rule .7. ``"chipman"``: birth, death, change_split and swap alike. ``"local"``: all
        of them, and often a small step of a rule (shift_rule), which is accepted far more often. A
        mapping names any of ``birth``, ``death``, ``change_split``, ``change_rule``, ``swap``,
        ``shift_rule``; it is brought to sum to 1.
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
    class_weight : dict or None, default=None
        Weights of the classes, which multiply those of their rows: ``{class: weight}`` in whole
        numbers, for rows are counted (so that "balanced", which gives fractions, is refused); a
        class that is not named weighs 1. The posterior is that of rows repeated so often, and
        its probabilities those of a world with such shares of classes: to move a decision
        alone, leave it and set a threshold on `predict_proba`.
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
    classes_ : ndarray, (n_classes,)
        The classes.
    forest_ : Forest
        The distinct trees among the draws, weighted by how often they were drawn.
    member_weights_ : ndarray, (n_members,)
        These weights; they sum to 1.
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
        Standard error of `predict_proba` between chains, in the mean of its largest class over
        100 rows like new ones (training rows with a tenth of their cells from another); `fit`
        warns above .03. NaN with one chain. `monte_carlo_error` gives it row by row.
    chain_weights_ : ndarray, (n_chains,)
        Weights of the chains; they sum to 1.
    feature_importances_, feature_importances_std_ : ndarray, (n_features,)
        Share of the evidence for splitting that each feature brings, and its standard deviation
        over the members.
    min_samples_leaf_ : int
        The value used, after resolving a share.
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
    MCMCTreeRegressor : The same trees for numeric responses.

    Notes
    -----
    The chains' target is p(T) p(Y | T)^power with the marginal likelihood of eq. 5 of Schetinin et
    al. (the product running over the k leaves),

        p(Y | T) = Π_l Γ(α)/Γ(n_l + α) Π_c Γ(m_lc + α_c)/Γ(α_c),   α = Σ_c α_c,

    and for Chipman's prior, with splits s at depth d_s by one of v_s varying features and an extent
    of length e_s, and leaves l that could be split (others have factor 1),

        p(T) = Π_s α_s (1 + d_s)^−β_s /(v_s e_s) · Π_l (1 − α_s (1 + d_l)^−β_s),

    for Denison's with m features and N_s cuts of the split's, Π_s 1/(m N_s) / Catalan(k − 1), both
    counted in the node with ``rule_support="node"``. A
    birth is accepted with probability min(1, R), under Denison's prior (eq. 11)

        R = L′/L · p_death/p_birth · G/D′ · Catalan(k − 1)/Catalan(k),

    G the leaves that can be split and D′ the nodes of the new tree with two leaves. A leaf
    predicts (m_lc + α_c)/(n_l + α), and the forest the average over the draws (eq. 2).
    `min_samples_leaf` and `max_leaves` restrict the support and change no other probability.

    Memory, in bytes: 26 for every iteration of every chain, and for every distinct tree at most
    about 500 + 30 per node + 12 per leaf and class + 8 per feature; at most n_chains · n_draws
    trees. `thin` and `max_leaves` bound it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import MCMCTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = MCMCTreeClassifier(1, n_burn_in=500, n_draws=500, random_state=0).fit(X, y)
    >>> trees.trace_.n_leaves.shape
    (1, 1000)
    >>> bool(trees.score(X, y) > 0.9)
    True
    """

    _part_kinds = (ChainDraws,)
    _saved_numbers = ("min_samples_leaf_", "monte_carlo_error_")
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CHAINS,
        **CLASS_PRIOR,
        "class_weight": WHOLE_CLASS_WEIGHT,
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
        concentration: float = CONCENTRATION,
        dirichlet_alpha: ArrayLike | None = None,
        move_probabilities: str | Mapping[str, float] = "local",
        min_samples_leaf: int | float = 1,
        max_leaves: int | None = None,
        power: float = 1.0,
        chain_weights: str = "equal",
        burn_in_growth_leaves: int | None = None,
        burn_in_growth_iterations: int | None = None,
        on_interrupt: str = "raise",
        class_weight: dict[Any, float] | str | None = None,
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
        self.concentration = concentration
        self.dirichlet_alpha = dirichlet_alpha
        self.move_probabilities = move_probabilities
        self.min_samples_leaf = min_samples_leaf
        self.max_leaves = max_leaves
        self.power = power
        self.chain_weights = chain_weights
        self.burn_in_growth_leaves = burn_in_growth_leaves
        self.burn_in_growth_iterations = burn_in_growth_iterations
        self.on_interrupt = on_interrupt
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    @classmethod
    def as_published(cls, **overrides: Any) -> Self:
        """The chains of Section 5.1 of Schetinin et al.: 50 restarts of 2,000 + 2,000 iterations.

        Denison's prior with the rules of the node, at least 5 rows in a leaf, α_c = 1, and the
        paper's moves. What it printed comes from a sampler that is not this one, and not valid:
        see docs/errata.md.

        Parameters
        ----------
        **overrides
            Parameters to set otherwise.

        Returns
        -------
        MCMCTreeClassifier
            Not fitted.

        Examples
        --------
        >>> trees = MCMCTreeClassifier.as_published(random_state=3)
        >>> trees.n_chains, trees.n_burn_in, trees.min_samples_leaf
        (50, 2000, 5)
        """
        published: dict[str, Any] = {
            "n_chains": 50,
            "n_burn_in": 2000,
            "n_draws": 2000,
            "thin": 1,
            "prior": "denison",
            "rule_support": "node",
            "min_samples_leaf": 5,
            "dirichlet_alpha": 1.0,
            "move_probabilities": "schetinin",
        }
        return cls(**{**published, **overrides})

    def _leaf_model(
        self, data: TrainingData, copies: NDArray[np.int32] | None
    ) -> tuple[_core.LeafModel, dict[str, Any]]:
        return self._class_leaves(data, copies)

    def _warn_of_error(self, error: float, data: TrainingData) -> None:
        if error > UNCERTAIN_PROBABILITY:
            warn_of_monte_carlo_error(f"Probabilities are uncertain by ±{error:.2f}", data.n_rows)

    def _log_density(self, rows: NDArray[Any], y: Any, n_jobs: int) -> F64:
        return self._class_density(rows, y, n_jobs)

    def _log_left_out(
        self, table: LeafTable, leaves: NDArray[np.int64], y: NDArray[Any], leaf_variance: F64
    ) -> F64:
        return self._class_left_out(table, leaves, y)
