"""Section 4.3 and footnote 4: Bayesian trees beside CART."""

from collections.abc import Sequence

import numpy as np

from bayeswood.reproduce.checks import Check, Compute, check_claims
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.lakshminarayanan_2013.printed import CART_FACTOR
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    TWO_SETS,
    Setting,
    best,
    carts,
    chains,
    mean,
    p_above,
    prior_five,
    units_of,
    values,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import (
    CLOSE,
    MUCH,
    by_data,
    gained,
    limit,
    listing,
    named,
    shown,
)
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.verdict import LEVEL, short_p

_SMALL_LEAVES = (1, 5)
_BAYESIAN = {"SMC": prior_five, "MCMC": chains}


def _small() -> list[Setting]:
    return [each for leaf in _SMALL_LEAVES for each in carts(leaf)]


def cart_units(plan: Plan) -> Sequence[Unit]:
    """CART with three sizes of leaves, particles and chains."""
    return units_of(TWO_SETS, [*prior_five(plan), *chains(plan), *carts(), *_small()], plan)


def find_cart(found: Found, plan: Plan) -> Finding:
    """Claims about CART."""
    points, log_p = limit(CLOSE["accuracy"], "accuracy"), limit(MUCH["log p"], "log p")
    checks = [
        Check(
            "Bayesian trees achieve similar or better accuracy to CART (4.3)",
            f"best means of SMC and of MCMC above the better CART's less {points}, on both sets",
            _accuracy,
        ),
        Check(
            "They outperform CART significantly in predictive likelihood (4.3)",
            "best SMC and best MCMC above the better CART in log p, on both sets (Welch's "
            f"one-sided test at level {LEVEL:g})",
            _likelihood,
        ),
        Check(
            "SMC takes about 50 to 100 times as long as CART to achieve the same accuracy (4.3)",
            "CPU time of the first filter that is as accurate as the better CART, over CART's: "
            "between 50 and 100 on both sets",
            _seconds,
        ),
        Check(
            "Leaves of 1 and 5 rows tend to yield slightly higher accuracies (footnote 4)",
            f"mean over both criteria above that of leaves of 10, by less than {points}, for both "
            "sizes and sets",
            _higher,
        ),
        Check(
            "These are comparable to SMC and MCMC (footnote 4)",
            f"the best CART with leaves of 1 or 5 rows is within {points} of the best SMC and "
            "MCMC, on both sets",
            _comparable,
        ),
        Check(
            "They have much lower predictive probabilities (footnote 4)",
            f"log p lower by more than {log_p} than with leaves of 10 rows, in the mean over both "
            "criteria, for both sizes and sets",
            _lower,
        ),
    ]
    return Finding(
        claims=check_claims(checks, found, plan),
        listings=(listing(found, TWO_SETS, [*carts(), *_small()]),),
    )


def _accuracy(found: Found, plan: Plan) -> tuple[bool, str]:
    lacking, texts = [], {}
    for data in TWO_SETS:
        cart = mean(found, data, best(found, data, carts(), "accuracy"), "accuracy")
        words = [f"CART {shown(cart, 'accuracy')}"]
        for method, curve in _BAYESIAN.items():
            top = best(found, data, curve(plan), "accuracy")
            score = mean(found, data, top, "accuracy")
            lacking.append(cart - score)
            words.append(f"{method} {shown(score, 'accuracy')}")
        texts[data] = ", ".join(words)
    return max(lacking) < CLOSE["accuracy"], by_data(texts)


def _likelihood(found: Found, plan: Plan) -> tuple[bool, str]:
    ps, texts = [], {}
    for data in TWO_SETS:
        cart = values(found, data, best(found, data, carts()), "log p")
        words = [f"CART {cart.mean():.3f}"]
        for method, curve in _BAYESIAN.items():
            top = values(found, data, best(found, data, curve(plan)), "log p")
            ps.append(p_above(top, cart))
            words.append(f"{method} {top.mean():.3f} (p {short_p(ps[-1])})")
        texts[data] = ", ".join(words)
    return max(ps) < LEVEL, by_data(texts)


def _seconds(found: Found, plan: Plan) -> tuple[bool, str]:
    ratios, texts = [], {}
    for data in TWO_SETS:
        cart = best(found, data, carts(), "accuracy")
        goal, base = (mean(found, data, cart, key) for key in ("accuracy", "seconds"))
        reached = [e for e in prior_five(plan) if mean(found, data, e, "accuracy") >= goal]
        if not reached:
            ratios.append(np.inf)
            texts[data] = f"{shown(goal, 'accuracy')} is not reached"
            continue
        seconds = mean(found, data, reached[0], "seconds")
        ratios.append(seconds / base)
        texts[data] = (
            f"{shown(goal, 'accuracy')} in {base:.2g} s, {seconds:.2g} s ({named(reached[0])}): "
            f"{seconds / base:.1f} times"
        )
    return all(CART_FACTOR[0] <= ratio <= CART_FACTOR[1] for ratio in ratios), by_data(texts)


def _changes(found: Found, data: str, column: str) -> dict[int, float]:
    """What smaller leaves gain over those of 10 rows, in the mean over both criteria."""
    base = np.mean([mean(found, data, each, column) for each in carts()])
    return {
        leaf: float(np.mean([mean(found, data, each, column) for each in carts(leaf)]) - base)
        for leaf in _SMALL_LEAVES
    }


def _gains(column: str, holds_for: tuple[float, float]) -> Compute:
    low, high = holds_for

    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        gains = {data: _changes(found, data, column) for data in TWO_SETS}
        texts = {
            data: ", ".join(f"{gained(v, column)} (leaves of {leaf})" for leaf, v in each.items())
            for data, each in gains.items()
        }
        holds = all(low < value < high for each in gains.values() for value in each.values())
        return holds, by_data(texts)

    return compute


_higher = _gains("accuracy", (0.0, CLOSE["accuracy"]))
_lower = _gains("log p", (-np.inf, -MUCH["log p"]))


def _comparable(found: Found, plan: Plan) -> tuple[bool, str]:
    apart, texts = [], {}
    for data in TWO_SETS:
        curves = {"CART": _small(), **{name: of(plan) for name, of in _BAYESIAN.items()}}
        tops = {
            name: mean(found, data, best(found, data, curve, "accuracy"), "accuracy")
            for name, curve in curves.items()
        }
        apart += [abs(tops["CART"] - tops[name]) for name in _BAYESIAN]
        texts[data] = ", ".join(f"{name} {shown(v, 'accuracy')}" for name, v in tops.items())
    return max(apart) < CLOSE["accuracy"], by_data(texts)
