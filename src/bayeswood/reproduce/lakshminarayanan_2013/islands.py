"""Section 4.1.3, Figure 4 and Appendix C: islands."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from bayeswood.reproduce.checks import Check, Compute, check_claims
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.lakshminarayanan_2013.drawing import draw_islands
from bayeswood.reproduce.lakshminarayanan_2013.printed import NAMES
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    ISLANDS_TOTAL,
    Curve,
    Setting,
    islands_curve,
    mean,
    p_above,
    units_of,
    values,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import gained, listing, shown
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.verdict import LEVEL, short_p

# Particles of an island, and islands from which on they are said to outperform one.
_ENOUGH, _SEVERAL = 100, 5
_ONE = Setting("prior", ISLANDS_TOTAL, 1)


def islands_units(data: str) -> Callable[[Plan], Sequence[Unit]]:
    """A number of islands each."""
    return lambda plan: units_of([data], islands_curve(plan), plan)


def find_islands(data: str, name: str, title: str) -> Callable[[Found, Plan], Finding]:
    """Claims of section 4.1.3 about a data set."""

    def find(found: Found, plan: Plan) -> Finding:
        checks = [check for column in ("log p", "accuracy") for check in _checks(data, column)]
        checks.append(
            Check(
                f"Averaging islands reduces variance, {NAMES[data]} (4.1.3)",
                f"variance of log p over the repeats with the most islands of {_ENOUGH} particles "
                f"or more, below that of one filter (F test at level {LEVEL:g})",
                _less_variance(data),
            )
        )
        caption = f"{title}: test scores on {NAMES[data]} against islands, M = {ISLANDS_TOTAL:,}."
        return Finding(
            claims=check_claims(checks, found, plan),
            listings=(listing(found, [data], islands_curve(plan)),),
            pictures=(draw_islands(found, data, islands_curve(plan), name, caption),),
        )

    return find


def _checks(data: str, column: str) -> list[Check]:
    return [
        Check(
            f"Performance drops sharply with fewer than {_ENOUGH} particles per island, "
            f"{NAMES[data]}, {column} (4.1.3 i)",
            f"at the largest M/I below {_ENOUGH} more than half of what islands have gained over "
            "one filter is lost",
            _sharp_drop(data, column),
        ),
        Check(
            f"With M/I >= {_ENOUGH} the choices of I in [5, 100] outperform I = 1, "
            f"{NAMES[data]}, {column} (4.1.3 ii)",
            f"every such I from {_SEVERAL} on (Welch's one-sided test at level {LEVEL:g}); with "
            f"M = {ISLANDS_TOTAL:,} that is up to {ISLANDS_TOTAL // _ENOUGH}, not 100",
            _outperform(data, column),
        ),
    ]


def _large_enough(plan: Plan) -> Curve:
    return [e for e in islands_curve(plan) if e.n_islands > 1 and e.size / e.n_islands >= _ENOUGH]


def _too_small(plan: Plan) -> Curve:
    return [e for e in islands_curve(plan) if e.size / e.n_islands < _ENOUGH]


def _sharp_drop(data: str, column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        one = mean(found, data, _ONE, column)
        top = max(mean(found, data, each, column) for each in _large_enough(plan))
        lost = {
            f"{each.size / each.n_islands:g}": top - mean(found, data, each, column)
            for each in _too_small(plan)
        }
        texts = [f"{gained(-loss, column)} at M/I = {share}" for share, loss in lost.items()]
        holds = next(iter(lost.values())) > (top - one) / 2 > 0
        return holds, f"gained {gained(top - one, column)}; {', '.join(texts)}"

    return compute


def _outperform(data: str, column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        one = values(found, data, _ONE, column)
        several = [each for each in _large_enough(plan) if each.n_islands >= _SEVERAL]
        ps = [p_above(values(found, data, each, column), one) for each in several]
        texts = [
            f"{shown(mean(found, data, each, column), column)} (I = {each.n_islands})"
            for each in (_ONE, *several, *_too_small(plan))
        ]
        return max(ps) < LEVEL, f"{', '.join(texts)}; largest p {short_p(max(ps))}"

    return compute


def _less_variance(data: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        many = _large_enough(plan)[-1]
        one, more = (values(found, data, each, "log p") for each in (_ONE, many))
        ratio = float(one.var(ddof=1) / more.var(ddof=1))
        p = float(stats.f.sf(ratio, len(one) - 1, len(more) - 1))
        spreads = [float(np.std(each, ddof=1)) for each in (one, more)]
        text = f"standard deviation {spreads[0]:.4f} (I = 1), {spreads[1]:.4f} (I = "
        return p < LEVEL, f"{text}{many.n_islands}), p {short_p(p)}"

    return compute
