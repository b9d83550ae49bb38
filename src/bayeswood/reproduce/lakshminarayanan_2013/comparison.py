"""Section 4.2, Figure 5 and Appendix D: particles beside Markov chains."""

from collections.abc import Sequence
from itertools import pairwise

from bayeswood.reproduce.checks import Check, Compute, check_claims
from bayeswood.reproduce.finding import Finding, Listing
from bayeswood.reproduce.lakshminarayanan_2013.drawing import draw_curves
from bayeswood.reproduce.lakshminarayanan_2013.printed import NAMES
from bayeswood.reproduce.lakshminarayanan_2013.runs import (
    PENDIGITS,
    SECTION_42_ISLANDS,
    TWO_SETS,
    Curve,
    Setting,
    best,
    carts,
    chains,
    islands_curve,
    mean,
    optimal_five,
    p_above,
    prior_five,
    sets_here,
    units_of,
    values,
)
from bayeswood.reproduce.lakshminarayanan_2013.scores import (
    CLOSE,
    by_data,
    limit,
    listing,
    named,
    shown,
)
from bayeswood.reproduce.lakshminarayanan_2013.trends import bargains
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.verdict import LEVEL, short_p

# An order of magnitude, and what is nearer to two than to one.
ONE_ORDER, _TWO_ORDERS = 10.0, 10**1.5
# Where predictions are said to get worse on pen-digits.
_TURN = Setting("prior", 2000, SECTION_42_ISLANDS)
# Footnote 3: the fewest particles of Figure 5, and these on one island.
_LEAST, _FEWEST = Setting("prior", 100, SECTION_42_ISLANDS), Setting("prior", 100)
_FASTER = (
    "CPU time of the longest chain over that after which the particles' mean log p is as good "
    "(between filters interpolated), on both sets: at least {:.2g}"
)


def figure_5_units(plan: Plan) -> Sequence[Unit]:
    """A setting each; other numbers of islands too, for footnote 3."""
    settings = [*figure_5_settings(plan), *islands_curve(plan), _FEWEST]
    return units_of(TWO_SETS, settings, plan)


def evidence_units(plan: Plan) -> Sequence[Unit]:
    """Of Appendix D."""
    return units_of(TWO_SETS, prior_five(plan), plan)


def figure_5_settings(plan: Plan) -> Curve:
    """All settings of the figure."""
    return [*prior_five(plan), *optimal_five(plan), *chains(plan), *carts()]


def find_figure_5(found: Found, plan: Plan) -> Finding:
    """Claims of section 4.2."""
    panels = [(data, "seconds", up) for data in TWO_SETS for up in ("log p", "accuracy")]
    picture = draw_curves(
        found, figure_5_settings(plan), panels, "figure-5",
        "Figure 5: test log p and accuracy against CPU time of a fit; particles on five islands, "
        "chains, and CART with leaves of 10 rows.",
    )  # fmt: skip
    return Finding(
        claims=check_claims(_checks(), found, plan),
        listings=(listing(found, TWO_SETS, figure_5_settings(plan)),),
        pictures=(picture,),
    )


def _checks() -> list[Check]:
    return [
        Check(
            "SMC (prior, node-wise) is roughly two orders of magnitude faster than MCMC (4.2)",
            _FASTER.format(_TWO_ORDERS),
            _faster(_TWO_ORDERS),
        ),
        Check(
            "It is at least an order of magnitude faster than MCMC (abstract, 4.2)",
            _FASTER.format(ONE_ORDER),
            _faster(ONE_ORDER),
        ),
        *(
            Check(
                f"SMC achieves predictive performance similar to MCMC's, {column} (abstract, 4.2)",
                f"its best mean is not lower by {limit(CLOSE[column], column)} or more, on both "
                "sets",
                _similar(column),
            )
            for column in ("log p", "accuracy")
        ),
        Check(
            "The optimal proposal is less efficient overall where few features are irrelevant (5)",
            "on five islands, within the CPU time of its best fit the prior one's best is higher "
            "in mean log p, on both sets",
            _less_efficient,
        ),
        Check(
            "On pen-digits the prior proposal seems to drop as M goes beyond 2,000 (4.2)",
            f"log p at the largest M below that at {_TURN.size:,} (Welch's one-sided test at level "
            f"{LEVEL:g})",
            _drops,
        ),
        Check(
            "Further improvements could be obtained by adapting I to M (footnote 3)",
            f"at M = {_LEAST.size} one island, or at M = {_TURN.size:,} another number, has a "
            f"higher log p than {SECTION_42_ISLANDS} (Welch's one-sided test at level {LEVEL:g}, "
            "divided by the comparisons), on both sets",
            _adapted,
        ),
        Check(
            "Islands could run in parallel, for a further speed-up by a factor of I (4.1.3, 4.2)",
            "it takes I idle processors to see it; islands share nothing, and `n_jobs` runs one on "
            "each thread",
        ),
    ]


def speed_up(found: Found, data: str, filters: Curve, chain: Setting) -> tuple[float, str]:
    """How many times faster particles reach the chain's log p; 0 if they do not."""
    goal, slow = (mean(found, data, chain, key) for key in ("log p", "seconds"))
    text = f"{shown(goal, 'log p')} in {slow:.2g} s of MCMC"
    scores, times = (
        [mean(found, data, each, key) for each in filters] for key in ("log p", "seconds")
    )
    fast = seconds_to(goal, scores, times)
    if fast is None:
        return 0.0, f"{text}, not reached by particles"
    return slow / fast, f"{text}, {fast:.2g} s of particles: {slow / fast:.0f} times"


