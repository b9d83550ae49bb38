"""How accuracy and log predictive probability depend on the power of the likelihood."""

from collections.abc import Mapping
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.plots.axes import take_two, tidy
from bayeswood.report.palette import AMBER, BLUE, CRIMSON, GREY, INK

F64 = NDArray[np.float64]

# Colour, dashes and marker of each line: no two share one, so they stay apart in grey print.
_STYLES = (
    (BLUE, "-", "o"),
    (AMBER, (0, (5, 2)), "s"),
    (CRIMSON, (0, (1.5, 1.5)), "D"),
    (INK, (0, (6, 2, 1, 2)), "^"),
    (GREY, (0, (3, 1)), "v"),
)
_N_MARKERS = 9


class Curve(Protocol):
    """What a fitted safe-Bayesian forest keeps as ``operating_curve_``."""

    @property
    def power(self) -> F64:
        """The powers β, ascending."""

    @property
    def accuracy(self) -> F64:
        """Share of rows whose class is predicted, at each power."""

    @property
    def log_probability(self) -> F64:
        """Mean log probability of the rows' class, at each power."""


class OperatingCurveDisplay:
    """Accuracy (above) and mean log predictive probability (below) over the power β.

    Parameters
    ----------
    curves : mapping of str to curve
        The name of the data, and an object with arrays ``power``, ``accuracy`` and
        ``log_probability``.
    power : float, optional
        The β in use, marked by a vertical line.

    Attributes
    ----------
    axes_ : ndarray of matplotlib.axes.Axes, (2,)
    figure_
        Set by `plot`.

    Notes
    -----
    The trees' weights are proportional to (marginal likelihood)^β. β = 1 is Bayesian model
    averaging; as β falls, more trees have a say (section 4 and Figure 4 of Quadrianto and
    Ghahramani, 2015). The axis of β is logarithmic, for what matters happens near m/N.
    """

    def __init__(self, curves: Mapping[str, Curve], *, power: float | None = None) -> None:
        if not 1 <= len(curves) <= len(_STYLES):
            raise BayeswoodError(
                f"The 'curves' parameter of OperatingCurveDisplay must hold 1 to {len(_STYLES)} "
                f"curves. Got {len(curves)} instead."
            )
        self.curves = dict(curves)
        self.power = power

    @classmethod
    def from_curves(
        cls, curves: Mapping[str, Curve], *, power: float | None = None, axes: Any | None = None
    ) -> Self:
        """Draw curves made before.

        Parameters
        ----------
        curves : mapping of str to curve
        power : float, optional
        axes : two matplotlib.axes.Axes, optional

        Returns
        -------
        OperatingCurveDisplay
        """
        return cls(curves, power=power).plot(axes)

    def plot(self, axes: Any | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        axes : two matplotlib.axes.Axes, optional
            The upper and the lower one.

        Returns
        -------
        self
        """
        self.axes_ = take_two(
            axes, "an operating curve", "accuracy and log probability",
            nrows=2, sharex=True, figsize=(6.4, 5.6),
        )  # fmt: skip
        upper, lower = self.axes_
        self.figure_ = upper.figure
        for (name, curve), style in zip(self.curves.items(), _STYLES, strict=False):
            _draw_line(upper, curve.power, 100 * np.asarray(curve.accuracy), name, style)
            _draw_line(lower, curve.power, np.asarray(curve.log_probability), name, style)
        for ax, label in ((upper, "accuracy (%)"), (lower, "mean log probability")):
            ax.set_ylabel(label)
            tidy(ax, grid="both")
            ax.margins(y=0.12)
        self._mark_power()
        lower.set_xlabel("power β of the likelihood (1 = model averaging)")
        upper.legend(
            loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, frameon=False, borderaxespad=0.2
        )
        return self

    def _mark_power(self) -> None:
        if self.power is None:
            return
        for ax in self.axes_:
            ax.axvline(self.power, color=INK, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
        lower = self.axes_[1]
        lower.annotate(
            f"β = {self.power:.3g}",
            (self.power, 0.03),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            xytext=(5, 0),
            color=INK,
            fontsize="small",
            bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.0},
        )


def operating_curve(
    estimator: Any, X: Any = None, y: Any = None, *, name: str = "given", axes: Any | None = None
) -> Any:
    """Draw the operating curve of a fitted safe-Bayesian forest.

    Parameters
    ----------
    estimator : fitted SafeBayesForestClassifier
    X, y : table and classes, optional
        Rows of the caller's to draw beside the training rows and leave-one-out.
    name : str, default "given"
        What to call them.
    axes : two matplotlib.axes.Axes, optional

    Returns
    -------
    ndarray of matplotlib.axes.Axes, (2,)
        The axes of accuracy and of log probability.
    """
    curves = {
        "training": estimator.operating_curve(on="train"),
        "leave-one-out": estimator.operating_curve(on="loo"),
    }
    if X is not None:
        curves[name] = estimator.operating_curve(X, y)
    return OperatingCurveDisplay(curves, power=estimator.power_).plot(axes).axes_


def _draw_line(ax: Any, power: Any, height: F64, name: str, style: tuple[Any, Any, str]) -> None:
    colour, dashes, marker = style
    powers = np.asarray(power, dtype=np.float64)
    ax.semilogx(
        powers, height, color=colour, linestyle=dashes, linewidth=1.8, label=name, zorder=3,
        marker=marker, markersize=5, markevery=_marker_places(powers), markeredgecolor="white",
    )  # fmt: skip


def _marker_places(power: F64) -> list[int]:
    """Points about evenly spaced on the logarithmic axis."""
    wanted = np.geomspace(power[0], power[-1], _N_MARKERS)
    return sorted({int(np.abs(np.log(power / w)).argmin()) for w in wanted})
