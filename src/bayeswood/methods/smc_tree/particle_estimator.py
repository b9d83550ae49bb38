"""What estimators share whose trees are drawn by a particle filter."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood import _core
from bayeswood.errors import warn_user
from bayeswood.methods.base.arviz_draws import ArvizDraws
from bayeswood.methods.base.grown_forest import GrownForest
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
from bayeswood.methods.smc_tree.particles import (
    NO_LIMIT,
    Islands,
    ParticlePlan,
    SampledParticles,
    resolve_ess_threshold,
)
from bayeswood.posterior import log_evidence_se, root_cut_shares, warn_if_islands_disagree
from bayeswood.posterior.root_cuts import effective_number
from bayeswood.progress import progress_bar

F64 = NDArray[np.float64]

_MANY = 2**31 - 1

PARTICLES: Mapping[str, Constraint] = {
    **SHARED,
    "n_particles": integer(1, 100_000_000),
    "n_islands": integer(1, 1_000_000),
    "proposal": one_of("prior", "empirical", "optimal", "tempered"),
    "tempering": real(0, 1, integers=True),
    "expansion": one_of("node", "layer"),
    "node_order": one_of("oldest", "least-likely"),
    "resampling": one_of("multinomial", "systematic", "stratified", "residual"),
    "ess_threshold": real(0, 1, integers=True) | one_of("auto"),
    "n_moves": integer(0, _MANY),
    "n_moved": integer(1, _MANY),
    "alpha_split": real(0, 1, "neither"),
    "beta_split": real(0, integers=True),
    "min_samples_leaf": integer(1) | real(0, 1, "neither"),
    "max_leaves": integer(1, _MANY) | NONE,
    "max_stages": integer(1, _MANY) | NONE,
    "power": real(0, integers=True),
    "island_weights": one_of("equal", "evidence"),
}


class ParticleEstimator(ArvizDraws):
    """A forest of the trees that particles ended in. Not to be used by itself."""

    log_evidence_: float
    log_target_: float
    island_log_evidence_: F64
    island_weights_: F64
    ess_trace_: F64

    @abstractmethod
    def _leaf_model(
        self, data: TrainingData, copies: NDArray[np.int32] | None
    ) -> tuple[_core.LeafModel, dict[str, Any]]:
        """The core's model of the leaves with the responses in it, and fitted attributes."""

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Run the particle filters.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            NumPy array, pandas or polars frame, or pyarrow table. Strings, categoricals and
            bools are categories; NaN and None are missing values and need no imputation.
        y : array-like, (n_rows,)
            Response.
        sample_weight : array-like, (n_rows,), default=None
            Whole numbers: how often each row counts, also towards `min_samples_leaf`. A weight
            of k is the same as k copies of the row.

        Returns
        -------
        self
            The fitted estimator. If fitting is interrupted (Ctrl-C), it is left unfitted.

        Warns
        -----
        ConvergenceWarning
            If some trees were not finished after `max_stages` stages; `log_evidence_` is NaN then.
        IslandsDisagree
            If the standard deviation of `island_log_evidence_` exceeds 2.
        """
        return self._fit(X, y, sample_weight)

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        if int(self.n_islands) > int(self.n_particles):
            words = f"at most n_particles, {self.n_particles}"
            raise parameter_error("n_islands", self._name, words, self.n_islands)
        if self.expansion == "layer" and self.node_order != "oldest":
            words = "'oldest' with expansion='layer', which decides about all open nodes at once"
            raise parameter_error("node_order", self._name, words, self.node_order)
        if self.n_moves and self.max_stages is not None:
            words = "0 with max_stages: only finished trees can be moved"
            raise parameter_error("n_moves", self._name, words, self.n_moves)
        copies = data.copies(self._name)
        n_rows = count_copies(data.n_rows, copies)
        model, settings = self._leaf_model(data, copies)
        plan = self._plan(n_rows)
        tasks.begin()
        with progress_bar(self._name, "islands", show=bool(self.verbose)) as report:
            found = plan.sample(data.X, data.schema.n_levels, model, report)
        is_whole = self._is_finished(found)
        island_weights = found.island_weights(self.island_weights, self._name)
        if is_whole:
            warn_if_islands_disagree(found.island_log_evidence, self._advice())
        settings |= {
            "log_evidence_": found.log_evidence if is_whole else float("nan"),
            "log_target_": found.log_evidence,
            "min_samples_leaf_": plan.min_samples_leaf,
        }
        if len(found.leaf_variance):
            settings["leaf_variance_"] = found.leaf_variance
        islands = Islands(found.island_log_evidence, island_weights, found.ess_trace)
        forest = found.to_forest(island_weights)
        grown = GrownForest(
            forest, found.importances, plan.seed, settings=settings, parts=(islands,)
        )
        tasks.finished(lambda: self._fitted(data, grown))
        return grown

    def _plan(self, n_rows: int) -> ParticlePlan:
        return ParticlePlan(
            seed=draw_seed(self.random_state),
            n_particles=int(self.n_particles),
            n_islands=int(self.n_islands),
            proposal=self.proposal,
            tempering=float(self.tempering),
            expansion=self.expansion,
            node_order=self.node_order,
            resampling=self.resampling,
            ess_threshold=resolve_ess_threshold(
                self.ess_threshold, self.proposal, float(self.tempering)
            ),
            alpha_split=float(self.alpha_split),
            beta_split=float(self.beta_split),
            max_stages=NO_LIMIT if self.max_stages is None else int(self.max_stages),
            min_samples_leaf=resolve_min_samples_leaf(self.min_samples_leaf, n_rows),
            max_leaves=NO_LIMIT if self.max_leaves is None else int(self.max_leaves),
            n_moves=int(self.n_moves),
            n_moved=max(int(self.n_islands), min(int(self.n_moved), int(self.n_particles))),
            n_jobs=self._threads(),
        )

    def _is_finished(self, found: SampledParticles) -> bool:
        """Whether every tree was finished; a warning if not."""
        from sklearn.exceptions import ConvergenceWarning

        n_open = int(found.island_n_open.sum())
        if n_open:
            warn_user(
                f"{self._name} stopped after max_stages={self.max_stages} stages with {n_open} of "
                f"{self.n_particles} trees unfinished; their open nodes became leaves. So the "
                "particles are drawn from another target than the posterior, and the evidence is "
                "not known (log_evidence_ is NaN; log_target_ belongs to that target). Give a "
                "larger max_stages, or None.",
                ConvergenceWarning,
            )
        return n_open == 0

    def _advice(self) -> str:
        """What to do about islands that disagree."""
        if self.proposal == "optimal":
            return "give more particles (n_particles)"
        return "give more particles (n_particles), or proposal='optimal', which takes fewer"

    @property
    def log_evidence_se_(self) -> float:
        """Standard error of `log_evidence_`, from the spread of the islands.

        NaN for one island, and where `log_evidence_` is. Formula: `posterior.log_evidence_se`.
        """
        if np.isnan(self.log_evidence_):
            return float("nan")
        return log_evidence_se(self.island_log_evidence_)

    @property
    def n_root_cuts_(self) -> int:
        """Distinct cuts of the root: by feature and by how they divide the training rows."""
        return len(root_cut_shares(self))

    @property
    def effective_root_cuts_(self) -> float:
        """How many root cuts of equal weight would be as diverse: 1 / Σ weight²."""
        return effective_number(root_cut_shares(self))

    @property
    def feature_importances_(self) -> F64:
        """Share of the evidence for splitting that each feature brings; sums to 1.

        In one tree: over its splits, the log Bayes factor of two leaves against one (0 where it
        is against the split). Averaged over the trees by their weights. All zeros if nothing
        speaks for any split.
        """
        return super().feature_importances_
