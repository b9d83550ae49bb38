"""The data as the model saw them."""

from collections.abc import Iterator

from bayeswood.report.page.render.chart import bars, drawing, figure, share_bar
from bayeswood.report.page.render.markup import (
    Html,
    count,
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
from bayeswood.report.page.summary.data import Bars, ColumnSummary, DataSummary

# Columns that are not folded away.
_N_COLUMNS = 20


def render_data(found: DataSummary) -> Html:
    """The section."""
    lead = (
        f"{plural(found.n_rows, 'row')} with {plural(found.n_columns, 'column')}, read as the "
        "training table was. Text is a category; a missing value needs no imputation."
    )
    return section("data", "The data, as the model saw them", lead, *_parts(found))


def _parts(found: DataSummary) -> Iterator[Html]:
    if found.n_given > found.n_rows:
        yield words(
            f"These are {found.n_rows:,} of {found.n_given:,} rows, drawn at random; all that "
            "follows is about them.",
            class_="note",
        )
    if found.is_weighted:
        yield words(
            "Scores count rows by their weights; shares of rows elsewhere count them alike.",
            class_="note",
        )
    if found.notes:
        yield tag("ul", join(tag("li", note) for note in found.notes), class_="notes")
    yield _response(found)
    yield tag("h3", "Columns")
    if found.n_columns > len(found.columns):
        yield words(
            f"The {len(found.columns)} of {found.n_columns:,} columns that trees use most.",
            class_="note",
        )
    first, others = _by_use(found.columns)
    yield _columns(first)
    if others:
        said = f"{plural(len(others), 'column')} that trees use less"
        yield tag("details", tag("summary", said), _columns(others))


def _by_use(
    columns: tuple[ColumnSummary, ...],
) -> tuple[list[ColumnSummary], list[ColumnSummary]]:
    """The columns that trees use most, and the others, both in the order of the table."""
    ranked = sorted(columns, key=lambda column: -column.importance)
    least = ranked[:_N_COLUMNS][-1].importance if ranked else 0.0
    first = [column for column in columns if column.importance >= least][:_N_COLUMNS]
    return first, [column for column in columns if column not in first]


def _columns(columns: list[ColumnSummary]) -> Html:
    head = ("column", "kind", "rows", "missing", "values", "least", "median", "largest", "notes")
    return table(head, map(_column, columns), texts=3, caption="Columns", class_="columns")


def _response(found: DataSummary) -> Html:
    shown = found.response
    title = tag("h3", "What is predicted: ", tag("b", found.target))
    if shown.labels:
        return join((title, _levels(shown, found.n_rows)))
    caption = f"{found.target} from {number(shown.low)} to {number(shown.high)}"
    chart = tag("div", drawing(bars(shown.counts), label=caption), class_="histogram")
    wide = (shown.high - shown.low) / max(len(shown.counts), 1)
    rows = [
        (f"{number(shown.low + k * wide)} to {number(shown.low + (k + 1) * wide)}", count(n))
        for k, n in enumerate(shown.counts)
    ]
    return join((title, figure(chart, caption, numbers(table((found.target, "rows"), rows)))))


def _levels(shown: Bars, n_rows: int) -> Html:
    rows = [
        (label, share_bar(n / n_rows), f"{n:,} ({percent(n / n_rows)})")
        for label, n in zip(shown.labels, shown.counts, strict=True)
    ]
    if shown.n_others:
        share = shown.n_others / n_rows
        rows.append(("others", share_bar(share), f"{shown.n_others:,} ({percent(share)})"))
    return table(("class", "share", "rows"), rows, caption="Classes", class_="shares", texts=2)


def _column(column: ColumnSummary) -> tuple[object, ...]:
    n_rows = sum(column.bars.counts) + column.bars.n_others + column.n_missing
    missing = f"{column.n_missing:,}" if column.n_missing else "–"
    if column.n_missing:
        missing += f" ({percent(column.n_missing / max(n_rows, 1), 0)})"
    levels = " levels" if column.kind == "category" else ""
    return (
        column.name,
        column.kind,
        tag("div", drawing(bars(column.bars.counts or (0,))), class_="spark"),
        missing,
        f"{column.n_distinct:,}{levels}",
        number(column.low),
        number(column.median),
        number(column.high),
        tag("span", _column_words(column), class_="cell-note"),
    )


def _column_words(column: ColumnSummary) -> str:
    shown = list(column.notes)
    if column.bars.labels:
        shown.insert(0, "commonest " + ", ".join(column.bars.labels[:3]))
    return "; ".join(shown)
