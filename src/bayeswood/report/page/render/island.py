"""What the page's script needs, as JSON that no value can break out of."""

import json
from typing import Any

import numpy as np

from bayeswood.report.page.render.trust import OUTCOMES, WIDTH_OUTCOMES
from bayeswood.report.page.summary.cases import Case
from bayeswood.report.page.summary.report import ReportSummary
from bayeswood.report.page.summary.trust import ClassTrust, NumberTrust
from bayeswood.report.summarize import to_plain
from bayeswood.uncertainty import NO_DATA_BELOW

# In a script, "</script>" or "<!--" would end or change it; JSON has another way to write them.
_WRITTEN = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
_DIGITS = 6


def data_island(found: ReportSummary) -> str:
    """The numbers behind sliders and cases."""
    plain = {
        "trust": _trust(found.trust),
        "outcomes": outcome_names(found),
        "noDataBelow": NO_DATA_BELOW,
        "explains": found.cases.explains,
        "cases": [_case(case) for case in found.cases.cases],
    }
    text = json.dumps(to_plain(plain), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_WRITTEN)


def outcome_names(found: ReportSummary) -> tuple[str, ...]:
    """What may become of a case."""
    if found.is_classifier:
        return OUTCOMES
    return ("held", "missed") if found.trust is not None else ()


def _trust(trust: ClassTrust | NumberTrust | None) -> dict[str, Any] | None:
    if trust is None:
        return None
    if isinstance(trust, ClassTrust):
        return {
            "kind": "classes",
            "rows": trust.n_rows,
            "first": trust.first,
            "steps": trust.steps,
            "right": trust.n_correct,
            "wrong": trust.n_incorrect,
        }
    return {
        "kind": "numbers",
        "rows": trust.n_rows,
        "levels": _rounded(trust.levels),
        "held": trust.covered,
        "below": trust.below,
        "above": trust.above,
        "meanWidth": _rounded(trust.mean_width),
        "widths": _rounded(trust.widths),
        "nHeld": trust.n_held,
        "nMissed": trust.n_missed,
        "meanError": _rounded(trust.mean_error),
        "names": WIDTH_OUTCOMES,
    }


def _case(case: Case) -> dict[str, Any]:
    """In little room: lists in the order that the script knows."""
    return {
        "row": case.row,
        "actual": case.actual,
        "predicted": case.predicted,
        "p": _short(case.probability),
        "gamma": case.agreement,
        "right": case.is_correct,
        "low": _short(case.lower),
        "high": _short(case.upper),
        "support": _short(case.support),
        "chances": [
            [c.name, *map(_short, (c.probability, c.lower, c.upper))] for c in case.chances
        ],
        "base": _short(case.base),
        "reasons": [
            [r.name, r.value, *map(_short, (r.added, r.lower, r.upper))] for r in case.reasons
        ],
        "others": _short(case.others),
    }


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_DIGITS}g}")


def _rounded(values: Any) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in np.asarray(values, dtype=float).tolist()]
