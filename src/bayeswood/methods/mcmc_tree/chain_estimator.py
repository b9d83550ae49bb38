"""What estimators share whose trees are drawn by Markov chains."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError, warn_user
from bayeswood.forest import Forest
from bayeswood.methods.base.arviz_draws import ArvizDraws
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.markov_chains import Running
from bayeswood.methods.base.parameters import (
    NONE,
    SHARED,
    Constraint,
    draw_seed,
    integer,
    one_of,
    parameter_error,
    real,
    resolve_min_samples_leaf,
)
from bayeswood.methods.base.sklearn_callbacks import FitTasks, with_callbacks
from bayeswood.methods.base.training_data import TrainingData, count_copies
from bayeswood.methods.conjugate_leaves.leaf_table import LeafTable
from bayeswood.methods.mcmc_tree.chain_weights import (
    chain_log_density,
    evidence_weights,
    stacking_weights,
)
from bayeswood.methods.mcmc_tree.run_chains import (
    MANY_ROWS,
    MOVE_PROBABILITIES,
    NO_LIMIT,
    ChainPlan,
    SampledChains,
    check_growth,
    plan_iterations,
    resolve_moves,
    sample_chains,
)
from bayeswood.methods.mcmc_tree.trace import ChainDraws, ChainTrace
from bayeswood.posterior.monte_carlo import (
    MonteCarloWarning,
    chain_means,
    error_between_chains,
    rows_like_new,
)

F64 = NDArray[np.float64]

_MANY = 2**31 - 1

CHAINS: Mapping[str, Constraint] = {
    **SHARED,
    "n_chains": integer(1, 1_000_000),
    "n_burn_in": integer(0, _MANY) | one_of("auto"),
    "n_draws": integer(1, _MANY) | one_of("auto"),
    "thin": integer(1, _MANY) | one_of("auto"),
    "prior": one_of("chipman", "denison"),
    "rule_support": one_of("table", "node"),
    "alpha_split": real(0, 1, "neither"),
    "beta_split": real(0, integers=True),
    "move_probabilities": MOVE_PROBABILITIES,
    "min_samples_leaf": integer(1) | real(0, 1, "neither"),
    "max_leaves": integer(1, _MANY) | NONE,
    "power": real(0, integers=True),
    "chain_weights": one_of("equal", "evidence", "stacking"),
    "burn_in_growth_leaves": integer(1, _MANY) | NONE,
    "burn_in_growth_iterations": integer(0, _MANY) | NONE,
    "on_interrupt": one_of("raise", "keep", "return"),  # the last: an older word for "keep"
}


class ChainEstimator(ArvizDraws):
    """A forest of the distinct trees that Markov chains visited. Not to be used by itself."""

    trace_: ChainTrace
    draw_tree_: NDArray[np.int32]
    chain_weights_: F64
    acceptance_: dict[str, float]
    proposals_: dict[str, int]

    @abstractmethod
    def _leaf_model(
        self, data: TrainingData, copies: NDArray[np.int32] | None
    ) -> tuple[_core.LeafModel, dict[str, Any]]:
        """The core's model of the leaves with the responses in it, and fitted attributes."""

    @abstractmethod
    def _log_left_out(
        self, table: LeafTable, leaves: NDArray[np.int64], y: NDArray[Any], leaf_variance: F64
    ) -> F64:
        """Log density of fitted rows left out of their leaves, (n_trees, n_rows)."""

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Run the chains.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            NumPy array, pandas or polars frame, or pyarrow table. Strings, categoricals and
            bools are categories; NaN and None are missing values and need no imputation.
        y : array-like, (n_rows,)
            Response.
        sample_weight : array-like, (n_rows,), default=None
            Whole numbers: how often each row counts, also towards `min_samples_leaf`. A weight
            of k is the same, to the bit, as k copies of the row.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C leaves it unfitted, unless `on_interrupt` says otherwise.

        Warns
        -----
        MonteCarloWarning
            If the averages over the chains are too uncertain: see `monte_carlo_error_`.
        """
        return self._fit(X, y, sample_weight)

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        copies = data.copies(self._name)
        n_rows = count_copies(data.n_rows, copies)
        model, settings = self._leaf_model(data, copies)
        plan = self._plan(n_rows, data.n_rows)
        running = Running(self._name, bool(self.verbose), self._threads(), self.on_interrupt)
        tasks.begin()
        chains = sample_chains(plan, data.X, data.schema.n_levels, model, running)
        settings |= {"min_samples_leaf_": plan.min_samples_leaf}
        weights = self._weights_of(chains, data, copies)
        settings["monte_carlo_error_"] = self._measured_error(chains, weights, data, plan.seed)
        if len(chains.leaf_variance):
            settings["leaf_variance_"] = chains.leaf_variance
        forest = Forest(chains.trees, _tree_log_weights(chains, weights))
        draws = ChainDraws(chains.trace, chains.draw_tree, weights)
        grown = GrownForest(
            forest, chains.importances, plan.seed, settings=settings, parts=(draws,)
        )
        tasks.finished(lambda: self._fitted(data, grown))
        return grown

    def _measured_error(
        self, chains: SampledChains, weights: F64, data: TrainingData, seed: int
    ) -> float:
        """Mean over rows like new ones; NaN if there is one chain only. Warns of a large one."""
        if len(weights) == 1:
            return float("nan")
        rows = rows_like_new(data.X, seed)
        means = chain_means(chains.trees, chains.draw_tree, rows, self._threads())
        error = float(error_between_chains(means, weights).max(axis=1).mean())
        self._warn_of_error(error, data)
        return error

    @abstractmethod
    def _warn_of_error(self, error: float, data: TrainingData) -> None:
        """Warn if averages are uncertain by more than users of such predictions will expect."""

    def monte_carlo_error(self, X: Any) -> F64:
        """Standard error of the predictions that comes from chains of finite length.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows, n_classes) or (n_rows,)
            Of `predict_proba` or `predict`: se² = C/(C − 1) Σ_c w_c² (p_c − p)² with p_c the
            average over chain c of C. Another fit with another seed differs by about √2 of it.
        """
        self._check_fitted()
        if len(self.draw_tree_) < 2:
            raise BayeswoodError(
                f"{self._name}.monte_carlo_error compares chains: fit with n_chains of 2 or more."
            )
        rows = self._encode(X)
        workers = self._workers(len(rows))
        means = chain_means(self.forest_.core, self.draw_tree_, rows, workers)
        error = error_between_chains(means, self.chain_weights_)
        return error if self.forest_.is_classifier else error[:, 0]

    def _plan(self, n_rows: int, n_distinct: int) -> ChainPlan:
        if self.rule_support == "node" and self.prior == "chipman":
            words = "'table' with prior='chipman', whose rules are those of the node anyway"
            raise parameter_error("rule_support", self._name, words, self.rule_support)
        n_burn_in, n_draws, thin = plan_iterations(
            self.n_burn_in, self.n_draws, self.thin, n_distinct
        )
        is_restricted = self.burn_in_growth_leaves is not None
        iterations = self.burn_in_growth_iterations
        check_growth(self.burn_in_growth_leaves, iterations, n_burn_in, self._name)
        if is_restricted and iterations is None:
            iterations = n_burn_in // 2
        return ChainPlan(
            seed=draw_seed(self.random_state),
            n_chains=int(self.n_chains),
            n_burn_in=n_burn_in,
            n_draws=n_draws,
            thin=thin,
            prior="denison-node" if self.rule_support == "node" else self.prior,
            alpha_split=float(self.alpha_split),
            beta_split=float(self.beta_split),
            move_probabilities=resolve_moves(self.move_probabilities),
            min_samples_leaf=resolve_min_samples_leaf(self.min_samples_leaf, n_rows),
            max_leaves=NO_LIMIT if self.max_leaves is None else int(self.max_leaves),
            growth_leaves=int(self.burn_in_growth_leaves) if is_restricted else NO_LIMIT,
            growth_iterations=int(iterations) if is_restricted else 0,
        )

    def _weights_of(
        self,
        chains: SampledChains,
        data: TrainingData,
        copies: NDArray[np.int32] | None,
    ) -> F64:
        """Weight of each chain; they sum to 1."""
        y = data.target.y if data.target.y.ndim == 1 else data.target.y[:, 0]
        n_chains = len(chains.draw_tree)
        if self.chain_weights == "equal" or n_chains == 1:
            return np.full(n_chains, 1.0 / n_chains)
        if self.chain_weights == "evidence":
            return evidence_weights(chains.draw_tree, chains.log_mass, chains.mass_key)
        table = LeafTable.of(Forest(chains.trees))
        parts = []
        for block, leaves in table.blocks(data.X, self._threads()):
            log_density = self._log_left_out(table, leaves, y[block], chains.leaf_variance)
            parts.append(chain_log_density(log_density, chains.draw_tree))
        times = np.ones(len(y)) if copies is None else copies.astype(np.float64)
        return stacking_weights(np.concatenate(parts, axis=1), times)

    @property
    def feature_importances_(self) -> F64:
        """Share of the evidence for splitting that each feature brings; sums to 1.

        In one tree: over its splits, the log Bayes factor of two leaves against one (0 where it
        is against the split). Averaged over the trees by their weights. All zeros if nothing
        speaks for any split.
        """
        return super().feature_importances_


def warn_of_monte_carlo_error(words: str, n_rows: int) -> None:
    """Warn that predictions are uncertain, and say what can be done."""
    advice = "more or longer chains (n_chains, n_draws with thin, n_burn_in) make it less"
    if n_rows > MANY_ROWS:
        advice += (
            ", and with so many rows particles (SMCTreeClassifier, SMCTreeRegressor) do better"
        )
    warn_user(f"{words}, the standard error between chains: {advice}.", MonteCarloWarning)


def _tree_log_weights(chains: SampledChains, weights: F64) -> F64:
    """Log of each tree's share of the draws, chains weighted."""
    n_draws = chains.draw_tree.shape[1]
    each = np.repeat(weights / n_draws, n_draws)
    shares = np.bincount(chains.draw_tree.ravel(), weights=each, minlength=chains.trees.n_trees)
    with np.errstate(divide="ignore"):
        log_shares: F64 = np.log(shares)
    return log_shares
