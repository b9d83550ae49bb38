"""What estimators share whose members are sums of trees, drawn by Markov chains."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError, warn_user
from bayeswood.forest import Forest
from bayeswood.methods.bart.default_prior import SumPrior
from bayeswood.methods.bart.run_sums import (
    MOVE_PROBABILITIES,
    SampledSums,
    SumPlan,
    SumResponses,
    by_chain,
    make_sampler,
    plan_sweeps,
    resolve_moves,
    run_chains,
)
from bayeswood.methods.bart.sum_trace import SumTrace
from bayeswood.methods.base.arviz_draws import ArvizDraws
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.markov_chains import Running
from bayeswood.methods.base.parameters import (
    BOOLEAN,
    MAX_TREES,
    NONE,
    SHARED,
    Constraint,
    draw_seed,
    integer,
    one_of,
    real,
    resolve_min_samples_leaf,
)
from bayeswood.methods.base.predictive import Predictive
from bayeswood.methods.base.sklearn_callbacks import FitTasks, with_callbacks
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.posterior.monte_carlo import MonteCarloWarning, error_between_chains, rows_like_new

F64 = NDArray[np.float64]

_MANY = 2**31 - 1
MOST_CUTS = 65_534

SUMS: Mapping[str, Constraint] = {
    **SHARED,
    "n_estimators": integer(1, MAX_TREES),
    "n_chains": integer(1, 1_000_000),
    "n_warm_up": integer(0, _MANY),
    "n_burn_in": integer(0, _MANY) | one_of("auto"),
    "n_draws": integer(1, _MANY),
    "thin": integer(1, _MANY) | one_of("auto"),
    "sampler": one_of("mh", "grow-from-root", "particle-gibbs"),
    "n_particles": integer(2, 100_000),
    "sparse": BOOLEAN,
    "prior_base": real(0, 1, "neither"),
    "prior_power": real(0, integers=True),
    "prior_k": real(0, closed="neither", integers=True),
    "leaf_sd": real(0, closed="neither", integers=True) | NONE,
    "move_probabilities": MOVE_PROBABILITIES,
    "min_samples_leaf": integer(1) | real(0, 1, "neither"),
    "max_cuts": integer(1, MOST_CUTS),
    "on_interrupt": one_of("raise", "keep"),
}


@dataclass(frozen=True)
class GrownSums(GrownForest):
    """Sums of trees, and all that their chains gave.

    Attributes
    ----------
    sums : SampledSums
        The draws: the forest is theirs.
    """

    sums: SampledSums = field(kw_only=True)


class SumEstimator(ArvizDraws):
    """A forest whose members are sums of trees, one for each draw. Not to be used by itself."""

    trace_: SumTrace
    offset_: Any
    leaf_sd_: Any
    monte_carlo_error_: float
    _part_kinds = (SumTrace,)
    _saved_numbers = ("min_samples_leaf_", "monte_carlo_error_")
    _saved_arrays = ("_offset", "_leaf_sd")
    _sampler: _core.SumSampler | None = None

    @abstractmethod
    def _responses(self, data: TrainingData) -> tuple[SumResponses, NDArray[Any]]:
        """What the chains are fitted to, and the rows of the table that they see."""

    @abstractmethod
    def _warn_of_error(self, error: float, data: TrainingData) -> None:
        """Warn if predictions are uncertain by more than users of them will expect."""

    def _attributes(self) -> dict[str, Any]:
        """Without the chains: they are of no use in another process."""
        state = super()._attributes()
        state.pop("_sampler", None)
        return state

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Run the chains.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            NumPy array, pandas or polars frame, or pyarrow table. Strings, categoricals and
            bools are categories; NaN and None are missing values and need no imputation.
        y : array-like, (n_rows,) or, for the regressor, (n_rows, n_outputs)
            Response.
        sample_weight : array-like, (n_rows,), default=None
            Of the regressor: the noise of a row has variance σ² / weight. Of the classifier: whole
            numbers, how often each row counts.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C leaves it unfitted, unless `on_interrupt` says otherwise.

        Warns
        -----
        MonteCarloWarning
            If the averages over the chains are too uncertain: see `monte_carlo_error_`.
        """
        self._sampler = None
        return self._fit(X, y, sample_weight)

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        responses, rows = self._responses(data)
        plan = self._plan(len(rows))
        sampler = make_sampler(plan, rows, data.schema.n_levels, responses, self._threads())
        tasks.begin()
        sums = run_chains(sampler, plan, self._running(), n_sums=len(responses.prior.offset))
        error = self._measured_error(sums, data, plan.seed)
        grown = self._grown(sums, plan, responses.prior, error)
        tasks.finished(lambda: self._fitted(data, grown))
        # Chains of which some were dropped cannot go on together.
        self._sampler = sampler if sums.trace.n_draws == plan.n_draws else None
        return grown

    def _grown(self, sums: SampledSums, plan: SumPlan, prior: SumPrior, error: float) -> GrownSums:
        settings = {
            "min_samples_leaf_": plan.min_samples_leaf,
            "monte_carlo_error_": error,
            "_offset": prior.offset,
            "_leaf_sd": prior.leaf_sd,
        }
        importances = split_variation(sums.forest)
        return GrownSums(
            sums.forest, importances, plan.seed, settings=settings, parts=(sums.trace,), sums=sums
        )

    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        assert isinstance(grown, GrownSums)
        return grown, self._predictive_of(grown.sums)

    def _running(self) -> Running:
        return Running(self._name, bool(self.verbose), self._threads(), self.on_interrupt)

    def _noise_freedom(self) -> float:
        return 0.0

    def _n_variance_trees(self) -> int:
        return 0

    def _plan(self, n_rows: int) -> SumPlan:
        n_burn_in, thin = plan_sweeps(self.n_burn_in, self.thin, self.sampler, n_rows)
        return SumPlan(
            seed=draw_seed(self.random_state),
            n_chains=int(self.n_chains),
            n_trees=int(self.n_estimators),
            n_regrown=int(self.n_warm_up),
            n_burn_in=n_burn_in,
            n_draws=int(self.n_draws),
            thin=thin,
            sampler=self.sampler,
            alpha_split=float(self.prior_base),
            beta_split=float(self.prior_power),
            noise_freedom=self._noise_freedom(),
            move_probabilities=resolve_moves(self.move_probabilities),
            n_variance_trees=self._n_variance_trees(),
            has_shares=bool(self.sparse),
            n_particles=int(self.n_particles),
            min_samples_leaf=resolve_min_samples_leaf(self.min_samples_leaf, n_rows),
            max_cuts=int(self.max_cuts),
        )

    def _measured_error(self, sums: SampledSums, data: TrainingData, seed: int) -> float:
        """Mean over rows like new ones; NaN if there is one chain only. Warns of a large one."""
        if sums.trace.n_chains == 1:
            return float("nan")
        rows = rows_like_new(data.X, seed)
        error = float(self._errors(sums.forest, sums.trace.n_chains, rows, self._threads()).mean())
        self._warn_of_error(error, data)
        return error

    def _errors(self, forest: Forest, n_chains: int, rows: NDArray[Any], n_jobs: int) -> F64:
        """Standard error between chains at rows, the largest over outputs, (n_rows,)."""
        largest: F64 = self._chain_errors(forest, n_chains, rows, n_jobs).max(axis=1)
        return largest

    def _chain_errors(self, forest: Forest, n_chains: int, rows: NDArray[Any], n_jobs: int) -> F64:
        means = [self._mean_of(chain, rows, n_jobs) for chain in by_chain(forest, n_chains)]
        return error_between_chains(np.stack(means), np.full(n_chains, 1.0 / n_chains))

    @abstractmethod
    def _mean_of(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """What some draws predict in the mean, (n_rows, n_outputs)."""

    def monte_carlo_error(self, X: Any) -> F64:
        """Standard error of the predictions that comes from chains of finite length.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows, n_classes), (n_rows,) or (n_rows, n_outputs)
            Of `predict_proba` or `predict`: se² = Σ_c (p_c − p)² / (C (C − 1)) with p_c the average
            over chain c of C. Another fit with another seed differs by about √2 of it.
        """
        self._check_fitted()
        n_chains = self.trace_.n_chains
        if n_chains < 2:
            raise BayeswoodError(
                f"{self._name}.monte_carlo_error compares chains: fit with n_chains of 2 or more."
            )
        rows = self._encode(X)
        error = self._chain_errors(self.forest_, n_chains, rows, self._workers(len(rows)))
        return error[:, 0] if getattr(self, "_single_output", False) else error

    def more_draws(self, n_draws: int) -> Self:
        """Let the chains run on from where they ended, and add their draws.

        Parameters
        ----------
        n_draws : int
            Further draws of each chain.

        Returns
        -------
        self
            With the draws of both runs: the same, to the bit, as if `fit` had drawn them all.

        Notes
        -----
        The chains live in memory as long as the estimator: not in files, pickles or copies. They
        take a byte per row, tree and chain, 4 bytes per row and chain, and a byte per cell.
        """
        self._check_fitted()
        integer_words = integer(1, _MANY)
        if not integer_words.allows(n_draws):
            raise BayeswoodError(
                f"The 'n_draws' parameter of {self._name}.more_draws must be "
                f"{integer_words.words}. Got {n_draws!r} instead."
            )
        if self._sampler is None:
            raise BayeswoodError(
                f"{self._name}.more_draws needs the chains, which live in the process that fitted "
                "them. Fit again with a larger 'n_draws'."
            )
        plan = replace(
            self._plan(1),
            seed=self.seed_,
            n_regrown=0,
            n_burn_in=0,
            n_draws=int(n_draws),
            thin=self.trace_.thin,
        )
        later = run_chains(self._sampler, plan, self._running(), n_sums=len(self._offset))
        if later.trace.n_chains < self.trace_.n_chains:
            self._sampler = None
            raise BayeswoodError(
                f"{self._name}.more_draws was interrupted before every chain had a draw. The draws "
                "are those from before."
            )
        before = SampledSums(self.forest_, self.trace_, getattr(self.predictive_, "variance", None))
        self._take_draws(before.followed_by(later))
        return self

    def _take_draws(self, sums: SampledSums) -> None:
        """Make these the estimator's draws."""
        parts = tuple(sums.trace if isinstance(p, SumTrace) else p for p in self._parts)
        fitted = {
            **sums.trace.attributes(),
            "forest_": sums.forest,
            "_importances": split_variation(sums.forest),
            "_parts": parts,
            "predictive_": self._predictive_of(sums),
        }
        self._set_attributes(fitted)

    @abstractmethod
    def _predictive_of(self, sums: SampledSums) -> Any:
        """How sums become an answer."""

    @property
    def inclusion_probabilities_(self) -> F64:
        """Share of the draws in which some split asks each feature."""
        self._check_fitted()
        found: F64 = (self._importances > 0).mean(axis=0)
        return found

    @property
    def feature_importances_(self) -> F64:
        """How much the trees vary by each feature, averaged over the draws; sums to 1.

        In one tree: over its splits, n_l n_r/n (m_l − m_r)², n the training rows and m the mean
        values on both sides; added up over the trees of a draw.
        """
        return super().feature_importances_


def warn_of_chains(words: str) -> None:
    """Warn that predictions are uncertain, and say what can be done."""
    warn_user(
        f"{words}, the standard error between chains: more or longer chains (n_chains, n_draws, "
        "n_burn_in) make it less.",
        MonteCarloWarning,
    )


def split_variation(forest: Forest) -> F64:
    """How much the splits by each feature make a member's trees vary, (n_members, n_features)."""
    return forest.core.split_variation(forest.trees_per_member)
