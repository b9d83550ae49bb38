"""What the chains of a sampler of trees went through: log likelihood and size, with histograms."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.plots.axes import take_grid, text_size, tidy
from bayeswood.posterior import split_rhat
from bayeswood.posterior.kept_draws import (
    Trace,
    check_sampled,
    kept,
    known_quantities,
    series,
)
from bayeswood.report.palette import CLASS_COLOURS, GREY, INK

F64 = NDArray[np.float64]

_NAMES = {
    "log_likelihood": "log likelihood",
    "log_posterior": "log posterior",
    "n_leaves": "leaves",
    "depth": "depth",
    "noise_sd": "σ of the noise",
}
# Drawn if nothing else is asked for.
_USUAL = ("log_likelihood", "noise_sd", "n_leaves")
_WHOLE = ("n_leaves", "depth")
_MAX_POINTS, _MAX_BINS = 1500, 40
# A chain's first steps may be so far off that nothing else could be seen: beyond the kept draws
# there is room for so many times their range.
_BURN_IN_ROOM = 1.0
# The darkest and the lightest shade of many chains.
_SHADES = (0.05, 0.9)


class TraceDisplay:
    """Each chain's path in a colour of its own, burn-in shaded, and histograms of what is kept.

    A row for each quantity. The dark line is the mean of the chains. Where a path has more
    iterations than the picture has room for, lows and highs of short stretches are drawn; where
    the first steps lie far off the rest, they are cut off. On the right are all chains' kept
    draws; R-hat above tells whether the chains agree (near 1).

    Parameters
    ----------
    trace : Trace
        ``trace_`` of an MCMC or BART estimator.
    quantities : sequence of str, default None
        Any of ``log_likelihood``, ``log_posterior``, ``n_leaves`` and ``depth``, of sums of trees
        ``noise_sd`` and ``n_leaves``; None: the first and the leaves.

    Attributes
    ----------
    rhat : dict of str to float
        R-hat of each quantity, NaN where it cannot be told.
    axes_ : ndarray of matplotlib.axes.Axes, (n_quantities, 2)
    figure_
        Set by `plot`.

    Notes
    -----
    After Figure 3 of Schetinin and others (2004), who show burn-in and the rest side by side.
    """

    def __init__(self, trace: Trace, *, quantities: Sequence[str] | None = None) -> None:
        known = known_quantities(trace)
        chosen = [name for name in _USUAL if name in known] if quantities is None else quantities
        unknown = [name for name in chosen if name not in known]
        if unknown or not chosen:
            raise BayeswoodError(
                f"The 'quantities' parameter of TraceDisplay must name some of "
                f"{', '.join(known)}. Got {list(chosen)!r} instead."
            )
        self.trace, self.quantities = trace, tuple(chosen)
        self.rhat = {name: _rhat(kept(trace, name)) for name in chosen}

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        quantities: Sequence[str] | None = None,
        axes: Any | None = None,
    ) -> Self:
        """Draw the trace of a fitted estimator.

        Parameters
        ----------
        estimator : fitted MCMC tree or BART estimator
        quantities : sequence of str, default None
        axes : matplotlib.axes.Axes, (n_quantities, 2), optional

        Returns
        -------
        TraceDisplay
        """
        check_sampled(estimator, "TraceDisplay.from_estimator")
        return cls(estimator.trace_, quantities=quantities).plot(axes)

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        *,
        quantities: Sequence[str] | None = None,
        axes: Any | None = None,
    ) -> Self:
        """Draw a trace.

        Parameters
        ----------
        trace : Trace
        quantities : sequence of str, default None
        axes : matplotlib.axes.Axes, (n_quantities, 2), optional

        Returns
        -------
        TraceDisplay
        """
        return cls(trace, quantities=quantities).plot(axes)

    def plot(self, axes: Any | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, (n_quantities, 2), optional
            Paths on the left, histograms on the right.

        Returns
        -------
        self
        """
        n_rows = len(self.quantities)
        self.axes_ = take_grid(
            axes, (n_rows, 2), "a trace", sharey="row", width_ratios=(3, 1),
            figsize=(7.2, 2.3 * n_rows + 0.4),
        )  # fmt: skip
        self.figure_ = self.axes_[0, 0].figure
        for (left, right), name in zip(self.axes_, self.quantities, strict=True):
            limits = self._limits(name)
            self._draw_paths(left, name)
            self._draw_histogram(right, name, text_size(left))
            for ax in (left, right):
                ax.set_ylim(limits)
                ax.yaxis.get_major_locator().set_params(integer=name in _WHOLE)
        self.axes_[-1, 0].set_xlabel("iteration")
        self.axes_[-1, 1].set_xlabel("share of draws")
        self._tell_phases(self.axes_[0, 0])
        return self

    def _values(self, name: str) -> F64:
        return series(self.trace, name)

    def _limits(self, name: str) -> tuple[float, float]:
        values, draws = self._values(name), kept(self.trace, name)
        low, high = float(draws.min()), float(draws.max())
        room = _BURN_IN_ROOM * max(high - low, 1.0)
        low, high = max(float(values.min()), low - room), min(float(values.max()), high + room)
        margin = 0.04 * max(high - low, 1.0)
        return low - margin, high + margin

    def _draw_paths(self, ax: Any, name: str) -> None:
        values = self._values(name)
        n_chains, n_iterations = values.shape
        ax.axvspan(0, self.trace.n_burn_in, color=GREY, alpha=0.18, linewidth=0, zorder=0)
        many = n_chains > len(CLASS_COLOURS)
        for chain, colour in zip(values, chain_colours(n_chains), strict=True):
            at, path = thin_path(chain)
            ax.plot(at, path, color=colour, linewidth=0.5, alpha=0.35 if many else 0.8, zorder=2)
        if n_chains > 2:
            at, middle = _smooth(values.mean(axis=0))
            ax.plot(at, middle, color=INK, linewidth=1.1, zorder=3)
        ax.set_xlim(0, n_iterations)
        ax.set_ylabel(_NAMES[name])
        tidy(ax)

    def _draw_histogram(self, ax: Any, name: str, font_size: float) -> None:
        draws = kept(self.trace, name)
        edges = bin_edges(draws)
        n_chains = len(draws)
        total = np.histogram(draws, edges)[0] / draws.size
        ax.barh(
            (edges[:-1] + edges[1:]) / 2, total, height=0.96 * np.diff(edges), color=GREY,
            alpha=0.45, zorder=1,
        )  # fmt: skip
        if 1 < n_chains <= len(CLASS_COLOURS):
            for chain, colour in zip(draws, chain_colours(n_chains), strict=True):
                share = np.histogram(chain, edges)[0] / chain.size
                ax.stairs(
                    share, edges, orientation="horizontal", color=colour, linewidth=1.1, zorder=2
                )
        ax.set_xlim(left=0)
        ax.tick_params(axis="y", labelleft=False)
        rhat = self.rhat[name]
        if not np.isnan(rhat):
            ax.set_title(f"R-hat {rhat:.2f}", fontsize=font_size, color=INK, loc="right")
        tidy(ax, grid="x")

    def _tell_phases(self, ax: Any) -> None:
        n_chains, n_iterations = self._values(self.quantities[0]).shape
        burn_in = self.trace.n_burn_in / n_iterations
        chains = "1 chain" if n_chains == 1 else f"{n_chains} chains"
        size = text_size(ax)
        place = {"transform": ax.transAxes, "va": "bottom", "fontsize": size, "color": INK}
        ax.text(1.0, 1.01, chains, ha="right", **place)
        if burn_in > 0.15:
            ax.text(burn_in / 2, 1.01, "burn-in", ha="center", **place)


