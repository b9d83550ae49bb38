"""What drives the predictions."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bayeswood.report.page.render.chart import (
    Axis,
    Scale,
    area,
    dots,
    figure,
    line,
    plot,
    strip,
    strip_axis,
    strips,
    up,
    whisker,
)
from bayeswood.report.page.render.markup import (
    Html,
    join,
    number,
    numbers,
    percent,
    plural,
    section,
    table,
    tag,
    words,
)
from bayeswood.report.page.summary.drivers import (
    Curve,
    DriverSummary,
    FeatureImportance,
    Swarm,
    SwarmLine,
)

F64 = NDArray[np.float64]

_N_COLOURS = 5
_BINS = 60
_SCORES = {"brier": "Brier score", "mse": "mean squared error"}


def render_drivers(found: DriverSummary) -> Html:
    """The section."""
    lead = "Which columns the predictions depend on, and how surely that is known."
    parts = [_importances(found), *_swarms(found), *_curves(found)]
    return section("drivers", "What drives it", lead, *parts)


def _importances(found: DriverSummary) -> Html:
    listed = numbers(
        table(
            ("column", "lost when shuffled", "its band", "moves predictions by",
             "share of splits' gain", "its spread over trees"),
            map(_importance_row, found.importances),
        )
    )  # fmt: skip
    title = tag("h3", "Importance")
    if not found.score:
        return join((title, words("These rows are too few to shuffle."), listed))
    ends = [v for one in found.importances for v in (0.0, one.lower, one.upper, one.lost)]
    scale = Scale.around(ends)
    rows = (
        (
            one.name,
            strip(scale, whisker(scale, one.lower, one.lost, one.upper), zero=0.0),
            number(one.lost, 3),
        )
        for one in found.importances
    )
    head = ("column", "lost when shuffled", "lost")
    shown = strips(head, strip_axis(scale), rows, "Importance of the columns")
    hidden = f" {plural(found.n_hidden, 'more column')} matter less." if found.n_hidden else ""
    said = words(
        f"How much the {_SCORES[found.score]} of a single tree grows when the column is shuffled "
        f"between {plural(found.n_permuted, 'row')}, with the band of {percent(found.coverage, 0)} "
        f"of the trees.{hidden}"
    )
    return join((title, said, shown, listed))


def _importance_row(one: FeatureImportance) -> tuple[str, ...]:
    return (
        one.name,
        number(one.lost, 3),
        f"{number(one.lower, 3)} to {number(one.upper, 3)}",
        number(one.moved, 3),
        percent(one.gained),
        percent(one.gained_spread),
    )


def _swarms(found: DriverSummary) -> Iterator[Html]:
    yield tag("h3", "What each column adds to each prediction")
    yield words(
        f"Shapley values of {plural(found.n_swarm_rows, 'row')}: a dot is a row, and lies where "
        "the column has moved its prediction, from what is said when nothing is known. Blue dots "
        "have low values of the column, amber ones high values, grey ones are categories or "
        f"missing. Thin lines are the {percent(found.coverage, 0)} credible bands of some dots."
    )
    first, *others = found.swarms
    yield _swarm(first)
    for swarm in others:
        yield tag("details", tag("summary", f"The same for the {swarm.output}"), _swarm(swarm))


def _swarm(swarm: Swarm) -> Html:
    scale = Scale.around(
        *(each for one in swarm.lines for each in (one.values, one.lower, one.upper)), [0.0]
    )
    rows = (
        (one.name, _swarm_strip(scale, one), number(float(np.abs(one.values).mean()), 3))
        for one in swarm.lines
    )
    head = ("column", f"added to the {swarm.output}", "mean size")
    shown = strips(head, strip_axis(scale), rows, f"What columns add to the {swarm.output}")
    listed = [_swarm_row(one) for one in swarm.lines]
    titles = ("column", "mean size", "5% of rows below", "median", "5% above", "mean band width")
    hidden = f" {plural(swarm.n_hidden, 'more column')} add less." if swarm.n_hidden else ""
    caption = f"Added to the {swarm.output}.{hidden}"
    chart = tag("div", shown, class_="swarm")
    return figure(chart, caption, numbers(table(titles, listed)))


def _swarm_row(one: SwarmLine) -> tuple[str, ...]:
    ends = np.quantile(one.values, (0.05, 0.5, 0.95))
    sizes = (float(np.abs(one.values).mean()), *ends.tolist(), one.band_width)
    return (one.name, *(number(value, 3) for value in sizes))


def _swarm_strip(scale: Scale, one: SwarmLine) -> Html:
    x = scale(one.values)
    y = 500 + 420 * spread_out(x)
    bands = "".join(
        f"M{a:.0f} {y[k]:.0f}H{b:.0f}"
        for k, a, b in zip(one.banded, scale(one.lower), scale(one.upper), strict=True)
    )
    marks = [tag("path", d=bands, class_="bands")]
    rank = np.where(np.isnan(one.level), -1, np.minimum(one.level * _N_COLOURS, _N_COLOURS - 1))
    for k in range(-1, _N_COLOURS):
        here = rank.astype(int) == k
        marks.append(dots(x[here], y[here], f"rank{k}" if k >= 0 else "unranked"))
    return strip(scale, *marks, zero=0.0)


def spread_out(x: F64) -> F64:
    """Places across a strip, in [-1, 1], at which dots hardly cover each other.

    Dots that fall into the same of sixty bins lie on alternate sides, the first in the middle.

    Examples
    --------
    >>> spread_out(np.array([0.0, 0.0, 0.0, 900.0])).tolist()
    [0.0, 1.0, -1.0, 0.0]
    """
    bins = (x / (1000 / _BINS)).astype(int)
    order = np.argsort(bins, kind="stable")
    starts = np.searchsorted(bins[order], bins[order], side="left")
    turn = np.empty(len(x))
    turn[order] = np.arange(len(x)) - starts
    side = np.where(turn % 2 == 1, 1.0, -1.0) * np.ceil(turn / 2)
    most = max(float(np.abs(side).max(initial=0.0)), 1.0)
    return np.asarray(side / most + 0.0)


def _curves(found: DriverSummary) -> Iterator[Html]:
    if not found.curves:
        return
    yield tag("h3", f"How the {found.curve_of} depends on each")
    yield words(
        "Mean prediction if all rows had this value, and the band that holds "
        f"{percent(found.coverage, 0)} of the members. Where columns go together, it asks about "
        "rows that do not occur."
    )
    scale = Scale.around(*(each for c in found.curves for each in (c.lower, c.upper)))
    yield tag("div", *(_curve(curve, scale) for curve in found.curves), class_="multiples")


def _curve(curve: Curve, scale: Scale) -> Html:
    return _level_curve(curve, scale) if curve.labels else _number_curve(curve, scale)


def _number_curve(curve: Curve, scale: Scale) -> Html:
    across = Scale.around(curve.grid, margin=0.0)
    x = across(curve.grid)
    chart = plot(
        f"Partial dependence on {curve.feature}",
        Axis(across, curve.feature),
        Axis(scale),
        area(x, up(scale, curve.lower), up(scale, curve.upper), "blue pale"),
        line(x, up(scale, curve.mean), "blue"),
    )
    rows = [
        (number(v), number(m), f"{number(low)} to {number(high)}")
        for v, m, low, high in zip(curve.grid, curve.mean, curve.lower, curve.upper, strict=True)
    ]
    return figure(chart, None, numbers(table((curve.feature, "mean", "band"), rows)))


def _level_curve(curve: Curve, scale: Scale) -> Html:
    rows = (
        (label, strip(scale, whisker(scale, low, mean, high)), number(mean))
        for label, mean, low, high in zip(
            curve.labels, curve.mean, curve.lower, curve.upper, strict=True
        )
    )
    shown = strips((curve.feature, "mean and band", "mean"), strip_axis(scale), rows, curve.feature)
    listed = [
        (label, number(m), f"{number(low)} to {number(high)}")
        for label, m, low, high in zip(
            curve.labels, curve.mean, curve.lower, curve.upper, strict=True
        )
    ]
    return figure(shown, None, numbers(table((curve.feature, "mean", "band"), listed)))
