"""Sections 2 and 3, and Figure 1: the algorithm."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from bayeswood.reproduce.checks import Check, check_claims
from bayeswood.reproduce.finding import Finding, Listing
from bayeswood.reproduce.lakshminarayanan_2013.comparison import figure_5_settings, figure_5_units
from bayeswood.reproduce.lakshminarayanan_2013.drawing import draw_figure_1, figure_1_rows
from bayeswood.reproduce.lakshminarayanan_2013.figure_2 import curves, figure_2_units
from bayeswood.reproduce.lakshminarayanan_2013.measure import evidence_ratios, sizes
from bayeswood.reproduce.lakshminarayanan_2013.printed import MOST_STAGES
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    TWO_SETS,
    Setting,
    mean,
    prior_curve,
    values,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import by_data
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.verdict import LEVEL

_FEW_ROWS = 8
# Filters of which the mean evidence is taken; ways of filtering.
_WAYS: Mapping[str, dict[str, Any]] = {
    "prior": {},
    "empirical": {"proposal": "empirical"},
    "optimal": {"proposal": "optimal"},
    "prior, layer-wise": {"expansion": "layer"},
    "optimal, layer-wise": {"proposal": "optimal", "expansion": "layer"},
    "prior, least likely node first": {"node_order": "least-likely"},
    "prior, systematic resampling": {"resampling": "systematic"},
}
# Time that may be lost beyond proportion, for clocks are not exact.
_SLACK = 1.5


def _n_filters(plan: Plan) -> int:
    return 100 if plan.quick else 500


def algorithm_units(plan: Plan) -> Sequence[Unit]:
    """Evidence on few rows; the stages of Figures 2 and 5."""
    given = (_FEW_ROWS, _n_filters(plan), plan.seed)
    few = [Unit(f"evidence/{way}", evidence_ratios, (o, *given)) for way, o in _WAYS.items()]
    told = [Unit(f"sizes/{data}", sizes, (data,), (data,)) for data in TWO_SETS]
    return [*few, *told, *figure_2_units(plan), *figure_5_units(plan)]


def find_algorithm(found: Found, plan: Plan) -> Finding:
    """Claims of sections 2 and 3."""
    checks = [
        Check(
            "The filter estimates p(Y | X), whichever proposal and rule it has (3)",
            f"mean of the estimate over p(Y | X), summed over all trees of {_FEW_ROWS} rows, is 1 "
            f"(t-tests, {len(_WAYS)} ways of filtering, level {LEVEL:g} for all)",
            _unbiased,
        ),
        Check(
            "The one-step optimal proposal would be optimal if this stage were the last (3, eq. 6)",
            f"the estimate varies less than with the prior proposal (F test at level {LEVEL:g})",
            _less_noise,
        ),
        Check(
            "A tree is finished after fewer than 2N stages (2)",
            "most stages of a filter of Figures 2 and 5, N training rows",
            _stages_by_rows,
        ),
        Check(
            f"The algorithms never reached the maximum of {MOST_STAGES:,} stages (4.1)",
            "most stages of a filter of Figures 2 and 5; none is set here",
            _most_stages,
        ),
        Check(
            "Time is at most in proportion to M (3.2)",
            f"CPU time from M = 200 to the largest of Figure 2, prior proposal: less than {_SLACK} "
            "times the ratio of M",
            _in_proportion,
        ),
    ]
    rows = tuple(
        (way, f"{found[f'evidence/{way}']['mean']:.3f} ± {found[f'evidence/{way}']['error']:.3f}")
        for way in _WAYS
    )
    words = f"Over {_n_filters(plan)} filters of ten particles, ± standard error."
    header = ("way of filtering", "estimate over p(Y | X)")
    return Finding(
        claims=check_claims(checks, found, plan), listings=(Listing(header, rows, words=words),)
    )


def _unbiased(found: Found, plan: Plan) -> tuple[bool, str]:
    told = {way: found[f"evidence/{way}"] for way in _WAYS}
    z = {way: (each["mean"] - 1) / each["error"] for way, each in told.items()}
    worst = max(z, key=lambda way: abs(z[way]))
    p = float(2 * stats.t.sf(abs(z[worst]), _n_filters(plan) - 1))
    return p >= LEVEL / len(_WAYS), f"farthest {z[worst]:+.1f} standard errors ({worst})"


def _less_noise(found: Found, plan: Plan) -> tuple[bool, str]:
    prior, optimal = (found[f"evidence/{way}"]["error"] for way in ("prior", "optimal"))
    freedom = _n_filters(plan) - 1
    p = float(stats.f.sf((prior / optimal) ** 2, freedom, freedom))
    return p < LEVEL, f"standard deviation {prior / optimal:.1f} times as large with the prior one"


def _stages(found: Found, data: str, plan: Plan) -> float:
    settings = [*curves(plan), *figure_5_settings(plan)]
    filters = [each for each in settings if each.method in ("prior", "optimal")]
    return max(float(values(found, data, each, "stages").max()) for each in filters)


def _stages_by_rows(found: Found, plan: Plan) -> tuple[bool, str]:
    most = {data: (_stages(found, data, plan), found[f"sizes/{data}"]["train"])
            for data in TWO_SETS}  # fmt: skip
    texts = {data: f"{stages:,.0f} stages, {n:,} rows" for data, (stages, n) in most.items()}
    return all(stages < 2 * n for stages, n in most.values()), by_data(texts)


def _most_stages(found: Found, plan: Plan) -> tuple[bool, str]:
    most = {data: _stages(found, data, plan) for data in TWO_SETS}
    return max(most.values()) < MOST_STAGES, by_data({d: f"{v:,.0f}" for d, v in most.items()})


def _in_proportion(found: Found, plan: Plan) -> tuple[bool, str]:
    few, many = Setting("prior", 200), prior_curve(plan)[-1]
    ratios = {
        data: mean(found, data, many, "seconds") / mean(found, data, few, "seconds")
        for data in TWO_SETS
    }
    texts = {data: f"{ratio:.1f} times" for data, ratio in ratios.items()}
    factor = many.size / few.size
    return max(ratios.values()) < _SLACK * factor, f"{by_data(texts)}, of {factor:g} times the M"


def find_figure_1(found: Found, plan: Plan) -> Finding:
    """The partition, and its sets of varying features."""
    rows, _ = figure_1_rows()
    inside = {"0": rows[:, 0] <= 0.5, "10": (rows[:, 0] > 0.5) & (rows[:, 1] <= 0.35)}
    varying = {node: _varying(rows[where]) for node, where in inside.items()}
    listed = Listing(
        ("node p", "rows", "features that vary, Dᵖ"),
        tuple((node, str(int(inside[node].sum())), dims) for node, dims in varying.items()),
        words="As the paper says of its own rows.",
    )
    return Finding(listings=(listed,), pictures=(draw_figure_1(),))


def _varying(rows: Any) -> str:
    return ", ".join(str(d + 1) for d in np.flatnonzero(np.ptp(rows, axis=0) > 0))
