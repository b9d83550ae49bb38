"""Types of the native core. Every array is a NumPy array; see docs/architecture.md."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Progress = Callable[[int, int], None]
F64 = NDArray[np.float64]

class EncodedMatrix:
    """A table as 16-bit rank codes, made once per fit and shared by all trees and threads.

    ``X``: (n_rows, n_features) float32 or float64, any strides. NaN is missing. A categorical
    column (``n_levels[j] > 0``) holds level numbers 0 .. n_levels[j] - 1 as floats.
    """

    def __init__(
        self, X: NDArray[Any], n_levels: NDArray[np.int32], n_jobs: int = 1, max_codes: int = 65535
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_codes(self) -> NDArray[np.int32]: ...
    @property
    def nbytes(self) -> int: ...
    def codes(self) -> NDArray[np.uint16]: ...
    def thresholds(self, feature: int) -> F64: ...

class Forest:
    """Flat trees. Nodes of a tree are in breadth-first order: the k-th internal node has its
    children at 1 + 2k (left) and 2 + 2k (right); leaves are numbered in node order.
    """

    @staticmethod
    def from_arrays(arrays: dict[str, Any]) -> Forest:
        """Build from the dict that `to_arrays` gives. Checks every law; raises ValueError."""

    @staticmethod
    def join(forests: list[Forest]) -> Forest:
        """The trees of forests of one shape, one after another; they are shared, not copied."""

    def to_arrays(self) -> dict[str, Any]:
        """The whole forest, trees one after another.

        n_features: int, n_outputs: int, is_classifier: bool, n_levels: int32 (n_features,)
        n_nodes: int64 (n_trees,)
        feature: int32 per node, -1 at leaves
        threshold: float64 per node, NaN at leaves and at categorical nodes (may be +inf)
        missing_left: uint8 per node (0 at leaves)
        category_words: uint64, for each categorical internal node in node order
            (n_levels[feature] + 63) // 64 words; bit set = level goes left
        leaf_n_samples: int32 per leaf, >= 0; leaf_weight: float32 per leaf, >= 0
        leaf_n_entries: int32 per leaf (classifier only, else empty)
        leaf_class: int32 per entry (classifier only, else empty), ascending within a leaf
        leaf_value: float64; classifier: per entry, probabilities > 0 that sum to 1 in each leaf;
            regressor: n_leaves x n_outputs, means
        leaf_rows: int32, the training rows of each leaf in leaf order (empty if not kept)
        """

    @property
    def n_trees(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_outputs(self) -> int: ...
    @property
    def is_classifier(self) -> bool: ...
    @property
    def has_rows(self) -> bool: ...
    @property
    def n_levels(self) -> NDArray[np.int32]: ...
    @property
    def n_nodes(self) -> NDArray[np.int64]: ...
    @property
    def n_leaves(self) -> NDArray[np.int64]: ...
    @property
    def nbytes(self) -> int: ...
    def tree(self, index: int) -> dict[str, Any]:
        """Read-only arrays of one tree, per node: feature, threshold, left, right (-1 at leaves),
        leaf (leaf number, -1 at internal nodes), missing_left, n_samples (int32), weight (float32),
        category_offset (int64 into category_words, -1 where not categorical; empty if the tree has
        none), category_words; value: float64 (n_nodes, n_outputs), dense, internal nodes averaged.
        """
    def depths(self) -> NDArray[np.int32]: ...
    def split_variation(self, trees_per_member: int) -> F64:
        """How much splits by each feature make the values of a member's trees vary over the
        training rows, (n_members, n_features): sum over its splits of n_l n_r / n (m_l - m_r)^2,
        m the means of the values below. Regression only.
        """
    def sharing(self, wanted: bool) -> Forest:
        """The same trees with shapes that are alike kept once, their leaf values apart from them
        (regression only), or each tree with all that is its own; itself if it is so already.
        """
    def select(self, indices: NDArray[np.int64]) -> Forest:
        """A forest of the chosen trees (copies)."""
    def shrink_leaves(self, strength: float, n_jobs: int = 1) -> Forest:
        """The same trees, each leaf's value v_L moved toward those of its ancestors v_0 (root),
        v_1, ...: v_0 + sum over l of (v_l - v_{l-1}) / (1 + strength / N_{l-1}), N the node's
        number of rows. A leaf of a classifier then holds every class of its tree.
        """
    def predict_mean(
        self, X: NDArray[Any], tree_weights: F64, n_jobs: int = 1, progress: Progress | None = None
    ) -> F64:
        """(n_rows, n_outputs): sum over trees of tree_weights[t] * value of the row's leaf."""
    def predict_votes(
        self, X: NDArray[Any], tree_weights: F64, n_jobs: int = 1, progress: Progress | None = None
    ) -> F64:
        """(n_rows, n_classes): summed tree_weights of the trees whose leaf prefers that class
        (a tie within a leaf goes to the lowest class).
        """
    def predict_draws(self, X: NDArray[Any], n_jobs: int = 1, trees_per_member: int = 1) -> F64:
        """(n_members, n_rows, n_outputs): the sums over trees_per_member trees at a time."""
    def predict_bags(
        self, X: NDArray[Any], tree_weights: F64, trees_per_bag: int, n_jobs: int = 1
    ) -> F64:
        """(n_bags, n_rows, n_outputs): averages by tree_weights over trees_per_bag trees at a time;
        the last bag has those that are left.
        """
    def predict_member_quantiles(
        self,
        X: NDArray[Any],
        member_weights: F64,
        levels: F64,
        n_jobs: int = 1,
        trees_per_member: int = 1,
    ) -> F64:
        """Weighted quantiles of what the members say, (n_rows, n_outputs, n_levels): the smallest
        value whose cumulative weight is at least the level.
        """
    def predict_member_moments(
        self,
        X: NDArray[Any],
        member_weights: F64,
        n_jobs: int = 1,
        trees_per_member: int = 1,
    ) -> tuple[F64, F64]:
        """Weighted mean and variance of what the members say, both (n_rows, n_outputs)."""
    def predict_sum_votes(
        self,
        X: NDArray[Any],
        member_weights: F64,
        trees_per_member: int,
        n_jobs: int = 1,
    ) -> F64:
        """(n_rows, n_outputs): summed member_weights of the members whose sum over their trees is
        largest at that output (of equals the first).
        """
    def apply(
        self, X: NDArray[Any], n_jobs: int = 1, where: NDArray[np.uint8] | None = None
    ) -> NDArray[np.int32]:
        """(n_rows, n_trees): node index of the row's leaf. where: (n_trees, n_rows), 0 for leaves
        that are not asked for, in whose place stands 0.
        """
    def predict_oob(
        self,
        X: NDArray[Any],
        scheme: str,
        seed: int,
        hard: bool = False,
        sample_weight: F64 | None = None,
        n_jobs: int = 1,
        progress: Progress | None = None,
        weight_threshold: float = 0.0,
        row_groups: NDArray[np.int32] | None = None,
        first_tree: int = 0,
        first_row: int = 0,
        n_training: int = 0,
        row_parts: NDArray[np.int32] | None = None,
        trees_per_draw: int = 1,
        n_draws: int = 0,
    ) -> tuple[F64, NDArray[np.int32]]:
        """Sums (n_rows, n_outputs) over the trees that gave the training row weight 0, and how
        many those were. `X` are the training rows in order; the rest is as it was in
        `grow_forest`. Besides the result it takes a bit per row and tree. With `n_training` above
        0, `X` are the rows from `first_row` on of so many training rows.
        """

    def predict_oob_shrunk(
        self,
        X: NDArray[Any],
        scheme: str,
        seed: int,
        strengths: F64,
        kind: NDArray[np.int32],
        n_kinds: int,
        n_jobs: int = 1,
        weight_threshold: float = 0.0,
        row_groups: NDArray[np.int32] | None = None,
        first_row: int = 0,
        n_training: int = 0,
        row_parts: NDArray[np.int32] | None = None,
        rows: NDArray[np.int32] | None = None,
        trees_per_draw: int = 1,
        n_draws: int = 0,
    ) -> tuple[F64, NDArray[np.int32]]:
        """As `predict_oob`, of trees in kinds 0 .. n_kinds - 1 and of leaves shrunk with each of
        the strengths: sums (n_kinds, n_strengths, n_rows, n_outputs) and counts (n_kinds, n_rows).
        With `rows`, `X` are these of the `n_training` training rows.
        """

    def predict_oob_votes(
        self,
        X: NDArray[Any],
        scheme: str,
        seed: int,
        tree_weights: F64,
        half: NDArray[np.int32],
        n_jobs: int = 1,
        weight_threshold: float = 0.0,
        row_groups: NDArray[np.int32] | None = None,
        row_parts: NDArray[np.int32] | None = None,
        trees_per_draw: int = 1,
        n_draws: int = 0,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], F64, F64, F64, NDArray[np.int32], F64]:
        """Class probabilities of the training rows X, averaged by tree_weights over the trees in
        which the row had weight 0, where they are positive: start (n_rows + 1,), then of the
        entries start[i] .. start[i + 1] - 1 of row i the class, the average, and the averages over
        the trees of either half (0 or 1, per tree); then per row the number of trees and their
        effective number (sum w)**2 / sum w**2. Classification only.
        """
    def scaled(self, factors: F64) -> Forest:
        """The same trees, their leaf values times one factor per tree; no classes."""
    def bounded(self, monotonic_cst: Sequence[int]) -> Forest:
        """The same trees, their leaf values moved until each tree never falls (1) or never rises
        (-1) along a feature; one response, or two classes and then of the second.
        """
    def predict_moments(
        self,
        X: NDArray[Any],
        tree_weights: F64,
        leaf_variance: F64 | None = None,
        n_jobs: int = 1,
        progress: Progress | None = None,
    ) -> tuple[F64, F64]:
        """Mean and variance of y at each row, both (n_rows, n_outputs), under the mixture over
        trees (by tree_weights) of the training responses in the row's leaf. With m_t and v_t the
        mean and variance in the leaf: mean = sum p_t m_t and
        variance = sum p_t (v_t + (m_t - mean)**2), p the weights over their sum. The second moment
        is variance + mean**2. `leaf_variance`: v, (n_leaves of all trees, n_outputs), see
        `LeafResponses.leaf_variances`; None: 0, as in pure leaves. Regression only.
        """
    def predict_oob_moments(
        self,
        X: NDArray[Any],
        scheme: str,
        seed: int,
        leaf_variance: F64 | None = None,
        sample_weight: F64 | None = None,
        n_jobs: int = 1,
        progress: Progress | None = None,
        weight_threshold: float = 0.0,
        row_groups: NDArray[np.int32] | None = None,
        first_tree: int = 0,
        row_parts: NDArray[np.int32] | None = None,
        trees_per_draw: int = 1,
        n_draws: int = 0,
    ) -> tuple[F64, F64, NDArray[np.int32]]:
        """The same over the trees that gave the training row weight 0, all alike, and how many
        those were: mean, variance, count. NaN where there are none. `X` as in `predict_oob`.
        """