def trace(
    estimator: Any,
    *,
    quantities: Sequence[str] | None = None,
    axes: Any | None = None,
) -> Any:
    """Draw the paths of the chains of a fitted estimator, with histograms.

    Parameters
    ----------
    estimator : fitted MCMC tree or BART estimator
    quantities : sequence of str, default None
        As of `TraceDisplay`.
    axes : matplotlib.axes.Axes, (n_quantities, 2), optional

    Returns
    -------
    ndarray of matplotlib.axes.Axes, (n_quantities, 2)
    """
    return TraceDisplay.from_estimator(estimator, quantities=quantities, axes=axes).axes_


def chain_colours(n_chains: int) -> list[Any]:
    """Colours that are told apart, or shades from dark to light where chains are many."""
    if n_chains <= len(CLASS_COLOURS):
        return list(CLASS_COLOURS[:n_chains])
    from matplotlib import colormaps

    return list(colormaps["viridis"](np.linspace(*_SHADES, n_chains)))


def thin_path(values: F64, n_points: int = _MAX_POINTS) -> tuple[F64, F64]:
    """A path as it is, or the low and the high of each stretch where it is long.

    Examples
    --------
    >>> thin_path(np.array([3.0, 1.0, 2.0, 5.0, 7.0, 6.0]), 4)
    (array([0., 0., 3., 3.]), array([1., 3., 5., 7.]))
    """
    if len(values) <= n_points:
        return np.arange(len(values), dtype=np.float64), values
    starts = np.arange(0, len(values), -(-2 * len(values) // n_points))
    ends = [np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)]
    return np.repeat(starts, 2).astype(np.float64), np.stack(ends, axis=1).ravel()


def bin_edges(draws: F64) -> F64:
    """Bins of one for whole numbers, of several where they are many; else about 30 even ones."""
    low, high = float(draws.min()), float(draws.max())
    if np.all(draws == np.round(draws)):
        step = max(1.0, np.ceil((high - low + 1) / _MAX_BINS))
        return np.arange(low - 0.5, high + 0.5 + step, step)
    # The few lowest draws would leave the rest in one bin.
    low = float(np.quantile(draws, 0.001))
    return np.linspace(low, high, 31)


def _smooth(middle: F64) -> tuple[F64, F64]:
    """The means of short stretches."""
    starts = np.arange(0, len(middle), max(1, len(middle) // 200))
    sizes = np.diff(starts, append=len(middle))
    return starts + sizes / 2, np.add.reduceat(middle, starts) / sizes


def _rhat(draws: F64) -> float:
    return float(split_rhat(draws)) if draws.shape[1] >= 4 else float("nan")
