"""Single cases: a table that the page's script fills, sorts and searches."""

from bayeswood.report.page.render.markup import Html, percent, plural, section, tag, words
from bayeswood.report.page.summary.cases import CaseSummary


def render_cases(found: CaseSummary, outcomes: tuple[str, ...]) -> Html:
    """The section."""
    n_cases = len(found.cases)
    which = (
        f"All {plural(n_cases, 'row')}."
        if n_cases == found.n_rows
        else f"{n_cases:,} of {found.n_rows:,} rows: three in five at random, the others those "
        "with no data near, the surest errors and the least sure."
    )
    lead = f"{which} Open a row to see what moved its prediction."
    controls = tag(
        "div",
        tag("label", "Search ", tag("input", type="search", id="case-search", autocomplete="off",
            placeholder="class, column, value or row number")),
        tag("label", "Show ", tag("select", tag("option", "all outcomes", value=""),
            *(tag("option", name, value=k) for k, name in enumerate(outcomes)),
            id="case-filter", autocomplete="off")),
        class_="controls",
    )  # fmt: skip
    shown = tag("div", tag("table", id="case-table"), class_="scroll", tabindex="0")
    pages = tag(
        "div",
        tag("button", "← Previous", type="button", id="case-previous"),
        tag("span", id="case-count", role="status"),
        tag("button", "Next →", type="button", id="case-next"),
        class_="pages",
    )
    without = tag("noscript", words("The table of cases needs JavaScript."))
    note = words(
        f"Bands and intervals hold {percent(found.coverage, 0)}. Rows are counted from 0.",
        class_="note",
    )
    return section("cases", "Single cases", lead, controls, shown, pages, without, note)
