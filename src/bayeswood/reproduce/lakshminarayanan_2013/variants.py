"""Section 4.1.1: the variants that are not shown, for they performed alike."""

from collections.abc import Sequence
from typing import Any

from bayeswood.reproduce.checks import Check, check_claims
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.lakshminarayanan_2013.figure_2 import Compute
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    TWO_SETS,
    Setting,
    mean,
    p_apart,
    units_of,
    values,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import CLOSE, by_data, gained, listing, shown
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.verdict import LEVEL, short_p

# Particles.
_SIZES = (200, 1000)
# Proposal, other parameters, and whether means must be close or only not significantly apart.
_ALIKE = {
    "The empirical proposal performed similar to the prior one (4.1.1)": (
        "empirical", (), True,
    ),
    "Breadth-first and marginal-likelihood based priority performed similarly (4.1.1)": (
        "prior", (("node_order", "least-likely"),), True,
    ),
    "Systematic resampling was not significantly different from multinomial (4.1.1)": (
        "prior", (("resampling", "systematic"),), False,
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
    where = " at M = 200 and 1,000, one island, on both sets"
    checks = []
    for text, (method, others, must_be_close) in _ALIKE.items():
        if must_be_close:
            checked = f"means of log p differ by less than {CLOSE['log p']:g}{where}"
            checks.append(Check(text, checked, _close(method, others)))
        else:
            checked = f"log p{where}: Welch's two-sided tests, level {LEVEL:g} for all four"
            checks.append(Check(text, checked, _not_significant(method, others)))
    settings = [*(Setting("prior", size) for size in _SIZES), *_variants()]
    return Finding(
        claims=check_claims(checks, found, plan),
        listings=(listing(found, TWO_SETS, settings),),
    )


def _close(method: str, others: tuple[tuple[str, Any], ...]) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        apart = {}
        for data in TWO_SETS:
            differences = [
                mean(found, data, Setting(method, size, 1, others), "log p")
                - mean(found, data, Setting("prior", size), "log p")
                for size in _SIZES
            ]
            apart[data] = max(differences, key=abs)
        texts = {data: f"{gained(value, 'log p')} at most" for data, value in apart.items()}
        return max(map(abs, apart.values())) < CLOSE["log p"], by_data(texts)

    return compute


def _not_significant(method: str, others: tuple[tuple[str, Any], ...]) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        ps, texts = [], {}
        for data in TWO_SETS:
            words = []
            for size in _SIZES:
                two = [
                    values(found, data, each, "log p")
                    for each in (Setting(method, size, 1, others), Setting("prior", size))
                ]
                ps.append(p_apart(*two))
                words.append(
                    f"{shown(two[0].mean(), 'log p')} and {shown(two[1].mean(), 'log p')} at "
                    f"{size:,} (p {short_p(ps[-1])})"
                )
            texts[data] = ", ".join(words)
        return min(ps) >= LEVEL / len(ps), by_data(texts)

    return compute
