"""How good it is."""

from collections.abc import Iterator

from bayeswood.report.page.render.chart import Axis, Scale, dots, figure, line, plot, up
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
from bayeswood.report.page.summary.scores import ClassLine, Score, ScoreSummary


def render_scores(found: ScoreSummary, target: str) -> Html:
    """The section."""
    lead = (
        f"By {plural(found.n_rows, 'row')}. In brackets the {percent(found.confidence, 0)} "
        "interval of each score, over bootstrap samples of the rows. If the model was fitted to "
        "these rows, the scores are better than those of new ones."
    )
    rows = [(s.name, shown(s), between(s), s.words) for s in found.scores]
    parts = [_score_table(rows), *_out_of_bag(found)]
    parts += [_classes(found)] if found.classes else [_scatter(found, target)]
    return section("scores", "How good it is", lead, *parts)


def shown(score: Score) -> str:
    """A score, in percent if it is a share."""
    return percent(score.value) if score.is_share else number(score.value)


def between(score: Score) -> str:
    """Its interval."""
    if score.lower != score.lower:
        return "–"
    if score.is_share:
        return f"{100 * score.lower:.1f} to {percent(score.upper)}"
    return f"{number(score.lower)} to {number(score.upper)}"


def _score_table(rows: list[tuple[str, str, str, str]]) -> Html:
    body = join(
        tag(
            "tr",
            tag("th", name, tag("small", said), scope="row"),
            tag("td", tag("b", value), " ", tag("span", f"({ends})", class_="soft")),
        )
        for name, value, ends, said in rows
    )
    head = tag("tr", *(tag("th", t, scope="col") for t in ("score", "value")))
    inside = tag("table", tag("thead", head), tag("tbody", body), class_="scores")
    return tag("div", inside, class_="scroll", tabindex="0")


def _out_of_bag(found: ScoreSummary) -> Iterator[Html]:
    if found.out_of_bag is None:
        return
    is_accuracy = bool(found.classes)
    value = percent(found.out_of_bag) if is_accuracy else number(found.out_of_bag)
    name = "accuracy" if is_accuracy else "R²"
    yield words(
        f"At fit, each training row was judged by the trees that had left it out: {name} {value}. "
        "Rows like those of training come near it.",
        class_="note",
    )


def _classes(found: ScoreSummary) -> Html:
    rows = [
        (
            one.name,
            count(one.n_true),
            count(one.n_predicted),
            _of(one.n_right, one.n_true),
            _of(one.n_right, one.n_predicted),
        )
        for one in found.classes
    ]
    head = ("class", "rows", "predicted", "of its rows found", "of its predictions right")
    hidden = found.n_hidden_classes
    more = words(f"And {plural(hidden, 'more class')}.", class_="note") if hidden else None
    parts = (tag("h3", "Class by class"), table(head, rows, caption="Classes"), more)
    return join((*parts, _confusion(found)))


def _of(part: int, whole: int) -> str:
    return percent(part / whole) if whole else "–"


def _confusion(found: ScoreSummary) -> Html:
    lines = [_confusion_line(one, found, k) for k, one in enumerate(found.classes)]
    head = tag(
        "tr",
        tag("th", "true ↓ predicted →", scope="col"),
        *(tag("th", one.name, scope="col", class_="number") for one in found.classes),
    )
    inside = tag(
        "table",
        tag("caption", "What is taken for what", class_="unseen"),
        tag("thead", head),
        tag("tbody", *lines),
        class_="confusion",
    )
    return join(
        (tag("h3", "What is taken for what"), tag("div", inside, class_="scroll", tabindex="0"))
    )


def _confusion_line(one: ClassLine, found: ScoreSummary, k: int) -> Html:
    cells = [
        tag(
            "td",
            count(n),
            class_="number right" if j == k else "number",
            style=f"--share:{n / max(one.n_true, 1):.3f}",
        )
        for j, n in enumerate(found.confusion[k].tolist())
    ]
    return tag("tr", tag("th", one.name, scope="row"), *cells)


def _scatter(found: ScoreSummary, target: str) -> Html:
    predicted, true = found.dots[:, 0], found.dots[:, 1]
    scale = Scale.around(predicted, true)
    ends = [scale.low, scale.high]
    chart = plot(
        f"Predicted and true {target}",
        Axis(scale, "predicted"),
        Axis(scale, f"true {target}"),
        line(scale(ends), up(scale, ends), "soft"),
        dots(scale(predicted), up(scale, true), "blue pale"),
    )
    caption = f"{plural(len(true), 'row')}; on the line, prediction and truth are the same."
    rows = [
        (number(p, 6), number(t, 6), number(p - t))
        for p, t in found.dots[: min(len(found.dots), 50)].tolist()
    ]
    listed = numbers(
        table(("predicted", "true", "error"), rows, texts=0),
        f"Numbers of the first {plural(len(rows), 'row')}",
    )
    return join((tag("h3", "Prediction and truth"), figure(chart, caption, listed)))
