"""How the model was made, and how to load it."""

from bayeswood.report.page.render.markup import Html, join, numbers, pairs, section, table, tag
from bayeswood.report.page.summary.settings import SettingsSummary


def render_settings(found: SettingsSummary) -> Html:
    """The section."""
    lead = "What it takes to know this model again, and to use it."
    changed = [(s.name, s.value) for s in found.settings if not s.is_default]
    rest = [(s.name, s.value) for s in found.settings if s.is_default]
    facts: list[tuple[object, object]] = [("estimator", tag("code", found.estimator))]
    if found.data_file is not None:
        facts.append(("rows of this report", tag("code", found.data_file)))
    if found.seed is not None:
        facts.append(("seed of the fit", str(found.seed)))
    facts.append(("SHA-256 of the trees", tag("code", found.digest)))
    facts += list(found.report)
    facts.append(("versions", ", ".join(f"{name} {version}" for name, version in found.versions)))
    title = "Parameters at their defaults" if changed else "Parameters, all at their defaults"
    parts = [
        pairs(facts),
        tag("h3", "Parameters"),
        table(("parameter", "value"), changed, texts=2) if changed else None,
        numbers(table(("parameter", "value"), rest, texts=2), title) if rest else None,
        tag("h3", "Load it"),
        tag("pre", tag("code", _code(found))),
    ]
    return section("settings", "Settings and versions", lead, join(parts))


def _code(found: SettingsSummary) -> str:
    asked = ["model.predict(X)"]
    asked.append("model.predict_proba(X)" if found.is_classifier else "model.predict_interval(X)")
    return "\n".join(
        ("import bayeswood", "", f"model = bayeswood.load({found.model_file!r})", *asked)
    )
