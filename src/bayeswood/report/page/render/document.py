"""The page as one file: style, sections, numbers and script, and nothing from elsewhere."""

import base64
from hashlib import sha256
from importlib import resources

from bayeswood.report.names import member_words
from bayeswood.report.page.render.cases import render_cases
from bayeswood.report.page.render.data import render_data
from bayeswood.report.page.render.drivers import render_drivers
from bayeswood.report.page.render.island import data_island, outcome_names
from bayeswood.report.page.render.markup import Html, join, tag
from bayeswood.report.page.render.overview import render_overview
from bayeswood.report.page.render.regions import render_regions
from bayeswood.report.page.render.scores import render_scores
from bayeswood.report.page.render.settings import render_settings
from bayeswood.report.page.render.support import render_support
from bayeswood.report.page.render.trees import render_trees
from bayeswood.report.page.render.trust import render_trust
from bayeswood.report.page.summary.report import ReportSummary
from bayeswood.report.palette import CLASS_COLOURS, DARK_COLOURS, PAGE_COLOURS

_ASSETS = "bayeswood.report.page.assets"
_SCRIPTS = ("trust.js", "cases.js")
_SECTIONS = (
    ("data", "Data"),
    ("scores", "How good"),
    ("trust", "When to trust"),
    ("regions", "By region"),
    ("support", "No data near"),
    ("drivers", "What drives it"),
    ("cases", "Cases"),
    ("trees", "Trees"),
    ("settings", "Settings"),
)


def render_document(found: ReportSummary) -> str:
    """The whole page."""
    script = _script()
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content="bayeswood"),
        tag("title", found.about.title),
        tag("style", Html(_style())),
    )
    island = tag("script", Html(data_island(found)), type="application/json", id="report-data")
    body = tag("body", _nav(), tag("main", _sections(found)), island, tag("script", Html(script)))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _sections(found: ReportSummary) -> Html:
    members = member_words(found.trees.n_members, found.trees.trees_per_member).plural
    return join(
        (
            render_overview(found),
            render_data(found.data),
            render_scores(found.scores, found.data.target),
            render_trust(found.trust, members),
            render_regions(found.regions, found.is_classifier),
            render_support(found.support),
            render_drivers(found.drivers),
            render_cases(found.cases, outcome_names(found)),
            render_trees(found.trees),
            render_settings(found.settings),
        )
    )


def _nav() -> Html:
    links = join(tag("li", tag("a", name, href=f"#{key}")) for key, name in _SECTIONS)
    return tag("nav", tag("ul", links), aria_label="Sections")


def _policy(script: str) -> str:
    """What a browser may do for this page: show it, and run its one script. Nothing else."""
    proof = base64.b64encode(sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{proof}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _read(name: str) -> str:
    return resources.files(_ASSETS).joinpath(name).read_text(encoding="utf-8")


def _script() -> str:
    return "".join(f'(function () {{\n"use strict";\n{_read(name)}}})();\n' for name in _SCRIPTS)


def _style() -> str:
    classes = "".join(f".class{k}{{--colour:{colour}}}" for k, colour in enumerate(CLASS_COLOURS))
    light, dark = (_variables(colours) for colours in (PAGE_COLOURS, DARK_COLOURS))
    return (
        f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"@media print{{:root{{{light}}}}}{classes}{_read('page.css')}"
    )


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
