"""When to trust it: sliders whose numbers were all computed beforehand."""

import numpy as np

from bayeswood.report.page.render.chart import Axis, Scale, area, figure, line, plot, up
from bayeswood.report.page.render.markup import (
    Html,
    count,
    join,
    number,
    numbers,
    percent,
    section,
    table,
    tag,
    words,
)
from bayeswood.report.page.summary.trust import ClassTrust, NumberTrust
from bayeswood.report.palette import OUTCOME_NAMES
from bayeswood.uncertainty import Outcome

_TITLE = "When to trust it"
_COST = 10
OUTCOMES = tuple(OUTCOME_NAMES[o] for o in Outcome)
WIDTH_OUTCOMES = ("narrow and held", "too wide to act on", "narrow but missed")
_COLOURS = ("blue", "amber", "crimson")


def render_trust(found: ClassTrust | NumberTrust | None, members: str) -> Html:
    """The section; `members` is what votes."""
    if found is None:
        lead = (
            "This model kept nothing of the response but its means: there are no intervals of new "
            "values to trust or not."
        )
        return section("trust", _TITLE, lead)
    if isinstance(found, ClassTrust):
        return _of_classes(found, members)
    return _of_numbers(found)


def _of_classes(found: ClassTrust, members: str) -> Html:
    lead = (
        f"A prediction is confident where at least the share γ₀ of the {members} votes for the "
        "same class; elsewhere someone else should decide. Move γ₀ and see what becomes of the "
        "rows."
    )
    at = int(np.clip(round(found.gamma0 * found.steps), found.first, found.steps))
    right = int(found.n_correct[at - found.first])
    wrong = int(found.n_incorrect[at - found.first])
    counts = (right, found.n_rows - right - wrong, wrong)
    slider = _slider(
        "gamma0", "Least agreement γ₀", at, found.first, found.steps, f"{at / found.steps:.3f}"
    )
    return section(
        "trust",
        _TITLE,
        lead,
        tag(
            "div",
            slider,
            outcome_bar("outcomes", OUTCOMES, counts),
            _cost(),
            class_="panel",
            id="class-trust",
        ),
        _curve(found),
        _promises(found),
    )


def _slider(key: str, title: str, value: int, low: int, high: int, shown: str) -> Html:
    return tag(
        "div",
        tag("label", title, for_=key),
        tag("output", shown, id=f"{key}-value", for_=key),
        tag("input", type="range", id=key, min=low, max=high, step=1, value=value,
            autocomplete="off", aria_valuetext=shown),
        class_="slider",
    )  # fmt: skip


def outcome_bar(key: str, names: tuple[str, ...], counts: tuple[int, ...]) -> Html:
    """Three shares of the rows, as a bar and as a table."""
    total = max(sum(counts), 1)
    parts = join(
        tag("i", class_=colour, style=f"width:{100 * n / total:.3f}%", data_part=k)
        for k, (colour, n) in enumerate(zip(_COLOURS, counts, strict=True))
    )
    lines = join(
        tag(
            "tr",
            tag("th", tag("span", class_=f"key {colour}"), name, scope="row"),
            tag("td", count(n), class_="number", data_rows=k),
            tag("td", percent(n / total, 2), class_="number", data_share=k),
        )
        for k, (colour, name, n) in enumerate(zip(_COLOURS, names, counts, strict=True))
    )
    head = tag(
        "tr",
        tag("th", "outcome", scope="col"),
        tag("th", "rows", scope="col", class_="number"),
        tag("th", "share", scope="col", class_="number"),
    )
    shown = tag("table", tag("thead", head), tag("tbody", lines), class_="outcomes")
    return tag("div", tag("div", parts, class_="outcome-bar", aria_hidden="true"), shown, id=key)


def _cost() -> Html:
    said = (
        "A confident error costs as much as ",
        tag("output", _COST, id="cost-value", for_="cost"),
        " undecided cases",
    )
    control = tag(
        "div",
        tag("label", *said, for_="cost"),
        tag("input", type="range", id="cost", min=1, max=100, step=1, value=_COST,
            autocomplete="off"),
        class_="slider cost",
    )  # fmt: skip
    result = tag(
        "p",
        "Mean cost of a case: ",
        tag("output", "–", id="cost-here", for_="gamma0 cost"),
        ". Least: ",
        tag("output", "–", id="cost-least", for_="cost"),
        " at γ₀ = ",
        tag("output", "–", id="cost-gamma0", for_="cost"),
        ". ",
        tag("button", "Go there", type="button", id="cost-go"),
        class_="cost-said",
        aria_live="polite",
    )
    return join((control, result))


