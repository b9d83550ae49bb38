"""The top of the page: what the model is, and the report in a few sentences."""

from collections.abc import Iterator

from bayeswood.report.names import listing, member_words
from bayeswood.report.page.render.markup import Html, breakable, join, number, percent, plural, tag
from bayeswood.report.page.render.scores import between, shown
from bayeswood.report.page.summary.report import ReportSummary
from bayeswood.report.page.summary.trust import ClassTrust, NumberTrust


def render_overview(found: ReportSummary) -> Html:
    """Title, what the model is, and tiles with the main numbers."""
    members = member_words(found.trees.n_members, found.trees.trees_per_member).counted
    about = found.about
    said = (
        tag("b", found.settings.estimator),
        f" of {members} predicts ",
        tag("b", found.data.target),
        f" from {plural(found.data.n_columns, 'column')}. Here it is judged by ",
        f"{plural(found.data.n_rows, 'row')}",
        f", on {about.date}." if about.date else ".",
    )
    return tag(
        "header",
        tag("h1", about.title),
        tag("p", *said, class_="lead"),
        tag("div", join(_tiles(found)), class_="tiles"),
        id="top",
    )


def _tile(value: str, name: str, said: str, href: str) -> Html:
    inside = (tag("b", breakable(value)), tag("span", name, class_="name"), tag("small", said))
    return tag("a", *inside, href=f"#{href}", class_="tile")


def _tiles(found: ReportSummary) -> Iterator[Html]:
    first = found.scores.scores[0] if found.is_classifier else found.scores.scores[2]
    interval = f"{percent(found.scores.confidence, 0)} interval {between(first)}"
    yield _tile(shown(first), first.name, interval, "scores")
    if isinstance(found.trust, ClassTrust):
        yield _confident(found.trust)
    elif isinstance(found.trust, NumberTrust):
        yield _held(found.trust)
    if found.support is not None:
        share = found.support.n_alone / found.support.n_rows
        usual = f"{found.support.n_alone:,} rows; {percent(found.support.below, 0)} are usual"
        yield _tile(percent(share), "no data near", usual, "support")
    names = [one.name for one in found.drivers.importances[:3]]
    if names:
        yield _tile(
            names[0], "drives it most", f"then {listing(names[1:])}" if names[1:] else "", "drivers"
        )


def _confident(trust: ClassTrust) -> Html:
    at = min(max(round(trust.gamma0 * trust.steps), trust.first), trust.steps) - trust.first
    right, wrong = int(trust.n_correct[at]), int(trust.n_incorrect[at])
    among = f"{wrong / (right + wrong):.1%} of those are wrong" if right + wrong else "none is"
    share = percent((right + wrong) / trust.n_rows)
    return _tile(share, f"confident at γ₀ = {trust.gamma0:g}", among, "trust")


def _held(trust: NumberTrust) -> Html:
    at = int(abs(trust.levels - trust.coverage).argmin())
    width = f"mean width {number(float(trust.mean_width[at]))}"
    name = f"of the {percent(trust.coverage, 0)} intervals hold"
    return _tile(percent(float(trust.covered[at])), name, width, "trust")
