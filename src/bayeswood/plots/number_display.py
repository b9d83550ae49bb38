"""How the pictures of a regressor's predictions are made."""

from abc import ABC, abstractmethod
from typing import Any, Self

from bayeswood.report import NumberPredictions, predict_rows


class NumberDisplay(ABC):
    """A picture of predicted numbers, their intervals and the truth. Not to be used by itself."""

    @abstractmethod
    def __init__(self, predictions: NumberPredictions, y: Any) -> None: ...

    @abstractmethod
    def plot(self, ax: Any | None = None) -> Self:
        """Draw on axes of the caller's, or on new ones."""

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, coverage: float = 0.9, ax: Any | None = None
    ) -> Self:
        """Predict and draw.

        Parameters
        ----------
        estimator : fitted bayeswood regressor
        X : table
        y : array-like
        coverage : float, default 0.9
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        The display.
        """
        return cls.from_predictions(y, predict_rows(estimator, X, coverage=coverage), ax=ax)

    @classmethod
    def from_predictions(cls, y: Any, predictions: Any, *, ax: Any | None = None) -> Self:
        """Draw predictions made before.

        Parameters
        ----------
        y : array-like
        predictions : NumberPredictions
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        The display.
        """
        return cls(predictions, y).plot(ax)
