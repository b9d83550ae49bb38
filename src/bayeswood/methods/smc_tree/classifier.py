"""Bayesian decision trees for classes, by sequential Monte Carlo.

Model. One tree is drawn from the prior of eqs 4 and 5 of the paper; given the tree, the classes in
a leaf are independent with probabilities θ ~ Dirichlet(α_1, ..., α_K). Sufficient statistics: the
number m_lc of rows of class c in each leaf l. Formulas: marginal likelihood of a leaf, eq. 3
(`core/include/bayeswood/leaf/dirichlet_multinomial.hpp`); prior, proposals and weights
(`core/include/bayeswood/sample/tree_prior.hpp`, `proposal.hpp`, `particle_filter.hpp`).

Reference: B. Lakshminarayanan, D. M. Roy and Y. W. Teh. Top-down particle filtering for Bayesian
decision trees. Proceedings of the 30th International Conference on Machine Learning, 2013.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

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
from bayeswood.methods.smc_tree.particle_estimator import PARTICLES, ParticleEstimator
from bayeswood.methods.smc_tree.particles import Islands

F64 = NDArray[np.float64]


class SMCTreeClassifier(ParticleEstimator, DirichletClassifier):
    """Class probabilities averaged over the posterior of one decision tree, by particles.

    Particles grow trees from the root down, decide about one node at a time and are drawn anew by
    how well they explain the classes so far.

    Parameters
    ----------
    n_particles : int, default=1000
        M, particles over all islands.
    n_islands : int, default=5
        Independent filters that share the particles out; at most M. More islands vary less, larger
        ones are closer to the posterior: keep 100 particles or more in each with the prior
        proposal.
    proposal : {"prior", "empirical", "optimal", "tempered"}, default="prior"
        How a particle decides about a node: from the prior; from the prior with the cut uniform
        over the gaps between the node's values; from the posterior one step ahead (eq. 6), which
        takes far fewer particles and finds relevant features among many others; or from prior ×
        likelihood^τ. Weights make up for the difference exactly.
    tempering : float, default=0.5
        τ of the tempered proposal: 0 is the prior one, 1 the optimal one.
    expansion : {"node", "layer"}, default="node"
        Whether a stage decides about one open node of each particle or about all of them.
    node_order : {"oldest", "least-likely"}, default="oldest"
        Which node comes first with ``expansion="node"``: breadth first, or that of the lowest
        marginal likelihood.
    resampling : {"multinomial", "systematic", "stratified", "residual"}, default="multinomial"
        How particles are drawn by their weights.
    ess_threshold : float or "auto", default="auto"
        They are when the effective sample size of an island falls below this share of its
        particles; 0 never does, 1 after every stage. "auto" is 0.1 with the proposals "prior" and
        "empirical", 0 with the optimal one, and 0.1 (1 − τ)² with the tempered one.
    n_moves : int, default=0
        Resample-move: when all trees are finished, `n_moved` particles are drawn by their weights,
        and each makes so many Metropolis steps (birth, death, changes, swap), which leave the
        posterior as it is and tell copies of one tree apart. 0 moves none, as in the paper. Not
        with `max_stages`.
    n_moved : int, default=50
        How many particles are drawn for that, over all islands: at most `n_particles`, at least
        one in each island. For the same time, few that are moved far predict better than many.
    alpha_split, beta_split : float, default=0.95, 0.5
        α_s and β_s of the prior: a node at depth d splits with probability α_s/(1 + d)^β_s (eq. 4).
    concentration : float, default=5.0
        α of eq. 3, the sum of the α_c: each of K classes has α/K.
    dirichlet_alpha : float, array-like (n_classes,) or None, default=None
        In place of `concentration`: α_c of **each** class, the same for all or one for each in
        the order of `classes_`.
    min_samples_leaf : int or float, default=1
        Trees with a leaf of fewer rows have probability 0; a float is a share of the rows.
    max_leaves : int or None, default=None
        Trees with more leaves have probability 0.
    max_stages : int or None, default=None
        Stages after which open nodes become leaves, with a warning; None for no limit.
    power : float, default=1.0
        The likelihood is raised to it; 0 draws from the prior.
    island_weights : {"equal", "evidence"}, default="equal"
        How islands count in predictions: alike, as in the paper's own code, or by their evidence.
    class_weight : dict or None, default=None
        Weights of the classes, which multiply those of their rows: ``{class: weight}`` in whole
        numbers, for rows are counted (so that "balanced", which gives fractions, is refused); a
        class that is not named weighs 1. The posterior is that of rows repeated so often, and
        its probabilities those of a world with such shares of classes: to move a decision
        alone, leave it and set a threshold on `predict_proba`.
    n_jobs : int, default=None
        Threads, one island each; -1 for all processors, None for 1 unless a
        `joblib.parallel_config` says otherwise. The result is the same, to the bit, for any
        number.
    random_state : int, Generator, RandomState or None, default=None
        Where the seed of the fit comes from; the seed itself is kept as `seed_`.
    verbose : int, default=0
        If positive, a bar on the terminal shows islands done and time left.
    categorical_features : "from_dtype", None, mask, or list of names or indices, \
            default="from_dtype"
        Which columns are categories: those of strings, categoricals and bools, none, or those
        named. A category is cut by a random subset of its levels.

    Attributes
    ----------
    classes_ : ndarray, (n_classes,)
        The classes.
    forest_ : Forest
        The distinct trees among the particles, or among those that were moved.
    member_weights_ : ndarray, (n_members,)
        Weights of the trees; they sum to 1.
    log_evidence_ : float
        Log of the estimate of p(Y | X), which is unbiased itself: the mean over islands.
        NaN if `max_stages` stopped some trees.
    log_evidence_se_ : float
        Its standard error, from the spread of the islands; NaN for one island.
    log_target_ : float
        The same of what the particles were drawn from: where `max_stages` stopped trees, the
        posterior of trees whose open nodes are leaves, without the prior probability that these
        do not split; otherwise `log_evidence_`.
    island_log_evidence_ : ndarray, (n_islands,)
        The same of each island.
    island_weights_ : ndarray, (n_islands,)
        Weights of the islands; they sum to 1.
    ess_trace_ : ndarray, (n_islands, n_stages)
        Effective sample size after every stage, before resampling; NaN after an island's last.
    n_root_cuts_, effective_root_cuts_ : int, float
        Distinct cuts of the root among the trees, and 1/Σ w² of their weights: how many ancestors
        are left. Cuts that divide the training rows alike by the same feature are one.
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
    SMCTreeRegressor : The same trees for numeric responses.

    Notes
    -----
    The target is p(T) p(Y | T)^power with, over the leaves l (eq. 3),

        p(Y | T) = Π_l Γ(α)/Γ(n_l + α) Π_c Γ(m_lc + α/K)/Γ(α/K).

    A particle that decides o about a node (to stop, or a split s) by a proposal q has its weight
    multiplied by (Algorithm 1)

        π(o) R(o)/q(o),  R(stop) = 1,  R(s) = p(Y_left) p(Y_right)/p(Y_node),

    π the prior of eq. 5 at the node. That is R(o) for the prior proposal, and Z R(o)^(1−τ) for the
    tempered one, q(o) = π(o) R(o)^τ/Z: the optimal proposal's weight Z does not depend on o. The
    product over stages of mean weights, times p(Y) of the root, estimates p(Y | X) without bias;
    moves come after that. `min_samples_leaf` and `max_leaves` restrict the support and change no
    other probability: the evidence is then that of the prior without the trees left out, which
    sums to less than 1.

    A leaf predicts (m_lc + α/K)/(n_l + α), and the forest the average over its trees.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import SMCTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = SMCTreeClassifier(n_particles=200, proposal="optimal", random_state=0).fit(X, y)
    >>> trees.island_log_evidence_.shape
    (5,)
    >>> f"{trees.log_evidence_:.1f} ± {trees.log_evidence_se_:.1f}"
    '-54.3 ± 0.1'
    >>> bool(trees.score(X, y) > 0.9)
    True
    """

    _part_kinds = (Islands,)
    _saved_numbers = ("min_samples_leaf_", "log_evidence_", "log_target_")
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **PARTICLES,
        **CLASS_PRIOR,
        "class_weight": WHOLE_CLASS_WEIGHT,
    }

    def __init__(
        self,
        n_particles: int = 1000,
        *,
        n_islands: int = 5,
        proposal: str = "prior",
        tempering: float = 0.5,
        expansion: str = "node",
        node_order: str = "oldest",
        resampling: str = "multinomial",
        ess_threshold: float | str = "auto",
        n_moves: int = 0,
        n_moved: int = 50,
        alpha_split: float = 0.95,
        beta_split: float = 0.5,
        concentration: float = CONCENTRATION,
        dirichlet_alpha: ArrayLike | None = None,
        min_samples_leaf: int | float = 1,
        max_leaves: int | None = None,
        max_stages: int | None = None,
        power: float = 1.0,
        island_weights: str = "equal",
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_particles = n_particles
        self.n_islands = n_islands
        self.proposal = proposal
        self.tempering = tempering
        self.expansion = expansion
        self.node_order = node_order
        self.resampling = resampling
        self.ess_threshold = ess_threshold
        self.n_moves = n_moves
        self.n_moved = n_moved
        self.alpha_split = alpha_split
        self.beta_split = beta_split
        self.concentration = concentration
        self.dirichlet_alpha = dirichlet_alpha
        self.min_samples_leaf = min_samples_leaf
        self.max_leaves = max_leaves
        self.max_stages = max_stages
        self.power = power
        self.island_weights = island_weights
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features

    def _leaf_model(
        self, data: TrainingData, copies: NDArray[np.int32] | None
    ) -> tuple[_core.LeafModel, dict[str, Any]]:
        return self._class_leaves(data, copies)

    def _log_density(self, rows: NDArray[Any], y: Any, n_jobs: int) -> F64:
        return self._class_density(rows, y, n_jobs)
