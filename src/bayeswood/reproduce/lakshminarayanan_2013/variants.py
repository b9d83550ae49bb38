"""Section 4.1.1: the variants that are not shown, for they performed alike."""

from collections.abc import Mapping, Sequence
from typing import Any

from bayeswood.reproduce.checks import Check, Compute, check_claims
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    TWO_SETS,
    Setting,
    p_apart,
    units_of,
    values,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import CLOSE, by_data, listing
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.verdict import LEVEL, short_p

# Particles.
_SIZES = (200, 1000)
_SIMILAR = CLOSE["log p"]
# Proposal, other parameters, and the difference that would not count even if it were significant.
_ALIKE: Mapping[str, tuple[str, tuple[tuple[str, Any], ...], float]] = {
    "The empirical proposal performed similar to the prior one (4.1.1)": (
        "empirical", (), _SIMILAR,
    ),
    "Breadth-first and marginal-likelihood based priority performed similarly (4.1.1)": (
        "prior", (("node_order", "least-likely"),), _SIMILAR,
    ),
    "Systematic resampling was not significantly different from multinomial (4.1.1)": (
        "prior", (("resampling", "systematic"),), 0.0,
    ),
}  # fmt: skip


def _variants() -> list[Setting]:
    return [
        Setting(method, size, 1, others) for method, others, _ in _ALIKE.values() for size in _SIZES
    ]


def alike_units(plan: Plan) -> Sequence[Unit]:
    """The variants, and what they are held against."""
    base = [Setting("prior", size) for size in _SIZES]
    return units_of(TWO_SETS, [*base, *_variants()], plan)


def find_alike(found: Found, plan: Plan) -> Finding:
    """The three variants that the paper does not show for they made no difference."""
    checks = []
    for text, (method, others, margin) in _ALIKE.items():
        checked = (
            "log p at M = 200 and 1,000, one island, on both sets: no significant difference "
            f"(Welch's two-sided tests, level {LEVEL:g} for all four)"
        ) + (f" of {margin:g} or more" if margin else "")
        checks.append(Check(text, checked, _no_difference(method, others, margin)))
    settings = [*(Setting("prior", size) for size in _SIZES), *_variants()]
    return Finding(
        claims=check_claims(checks, found, plan),
        listings=(listing(found, TWO_SETS, settings),),
    )


def _no_difference(method: str, others: tuple[tuple[str, Any], ...], margin: float) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        level = LEVEL / (len(TWO_SETS) * len(_SIZES))
        holds, texts = True, {}
        for data in TWO_SETS:
            words = []
            for size in _SIZES:
                one, base = (
                    values(found, data, each, "log p")
                    for each in (Setting(method, size, 1, others), Setting("prior", size))
                )
                p = p_apart(one, base)
                holds &= p >= level or abs(one.mean() - base.mean()) < margin
                words.append(f"{one.mean():.3f} and {base.mean():.3f} at {size:,} (p {short_p(p)})")
            texts[data] = ", ".join(words)
        return bool(holds), by_data(texts)

    return compute