class LeafResponses:
    """The training responses in the leaves of a regression forest, ready for quantiles of y.

    `y`: (n_train, n_outputs). Needs `leaf_rows`; `scheme`, `seed`, `weight_threshold` and
    `row_groups` as they were in `grow_forest`.
    """

    def __init__(
        self,
        forest: Forest,
        y: F64,
        sample_weight: F64 | None,
        scheme: str,
        seed: int,
        n_jobs: int = 1,
        weight_threshold: float = 0.0,
        row_groups: NDArray[np.int32] | None = None,
        row_parts: NDArray[np.int32] | None = None,
        trees_per_draw: int = 1,
        n_draws: int = 0,
    ) -> None: ...
    def oob_quantiles(
        self,
        X: NDArray[Any],
        rows: NDArray[np.int32],
        alpha: F64,
        scheme: str,
        seed: int,
        n_jobs: int = 1,
        weight_threshold: float = 0.0,
        row_groups: NDArray[np.int32] | None = None,
        row_parts: NDArray[np.int32] | None = None,
        trees_per_draw: int = 1,
        n_draws: int = 0,
    ) -> F64:
        """(n_rows, n_outputs, n_alpha): quantiles at training rows (`rows`: their numbers), each by
        the trees that left it out, all alike. ValueError if none did.
        """
    def leaf_variances(self, n_jobs: int = 1) -> F64:
        """(n_leaves of all trees, n_outputs): variance of the responses in each leaf, weighted as
        its tree weighted them; exactly 0 in a leaf of equal responses.
        """
    def quantiles(
        self,
        X: NDArray[Any],
        tree_weights: F64,
        alpha: F64,
        n_jobs: int = 1,
        progress: Progress | None = None,
    ) -> F64:
        """(n_rows, n_outputs, n_alpha). The quantile at level a is the smallest response of
        positive weight whose cumulative weight, over the leaves the row falls in, is >= a.
        """
    def quantiles_and_mean(
        self, X: NDArray[Any], tree_weights: F64, alpha: F64, n_jobs: int = 1
    ) -> tuple[F64, F64]:
        """The same, and what `predict_mean` says, to the bit: (n_rows, n_outputs)."""