def seconds_to(goal: float, scores: Sequence[float], times: Sequence[float]) -> float | None:
    """When a curve first reaches a score, straight in the logarithm of time; None if it does not.

    Examples
    --------
    >>> round(seconds_to(-0.3, [-0.4, -0.2], [0.01, 0.09]), 4)
    0.03
    >>> seconds_to(-0.4, [-0.4, -0.2], [0.01, 0.09]), seconds_to(-0.1, [-0.4, -0.2], [0.01, 0.09])
    (0.01, None)
    """
    for at, score in enumerate(scores):
        if score >= goal and at == 0:
            return times[0]
        if score >= goal:
            way = (goal - scores[at - 1]) / (score - scores[at - 1])
            return float(times[at - 1] * (times[at] / times[at - 1]) ** way)
    return None


def _faster(factor: float) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        told = {d: speed_up(found, d, prior_five(plan), chains(plan)[-1]) for d in TWO_SETS}
        texts = {data: text for data, (_, text) in told.items()}
        return min(ratio for ratio, _ in told.values()) >= factor, by_data(texts)

    return compute


def _similar(column: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        lacking, texts = [], {}
        for data in TWO_SETS:
            two = [best(found, data, curve, column) for curve in (prior_five(plan), chains(plan))]
            scores = [mean(found, data, each, column) for each in two]
            lacking.append(scores[1] - scores[0])
            texts[data] = ", ".join(
                f"{shown(score, column)} ({named(each)})"
                for score, each in zip(scores, two, strict=True)
            )
        return max(lacking) < CLOSE[column], by_data(texts)

    return compute


def _less_efficient(found: Found, plan: Plan) -> tuple[bool, str]:
    return bargains(found, (prior_five(plan), optimal_five(plan)), "log p")


def _drops(found: Found, plan: Plan) -> tuple[bool, str]:
    last = prior_five(plan)[-1]
    two = [values(found, PENDIGITS, each, "log p") for each in (_TURN, last)]
    p = p_above(*two)
    text = f"{two[0].mean():.3f} at M = {_TURN.size:,}, {two[1].mean():.3f} at {last.size:,}"
    return p < LEVEL, f"{text}, p {short_p(p)}"


def _adapted(found: Found, plan: Plan) -> tuple[bool, str]:
    others = [each for each in islands_curve(plan) if each.n_islands != SECTION_42_ISLANDS]
    holds, texts = [], {}
    for data in TWO_SETS:
        told = [
            _two_islands(found, data, each, base)
            for each, base in [(_FEWEST, _LEAST), *((each, _TURN) for each in others)]
        ]
        p, text = min(told)
        holds.append(p < LEVEL / len(told))
        texts[data] = text
    return all(holds), by_data(texts)


def _two_islands(found: Found, data: str, setting: Setting, base: Setting) -> tuple[float, str]:
    p = p_above(*(values(found, data, each, "log p") for each in (setting, base)))
    scores = [f"{mean(found, data, e, 'log p'):.3f} (I = {e.n_islands})" for e in (setting, base)]
    return p, f"{', '.join(scores)} at M = {base.size:,}, p {short_p(p)}"


def find_appendix_d(found: Found, plan: Plan) -> Finding:
    """The evidence as particles become more."""
    checks = [
        Check(
            f"The marginal likelihood of the training data increases with M, {NAMES[data]} "
            "(4.2, Appendix D)",
            "the mean log evidence (prior proposal, five islands) rises from each M to the next, "
            f"and from the first to the last (Welch's one-sided test at level {LEVEL:g})",
            _evidence_rises(data),
        )
        for data in TWO_SETS
    ]
    rows = []
    for data in sets_here(found, TWO_SETS, prior_five(plan)[0]):
        for each in prior_five(plan):
            got = values(found, data, each, "log evidence")
            numbers = f"{got.mean():.1f} ± {got.std(ddof=1):.1f}"
            score = shown(mean(found, data, each, "log p"), "log p")
            rows.append((NAMES[data], f"{each.size:,}", numbers, score))
    header = ("data", "M", "log evidence", "test log p")
    panels = [(data, "size", "log evidence") for data in TWO_SETS]
    picture = draw_curves(
        found, prior_five(plan), panels, "appendix-d",
        "Appendix D: log evidence of the training data against particles, five islands.",
    )  # fmt: skip
    return Finding(
        claims=check_claims(checks, found, plan),
        listings=(Listing(header, tuple(rows)),),
        pictures=(picture,),
    )


def _evidence_rises(data: str) -> Compute:
    def compute(found: Found, plan: Plan) -> tuple[bool, str]:
        got = [values(found, data, each, "log evidence") for each in prior_five(plan)]
        means = [float(each.mean()) for each in got]
        p = p_above(got[-1], got[0])
        rises = all(later > earlier for earlier, later in pairwise(means))
        text = ", ".join(f"{value:.1f}" for value in means)
        return rises and p < LEVEL, f"{text}; first to last p {short_p(p)}"

    return compute
