"""Appendix E: other hyper-parameters."""

from collections.abc import Mapping

from bayeswood.reproduce.checks import Check, check_claims
from bayeswood.reproduce.finding import Finding, Listing
from bayeswood.reproduce.lakshminarayanan_2013.comparison import ONE_ORDER, speed_up
from bayeswood.reproduce.lakshminarayanan_2013.printed import NAMES
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    TWO_SETS,
    Curve,
    best,
    mean,
    p_above,
    sets_here,
    values,
    varied,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import CLOSE, named
from bayeswood.reproduce.paper import Found, Plan
from bayeswood.reproduce.verdict import LEVEL, short_p


def find_appendix_e(found: Found, plan: Plan) -> Finding:
    """The claims of sections 4.2 and 4.3 with other hyper-parameters."""
    checks = [
        Check(
            "With other hyper-parameters SMC is an order of magnitude faster than MCMC too "
            "(Appendix E)",
            f"as above, at least {ONE_ORDER:g} times with every change, on both sets",
            _varied_speed,
        ),
        Check(
            "With other hyper-parameters SMC is as good as MCMC too (Appendix E)",
            f"the best log p is not lower by {CLOSE['log p']:g} or more with any change",
            _varied_score,
        ),
        Check(
            "With other hyper-parameters Bayesian trees outperform CART in log p too (Appendix E)",
            "SMC above the better CART, smoothed by the same α, with every change (Welch's "
            f"one-sided test at level {LEVEL:g})",
            _varied_cart,
        ),
    ]
    rows = [
        (change, NAMES[data], *(_best_text(found, data, curve) for curve in curves.values()))
        for change, curves in varied(plan).items()
        for data in sets_here(found, TWO_SETS, curves["SMC"][0])
    ]
    header = ("change", "data", "SMC: log p, CPU", "MCMC", "CART")
    words = (
        "The best of the settings tried, prior proposal on five islands. Which values the authors "
        "took is in their appendix, which is not part of the text at hand; these are ours."
    )
    return Finding(
        claims=check_claims(checks, found, plan),
        listings=(Listing(header, tuple(rows), words=words),),
    )


def _best_text(found: Found, data: str, curve: Curve) -> str:
    top = best(found, data, curve)
    score, seconds = (mean(found, data, top, key) for key in ("log p", "seconds"))
    return f"{score:.3f}, {seconds:.2g} s ({named(top)})"


def _each_change(plan: Plan) -> list[tuple[str, str, Mapping[str, Curve]]]:
    return [(change, data, curves) for change, curves in varied(plan).items() for data in TWO_SETS]


def _varied_speed(found: Found, plan: Plan) -> tuple[bool, str]:
    ratios = {
        (change, data): speed_up(found, data, curves["SMC"], curves["MCMC"][-1])[0]
        for change, data, curves in _each_change(plan)
    }
    texts = [
        f"{c}, {NAMES[d]}: {f'{ratio:.0f} times' if ratio else 'not reached'}"
        for (c, d), ratio in ratios.items()
    ]
    return min(ratios.values()) >= ONE_ORDER, "; ".join(texts)


def _varied_score(found: Found, plan: Plan) -> tuple[bool, str]:
    lacking = {}
    for change, data, curves in _each_change(plan):
        smc, mcmc = (best(found, data, curves[method]) for method in ("SMC", "MCMC"))
        lacking[change, data] = mean(found, data, mcmc, "log p") - mean(found, data, smc, "log p")
    (change, data), worst = max(lacking.items(), key=lambda item: item[1])
    text = f"MCMC less SMC at most {worst:+.3f} ({change}, {NAMES[data]})"
    return worst < CLOSE["log p"], text


def _varied_cart(found: Found, plan: Plan) -> tuple[bool, str]:
    ps = {}
    for change, data, curves in _each_change(plan):
        two = [best(found, data, curves[method]) for method in ("SMC", "CART")]
        ps[change, data] = p_above(*(values(found, data, each, "log p") for each in two))
    (change, data), worst = max(ps.items(), key=lambda item: item[1])
    return worst < LEVEL, f"largest p {short_p(worst)} ({change}, {NAMES[data]})"
