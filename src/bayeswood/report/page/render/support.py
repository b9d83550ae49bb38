"""Where there are no data near."""

from bayeswood.report.page.render.chart import bars, drawing, figure
from bayeswood.report.page.render.markup import (
    Html,
    count,
    join,
    numbers,
    percent,
    section,
    table,
    tag,
    words,
)
from bayeswood.report.page.summary.support import SupportSummary

_TITLE = "Where it has seen nothing like it"


def render_support(found: SupportSummary | None) -> Html:
    """The section."""
    if found is None:
        lead = "This model kept no training rows, so it cannot tell where no data are near."
        return section("support", _TITLE, lead)
    lead = (
        "Trees may agree with each other far from all data, and be wrong together. Support is the "
        "share of training rows that are no better surrounded by others."
    )
    share = found.n_alone / found.n_rows
    said = words(
        tag("b", f"{found.n_alone:,} of {found.n_rows:,} rows ({percent(share)})"),
        f" have no data near: support below {found.below:g}. Among rows like those of training "
        f"{percent(found.below, 0)} are usual.",
    )
    n_bars = len(found.counts)
    label = "Rows by support, from 0 to 1"
    chart = tag("div", drawing(bars(found.counts), label=label), class_="histogram")
    ends = tag(
        "div", tag("span", "0: no data near"), tag("span", "1: well surrounded"), class_="ends"
    )
    rows = [
        (f"{k / n_bars:.2f} to {(k + 1) / n_bars:.2f}", count(n))
        for k, n in enumerate(found.counts)
    ]
    caption = "Rows by support: level if these rows are like those of training."
    shown = figure(join((chart, ends)), caption, numbers(table(("support", "rows"), rows)))
    return section("support", _TITLE, lead, said, shown, _least(found))


def _least(found: SupportSummary) -> Html | None:
    if not found.least:
        return None
    links = join(
        tag("li", tag("a", f"row {row:,}", href=f"#case-{row}"), f" (support {support:.2g})")
        for row, support in found.least
    )
    return join((words("The loneliest rows:"), tag("ul", links, class_="inline")))
