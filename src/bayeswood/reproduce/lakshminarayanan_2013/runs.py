"""The settings that are run, as units of work, and what they gave."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from bayeswood.reproduce.lakshminarayanan_2013.measure import (
    PRIOR,
    cart_scores,
    chain_scores,
    particle_scores,
)
from bayeswood.reproduce.paper import Found, MissingDataError, Plan, Unit

F64 = NDArray[np.float64]

PENDIGITS, MAGIC, MADELON = "pendigits", "magic04", "madelon"
TWO_SETS = (PENDIGITS, MAGIC)
CRITERIA = ("gini", "entropy")
CART_LEAF = 10
SECTION_42_ISLANDS = 5
# Figure 4: particles over all islands.
ISLANDS_TOTAL = 2000
# Appendix E: what is varied, one at a time. The paper's own values are not in its text.
VARIED: Mapping[str, tuple[float, float]] = {
    "concentration": (1.0, 10.0),
    "alpha_split": (0.8, 0.99),
    "beta_split": (0.2, 1.0),
}


@dataclass(frozen=True)
class Setting:
    """What is run on a data set.

    Attributes
    ----------
    method : str
        A proposal, "MCMC", or "CART" with a criterion.
    size : int
        Particles, iterations, or fewest rows of a leaf.
    n_islands : int
    others : tuple of (str, value)
        Parameters that are not those of section 4.1.
    """

    method: str
    size: int
    n_islands: int = 1
    others: tuple[tuple[str, Any], ...] = ()

    @property
    def key(self) -> str:
        """A name for the unit."""
        return "/".join(
            [self.method, str(self.size), str(self.n_islands)]
            + [f"{name}={value}" for name, value in self.others]
        )

    def unit(self, data: str, n_repeats: int, seed: int) -> Unit:
        """All repeats on a data set."""
        name, options = f"{data}/{self.key}", dict(self.others)
        if self.method.startswith("CART"):
            alpha = options.get("concentration", PRIOR["concentration"])
            given = (data, self.method.split()[1], self.size, alpha, n_repeats, seed)
            return Unit(name, cart_scores, given, (data,))
        if self.method == "MCMC":
            chain = (data, self.size, options, n_repeats, seed)
            return Unit(name, chain_scores, chain, (data,))
        filters = {"n_particles": self.size, "n_islands": self.n_islands, "proposal": self.method}
        return Unit(name, particle_scores, (data, filters | options, n_repeats, seed), (data,))


Curve = Sequence[Setting]


def n_repeats(plan: Plan) -> int:
    """Random initialisations."""
    return 3 if plan.quick else 10


def n_varied(plan: Plan) -> int:
    """The same in Appendix E."""
    return 2 if plan.quick else 5


def prior_curve(plan: Plan) -> Curve:
    """Figures 2 and 3: numbers of particles of the prior proposal."""
    sizes = (10, 50, 200, 1000) if plan.quick else (10, 50, 100, 200, 500, 1000, 2000)
    return [Setting("prior", size) for size in sizes]


def optimal_curve(plan: Plan) -> Curve:
    """The same of the optimal one."""
    sizes = (5, 10, 50) if plan.quick else (5, 10, 20, 50, 100)
    return [Setting("optimal", size) for size in sizes]


def layered(curve: Curve) -> Curve:
    """Layer-wise in place of node-wise."""
    return [Setting(each.method, each.size, 1, (("expansion", "layer"),)) for each in curve]


def islands_curve(plan: Plan) -> Curve:
    """Figure 4: so many particles, on more and more islands."""
    counts = (1, 5, 20, 50) if plan.quick else (1, 2, 5, 10, 20, 50, 100, 200)
    return [Setting("prior", ISLANDS_TOTAL, count) for count in counts]


def prior_five(plan: Plan) -> Curve:
    """Figure 5: the prior proposal on five islands."""
    sizes = (100, 200, 500, 2000, 5000) if plan.quick else (100, 200, 500, 1000, 2000, 5000, 10_000)
    return [Setting("prior", size, SECTION_42_ISLANDS) for size in sizes]


def optimal_five(plan: Plan) -> Curve:
    """Figure 5: the optimal one."""
    sizes = (25, 100) if plan.quick else (25, 50, 100, 250, 500)
    return [Setting("optimal", size, SECTION_42_ISLANDS) for size in sizes]


def chains(plan: Plan) -> Curve:
    """Figure 5: numbers of iterations."""
    sizes = (10_000, 500_000) if plan.quick else (1000, 10_000, 100_000, 1_000_000)
    return [Setting("MCMC", size) for size in sizes]


def carts(leaf: int = CART_LEAF) -> Curve:
    """Section 4.3: by either criterion."""
    return [Setting(f"CART {criterion}", leaf) for criterion in CRITERIA]


def varied(plan: Plan) -> Mapping[str, dict[str, Curve]]:
    """Appendix E: particles, chain and CART for each change of a hyper-parameter."""
    filters = (100, 500) if plan.quick else (100, 500, 2000, 5000)
    n_iterations = 100_000 if plan.quick else 1_000_000
    found: dict[str, dict[str, Curve]] = {}
    for name, values in VARIED.items():
        for value in values[:1] if plan.quick else values:
            change = ((name, value),)
            found[f"{name}={value:g}"] = {
                "SMC": [Setting("prior", size, SECTION_42_ISLANDS, change) for size in filters],
                "MCMC": [Setting("MCMC", n_iterations, 1, change)],
                "CART": [
                    Setting(each.method, each.size, 1, change if name == "concentration" else ())
                    for each in carts()
                ],
            }
    return found


def units_of(data: Iterable[str], settings: Iterable[Setting], plan: Plan) -> list[Unit]:
    """A setting on a data set each."""
    settings = list(settings)
    return [each.unit(name, n_repeats(plan), plan.seed) for name in data for each in settings]


def varied_units(plan: Plan) -> Sequence[Unit]:
    """Of Appendix E; CART takes a moment, and has all repeats."""
    units = []
    for curves in varied(plan).values():
        for data in TWO_SETS:
            for method, curve in curves.items():
                repeats = n_repeats(plan) if method == "CART" else n_varied(plan)
                units += [each.unit(data, repeats, plan.seed) for each in curve]
    return units


def values(found: Found, data: str, setting: Setting, column: str) -> F64:
    """One number of each repeat."""
    return np.array(found[f"{data}/{setting.key}"][column])


def sets_here(found: Found, data: Iterable[str], setting: Setting) -> list[str]:
    """The data sets on which a setting was run; `MissingDataError` if on none."""
    there, missing = [], None
    for name in data:
        try:
            found[f"{name}/{setting.key}"]
            there.append(name)
        except MissingDataError as error:
            missing = error
    if missing is not None and not there:
        raise missing
    return there


def mean(found: Found, data: str, setting: Setting, column: str) -> float:
    """Over the repeats."""
    return float(values(found, data, setting, column).mean())


def best(found: Found, data: str, curve: Curve, column: str = "log p") -> Setting:
    """The setting of the highest mean."""
    return max(curve, key=lambda each: mean(found, data, each, column))


def p_above(ours: F64, others: F64) -> float:
    """P of Welch's one-sided test that the first mean is above; repeats may be all the same."""
    gain = float(ours.mean() - others.mean())
    parts = np.array([each.var(ddof=1) / len(each) for each in (ours, others)])
    error = float(parts.sum())
    if error == 0.0:
        return 0.0 if gain > 0 else 1.0
    freedom = error**2 / (parts**2 / [len(ours) - 1, len(others) - 1]).sum()
    return float(stdtr(freedom, -gain / np.sqrt(error)))


def p_apart(ours: F64, others: F64) -> float:
    """P of Welch's two-sided test."""
    return min(2 * min(p_above(ours, others), p_above(others, ours)), 1.0)
