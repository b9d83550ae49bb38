"""The top of all trees in one picture: how often is each split chosen at each place?"""

from collections.abc import Iterator
from typing import Any, Self

from bayeswood.plots.outline import (
    OutlineLine,
    draw_outline,
    legend_below,
    levels_text,
    outline_axes,
)
from bayeswood.posterior import SplitChoice, TrunkPlace, TrunkPosterior, trunk_posterior
from bayeswood.report.palette import AMBER, BLUE, GREY

_SECOND = "#56B4E9"
_COLOURS = (BLUE, _SECOND, AMBER)
_NO_SPLIT = "no split"
_SMALLEST_NAMED = 0.05
_SMALLEST_LABELLED = 0.24


class TrunkDisplay:
    """The commonest splits at the top of the trees, and how often each is chosen.

    The bar shows the shares of the features that the trees at a place split on: dark blue the
    commonest, light blue the second and amber the third, which are named if at least 5 % choose
    them, grey the rest; all are in ``trunk``. In brackets is the range of 90 % of the cuts.
    The number on the right is the share of all trees that come here by the same features.

    Parameters
    ----------
    trunk : TrunkPosterior

    Attributes
    ----------
    lines : tuple of OutlineLine
        What is drawn, in preorder.
    ax_, figure_
        Set by `plot`.
    """

    def __init__(self, trunk: TrunkPosterior) -> None:
        self.trunk = trunk
        self.lines = tuple(line for place in trunk.places for line in _lines(place))

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, max_depth: int = 2, min_weight: float = 0.05, ax: Any | None = None
    ) -> Self:
        """Count the members' splits and draw.

        Parameters
        ----------
        estimator : fitted bayeswood estimator
        max_depth : int, default 2
        min_weight : float, default 0.05
            Places that fewer members reach are left out.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        TrunkDisplay
        """
        trunk = trunk_posterior(estimator, max_depth=max_depth, min_weight=min_weight)
        return cls.from_trunk(trunk, ax=ax)

    @classmethod
    def from_trunk(cls, trunk: TrunkPosterior, *, ax: Any | None = None) -> Self:
        """Draw what was counted before.

        Parameters
        ----------
        trunk : TrunkPosterior
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        TrunkDisplay
        """
        return cls(trunk).plot(ax)

    def plot(self, ax: Any | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        self
        """
        self.ax_ = outline_axes(ax, len(self.lines))
        self.figure_ = self.ax_.figure
        draw_outline(self.ax_, self.lines, ("chosen by", "trees here"))
        self._legend()
        return self

    def _legend(self) -> None:
        from matplotlib.patches import Patch

        names = ("commonest split", "second", "third", "others")
        handles = [
            Patch(color=colour, label=name)
            for colour, name in zip((*_COLOURS, GREY), names, strict=True)
        ]
        legend_below(self.ax_, handles)


def _lines(place: TrunkPlace) -> Iterator[OutlineLine]:
    """The commonest split, and below it the second and the third that many trees choose."""
    yield _line(place)
    taken = place.choices[0].share
    for choice, colour in zip(place.choices[1:], _COLOURS[1:], strict=False):
        if choice.share < _SMALLEST_NAMED:
            return
        yield OutlineLine(
            depth=place.depth,
            answer="or",
            name=choice.feature or "",
            rest=_cut(choice) if choice.feature else _NO_SPLIT,
            short_rest=_cut(choice, in_full=False) if choice.feature else "",
            note="",
            bar=((taken, "none"), (choice.share, colour)),
            labels=("", f"{choice.share:.0%}") if choice.share >= _SMALLEST_LABELLED else (),
            colour=colour,
            is_aside=True,
        )
        taken += choice.share


def _line(place: TrunkPlace) -> OutlineLine:
    first = place.choices[0]
    shares = [choice.share for choice in place.choices]
    bar = [(share, colour) for share, colour in zip(shares, _COLOURS, strict=False)]
    if len(shares) > len(_COLOURS):
        bar.append((sum(shares[len(_COLOURS) :]), GREY))
    return OutlineLine(
        depth=place.depth,
        answer={"": "", "L": "yes", "R": "no"}[place.path[-1:]],
        name=first.feature or "",
        rest=_cut(first) if first.feature else _NO_SPLIT,
        short_rest=_cut(first, in_full=False) if first.feature else "",
        note=f"{place.weight:.0%}",
        bar=tuple(bar),
        colour=BLUE,
        is_leaf=first.feature is None,
        labels=(f"{first.share:.0%}",) if first.share >= _SMALLEST_LABELLED else (),
    )


def _cut(choice: SplitChoice, *, in_full: bool = True) -> str:
    if choice.threshold is None or choice.lower is None or choice.upper is None:
        return levels_text(choice.left_levels, 3 if in_full else 1)
    if choice.lower == choice.upper or not in_full:
        return f" ≤ {_short(choice.threshold)}"
    return f" ≤ {_short(choice.threshold)} ({_short(choice.lower)}–{_short(choice.upper)})"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.3g}"
