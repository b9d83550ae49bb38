"""Charts that stretch with the page: lines and dots in SVG, every word beside them in HTML.

A drawing is 1000 by 1000 units and is stretched to its box; strokes keep their width, so that dots
(strokes of no length with round ends) stay round, and words keep their size on a phone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.report.page.render.markup import Html, breakable, join, number, percent, tag

F64 = NDArray[np.float64]

_SIZE = 1000


@dataclass(frozen=True)
class Scale:
    """From values to the units of a drawing.

    Attributes
    ----------
    low, high : float
        Values at its ends.
    """

    low: float
    high: float

    @classmethod
    def around(cls, *values: ArrayLike, margin: float = 0.03) -> "Scale":
        """From the least to the largest of all finite values, with a margin."""
        flat = np.concatenate([np.asarray(each, dtype=np.float64).ravel() for each in values])
        flat = flat[np.isfinite(flat)]
        if not flat.size:
            return cls(0.0, 1.0)
        low, high = float(flat.min()), float(flat.max())
        room = (high - low) * margin if high > low else max(abs(low), 1.0) * 0.1
        return cls(low - room, high + room)

    def __call__(self, values: ArrayLike) -> F64:
        """Units from the left."""
        share = (np.asarray(values, dtype=np.float64) - self.low) / (self.high - self.low)
        return np.asarray(np.clip(share, 0, 1) * _SIZE)

    def ticks(self, n: int = 5) -> list[float]:
        """Round values within, some n of them.

        Examples
        --------
        >>> Scale(0.03, 1.02).ticks()
        [0.2, 0.4, 0.6, 0.8, 1.0]
        """
        step = _round_step((self.high - self.low) / max(n, 1))
        first = int(np.ceil(self.low / step - 1e-9))
        last = int(np.floor(self.high / step + 1e-9))
        return [round(k * step, 12) for k in range(first, last + 1)]


def _round_step(step: float) -> float:
    if not isfinite(step) or step <= 0:
        return 1.0
    power = 10.0 ** floor(log10(step))
    return power * next((m for m in (1, 2, 5, 10) if m * power >= step * 0.8), 10)


def line(x: ArrayLike, y: ArrayLike, class_: str) -> Html:
    """A line through points in units; it breaks where one is not finite."""
    points = zip(np.asarray(x, float).tolist(), np.asarray(y, float).tolist(), strict=True)
    steps, pen = [], "M"
    for px, py in points:
        if not (isfinite(px) and isfinite(py)):
            pen = "M"
            continue
        steps.append(f"{pen}{px:.0f} {py:.0f}")
        pen = "L"
    return tag("path", d="".join(steps), class_=f"line {class_}")


def dots(x: ArrayLike, y: ArrayLike, class_: str) -> Html:
    """Dots at points in units."""
    points = zip(np.asarray(x, float).tolist(), np.asarray(y, float).tolist(), strict=True)
    drawn = "".join(f"M{px:.0f} {py:.0f}h0" for px, py in points if isfinite(px) and isfinite(py))
    return tag("path", d=drawn, class_=f"dots {class_}") if drawn else Html("")


def area(x: ArrayLike, low: ArrayLike, high: ArrayLike, class_: str) -> Html:
    """What lies between two lines, in units."""
    across = np.asarray(x, float)
    there = zip(across.tolist(), np.asarray(high, float).tolist(), strict=True)
    back = zip(across[::-1].tolist(), np.asarray(low, float)[::-1].tolist(), strict=True)
    around = "L".join(f"{px:.0f} {py:.0f}" for px, py in (*there, *back))
    return tag("path", d=f"M{around}Z", class_=f"area {class_}")


def bars(counts: Sequence[float], class_: str = "blue") -> Html:
    """Upright bars side by side over the whole drawing."""
    most = max(*counts, 1)
    wide = _SIZE / max(len(counts), 1)
    return join(
        tag(
            "rect",
            x=f"{k * wide + wide * 0.06:.0f}",
            y=f"{_SIZE * (1 - n / most):.0f}",
            width=f"{wide * 0.88:.0f}",
            height=f"{_SIZE * n / most:.0f}",
            class_=class_,
        )
        for k, n in enumerate(counts)
    )


def drawing(*marks: object, label: str | None = None, class_: str | None = None) -> Html:
    """Marks in a box that they are stretched to; without a label they are decoration."""
    hidden = {"aria_hidden": "true"} if label is None else {"role": "img", "aria_label": label}
    return tag(
        "svg",
        *marks,
        viewBox=f"0 0 {_SIZE} {_SIZE}",
        preserveAspectRatio="none",
        class_=class_,
        **hidden,
    )


@dataclass(frozen=True)
class Axis:
    """An axis: its scale, the values that are written at it, and its title.

    Attributes
    ----------
    scale : Scale
    title : str
    is_share : bool
        Whether values are written in percent.
    """

    scale: Scale
    title: str = ""
    is_share: bool = False

    def labels(self, n: int) -> list[tuple[float, str]]:
        """Places from 0 to 1, and what is written there."""
        found = []
        for value in self.scale.ticks(n):
            text = percent(value, 0) if self.is_share else number(value)
            found.append((float(self.scale(value)) / _SIZE, text))
        return found


def plot(label: str, x: Axis, y: Axis, *marks: object, id_: str | None = None) -> Html:
    """A drawing between two axes. Marks are in units, with y upwards taken by `up`."""
    rows = y.labels(4)
    columns = x.labels(5)
    grid = join(
        [tag("path", d=f"M0 {_SIZE * (1 - at):.0f}H{_SIZE}", class_="grid") for at, _ in rows]
    )
    left = join(tag("span", text, style=f"bottom:{100 * at:.2f}%") for at, text in rows)
    below = join(tag("span", text, style=f"left:{100 * at:.2f}%") for at, text in columns)
    return tag(
        "div",
        tag("div", breakable(y.title), class_="y-title"),
        tag("div", left, class_="y-axis", aria_hidden="true"),
        tag("div", drawing(grid, *marks, label=label), class_="canvas", id=id_),
        tag("div", below, class_="x-axis", aria_hidden="true"),
        tag("div", breakable(x.title), class_="x-title"),
        class_="plot",
    )


def up(scale: Scale, values: ArrayLike) -> F64:
    """Units from above, for values that grow upwards."""
    return np.asarray(_SIZE - scale(values))


def share_bar(share: float) -> Html:
    """A bar as long as a share of the whole."""
    return tag("div", tag("i", style=f"width:{100 * share:.2f}%"), class_="share-bar")


def figure(chart: Html, caption: object, *rest: object) -> Html:
    """A chart, what it shows, and its numbers."""
    return tag("figure", chart, tag("figcaption", caption), *rest)


def strip(scale: Scale, *marks: object, zero: float | None = None) -> Html:
    """A drawing within a line of a table, with a mark at a value."""
    at = None
    if zero is not None and scale.low <= zero <= scale.high:
        at = tag("path", d=f"M{float(scale(zero)):.0f} 0V{_SIZE}", class_="zero")
    return drawing(at, *marks, class_="strip")


def whisker(scale: Scale, low: float, value: float, high: float, class_: str = "blue") -> Html:
    """An interval and a dot within."""
    if not isfinite(value):
        return Html("")
    a, b, at = (float(v) for v in scale([low, high, value]))
    return join(
        (
            tag("path", d=f"M{a:.0f} 500H{b:.0f}", class_=f"whisker {class_}"),
            dots([at], [500], f"{class_} large"),
        )
    )


def strip_axis(scale: Scale, *, is_share: bool = False) -> Html:
    """The values at a column of strips."""
    labels = Axis(scale, is_share=is_share).labels(3)
    spans = join(tag("span", text, style=f"left:{100 * at:.2f}%") for at, text in labels)
    return tag("div", spans, class_="strip-axis", aria_hidden="true")


def strips(
    head: tuple[object, object, object],
    axis: Html,
    rows: Iterable[tuple[object, Html, object]],
    caption: str,
) -> Html:
    """A table whose middle column is drawn: names, strips and numbers."""
    titles = (
        tag("th", head[0], scope="col"),
        tag("th", head[1], axis, scope="col", class_="drawn"),
        tag("th", head[2], scope="col", class_="number"),
    )
    body = join(
        tag(
            "tr",
            tag("th", breakable(name), scope="row"),
            tag("td", shown, class_="drawn"),
            tag("td", said, class_="number"),
        )
        for name, shown, said in rows
    )
    return tag(
        "table",
        tag("caption", caption, class_="unseen"),
        tag("thead", tag("tr", *titles)),
        tag("tbody", body),
        class_="strips",
    )