class PriorTrees:
    """Trees drawn before any data are seen; a function of the arguments alone.

    ``n_levels``: int32 (n_features,), 0 for numbers. ``n_edges``: int64 (n_features,), the edges of
    each numeric feature in ``edges``, one feature after another, ascending; ``transform`` has one
    value more per numeric feature. A cut at tau sends the steps with transform <= tau left, that is
    x <= the upper edge of the last of them. ``depth`` 0: Galton-Watson trees. Leaves of all trees
    are numbered one after another.
    """

    def __init__(
        self,
        seed: int,
        n_trees: int,
        n_levels: NDArray[np.int32],
        n_edges: NDArray[np.int64],
        edges: F64,
        transform: F64,
        *,
        depth: int = 0,
        split_probability: float = 0.475,
        max_leaves: int = 10000,
        n_jobs: int = 1,
    ) -> None: ...
    @staticmethod
    def over_rows(
        seed: int,
        n_trees: int,
        n_levels: NDArray[np.int32],
        n_edges: NDArray[np.int64],
        edges: F64,
        transform: F64,
        X: NDArray[Any],
        *,
        max_leaves: int,
        n_jobs: int = 1,
    ) -> PriorTrees:
        """Trees whose cuts part pairs of rows of X."""

    @staticmethod
    def from_rules(
        n_levels: NDArray[np.int32],
        n_edges: NDArray[np.int64],
        edges: F64,
        transform: F64,
        n_leaves: NDArray[np.int64],
        rules: NDArray[np.uint32],
        sets: NDArray[np.uint64],
    ) -> PriorTrees:
        """Trees whose ``rules`` were kept; ValueError unless they are trees."""

    @property
    def rules(self) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]: ...
    @property
    def n_trees(self) -> int: ...
    @property
    def n_leaves(self) -> NDArray[np.int64]: ...
    @property
    def nbytes(self) -> int: ...
    def count(
        self,
        X: NDArray[Any],
        y: NDArray[np.int32],
        copies: NDArray[np.int32] | None,
        sign: int,
        counts: NDArray[np.int32],
        instruction_set: str = "auto",
        n_jobs: int = 1,
        progress: Progress | None = None,
    ) -> None:
        """Add sign times the rows' classes to counts, (n_leaves in all, n_classes), in place."""
    def apply(
        self, X: NDArray[Any], instruction_set: str = "auto", n_jobs: int = 1
    ) -> NDArray[np.int64]:
        """(n_rows, n_trees): leaf of each row, numbered over all trees."""
    def pool(
        self,
        X: NDArray[Any],
        values: F64,
        tree_weights: F64,
        n_jobs: int = 1,
        progress: Progress | None = None,
    ) -> F64:
        """(n_rows, n_outputs): sum over trees of weight times values[leaf of the row]."""
    def summarise_classes(
        self,
        counts: NDArray[np.int32],
        alpha: F64,
        average_prunings: bool,
        n_jobs: int = 1,
    ) -> tuple[F64, F64, F64]:
        """Log evidence (n_trees,), class probabilities (n_leaves in all, n_classes), importances
        (n_trees, n_features).
        """
    def leave_one_out_classes(
        self,
        X: NDArray[Any],
        y: NDArray[np.int32],
        counts: NDArray[np.int32],
        alpha: F64,
        average_prunings: bool,
        n_jobs: int = 1,
    ) -> F64:
        """(n_trees, n_rows, n_classes): predictions of counted rows, each left out in turn.
        ValueError if a row was not counted.
        """
    def sum(
        self,
        X: NDArray[Any],
        y: NDArray[np.int32],
        copies: NDArray[np.int32] | None,
        sign: int,
        sums: NDArray[np.int64],
        instruction_set: str = "auto",
        n_jobs: int = 1,
        progress: Progress | None = None,
    ) -> None:
        """Add sign times the rows to sums, (n_leaves in all, 4), in place: number, sum, and sum of
        squares as third 2^30 + fourth. y: whole numbers, at most 2^30 in size.
        """
    def summarise_numbers(
        self,
        sums: NDArray[np.int64],
        unit: float,
        strength: float,
        shape: float,
        scale: float,
        average_prunings: bool,
        n_jobs: int = 1,
    ) -> tuple[F64, F64, F64]:
        """Log evidence (n_trees,); mean, variance and degrees of freedom of the predictive
        (n_leaves in all, 3); importances (n_trees, n_features). The prior mean is 0.
        """
    def leave_one_out_numbers(
        self,
        X: NDArray[Any],
        y: NDArray[np.int32],
        sums: NDArray[np.int64],
        unit: float,
        strength: float,
        shape: float,
        scale: float,
        average_prunings: bool,
        n_jobs: int = 1,
    ) -> F64:
        """(n_trees, n_rows, 3): mean, variance and log density of counted rows, each left out in
        turn.
        """
    def to_forest(
        self, values: F64, n_rows: NDArray[np.int32], is_classifier: bool, n_jobs: int = 1
    ) -> Forest:
        """A Forest with these values, (n_leaves in all, n_outputs); empty subtrees of full trees
        become one leaf.
        """

