"""Section 4.1.1: trends over proposals, expansions and particles, in log p and in accuracy."""

import numpy as np

from bayeswood.reproduce.checks import Check, Compute
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    F64,
    TWO_SETS,
    Curve,
    Setting,
    best,
    layered,
    mean,
    optimal_curve,
    p_above,
    prior_curve,
    values,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import (
    CLOSE,
    by_data,
    gained,
    limit,
    named,
    shown,
)
from bayeswood.reproduce.paper import Found, Plan
from bayeswood.reproduce.verdict import LEVEL, short_p

# A tenth of ten particles is one, and the effective sample size is never less.
NEVER_RESAMPLED = 10
_FEW = 10


def trends(column: str) -> list[Check]:
    """What is said of log p, and of accuracy in Appendix B."""
    where = "4.1.1" if column == "log p" else "4.1.1, Appendix B"
    return [
        Check(
            f"Node-wise expansion outperforms layer-wise expansion with the prior proposal, "
            f"{column} ({where})",
            f"at every M above {NEVER_RESAMPLED}, on both sets (Welch's one-sided test at level "
            f"{LEVEL:g})",
            _node_wise(column),
        ),
        Check(
            f"With the optimal proposal both perform similarly, {column} ({where})",
            f"means differ by less than {limit(CLOSE[column], column)} at every M, on both sets",
            _alike(column),
        ),
        Check(
            f"The optimal proposal requires fewer particles than the prior one, {column} ({where})",
            f"the fewest particles with which the prior one has, in the mean, what the optimal one "
            f"has with {_FEW}: more than {_FEW}",
            _fewer(column),
        ),
        Check(
            f"The prior proposal is the better bargain per second, {column} ({where})",
            "within the CPU time of the optimal proposal's best fit the prior one's best is higher "
            "in the mean, on both sets",
            _bargain(column),
        ),
        Check(
            f"The optimal proposal is near its best with M = {_FEW}, {column} ({where})",
            f"its best mean over M is less than {limit(CLOSE[column], column)} higher",
            _saturates(column),
        ),
    ]


def expansion_pairs(found: Found, data: str, plan: Plan, column: str) -> list[tuple[F64, F64]]:
    """Repeats of node-wise and layer-wise filters, prior proposal, at each M that is resampled."""
    node = [each for each in prior_curve(plan) if each.size > NEVER_RESAMPLED]
    return [
        (values(found, data, one, column), values(found, data, two, column))
        for one, two in zip(node, layered(node), strict=True)
    ]


def _node_wise(column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        ps, texts = [], {}
        for data in TWO_SETS:
            both = expansion_pairs(found, data, plan, column)
            ps.append(max(p_above(*pair) for pair in both))
            gain = float(np.mean([node.mean() - layer.mean() for node, layer in both]))
            texts[data] = f"{gained(gain, column)} over all M, largest p {short_p(ps[-1])}"
        return max(ps) < LEVEL, by_data(texts)

    return compute


def _alike(column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        curve = optimal_curve(plan)
        largest = {
            data: max(
                (mean(found, data, node, column) - mean(found, data, layer, column)
                 for node, layer in zip(curve, layered(curve), strict=True)),
                key=abs,
            )
            for data in TWO_SETS
        }  # fmt: skip
        holds = all(abs(value) < CLOSE[column] for value in largest.values())
        return holds, by_data({
            data: f"node-wise less layer-wise {gained(value, column)} at most"
            for data, value in largest.items()
        })  # fmt: skip

    return compute


def _fewer(column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        few, texts, needed = Setting("optimal", _FEW), {}, []
        for data in TWO_SETS:
            goal = mean(found, data, few, column)
            reached = [e for e in prior_curve(plan) if mean(found, data, e, column) >= goal]
            needed.append(reached[0].size if reached else np.inf)
            with_prior = f"{reached[0].size:,}" if reached else "no M tried"
            texts[data] = f"{shown(goal, column)}, by the prior one with {with_prior}"
        return min(needed) > _FEW, by_data(texts)

    return compute


def bargains(found: Found, pair: tuple[Curve, Curve], column: str) -> tuple[bool, str]:
    """Whether on both sets the first curve is ahead within the time of the second's best fit."""
    told = {data: _bargain_on(found, data, pair, column) for data in TWO_SETS}
    return all(ok for ok, _ in told.values()), by_data({d: t for d, (_, t) in told.items()})


def _bargain_on(
    found: Found, data: str, pair: tuple[Curve, Curve], column: str
) -> tuple[bool, str]:
    theirs = best(found, data, pair[1], column)
    budget = mean(found, data, theirs, "seconds")
    within = [each for each in pair[0] if mean(found, data, each, "seconds") <= budget]
    goal = mean(found, data, theirs, column)
    text = f"{shown(goal, column)} ({named(theirs)}, {budget:.2g} s)"
    if not within:
        return False, f"{text}, nothing of the other in that time"
    ours = best(found, data, within, column)
    reached, seconds = (mean(found, data, ours, key) for key in (column, "seconds"))
    return reached > goal, f"{text}, {shown(reached, column)} ({named(ours)}, {seconds:.2g} s)"


def _bargain(column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        return bargains(found, (prior_curve(plan), optimal_curve(plan)), column)

    return compute


def _saturates(column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        lacking = {}
        for data in TWO_SETS:
            top = best(found, data, optimal_curve(plan), column)
            few = mean(found, data, Setting("optimal", _FEW), column)
            lacking[data] = mean(found, data, top, column) - few
        texts = {data: f"{gained(value, column)} at best" for data, value in lacking.items()}
        return max(lacking.values()) < CLOSE[column], by_data(texts)

    return compute