def _curve(found: ClassTrust) -> Html:
    right, wrong = found.n_correct / found.n_rows, found.n_incorrect / found.n_rows
    every = np.unique(np.linspace(0, len(right) - 1, 200).astype(int))
    across, up_to = Scale(found.first / found.steps, 1.0), Scale(0.0, 1.0)
    x, top = across(found.grid[every]), up(up_to, np.ones(len(every)))
    certain, errors = up(up_to, right[every]), up(up_to, 1 - wrong[every])
    chart = plot(
        "Shares of the three outcomes as γ₀ grows",
        Axis(across, "γ₀"),
        Axis(up_to, "share of the rows", is_share=True),
        area(x, up(up_to, np.zeros(len(every))), certain, "blue"),
        area(x, certain, errors, "amber"),
        area(x, errors, top, "crimson"),
        tag("path", d="M0 0V1000", class_="marker", id="gamma0-marker"),
        id_="trust-curve",
    )
    shown = np.unique(np.linspace(0, len(right) - 1, 26).astype(int))
    rows = [
        (
            f"{found.grid[k]:.3f}",
            percent(right[k]),
            percent(1 - right[k] - wrong[k]),
            percent(wrong[k]),
        )
        for k in shown
    ]
    keys = join(
        tag("span", tag("span", class_=f"key {colour}"), name, class_="legend")
        for colour, name in zip(_COLOURS, OUTCOMES, strict=True)
    )
    return figure(chart, keys, numbers(table(("γ₀", *OUTCOMES), rows)))


def _promises(found: ClassTrust) -> Html:
    rows = [
        (
            f"at most {percent(p.target)}",
            "none" if p.gamma0 is None else f"{p.gamma0:.4g}",
            percent(p.confident_correct),
            percent(p.uncertain),
            percent(p.confident_incorrect),
        )
        for p in found.promises
    ]
    head = ("confident errors among all rows", "smallest γ₀", *OUTCOMES)
    said = words(
        "The smallest γ₀ that keeps confident errors that rare among new rows like these, with "
        f"{percent(found.confidence, 0)} confidence (if these rows were not used to fit). None: no "
        "γ₀ is strict enough, or these rows are too few to tell."
    )
    return join((tag("h3", "Errors kept rare, with a guarantee"), said, table(head, rows)))


def _of_numbers(found: NumberTrust) -> Html:
    lead = (
        "An interval promises to hold the truth with the probability of its level. Move the level "
        "to see how wide intervals must be, and what they hold; then ask for narrow ones."
    )
    at = int(np.argmin(np.abs(found.levels - found.coverage)))
    level = _slider("level", "Level of the intervals", at, 0, len(found.levels) - 1,
                    percent(found.levels[at], 0))  # fmt: skip
    facts = (
        ("held", percent(found.covered[at], 2)),
        ("mean-width", number(found.mean_width[at])),
        ("below", percent(found.below[at], 2)),
        ("above", percent(found.above[at], 2)),
    )
    names = ("intervals that hold the truth", "mean width", "truth below", "truth above")
    lines = join(
        tag("tr", tag("th", name, scope="row"), tag("td", tag("output", value, id=f"level-{key}"),
            class_="number"))
        for name, (key, value) in zip(names, facts, strict=True)
    )  # fmt: skip
    panel = tag("div", level, tag("table", tag("tbody", lines), class_="outcomes"), class_="panel",
                id="level-trust")  # fmt: skip
    return section("trust", _TITLE, lead, panel, _levels(found), _widths(found))


def _levels(found: NumberTrust) -> Html:
    across = Scale(float(found.levels[0]), 1.0)
    up_to = Scale(0.0, 1.0)
    ends = [across.low, across.high]
    chart = plot(
        "Share of the rows that intervals hold, by their level",
        Axis(across, "level: what is promised", is_share=True),
        Axis(up_to, "what is held", is_share=True),
        line(across(ends), up(up_to, ends), "soft"),
        line(across(found.levels), up(up_to, found.covered), "blue"),
        tag("path", d="M0 0V1000", class_="marker", id="level-marker"),
        id_="level-curve",
    )
    shown = [k for k in range(len(found.levels)) if k % 5 == 0 or k == len(found.levels) - 1]
    rows = [
        (percent(found.levels[k], 0), percent(found.covered[k]), number(found.mean_width[k]))
        for k in shown
    ]
    caption = "On the grey line, intervals hold what they promise; below it they are too narrow."
    if found.n_level_rows < found.n_rows:
        caption += f" By {found.n_level_rows:,} rows, drawn at random."
    return figure(chart, caption, numbers(table(("level", "held", "mean width"), rows)))


def _widths(found: NumberTrust) -> Html:
    n = len(found.widths) - 1
    counts = _width_counts(found, n)
    said = words(
        f"Act only where the {percent(found.coverage, 0)} interval is no wider than so much, and "
        "leave the other rows to someone else."
    )
    slider = _slider("width", "Widest interval to act on", n, 0, n, number(found.widths[n]))
    error = tag(
        "p",
        "Mean absolute error of the rows that are acted on: ",
        tag("output", number(found.mean_error[n]), id="width-error"),
    )
    panel = tag(
        "div", slider, outcome_bar("width-outcomes", WIDTH_OUTCOMES, counts), error, class_="panel",
        id="width-trust",
    )  # fmt: skip
    shown = range(0, n + 1, max(1, n // 20))
    rows = [
        (number(found.widths[k]), *(percent(c / found.n_rows) for c in _width_counts(found, k)),
         number(found.mean_error[k]))
        for k in shown
    ]  # fmt: skip
    listed = numbers(table(("width", *WIDTH_OUTCOMES, "mean absolute error"), rows))
    return join((tag("h3", "Narrow intervals only"), said, panel, listed))


def _width_counts(found: NumberTrust, k: int) -> tuple[int, int, int]:
    held, missed = int(found.n_held[k]), int(found.n_missed[k])
    return held, found.n_rows - held - missed, missed
