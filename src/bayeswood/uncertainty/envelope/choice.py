"""Choosing γ₀ from labelled rows that the ensemble has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf, log, log1p
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError, warn_user
from bayeswood.uncertainty.checks.frequency import clopper_pearson_upper
from bayeswood.uncertainty.envelope.curve import RATES, as_assessment, check_grid, count_confident
from bayeswood.uncertainty.envelope.envelope import EnvelopeAssessment, summarize_rows

F64 = NDArray[np.float64]
Among = Literal["all", "confident"]

# Thresholds fixed before any row is seen; few, since the level is divided among them.
SELECTIVE_GRID = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.99, 1.0)


class NoConfidentThreshold(UserWarning):
    """No γ₀ keeps the promise on these rows; nothing will be decided."""


@dataclass(frozen=True)
class GammaChoice:
    """A γ₀ that keeps confident errors rare, and what is known about it.

    Attributes
    ----------
    gamma0 : float
        The smallest that qualifies; ``inf`` if none does, so that everything is uncertain.
    target, confidence : float
        With probability `confidence` the rate of confident errors is at most `target`.
    among : str
        What the rate is a share of: ``"all"`` rows or the ``"confident"`` ones.
    upper_bound : float
        Clopper-Pearson's upper limit of the rate at `gamma0`, as if it had been fixed beforehand:
        among all rows that is at most the target.
    confident_correct, uncertain, confident_incorrect : float
        Rates on the calibration rows at `gamma0`.
    n_rows : int
        Number of calibration rows.
    fold_gamma0 : tuple of float
        What each fold by itself would choose; empty for a single calibration set.
    two_sigma : dict of str to float
        Twice the standard deviation over the folds of the three rates at `gamma0`; empty for a
        single calibration set.
    """

    gamma0: float
    target: float
    confidence: float
    among: str
    upper_bound: float
    confident_correct: float
    uncertain: float
    confident_incorrect: float
    n_rows: int
    fold_gamma0: tuple[float, ...] = ()
    two_sigma: dict[str, float] = field(default_factory=dict)

    @property
    def found(self) -> bool:
        """Whether any γ₀ qualifies."""
        return self.gamma0 < inf


@dataclass(frozen=True)
class CostChoice:
    """The γ₀ of least mean cost.

    Attributes
    ----------
    gamma0 : float
        ``inf`` where it is cheapest to decide nothing.
    cost : float
        Mean cost of a row at `gamma0`.
    cost_two_sigma : float
        Of that mean: over folds twice the standard deviation of the folds' costs, otherwise twice
        the standard error over rows.
    confident_correct, uncertain, confident_incorrect : float
        Rates at `gamma0`.
    n_rows : int
        Number of rows.
    fold_gamma0 : tuple of float
        What each fold by itself would choose; empty for a single set of rows.
    two_sigma : dict of str to float
        As in `GammaChoice`.
    """

    gamma0: float
    cost: float
    cost_two_sigma: float
    confident_correct: float
    uncertain: float
    confident_incorrect: float
    n_rows: int
    fold_gamma0: tuple[float, ...] = ()
    two_sigma: dict[str, float] = field(default_factory=dict)


def choose_gamma0(
    ensemble: Any,
    X: Any = None,
    y: Any = None,
    *,
    target: float = 0.01,
    confidence: float = 0.95,
    among: Among = "all",
    gamma0: ArrayLike | None = None,
    member_weights: ArrayLike | None = None,
) -> GammaChoice:
    """The smallest γ₀ that keeps confident errors at or under a target rate, with a guarantee.

    Parameters
    ----------
    ensemble : fitted estimator, array-like of votes, EnvelopeAssessment, or list of those
        A list of assessments, one per fold, is pooled; see Notes for what that is worth.
    X : table, default=None
        Calibration rows: drawn like the rows to come, and not used in fitting.
    y : array-like, (n_rows,), default=None
        Their true classes.
    target : float, default=0.01
        Largest rate of confident but incorrect outcomes, in (0, 1).
    confidence : float, default=0.95
        Probability, over calibration sets, that the promise is kept; in (0, 1).
    among : {"all", "confident"}, default="all"
        Whether the rate is a share of all rows, P(confident and wrong), or of the confident ones,
        P(wrong | confident).
    gamma0 : array-like, default=None
        Thresholds to choose from. None takes every observed consistency for ``"all"``, and a
        fixed list from 0.5 to 1 for ``"confident"``, where the list must not depend on the rows.
    member_weights : array-like, (n_members,), default=None
        Instead of the ensemble's own weights.

    Returns
    -------
    GammaChoice
        If no γ₀ qualifies, its ``gamma0`` is ``inf`` (all is uncertain, and the promise is kept
        for want of decisions), ``found`` is False, and a `NoConfidentThreshold` warning says why.

    Notes
    -----
    Let n rows be drawn independently, t the target, δ = 1 - confidence, and R(g) the true rate at
    γ₀ = g. Clopper-Pearson's test at level a rejects "R(g) > t" when P(Bin(n, t) <= k(g)) <= a,
    k(g) the number of confident errors at g; if R(g) > t it does so with probability at most a.

    *Among all rows* no correction is needed. k and R fall as g rises. Suppose the smallest g that
    is rejected, ĝ, has R(ĝ) > t. Any g >= ĝ with R(g) > t has k(g) <= k(ĝ), so it is rejected
    too. Let g rise to the supremum of {g : R(g) > t}: the events "g is rejected" increase, each
    has probability at most δ, and so has their union, which holds the failure. The grid may
    therefore be the observed values themselves.

    *Among the confident* R is not monotone, and n is the number m(g) of confident rows, given
    which k(g) ~ Bin(m(g), R(g)). The thresholds g_1 > g_2 > ... > g_J, fixed beforehand, are tested
    from strict to lax by the fallback procedure: g_j at level a_j = δ/J + a_{j-1} if g_{j-1} was
    rejected, δ/J if it was not. The first false rejection happens at some g_j with R(g_j) > t; the
    previous such g_i was not rejected, so that a_j <= (j - i) δ/J, a bound that does not depend on
    the data. Summed over all j with R(g_j) > t these bounds are at most δ. (Testing in a fixed
    sequence, a_1 = δ, is also valid, but stops at once where too few rows reach the strictest
    threshold.)

    With rows of several folds the ensembles differ, and the pooled choice is about their average;
    for one ensemble calibrate on rows of its own. The naive choice, the smallest g whose observed
    rate is at most t, keeps the promise in about every other set.

    At least log(δ)/log(1 - t) rows are needed: 299 for the defaults.

    Examples
    --------
    >>> import numpy as np
    >>> votes = np.zeros((10, 400), dtype=int)
    >>> votes[0, :40] = 1  # one member of ten dissents on forty rows, of which twenty are errors
    >>> y = np.zeros(400, dtype=int)
    >>> y[:20] = 1
    >>> choose_gamma0(votes, y=y).gamma0
    1.0
    """
    test = _RateTest(target, confidence, among, gamma0)
    folds = _as_folds(ensemble, X, y, member_weights)
    pooled = _pool(folds)
    chosen = test.choose(pooled)
    if chosen == inf:
        warn_user(test.why_none(pooled), NoConfidentThreshold)
    found = test.describe(pooled, chosen)
    if len(folds) == 1:
        return found
    fold_gamma0 = tuple(test.choose(fold) for fold in folds)
    return replace(found, fold_gamma0=fold_gamma0, two_sigma=_rate_spread(folds, chosen))


def choose_gamma0_by_cost(
    ensemble: Any,
    X: Any = None,
    y: Any = None,
    *,
    cost_incorrect: float,
    cost_uncertain: float = 1.0,
    cost_correct: float = 0.0,
    member_weights: ArrayLike | None = None,
) -> CostChoice:
    """The γ₀ of least mean cost on labelled rows.

    Parameters
    ----------
    ensemble : fitted estimator, array-like of votes, EnvelopeAssessment, or list of those
        A list of assessments, one per fold, is pooled.
    X : table, default=None
        Rows that were not used in fitting.
    y : array-like, (n_rows,), default=None
        Their true classes.
    cost_incorrect, cost_uncertain, cost_correct : float
        Cost of a confident error, of an undecided row (an expert's time, say; 1 by default) and
        of a confident correct outcome (0 by default).
    member_weights : array-like, (n_members,), default=None
        Instead of the ensemble's own weights.

    Returns
    -------
    CostChoice

    Notes
    -----
    Minimised is the mean of cost_correct CC + cost_uncertain U + cost_incorrect CI over every
    observed consistency and ``inf``; of equally cheap ones the strictest is taken. If γ were the
    probability of being correct, the best γ₀ would be that of Chow's rule,
    (cost_incorrect - cost_uncertain) / (cost_incorrect - cost_correct). The cost found is the
    least of many and so a little too good; no guarantee goes with it.

    Examples
    --------
    >>> votes = [["a", "b", "a", "a"], ["a", "b", "b", "a"], ["a", "b", "b", "a"]]
    >>> choice = choose_gamma0_by_cost(votes, y=["a", "b", "a", "a"], cost_incorrect=10)
    >>> choice.gamma0, choice.cost
    (1.0, 0.25)
    """
    costs = np.array([cost_correct, cost_uncertain, cost_incorrect], dtype=np.float64)
    if not np.all(np.isfinite(costs)):
        raise BayeswoodError(
            "The costs of choose_gamma0_by_cost must be finite numbers. "
            f"Got {costs.tolist()} instead."
        )
    folds = _as_folds(ensemble, X, y, member_weights)
    pooled = _pool(folds)
    chosen = _cheapest(pooled, costs)
    at = pooled.at(chosen)
    found = CostChoice(
        gamma0=chosen,
        cost=float(costs[at.outcome].mean()),
        cost_two_sigma=_cost_spread(folds, chosen, costs),
        confident_correct=at.confident_correct,
        uncertain=at.uncertain,
        confident_incorrect=at.confident_incorrect,
        n_rows=at.n_rows,
    )
    if len(folds) == 1:
        return found
    fold_gamma0 = tuple(_cheapest(fold, costs) for fold in folds)
    return replace(found, fold_gamma0=fold_gamma0, two_sigma=_rate_spread(folds, chosen))


class _RateTest:
    """Tests of "the rate of confident errors exceeds the target", from strict γ₀ to lax."""

    def __init__(
        self, target: float, confidence: float, among: str, gamma0: ArrayLike | None
    ) -> None:
        check_share("target", target, "choose_gamma0")
        check_share("confidence", confidence, "choose_gamma0")
        if among not in ("all", "confident"):
            raise BayeswoodError(
                "The 'among' parameter of choose_gamma0 must be one of 'all', 'confident'. "
                f"Got {among!r} instead."
            )
        self.target, self.confidence, self.among = float(target), float(confidence), among
        self.given = None if gamma0 is None else check_grid(gamma0, "choose_gamma0")

    def choose(self, rows: EnvelopeAssessment) -> float:
        """The smallest threshold that qualifies, or infinity."""
        from scipy.stats import binom

        grid, errors, n_tested = self._counts(rows)
        p_values = binom.cdf(errors, n_tested, self.target)
        level = 1.0 - self.confidence
        is_all = self.among == "all"
        accepted = p_values <= level if is_all else fallback_test(p_values, level)
        return float(grid[np.flatnonzero(accepted)[-1]]) if accepted.any() else inf

    def _counts(self, rows: EnvelopeAssessment) -> tuple[F64, NDArray[Any], NDArray[Any]]:
        """Thresholds from strict to lax, errors among the tested rows, and how many those are."""
        grid = self.given
        if grid is None:
            is_all = self.among == "all"
            grid = np.unique(rows.consistency) if is_all else np.array(SELECTIVE_GRID)
        grid = grid[::-1]
        errors = count_confident(rows, grid, correct=False)
        if self.among == "all":
            return grid, errors, np.full(len(grid), rows.n_rows)
        return grid, errors, errors + count_confident(rows, grid, correct=True)

    def describe(self, rows: EnvelopeAssessment, chosen: float) -> GammaChoice:
        """What is known about the chosen threshold."""
        at = rows.at(chosen)
        errors = int(np.count_nonzero(at.is_confident & ~at.is_correct))
        n_tested = rows.n_rows if self.among == "all" else int(np.count_nonzero(at.is_confident))
        found = chosen < inf
        return GammaChoice(
            gamma0=chosen,
            target=self.target,
            confidence=self.confidence,
            among=self.among,
            upper_bound=clopper_pearson_upper(errors, n_tested, self.confidence) if found else 0.0,
            confident_correct=at.confident_correct,
            uncertain=at.uncertain,
            confident_incorrect=at.confident_incorrect,
            n_rows=at.n_rows,
        )

    def why_none(self, rows: EnvelopeAssessment) -> str:
        """Words for the warning that no threshold qualifies."""
        grid, errors, n_tested = self._counts(rows)
        kind = "rows" if self.among == "all" else "confident rows"
        least = ceil(log(1.0 - self.confidence) / log1p(-self.target))
        if n_tested.max() < least:
            why = f"at least {least} {kind} are needed, and there are {n_tested.max()}"
        else:
            rate = f"{errors[0]} errors in {n_tested[0]} {kind}"
            why = f"gamma0 = {grid[0]:g}, the strictest tried, has {rate}"
        return (
            f"No gamma0 keeps confident errors at or under {self.target:g} with confidence "
            f"{self.confidence:g}: {why}. Nothing will be decided (gamma0 = inf). Raise the "
            "target, or give more rows."
        )


def _cheapest(rows: EnvelopeAssessment, costs: F64) -> float:
    grid = np.append(np.unique(rows.consistency), inf)
    correct = count_confident(rows, grid, correct=True)
    incorrect = count_confident(rows, grid, correct=False)
    total = np.stack([correct, rows.n_rows - correct - incorrect, incorrect], axis=-1) @ costs
    return float(grid[np.flatnonzero(total <= total.min() + 1e-9 * np.abs(costs).max())[-1]])


def _cost_spread(folds: Sequence[EnvelopeAssessment], gamma0: float, costs: F64) -> float:
    if len(folds) > 1:
        means = [costs[fold.at(gamma0).outcome].mean() for fold in folds]
        return float(2 * np.std(means, ddof=1))
    per_row = costs[folds[0].at(gamma0).outcome]
    return float(2 * per_row.std(ddof=1) / np.sqrt(len(per_row))) if len(per_row) > 1 else inf


def _rate_spread(folds: Sequence[EnvelopeAssessment], gamma0: float) -> dict[str, float]:
    """Twice the standard deviation of each rate over the folds."""
    at = [fold.at(gamma0) for fold in folds]
    rates = {name: [getattr(fold, name) for fold in at] for name in RATES}
    return {name: float(2 * np.std(values, ddof=1)) for name, values in rates.items()}


def _as_folds(
    ensemble: Any, X: Any, y: Any, member_weights: ArrayLike | None
) -> list[EnvelopeAssessment]:
    is_list = isinstance(ensemble, list | tuple) and len(ensemble) > 0
    if is_list and all(isinstance(fold, EnvelopeAssessment) for fold in ensemble):
        return list(ensemble)
    return [as_assessment(ensemble, X, y, member_weights)]


def _pool(folds: Sequence[EnvelopeAssessment]) -> EnvelopeAssessment:
    if len(folds) == 1:
        return folds[0]
    return summarize_rows(
        folds[0].gamma0,
        np.concatenate([fold.consistency for fold in folds]),
        np.concatenate([fold.predicted for fold in folds]),
        np.concatenate([fold.is_correct for fold in folds]),
    )


def fallback_test(p_values: F64, level: float) -> NDArray[np.bool_]:
    """Which hypotheses the fallback procedure rejects, in the order given.

    Parameters
    ----------
    p_values : ndarray, (n_hypotheses,)
        In an order that does not depend on the data.
    level : float
        Bound on the probability of any false rejection.

    Returns
    -------
    ndarray of bool, (n_hypotheses,)

    Notes
    -----
    Each hypothesis has an equal part of the level, and inherits what its predecessor was tested at
    if that was rejected (Wiens 2003). See `choose_gamma0` for the proof.

    Examples
    --------
    >>> fallback_test(np.array([0.3, 0.01, 0.03, 0.2]), 0.06)
    array([False,  True,  True, False])
    """
    part = level / len(p_values)
    rejected = np.zeros(len(p_values), dtype=np.bool_)
    available = 0.0
    for idx, p_value in enumerate(p_values):
        available += part
        rejected[idx] = p_value <= available
        if not rejected[idx]:
            available = 0.0
    return rejected


def check_share(name: str, value: float, owner: str) -> None:
    """Refuse what is no number strictly between 0 and 1."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0.0 < value < 1.0:
        raise BayeswoodError(
            f"The '{name}' parameter of {owner} must be a float in the range (0, 1). "
            f"Got {value!r} instead."
        )
