"""Reliability, and what was promised and kept by region."""

import numpy as np

from bayeswood.report.page.render.chart import (
    Axis,
    Scale,
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
    breakable,
    count,
    join,
    numbers,
    percent,
    section,
    table,
    tag,
    words,
)
from bayeswood.report.page.summary.regions import Region, RegionSummary
from bayeswood.uncertainty import Reliability

_TITLE = "Does it keep its word, and where?"


def render_regions(found: RegionSummary | None, is_classifier: bool) -> Html:
    """The section."""
    if found is None:
        return section("regions", _TITLE, "This model promises nothing that could be checked.")
    what = (
        "Of all predictions made with a probability of 80%, four in five should be right: among "
        "all rows, and among those of any region."
        if is_classifier
        else "Intervals should hold what they promise among all rows, and among those of any "
        "region."
    )
    parts = [_reliability(found.reliability)] if found.reliability is not None else []
    return section("regions", _TITLE, what, *parts, _regions(found, is_classifier))


def _reliability(found: Reliability) -> Html:
    unit = Scale(0.0, 1.0)
    x, ends = unit(found.mean_probability), [0.0, 1.0]
    bands = join(
        line([at, at], [low, high], "whisker blue")
        for at, low, high in zip(x, up(unit, found.lower), up(unit, found.upper), strict=True)
    )
    chart = plot(
        f"Probability and frequency of {found.name}",
        Axis(unit, f"probability of {found.name}", is_share=True),
        Axis(unit, "how often it happened", is_share=True),
        line(unit(ends), up(unit, ends), "soft"),
        bands,
        dots(x, up(unit, found.frequency), "blue large"),
    )
    rows = [
        (percent(p), percent(f), f"{100 * low:.1f} to {percent(high)}", count(n))
        for p, f, low, high, n in zip(
            found.mean_probability, found.frequency, found.lower, found.upper, found.n_cases,
            strict=True,
        )
    ]  # fmt: skip
    head = ("mean probability", "frequency", "its interval", "rows")
    caption = (
        "Groups of rows with like probabilities: on the grey line they are right. The mean "
        f"distance from it is {percent(found.error)}; right probabilities would have "
        f"{percent(found.error_by_chance)} by chance."
    )
    return figure(chart, caption, numbers(table(head, rows)))


def _regions(found: RegionSummary, is_classifier: bool) -> Html:
    ends = [v for r in found.regions for v in (r.lower, r.upper, r.promised)]
    scale = Scale(max(0.0, min(ends) - 0.02), 1.0)
    n_off = sum(region.is_off for region in found.regions)
    kept = "right" if is_classifier else "held"
    head = ("rows", f"promised (line) and {kept} (dot)", kept)
    shown = strips(
        head,
        strip_axis(scale, is_share=True),
        (_line(scale, region) for region in found.regions),
        "Promised and kept, by region",
    )
    said = words(
        f"Dots are what was {kept}, with its {percent(found.confidence, 0)} interval; the upright "
        f"line is what was promised. Of {len(found.regions)} groups, {n_off} "
        f"{'is' if n_off == 1 else 'are'} off the promise (crimson); one in twenty is by chance."
    )
    rows = [
        (_name(r), count(r.n_rows), percent(r.promised), percent(r.kept),
         f"{100 * r.lower:.1f} to {percent(r.upper)}")
        for r in found.regions
    ]  # fmt: skip
    listed = numbers(table(("rows", "number", "promised", kept, "its interval"), rows))
    return join((tag("h3", "By region"), said, shown, listed))


def _name(region: Region) -> str:
    return f"{region.kind}: {region.name}" if region.name else region.kind


def _line(scale: Scale, region: Region) -> tuple[Html, Html, str]:
    colour = "crimson" if region.is_off else "blue"
    at = float(np.asarray(scale(region.promised)))
    marks = (
        tag("path", d=f"M{at:.0f} 120V880", class_="promise"),
        whisker(scale, region.lower, region.kept, region.upper, colour),
    )
    name = tag(
        "span",
        breakable(region.kind),
        tag("span", f" {region.name}", class_="part") if region.name else None,
        tag("small", f" {region.n_rows:,}", class_="soft"),
    )
    star = " *" if region.is_off else ""
    return name, strip(scale, *marks), f"{percent(region.kept)}{star}"
