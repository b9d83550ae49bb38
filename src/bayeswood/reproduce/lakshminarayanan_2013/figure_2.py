"""Section 4.1.1, Figure 2 and Appendix B: proposals and expansion."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from bayeswood.reproduce.checks import Check, check_claims
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.lakshminarayanan_2013.drawing import draw_curves
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    TWO_SETS,
    Curve,
    Setting,
    best,
    layered,
    mean,
    optimal_curve,
    p_above,
    p_apart,
    prior_curve,
    units_of,
    values,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import (
    CLOSE,
    by_data,
    gained,
    limit,
    listing,
    named,
    shown,
)
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.verdict import LEVEL, short_p

# A tenth of ten particles is one, and the effective sample size is never less.
_NEVER_RESAMPLED = 10
_FEW = 10
# "Much higher" cost.
_MUCH_COST = 10.0

Compute = Callable[[Found, Plan], tuple[bool, str]]


def curves(plan: Plan) -> list[Setting]:
    """All settings of the figure."""
    node = [*prior_curve(plan), *optimal_curve(plan)]
    return [*node, *layered(node)]


def not_resampled(plan: Plan) -> Setting:
    """The largest filter of the optimal proposal, without resampling."""
    return Setting("optimal", optimal_curve(plan)[-1].size, 1, (("ess_threshold", 0.0),))


def figure_2_units(plan: Plan) -> Sequence[Unit]:
    """A setting each."""
    return units_of(TWO_SETS, [*curves(plan), not_resampled(plan)], plan)


def find_figure_2(found: Found, plan: Plan) -> Finding:
    """Claims of section 4.1.1 about log p."""
    checks = [
        *_trends("log p"),
        Check(
            "Layer-wise expansion tends to produce shallower trees (4.1.1)",
            f"mean depth below that of node-wise expansion at every M above {_NEVER_RESAMPLED}, "
            f"prior proposal (Welch's test at level {LEVEL:g})",
            _shallower,
        ),
        Check(
            "Layer-wise expansion exhibits higher variance (4.1.1)",
            "variance of log p over the repeats, pooled over M, above that of node-wise expansion, "
            f"prior proposal (F test at level {LEVEL:g})",
            _more_variance,
        ),
        Check(
            "Resampling does not affect the results of the optimal proposal significantly (4.1.1)",
            "log p of its largest filter with and without resampling (Welch's two-sided test at "
            f"level {LEVEL:g})",
            _resampling,
        ),
        Check(
            "The per-stage cost of the optimal proposal is much higher than the prior one's "
            "(4.1.1, 3.2)",
            f"CPU time per particle and stage at equal M: at least {_MUCH_COST:g} times as much",
            _cost,
        ),
    ]
    panels = [(data, across, "log p") for data in TWO_SETS for across in ("seconds", "size")]
    picture = draw_curves(
        found, curves(plan), panels, "figure-2",
        "Figure 2: test log p against CPU time of a fit and against particles, with ± one "
        "standard deviation over the repeats.",
    )  # fmt: skip
    return Finding(
        claims=check_claims(checks, found, plan),
        listings=(listing(found, TWO_SETS, [*curves(plan), not_resampled(plan)]),),
        pictures=(picture,),
        words=(
            f"With M = {_NEVER_RESAMPLED} the effective sample size cannot fall below a tenth, so "
            "that nothing is ever resampled: node-wise and layer-wise expansion are the same "
            "there, and the prior proposal is importance sampling."
        ),
    )


def find_appendix_b(found: Found, plan: Plan) -> Finding:
    """The same trends of accuracy."""
    panels = [(data, across, "accuracy") for data in TWO_SETS for across in ("seconds", "size")]
    picture = draw_curves(
        found, curves(plan), panels, "appendix-b",
        "Appendix B: test accuracy against CPU time of a fit and against particles.",
    )  # fmt: skip
    return Finding(claims=check_claims(_trends("accuracy"), found, plan), pictures=(picture,))


def _trends(column: str) -> list[Check]:
    where = "4.1.1" if column == "log p" else "4.1.1, Appendix B"
    return [
        Check(
            f"Node-wise expansion outperforms layer-wise expansion with the prior proposal, "
            f"{column} ({where})",
            f"at every M above {_NEVER_RESAMPLED}, on both sets (Welch's one-sided test at level "
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


def _pairs(plan: Plan) -> list[tuple[Setting, Setting]]:
    node = [each for each in prior_curve(plan) if each.size > _NEVER_RESAMPLED]
    return list(zip(node, layered(node), strict=True))


def _node_wise(column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        ps, texts = [], {}
        for data in TWO_SETS:
            both = [[values(found, data, each, column) for each in pair] for pair in _pairs(plan)]
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


def bargain(found: Found, data: str, pair: tuple[Curve, Curve], column: str) -> tuple[bool, str]:
    """Whether the first curve is ahead within the time of the second one's best fit."""
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
        pair = prior_curve(plan), optimal_curve(plan)
        told = {data: bargain(found, data, pair, column) for data in TWO_SETS}
        return all(ok for ok, _ in told.values()), by_data({d: t for d, (_, t) in told.items()})

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


def _shallower(found: Found, plan: Plan) -> tuple[bool, str]:
    ps, texts = [], {}
    for data in TWO_SETS:
        both = [[values(found, data, each, "depth") for each in pair] for pair in _pairs(plan)]
        ps.append(max(p_above(*pair) for pair in both))
        node, layer = np.mean([[each.mean() for each in pair] for pair in both], axis=0)
        texts[data] = f"depth {layer:.1f}, node-wise {node:.1f}, largest p {short_p(ps[-1])}"
    return max(ps) < LEVEL, by_data(texts)


def _more_variance(found: Found, plan: Plan) -> tuple[bool, str]:
    ps, texts = [], {}
    for data in TWO_SETS:
        both = [[values(found, data, each, "log p") for each in pair] for pair in _pairs(plan)]
        node, layer = np.mean([[each.var(ddof=1) for each in pair] for pair in both], axis=0)
        freedom = len(both) * (len(both[0][0]) - 1)
        ps.append(float(stats.f.sf(layer / node, freedom, freedom)))
        texts[data] = (
            f"standard deviation {np.sqrt(layer):.3f}, node-wise {np.sqrt(node):.3f}, "
            f"p {short_p(ps[-1])}"
        )
    return max(ps) < LEVEL, by_data(texts)


def _resampling(found: Found, plan: Plan) -> tuple[bool, str]:
    without, ps, texts = not_resampled(plan), [], {}
    for data in TWO_SETS:
        two = [values(found, data, each, "log p") for each in (optimal_curve(plan)[-1], without)]
        ps.append(p_apart(*two))
        texts[data] = f"{two[0].mean():.3f} with, {two[1].mean():.3f} without, p {short_p(ps[-1])}"
    return min(ps) >= LEVEL, by_data(texts)


def _cost(found: Found, plan: Plan) -> tuple[bool, str]:
    sizes = {each.size for each in prior_curve(plan)} & {each.size for each in optimal_curve(plan)}
    ratios = {}
    for data in TWO_SETS:
        prior, optimal = (_per_stage(found, data, Setting(m, max(sizes))) for m in _PROPOSALS)
        ratios[data] = optimal / prior
    texts = {data: f"{ratio:.1f} times" for data, ratio in ratios.items()}
    return min(ratios.values()) >= _MUCH_COST, by_data(texts) + f" (M = {max(sizes)})"


_PROPOSALS = ("prior", "optimal")


def _per_stage(found: Found, data: str, setting: Setting) -> float:
    return mean(found, data, setting, "seconds") / mean(found, data, setting, "stages")
