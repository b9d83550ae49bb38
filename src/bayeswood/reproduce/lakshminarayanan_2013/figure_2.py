"""Section 4.1.1, Figure 2 and Appendix B: proposals and expansion."""

from collections.abc import Sequence

import numpy as np
from scipy import stats

from bayeswood.reproduce.checks import Check, check_claims
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.lakshminarayanan_2013.drawing import draw_curves
from bayeswood.reproduce.lakshminarayanan_2013.measure_depth import depths
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    F64,
    TWO_SETS,
    Setting,
    layered,
    mean,
    n_repeats,
    optimal_curve,
    p_above,
    p_apart,
    prior_curve,
    units_of,
    values,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import by_data, listing
from bayeswood.reproduce.lakshminarayanan_2013.trends import (
    NEVER_RESAMPLED,
    expansion_pairs,
    trends,
)
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.verdict import LEVEL, short_p

_EXPANSIONS = ("node", "layer")
# "Much higher" cost.
_MUCH_COST = 10.0


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


def depth_units(plan: Plan) -> Sequence[Unit]:
    """Trees of either expansion."""
    return [
        Unit(
            f"{data}/depth/{size}/{way}", depths,
            (data, {"n_particles": size, "expansion": way}, n_repeats(plan), plan.seed), (data,),
        )
        for data in TWO_SETS
        for size in _depth_sizes(plan)
        for way in _EXPANSIONS
    ]  # fmt: skip


def _depth_sizes(plan: Plan) -> Sequence[int]:
    return (200,) if plan.quick else (50, 200, 1000)


def find_figure_2(found: Found, plan: Plan) -> Finding:
    """Claims of section 4.1.1 about log p."""
    checks = [
        *trends("log p"),
        Check(
            "Layer-wise expansion tends to produce shallower trees (4.1.1)",
            "mean depth of the leaves, in the mean over some M, below that of node-wise expansion, "
            f"prior proposal (Welch's one-sided test at level {LEVEL:g}); beside it the greatest",
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
            f"With M = {NEVER_RESAMPLED} the effective sample size cannot fall below a tenth, so "
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
    return Finding(claims=check_claims(trends("accuracy"), found, plan), pictures=(picture,))


def _shallower(found: Found, plan: Plan) -> tuple[bool, str]:
    ps, texts = [], {}
    for data in TWO_SETS:
        leaves, greatest = (_two_depths(found, data, plan, key) for key in ("leaves", "greatest"))
        ps.append(p_above(*leaves))
        texts[data] = ", ".join(
            f"{name} {layer.mean():.1f}, node-wise {node.mean():.1f} (p "
            f"{short_p(p_above(node, layer))})"
            for name, (node, layer) in (("leaves", leaves), ("greatest", greatest))
        )
    return max(ps) < LEVEL, by_data(texts)


def _two_depths(found: Found, data: str, plan: Plan, key: str) -> tuple[F64, F64]:
    node, layer = (
        np.mean([found[f"{data}/depth/{size}/{way}"][key] for size in _depth_sizes(plan)], axis=0)
        for way in _EXPANSIONS
    )
    return node, layer


def _more_variance(found: Found, plan: Plan) -> tuple[bool, str]:
    ps, texts = [], {}
    for data in TWO_SETS:
        both = expansion_pairs(found, data, plan, "log p")
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
