"""The three outcomes of the Uncertainty Envelope over its threshold γ₀."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.plots.axes import legend_above, take_axes, tidy
from bayeswood.report import DEFAULT_GAMMA0, Outcome
from bayeswood.report.names import percent
from bayeswood.report.palette import INK, OUTCOME_COLOURS, OUTCOME_NAMES
from bayeswood.uncertainty import EnvelopeCurve, envelope_curve, summarize_rows

F64 = NDArray[np.float64]

_N_GRID = 101


class EnvelopeDisplay:
    """Shares of confident-correct, uncertain and confident-but-wrong cases, stacked, over γ₀.

    Parameters
    ----------
    curve : EnvelopeCurve
        The rates, see `bayeswood.envelope_curve`.
    gamma0 : float, default 0.9
        Where to draw a line and to write the three shares.

    Attributes
    ----------
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, curve: EnvelopeCurve, *, gamma0: float = DEFAULT_GAMMA0) -> None:
        self.curve = curve
        self.gamma0 = gamma0

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        gamma0: float = DEFAULT_GAMMA0,
        ax: Any | None = None,
    ) -> Self:
        """Take the members' votes and draw.

        Parameters
        ----------
        estimator : fitted classifier
            Any ensemble that `UncertaintyEnvelope` takes.
        X : table
        y : array-like
            True classes.
        gamma0 : float, default 0.9
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        EnvelopeDisplay
        """
        return cls.from_curve(
            envelope_curve(estimator, X, y, gamma0=_grid(gamma0)), gamma0=gamma0, ax=ax
        )

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        majority: ArrayLike,
        consistency: ArrayLike,
        *,
        gamma0: float = DEFAULT_GAMMA0,
        ax: Any | None = None,
    ) -> Self:
        """Draw votes counted before.

        Parameters
        ----------
        y : array-like, (n_rows,)
            True classes.
        majority : array-like, (n_rows,)
            The class that most members vote for.
        consistency : array-like, (n_rows,)
            γ: the share of the members that do.
        gamma0 : float, default 0.9
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        EnvelopeDisplay
        """
        predicted = np.asarray(majority)
        rows = summarize_rows(
            gamma0, np.asarray(consistency, dtype=np.float64), predicted, np.asarray(y) == predicted
        )
        return cls.from_curve(envelope_curve(rows, gamma0=_grid(gamma0)), gamma0=gamma0, ax=ax)

    @classmethod
    def from_curve(
        cls, curve: EnvelopeCurve, *, gamma0: float = DEFAULT_GAMMA0, ax: Any | None = None
    ) -> Self:
        """Draw rates computed before.

        Parameters
        ----------
        curve : EnvelopeCurve
        gamma0 : float, default 0.9
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        EnvelopeDisplay
        """
        return cls(curve, gamma0=gamma0).plot(ax)

    def plot(self, ax: Any | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        self
        """
        self.ax_ = take_axes(ax, figsize=(6.4, 4.2))
        self.figure_ = self.ax_.figure
        curve = self.curve
        parts = [curve.confident_correct, curve.uncertain, curve.confident_incorrect]
        place = int(np.abs(np.asarray(curve.gamma0) - self.gamma0).argmin())
        self.ax_.stackplot(
            curve.gamma0, *parts, colors=[OUTCOME_COLOURS[o] for o in Outcome], step="post",
            labels=[f"{OUTCOME_NAMES[o]} {parts[o][place]:.1%}" for o in Outcome],
            alpha=0.9, edgecolor="white", linewidth=0.6,
        )  # fmt: skip
        self.ax_.axvline(curve.gamma0[place], color=INK, linewidth=1.2, linestyle=(0, (4, 3)))
        self.ax_.set(xlim=(curve.gamma0[0], curve.gamma0[-1]), ylim=(0, 1))
        self.ax_.yaxis.set_major_formatter("{x:.0%}")
        self.ax_.xaxis.set_major_formatter("{x:.0%}")
        self.ax_.set_xlabel("agreement that is asked for, γ₀")
        self.ax_.set_ylabel("share of the cases")
        tidy(self.ax_)
        title = f"with γ₀ = {percent(float(curve.gamma0[place]))} (dashed)"
        legend_above(self.ax_, title=title, reverse=True)
        return self


def _grid(gamma0: float) -> F64:
    """From a half to one, with γ₀ itself."""
    return np.append(np.linspace(min(0.5, gamma0), 1.0, _N_GRID), gamma0)
