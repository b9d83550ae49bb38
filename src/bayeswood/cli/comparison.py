"""Which of several methods is better, fold by fold, and what to take."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from bayeswood.cli.tables.columns import Task
from bayeswood.report import ClassifierScores, RegressorScores

Scores = ClassifierScores | RegressorScores

# The score that decides, and whether more is better.
MAIN: dict[str, tuple[str, int]] = {
    "classification": ("log_predictive_probability", 1),
    "regression": ("rmse", -1),
}
_LEVEL = 0.95


@dataclass(frozen=True)
class MethodScores:
    """What one method reached.

    Attributes
    ----------
    method : str
    folds : tuple of ClassifierScores or RegressorScores
        Of the rows held out, one per fold.
    fit_seconds : float
        Mean over the folds.
    is_baseline : bool
        Whether it is another library's.
    """

    method: str
    folds: tuple[Scores, ...]
    fit_seconds: float
    is_baseline: bool = False

    def values(self, name: str) -> NDArray[np.float64]:
        """A score, by fold."""
        return np.array([getattr(fold, name) for fold in self.folds], dtype=np.float64)


@dataclass(frozen=True)
class Difference:
    """How much worse one method is than another, on the same folds.

    Attributes
    ----------
    mean : float
        Of the folds' differences.
    spread : float
        Their standard deviation.
    error : float
        Standard error of the mean. The models of two folds share most of their rows, so it is
        larger than spread / √k: spread · √(1/k + 1/(k − 1)), after C. Nadeau and Y. Bengio,
        "Inference for the generalization error", Machine Learning 52, 2003.
    is_clear : bool
        Whether a t test at the 5 % level with this error tells the two apart.
    """

    mean: float
    spread: float
    error: float
    is_clear: bool


class Comparison:
    """Methods on the same folds.

    Parameters
    ----------
    found : sequence of MethodScores
    task : str
    """

    def __init__(self, found: Sequence[MethodScores], task: Task) -> None:
        self._name, self._sign = MAIN[task]
        self.task = task
        self.ranked = sorted(found, key=self._loss)
        self.best = self.ranked[0]

    def _loss(self, scores: MethodScores) -> float:
        return -self._sign * float(scores.values(self._name).mean())

    def difference(self, scores: MethodScores, other: MethodScores | None = None) -> Difference:
        """How much worse a method is than another, by default than the best."""
        other = self.best if other is None else other
        losses = self._sign * (other.values(self._name) - scores.values(self._name))
        n_folds = len(losses)
        mean, spread = float(losses.mean()), float(losses.std(ddof=1))
        error = spread * sqrt(1 / n_folds + 1 / (n_folds - 1))
        return Difference(mean, spread, error, abs(mean) > _t_quantile(n_folds - 1) * error)

    def _peers(self, scores: MethodScores) -> list[MethodScores]:
        """Those that cannot be told from a method."""
        others = [other for other in self.ranked if other is not scores]
        return [other for other in others if not self.difference(other, scores).is_clear]

    def recommendation(self, style: str = "{:.3f}") -> str:
        """What to take, in one sentence.

        Parameters
        ----------
        style : str
            How to write a difference of scores.
        """
        ours = [scores for scores in self.ranked if not scores.is_baseline]
        if len(self.ranked) == 1:
            return f"{self.best.method} alone was tried: there is nothing to compare it with."
        if not self.best.is_baseline:
            return _take_best(self.best, self._peers(self.best))
        if not ours:
            return f"{self.best.method} predicts best here; none of these says how sure it is."
        first, gap = ours[0], self.difference(ours[0])
        if not gap.is_clear:
            return (
                f"Take {first.method}: on these folds it cannot be told from the best, "
                f"{self.best.method}, and it says how sure it is."
            )
        by = f"{style.format(gap.mean)}±{style.format(gap.error)}"
        return (
            f"{self.best.method} predicts best, by {by} over {first.method}, the best of those "
            "that say how sure they are: take it where nothing but the prediction counts."
        )


def _take_best(best: MethodScores, peers: list[MethodScores]) -> str:
    if not peers:
        return f"Take {best.method}: it is clearly better than every other on these folds."
    names = peers[0].method
    if len(peers) == 2:
        names += f" and {peers[1].method}"
    elif len(peers) > 2:
        names += f" and {len(peers) - 1} more"
    return f"Take {best.method}, the best here, though {names} cannot be told from it."


def _t_quantile(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + _LEVEL) / 2))
