"""Are the probabilities right? Predicted probability against observed frequency."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.plots.axes import take_axes, tidy
from bayeswood.report.names import shorten
from bayeswood.report.palette import BLUE, GREY

F64 = NDArray[np.float64]

# Of a standard normal: a 90 % interval.
_Z = 1.6448536269514722


def wilson_interval(n_hits: F64, n_cases: F64, z: float = _Z) -> tuple[F64, F64]:
    """Wilson's score interval of a frequency (90 % by default).

    Examples
    --------
    >>> low, high = wilson_interval(np.array([9.0]), np.array([10.0]))
    >>> low.round(3), high.round(3)
    (array([0.652]), array([0.977]))
    """
    share = n_hits / n_cases
    centre = (share + z**2 / (2 * n_cases)) / (1 + z**2 / n_cases)
    half = np.sqrt(share * (1 - share) / n_cases + z**2 / (4 * n_cases**2))
    half *= z / (1 + z**2 / n_cases)
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)


class ReliabilityDisplay:
    """Groups of cases with like probability: how often did the event happen?

    Parameters
    ----------
    event : array-like of bool, (n_rows,)
        Whether it happened.
    probability : array-like, (n_rows,)
        That it was given.
    n_bins : int, default 10
        Equally wide groups.
    name : str, optional
        Of the event, for the axes.

    Attributes
    ----------
    mean_probability, frequency, lower, upper, n_cases : ndarray
        Of each group that has cases; ``lower`` and ``upper`` are Wilson's 90 % interval.
    ax_, figure_
        Set by `plot`.
    """

    def __init__(
        self, event: ArrayLike, probability: ArrayLike, *, n_bins: int = 10, name: str = ""
    ) -> None:
        happened = np.asarray(event, dtype=np.float64)
        given = np.asarray(probability, dtype=np.float64)
        group = np.minimum((given * n_bins).astype(np.intp), n_bins - 1)
        counts = np.bincount(group, minlength=n_bins).astype(np.float64)
        filled = counts > 0
        hits: F64 = np.bincount(group, happened, minlength=n_bins)[filled].astype(np.float64)
        self.name = name
        self.n_cases = counts[filled]
        self.mean_probability = np.bincount(group, given, minlength=n_bins)[filled] / self.n_cases
        self.frequency = hits / self.n_cases
        self.lower, self.upper = wilson_interval(hits, self.n_cases)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, n_bins: int = 10, ax: Any | None = None
    ) -> Self:
        """Predict probabilities and draw.

        Parameters
        ----------
        estimator : fitted classifier
        X : table
        y : array-like
        n_bins : int, default 10
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ReliabilityDisplay
        """
        proba = estimator.predict_proba(X)
        return cls.from_predictions(y, proba, classes=estimator.classes_, n_bins=n_bins, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        proba: ArrayLike,
        *,
        classes: ArrayLike,
        n_bins: int = 10,
        ax: Any | None = None,
    ) -> Self:
        """Draw class probabilities: of the second class of two, else of the most probable one.

        Parameters
        ----------
        y : array-like
            True classes.
        proba : array-like, (n_rows, n_classes)
        classes : array-like, (n_classes,)
        n_bins : int, default 10
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        ReliabilityDisplay
        """
        labels, values, names = np.asarray(y), np.asarray(proba), np.asarray(classes)
        if len(names) == 2:
            event, given, name = labels == names[1], values[:, 1], str(names[1])
        else:
            event = labels == names[values.argmax(axis=1)]
            given, name = values.max(axis=1), "the predicted class"
        return cls(event, given, n_bins=n_bins, name=name).plot(ax)

    def plot(self, ax: Any | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        self
        """
        self.ax_ = take_axes(ax)
        self.figure_ = self.ax_.figure
        self.ax_.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        self.ax_.vlines(
            self.mean_probability, self.lower, self.upper, color=BLUE, alpha=0.45, linewidth=1.8
        )
        size = 16 + 150 * np.sqrt(self.n_cases / self.n_cases.sum())
        self.ax_.scatter(
            self.mean_probability, self.frequency, s=size, color=BLUE, zorder=3,
            edgecolors="white", linewidths=0.8, clip_on=False,
        )  # fmt: skip
        self.ax_.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.04))
        what = f" of {shorten(self.name, 20)}" if self.name else ""
        self.ax_.set_xlabel(f"predicted probability{what}")
        self.ax_.set_ylabel("observed frequency")
        tidy(self.ax_, grid="both")
        return self