class LeafModel:
    """Responses and the model of the leaves they fall in, for `sample_particles` and
    `sample_tree_chains`.
    """

    @property
    def y(self) -> NDArray[np.int32]:
        """The responses as they were given; read-only."""

def class_leaves(
    y: NDArray[np.int32],
    copies: NDArray[np.int32] | None,
    *,
    alpha: F64,
    power: float = 1.0,
) -> LeafModel:
    """Dirichlet-multinomial leaves. y: class numbers (n_rows,); copies: how often each row counts
    (None: once); alpha: total concentration; power: of the likelihood.
    """

def number_leaves(
    y: NDArray[np.int32],
    copies: NDArray[np.int32] | None,
    *,
    unit: float,
    strength: float,
    shape: float,
    scale: float,
    center: float = 0.0,
    power: float = 1.0,
) -> LeafModel:
    """Normal-inverse-gamma leaves. y: whole numbers of `unit` from the prior mean `center`, at most
    2^30 in size.
    """

def sample_particles(
    X: NDArray[Any],
    n_levels: NDArray[np.int32],
    model: LeafModel,
    *,
    seed: int,
    n_particles: int,
    n_islands: int,
    alpha_split: float,
    beta_split: float,
    proposal: str,
    tau: float = 1.0,
    expansion: str = "oldest",
    resampling: str = "multinomial",
    ess_threshold: float = 0.1,
    max_stages: int = 5000,
    min_samples_leaf: int = 1,
    max_leaves: int = 4294967295,
    n_moves: int = 0,
    n_moved: int = 0,
    move_probabilities: F64 | None = None,
    log_ratio_error: F64 | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Top-down particle filters over trees, one per island.

    proposal: "prior", "empirical", "tempered" (prior x likelihood^tau). expansion: "oldest" and
    "least-likely" decide about one node of a particle per stage, "layer" about all. n_moves > 0:
    if all trees are finished, n_moved particles (over all islands) are drawn by their weights at
    the end, and each makes so many Metropolis steps; move_probabilities and log_ratio_error as of
    sample_tree_chains. Gives back forest: Forest of the distinct trees; importances (n_trees,
    n_features); leaf_variance (n_leaves in all,) of the predictives, empty for classes;
    particle_island int32, particle_tree int64, particle_weight, each (n_particles,) or (n_moved,),
    weights summing to 1 in each island; island_log_evidence (n_islands,), -inf if all weights were
    0; island_ess: per island the effective sample size after each stage; island_n_open int32:
    particles left unfinished; island_size int32: particles of the filter. The same bits for any
    n_jobs. Raises KeyboardInterrupt within 0.2 s of Ctrl-C.
    """

def list_splits(
    X: NDArray[Any],
    n_levels: NDArray[np.int32],
    model: LeafModel,
    rows: NDArray[np.int64],
    *,
    tau: float,
    empirical: bool = False,
    min_samples_leaf: int = 1,
) -> list[tuple[int, list[tuple[Any, Any, bool, float, float]], float, float, float]]:
    """The one-step table of a node with these rows, for tests: per varying feature its number, its
    splits (lower and upper neighbour of the gap, or the first word of the left set and None;
    missing values left; probability under the base; log Bayes factor), the base of all other
    subsets, its mass, and the log scale of the masses.
    """

def grow_forest(
    encoded: EncodedMatrix,
    y: NDArray[Any],
    sample_weight: F64 | None,
    *,
    criterion: str,
    scheme: str,
    seed: int,
    n_trees: int,
    n_classes: int = 0,
    max_features: int,
    min_samples_leaf: int = 1,
    min_samples_split: int = 2,
    min_weight_fraction_leaf: float = 0.0,
    max_depth: int = 0,
    keep_rows: bool = False,
    first_tree: int = 0,
    given_weights: F64 | None = None,
    random_ties: bool = True,
    instruction_set: str = "auto",
    n_jobs: int = 1,
    progress: Progress | None = None,
    splitter: str = "best",
    weight_threshold: float = 0.0,
    row_groups: NDArray[np.int32] | None = None,
    row_parts: NDArray[np.int32] | None = None,
    trees_per_draw: int = 1,
    n_draws: int = 0,
    n_candidates: int = 0,
    randomized_fraction: float = 0.0,
    max_leaf_nodes: int = 0,
    min_impurity_decrease: float = 0.0,
    ccp_alpha: float = 0.0,
    monotonic_cst: Sequence[int] = (),
    interaction_cst: Sequence[Sequence[int]] = (),
) -> tuple[Forest, F64]:
    """Grow trees first_tree .. first_tree + n_trees - 1.

    y: float64 (n_rows, n_outputs) for criterion "squared_error", "absolute_error" (leaves are
    medians by weight) and "poisson" (half the deviance; y >= 0); int32 (n_rows,) class numbers for
    "gini" and "entropy". scheme: "exponential" (Exp(1) times sample_weight), "bootstrap" (n draws
    with replacement among the rows of positive sample_weight, times sample_weight), "unit"
    (sample_weight as it is), "given" (`given_weights`: (n_trees, n_rows)). max_depth 0: no limit.

    splitter: "best" takes the best cut of the features looked at. "random" draws max_features
    features that vary in the node, one threshold each, uniform between the node's least and
    largest value (a category: a uniform proper subset of the levels present; missing values go to
    the better side or are cut off from the rest), and takes the best of these; the threshold drawn
    is the one stored. Among features of more than 65,535 distinct values, one drawn within a
    quantile bin is moved to the bin's edge.

    randomized_fraction f: tree number t is cut at random, whatever the splitter, if a whole number
    lies in (t f, (t + 1) f]: a share f of the trees, evenly spread.

    n_candidates above 0, with "entropy" and the best splitter: each node is split by one of the
    n_candidates best splits over all features and cuts, drawn uniformly; of a category only its
    best split is a candidate.

    Rules, with the best splitter: max_leaf_nodes (0: no limit; else the node whose split gains most
    is split first), min_impurity_decrease of a split and ccp_alpha per leaf (both per weight of the
    tree, in scikit-learn's units: bits for entropy, the mean over outputs), monotonic_cst (1, 0 or
    -1 per feature, 0 for categories; one response, or two classes and then of the second) and
    interaction_cst (sets of features; the features on a path from the root are in one of them).
    Leaves under monotonic_cst are moved within bounds, so that no rounding reverses two of them.

    "subsample" weighs the rows that thresholded exponential weights keep by 1 (times
    sample_weight). trees_per_draw trees, one after another from tree 0, share their weights.
    n_draws: rows of a bootstrap sample, 0 for as many as there are.

    weight_threshold c: "exponential" draws below c are 0, so that the tree does without the row.
    row_groups: group numbers 0 .. n_groups - 1, left out together: one Exp(1) draw per group is
    compared with c, and the rows of a group that stays weigh c + Exp(1) each (the same law where
    every group is one row). A tree that would be left without rows keeps the row or group of the
    largest draw. Needs c > 0.

    Returns the forest and the impurity decrease per tree and feature, (n_trees, n_features), as a
    share of the impurity of the tree's root. The same bits for any n_jobs and any instruction_set
    ("portable", "avx2", "avx512"). Raises KeyboardInterrupt within 0.2 s of Ctrl-C.
    """

def graft(
    trunk: Forest,
    branches: list[Forest],
    rows: list[NDArray[np.int32]] | None = None,
    n_jobs: int = 1,
) -> Forest:
    """Tree t is the one tree of `trunk` with tree t of ``branches[b]`` in place of its leaf b.

    All branches have the trunk's shape and the same number of trees. `rows`: for each branch the
    training row of each of its rows, by which leaf_rows are renumbered; None leaves them.
    """

def part_seed(seed: int, part: int) -> int:
    """Seed of the trees of one part of the rows, as it were a branch; that of part 0 is `seed`."""

def bag_spread(
    forest: Forest,
    X: NDArray[Any],
    rows: NDArray[np.int32],
    n_training: int,
    tree_weights: F64,
    kind: NDArray[np.int32],
    scheme: str,
    seed: int,
    weight_threshold: float = 0.0,
    row_groups: NDArray[np.int32] | None = None,
    row_parts: NDArray[np.int32] | None = None,
    trees_per_draw: int = 1,
    n_draws: int = 0,
    n_jobs: int = 1,
) -> tuple[F64, F64]:
    """Of bags of trees_per_draw >= 2 trees and rows that they left out, 0 elsewhere, both (n_bags,
    n_rows, n_classes): the trees' average by their weights, and its variance by the chance of the
    trees, sum over kinds of (share of the kind)^2 (variance between its trees) / (their number).
    Where some kind has one tree in the bag, all count as one. Trees left at the end are no bag.

    rows: (n_rows,), which of the n_training rows the rows of X are. tree_weights, kind: (n_trees,).
    """

def node_classes(forest: Forest) -> NDArray[Any]:
    """(n_nodes in all,): the most probable class of each leaf, of equals the first; 0 elsewhere. Of
    the least unsigned type that holds n_outputs.
    """

def count_unbeaten(
    left_out: NDArray[np.uint64],
    margin: NDArray[np.int32],
    label: NDArray[np.int32],
    weight: F64,
    votes: NDArray[np.int32],
    n_classes: int,
    by_class: bool = False,
    enough: F64 | None = None,
    instruction_set: str = "auto",
    n_jobs: int = 1,
) -> F64:
    """(n_rows, n_classes): summed weight of the old rows that a new row with this class does not
    beat, that is whose margin is at most its own, by the votes of the trees that left out the old
    row: those for the class less the most for another.

    left_out: (n_old, n_words), bit t % 64 of word t // 64 set if tree t left the row out. margin,
    label, weight: (n_old,). votes: (n_rows, n_trees), the class that each tree votes for. by_class:
    old rows count for their own class alone. enough: (n_classes,), sums above which any number
    above it will do; None for none. The same bits for any n_jobs and instruction_set.
    """

class BoostedBags:
    """Bags, each a sum of small trees (stages) on the rows of positive weight in its draw.

    Stage s is a tree on y less the sum so far, its values times the learning rate; the first one
    holds the bag's mean too. Trees are grown from histograms: a number has at most 255 bins, exact
    where it has no more values. The same bits for any n_jobs, and in however many calls stages are
    grown. After an interrupt bags are of no more use. monotonic_cst,
    for one response: as in `grow_forest`.
    """

    def __init__(
        self,
        encoded: EncodedMatrix,
        y: F64,
        sample_weight: F64 | None,
        *,
        n_bags: int,
        learning_rate: float,
        scheme: str,
        seed: int,
        max_features: int,
        max_depth: int,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        first_bag: int = 0,
        n_jobs: int = 1,
        weight_threshold: float = 0.0,
        row_groups: NDArray[np.int32] | None = None,
        row_parts: NDArray[np.int32] | None = None,
        trees_per_draw: int = 1,
        n_draws: int = 0,
        monotonic_cst: Sequence[int] = (),
    ) -> None:
        """Bag b has the weights of draw first_bag + b; y is (n_rows, n_outputs)."""

    def grow(
        self,
        n_stages: int,
        bags: Sequence[int] | None = None,
        n_jobs: int = 1,
        progress: Progress | None = None,
    ) -> None:
        """So many more stages of these bags (of all, unless told)."""

    def forest(self, n_stages: int, bags: Sequence[int] | None = None) -> Forest:
        """The first so many stages of these bags, bag after bag."""

    def out_of_bag(self) -> tuple[F64, NDArray[np.int32]]:
        """Sums over the bags that left a row out, (n_rows, n_outputs), and their number.

        A row that a draw keeps but whose sample_weight is 0 is not left out.
        """

    @property
    def importances(self) -> F64:
        """What the squared error fell by, as a share of that around the bag's mean, (n_bags,
        n_features).
        """

class BoostedClasses:
    """Bags, each a sum of small trees (stages) for the log odds of classes, on the rows of positive
    weight in its draw.

    Two classes: one output, the log odds of the second; else one score for each class. A tree is
    grown from histograms on the gradients 1[y = c] - p_c of the second class, or on a random
    combination of those of all classes, and holds the damped steps of Newton times the learning
    rate, for more than two classes times 1 - 1 / n_classes; the first one holds the log shares of
    the classes too, each with 1 / n_classes rows more. sample_weight is scaled to a mean of 1 in
    each bag. The same bits for any n_jobs, and in however many calls stages are grown. After an
    interrupt bags are of no more use. monotonic_cst, for two classes: as in `grow_forest`.
    """

    def __init__(
        self,
        encoded: EncodedMatrix,
        labels: NDArray[np.int32],
        n_classes: int,
        sample_weight: F64 | None,
        *,
        n_bags: int,
        learning_rate: float,
        damping: float,
        max_features: int,
        max_depth: int,
        min_samples_leaf: int,
        scheme: str,
        seed: int,
        weight_threshold: float = 0.0,
        row_groups: NDArray[np.int32] | None = None,
        row_parts: NDArray[np.int32] | None = None,
        trees_per_draw: int = 1,
        n_draws: int = 0,
        n_jobs: int = 1,
        monotonic_cst: Sequence[int] = (),
    ) -> None:
        """Bag b has the weights of draw b."""

    def grow(self, n_stages: int, n_jobs: int = 1, progress: Progress | None = None) -> None:
        """So many more stages of all bags."""

    def forest(self, n_stages: int) -> Forest:
        """The first so many stages, bag after bag."""

    def out_of_bag(self) -> tuple[F64, NDArray[np.int32]]:
        """Class probabilities summed over the bags of even and of odd number that left a row out,
        (2, n_rows, n_classes), and their number, (2, n_rows).
        """

def left_out(
    scheme: str,
    seed: int,
    n_trees: int,
    n_rows: int,
    rows: NDArray[np.int32],
    weight_threshold: float = 0.0,
    row_groups: NDArray[np.int32] | None = None,
    row_parts: NDArray[np.int32] | None = None,
    trees_per_draw: int = 1,
    n_draws: int = 0,
) -> NDArray[np.uint8]:
    """1 where a draw of weights gave the row 0, else 0; draws by rows."""

def draw_weights(
    scheme: str,
    seed: int,
    tree: int,
    n_rows: int,
    weight_threshold: float = 0.0,
    row_groups: NDArray[np.int32] | None = None,
    sample_weight: F64 | None = None,
    row_parts: NDArray[np.int32] | None = None,
    trees_per_draw: int = 1,
    n_draws: int = 0,
) -> F64:
    """The random weights of one tree, before `sample_weight`, which only says which rows take
    part in the draw.

    row_parts: part of each row, 0 .. n_parts - 1. Exponential weights are drawn in each part as if
    it were a table of its own grown with `part_seed`.
    """

def tell_leaks(wanted: bool) -> None:
    """Whether what is still there of this module at the very end is told of, on stderr."""

def instruction_sets() -> list[str]:
    """Those this machine can run, best first."""

def sample_tree_chains(
    X: NDArray[Any],
    n_levels: NDArray[np.int32],
    model: LeafModel,
    *,
    prior: str,
    alpha_split: float,
    beta_split: float,
    move_probabilities: F64,
    seed: int,
    n_chains: int,
    n_burn_in: int,
    n_draws: int,
    thin: int = 1,
    min_samples_leaf: int = 1,
    max_leaves: int = 2**32 - 1,
    growth_leaves: int = 2**32 - 1,
    growth_iterations: int = 0,
    log_ratio_error: F64 | None = None,
    n_jobs: int = 1,
    progress: Callable[[int, int, int, int, int], None] | None = None,
    keep_interrupted: bool = False,
) -> dict[str, Any]:
    """Metropolis-Hastings chains over trees; see core/include/bayeswood/mcmc/metropolis.hpp.

    move_probabilities: of birth, death, change split, change rule and swap. growth_leaves bounds
    the trees in the first growth_iterations. log_ratio_error is added to the moves' log acceptance
    ratios: tests break the sampler by it. progress(chains done, of, iterations done, of, accepted).

    Returns a dict: chains, one dict each of log_likelihood, log_posterior, n_leaves, depth (int32),
    move, accepted (uint8) after every iteration, draw (uint32, number of the tree); forest, the
    distinct trees; importances (n_trees, n_features); leaf_variance, of regression, tree after
    tree; log_likelihood, log_posterior, log_mass, mass_key (uint64) by tree: trees of one key
    divide the training rows alike, and log_mass is the log of their posterior mass together;
    interrupted. The same bits for any n_jobs. Ctrl-C raises KeyboardInterrupt, or with
    keep_interrupted gives the chains as far as they came.
    """

class SumSampler:
    """Chains over sums of trees, which run on from where they are; made by `sum_sampler`."""

    def run(
        self,
        *,
        n_regrown: int,
        n_burn_in: int,
        n_draws: int,
        thin: int = 1,
        sampler: str = "mh",
        n_jobs: int = 1,
        progress: Callable[[int, int], None] | None = None,
        keep_interrupted: bool = False,
    ) -> dict[str, Any]:
        """Sweeps from the root, sweeps that are dropped, and `n_draws` draws after `thin` each.

        sampler: "mh", "particle-gibbs" or "grow-from-root", of all but the first sweeps.

        Returns a dict: tried, accepted int64 (n_chains, 4) in the sweeps of the draws; interrupted;
        chains, one dict each of noise_sd (n_sweeps * n_sums,) and n_leaves (n_sweeps,) after every
        sweep, shares (n_draws * n_features,) or empty, n_draws, forest: draw after draw, sum after
        sum, tree after tree, and with variance trees variance_forest: logarithms. The same bits
        for any n_jobs. Ctrl-C raises KeyboardInterrupt within 0.2 s, or with keep_interrupted gives
        the chains as far as they came.
        """

    def replace_responses(self, y: F64) -> None:
        """Other responses of the same rows, as `sum_sampler` took them; the chains keep their trees
        and go on. For tests of the joint distribution of parameters and data.
        """

def sum_sampler(
    X: NDArray[Any],
    n_levels: NDArray[np.int32],
    y: F64,
    *,
    response: str,
    weight: F64 | None = None,
    offset: F64,
    unit: F64,
    leaf_sd: F64,
    noise_sd: F64,
    noise_start: F64,
    noise_freedom: float = 0.0,
    seed: int,
    n_chains: int,
    n_trees: int,
    alpha_split: float,
    beta_split: float,
    move_probabilities: F64,
    n_variance_trees: int = 0,
    has_shares: bool = False,
    n_particles: int = 10,
    min_samples_leaf: int = 1,
    max_codes: int = 255,
    log_ratio_error: F64 | None = None,
    kernels: str = "auto",
    n_jobs: int = 1,
) -> SumSampler:
    """Chains over sums of trees at their start; see core/include/bayeswood/sums/sum_chain.hpp.

    response: "number" (y: responses one after another, n_sums * n_rows), "two-classes" (y: 0 or 1;
    the second output has the sum), "classes" (y: class numbers). offset, unit, leaf_sd, noise_sd,
    noise_start: (n_sums,), on the user's scale; the noise has prior noise_freedom * noise_sd^2 /
    chi^2, or with freedom 0 stays at noise_start. move_probabilities: of birth, death, change,
    swap and, if it is there, shift; they sum to 1. log_ratio_error is added to the moves' log
    acceptance ratios: tests break the sampler by it. Numbers have at most max_codes codes, and so
    one cut fewer.
    """

class ClassVotes:
    """Averaged class probabilities of rows in the sparse form of `predict_oob_votes`, all over
    `n_trees`; `beyond` is 1 - n_trees / (trees of a prediction). Holds on to the arrays.
    """

    def __init__(
        self,
        start: NDArray[np.int64],
        entry_label: NDArray[np.int32],
        mean: F64,
        first_half: F64 | None,
        second_half: F64 | None,
        n_classes: int,
        n_trees: float,
        beyond: float,
    ) -> None: ...
    def fit(self, label: NDArray[np.int32], weights: F64) -> tuple[float, F64, F64]:
        """Power, offsets and slopes of the calibration, see
        `bayeswood.uncertainty.calibration.class_calibration`; rows of weight 0 take no part.
        """
    def loss(self, label: NDArray[np.int32], weights: F64) -> float:
        """The least penalised negative log likelihood by one power and offsets."""
    def judge(
        self,
        label: NDArray[np.int32],
        weights: F64,
        fold: NDArray[np.int32],
        n_folds: int,
        power: float,
        offset: F64,
        slopes: F64,
        n_jobs: int = 1,
    ) -> tuple[F64, F64]:
        """Every row calibrated by the rows of other folds (negative: takes no part), the fits
        beginning at the given calibration. (5, n_rows, 2): probability of the true class, of the
        most probable, whether that is the true one, sum of squares, probability of the second
        class; before and after. And the mean probability of each class, (n_classes,).
        """

def trial_losses(
    sums: F64,
    counts: NDArray[np.int32],
    strength: NDArray[np.int32],
    kind_weight: F64,
    label: NDArray[np.int32],
    weights: F64,
    n_jobs: int = 1,
) -> F64:
    """`ClassVotes.loss` of averages over trees: sums (n_kinds, n_strengths, n_rows, n_classes) and
    counts as of `predict_oob_shrunk`; for each trial a strength (its number) and the weight of one
    tree of each kind, (n_trials, n_kinds).
    """

def nearest_rows(
    columns: F64,
    is_category: NDArray[np.uint8],
    mismatch: float,
    views: F64,
    rows: NDArray[Any],
    k: int,
    each_column: bool = False,
    leave_out: bool = False,
    instruction_set: str = "auto",
    n_jobs: int = 1,
) -> tuple[F64, NDArray[np.int32]]:
    """Squared distances, ascending, to the k <= 3 nearest rows of a sample, and their numbers.

    columns: (n_features, n_sample), NaN is missing. rows: (n_rows, n_features). views: (n_weighted,
    n_features) weights >= 0; a view's squared distance is the sum of weight * difference^2. With
    each_column, views of each column by itself come first. Values differ by |x - r|, or by
    `mismatch` if just one is missing or levels differ. With leave_out, row i is row i of the sample
    and not its own neighbour. Distances: (n_views, n_rows, k). Numbers: (n_features, n_rows, k) of
    the columns by themselves, none without these.
    """

def shap_values(
    forest: Forest,
    X: NDArray[Any],
    tree_weights: F64,
    trees_per_member: int = 1,
    by_member: bool = False,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    instructions: str = "auto",
) -> F64:
    """Shapley values of Σ_t weight_t · tree t, expectations along the paths.

    (n_rows, n_features, n_outputs), or (n_members, ...) where members are told apart; a member is
    `trees_per_member` trees that follow one another, the last one those that are left. With
    `shap_base`, times the weights, they sum to what the trees say.
    """

def shap_against(
    forest: Forest,
    X: NDArray[Any],
    background: NDArray[Any],
    tree_weights: F64,
    trees_per_member: int = 1,
    by_member: bool = False,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> F64:
    """The same where features that are not known come from the rows of `background`."""

def shap_interactions(
    forest: Forest,
    X: NDArray[Any],
    tree_weights: F64,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> F64:
    """Of pairs, (n_rows, n_features, n_features, n_outputs); rows sum to `shap_values`."""

def shap_base(forest: Forest) -> F64:
    """Expectation of each tree where no feature is known, (n_trees, n_outputs)."""
