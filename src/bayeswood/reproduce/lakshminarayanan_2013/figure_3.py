"""Section 4.1.2 and Figure 3: irrelevant features."""

from collections.abc import Sequence

from bayeswood.reproduce.checks import Check, Compute, check_claims
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.lakshminarayanan_2013.drawing import draw_curves
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    MADELON,
    Curve,
    Setting,
    best,
    mean,
    optimal_curve,
    p_above,
    prior_curve,
    units_of,
    values,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import listing, named, shown
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.verdict import LEVEL, short_p


def priors(plan: Plan) -> Curve:
    """More particles than on other sets, so that they take as long as the optimal proposal's."""
    more = (5000,) if plan.quick else (5000, 10_000)
    return [*prior_curve(plan), *(Setting("prior", size) for size in more)]


def optimals(plan: Plan) -> Curve:
    """Fewer particles too, for the same reason."""
    return [*(Setting("optimal", size) for size in (1, 2)), *optimal_curve(plan)]


def figure_3_units(plan: Plan) -> Sequence[Unit]:
    """A setting each."""
    return units_of([MADELON], [*priors(plan), *optimals(plan)], plan)


def find_figure_3(found: Found, plan: Plan) -> Finding:
    """Claims of section 4.1.2."""
    checks = [check for column in ("log p", "accuracy") for check in _checks(column)]
    settings = [*priors(plan), *optimals(plan)]
    panels = [(MADELON, across, up) for up in ("log p", "accuracy") for across in _ACROSS]
    picture = draw_curves(
        found, settings, panels, "figure-3",
        "Figure 3: madelon. Test log p and accuracy against CPU time of a fit and against "
        "particles.",
    )  # fmt: skip
    return Finding(
        claims=check_claims(checks, found, plan),
        listings=(listing(found, [MADELON], settings),),
        pictures=(picture,),
    )


_ACROSS = ("seconds", "size")


def _checks(column: str) -> list[Check]:
    return [
        Check(
            f"On madelon the optimal proposal requires fewer particles, {column} (4.1.2)",
            "above the prior one at every M that both have (Welch's one-sided test at level "
            f"{LEVEL:g})",
            _at_equal_size(column),
        ),
        Check(
            f"On madelon it outperforms the prior one for a given computational budget, {column} "
            "(4.1.2)",
            "from the CPU time of its smallest filter on, its best within the time of each filter "
            "of the prior one is higher in the mean",
            _at_equal_time(column),
        ),
    ]


def _at_equal_size(column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        own = {each.size for each in optimals(plan)}
        common = sorted(own.intersection(each.size for each in priors(plan)))
        texts, ps = [], []
        for size in common:
            two = [values(found, MADELON, Setting(m, size), column) for m in ("optimal", "prior")]
            ps.append(p_above(*two))
            texts.append(f"M = {size}: " + ", ".join(shown(each.mean(), column) for each in two))
        return max(ps) < LEVEL, f"{'; '.join(texts)}; largest p {short_p(max(ps))}"

    return compute


def _at_equal_time(column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        lines, holds = [], []
        for rival in priors(plan):
            budget = mean(found, MADELON, rival, "seconds")
            within = [e for e in optimals(plan) if mean(found, MADELON, e, "seconds") <= budget]
            if not within:
                continue
            own = best(found, MADELON, within, column)
            scores = [mean(found, MADELON, each, column) for each in (own, rival)]
            holds.append(scores[0] > scores[1])
            lines.append(
                f"{shown(scores[0], column)} ({named(own)}) and {shown(scores[1], column)} "
                f"({named(rival)}) in {budget:.2g} s"
            )
        return bool(holds) and all(holds), "; ".join(lines) or "no filter took so long"

    return compute
