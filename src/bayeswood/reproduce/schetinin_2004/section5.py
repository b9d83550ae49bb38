"""Section 5.1 and Table 1: five Gaussians; and the number of section 4."""

from collections.abc import Sequence

import numpy as np

from bayeswood.reproduce.finding import Finding, Listing, compared
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.schetinin_2004.invalid_sampler import invalid_trees
from bayeswood.reproduce.schetinin_2004.measure import (
    N_REPEATS,
    bayes_error,
    bayesian_trees,
    growing_rows,
    randomised_trees,
)
from bayeswood.reproduce.schetinin_2004.printed import (
    APPROXIMATION,
    BAYES_ERROR,
    PATHS,
    SECTION_511,
    SECTION_512,
    WEIGHTS,
)
from bayeswood.reproduce.schetinin_2004.tables import RECONSTRUCTED, beside_listing, n_chains
from bayeswood.reproduce.verdict import Reading
from bayeswood.theory import five_gaussians_envelope

VALID, INVALID_TREES, RANDOMISED = "five/bayesian", "five/invalid", "five/randomised"


def bayesian_units(plan: Plan) -> Sequence[Unit]:
    """A draw of the five Gaussians each, by either sampler."""
    return [
        Unit(f"{name}/{repeat}", measure, (repeat, plan.seed, n_chains(plan)))
        for name, measure in ((VALID, bayesian_trees), (INVALID_TREES, invalid_trees))
        for repeat in range(N_REPEATS)
    ]


def randomised_units(plan: Plan) -> Sequence[Unit]:
    """A draw of the five Gaussians each."""
    return [
        Unit(f"{RANDOMISED}/{repeat}", randomised_trees, (repeat, plan.seed))
        for repeat in range(N_REPEATS)
    ]


def bayes_units(plan: Plan) -> Sequence[Unit]:
    """The Bayes rule on each draw."""
    return [
        Unit(f"five/bayes/{repeat}", bayes_error, (repeat, plan.seed))
        for repeat in range(N_REPEATS)
    ]


def growth_sizes(plan: Plan) -> tuple[int, ...]:
    """Training rows of `find_growth`."""
    return (250, 1000) if plan.quick else (250, 1000, 4000, 16_000)


def growth_units(plan: Plan) -> Sequence[Unit]:
    """A number of rows each."""
    return [Unit(f"growth/{n}", growing_rows, (n, plan.seed)) for n in growth_sizes(plan)]


def find_approximation(found: Found, plan: Plan) -> Finding:
    """Section 4: how far eq. 14 is from eq. 13 with N classifiers."""
    share = BAYES_ERROR / 100
    cells = tuple(
        compared(
            (f"N = {n:,}", "approximation error, %"),
            (printed, None),
            [100 * float(np.sqrt(share * (1 - share) / n))],
            Reading(unit),
            digits=2,
        )
        for n, (printed, unit) in APPROXIMATION.items()
    )
    words = (
        "The paper gives no formula. Both numbers are those of the standard error √(p(1 - p)/N) at "
        "p = 9.3 %, the Bayes error of section 5.1, which we chose because it fits; at the worst "
        "p, 1/2, the errors are 2.2 and 0.7 %."
    )
    return Finding(cells, words=words)


def find_bayes_error(found: Found, plan: Plan) -> Finding:
    """Section 5.1: the Bayes rule on the test rows."""
    errors = found.repeats("five/bayes", N_REPEATS)
    exact = 100 * five_gaussians_envelope(0.0, n_steps=500).confident_incorrect
    cell = compared(
        ("1,000 test rows", "Bayes error, %"), (BAYES_ERROR, None), errors, Reading(0.1), digits=1
    )
    return Finding((cell,), words=f"Exactly, by quadrature, it is {exact:.2f} %.")


def _repeats(found: Found, name: str, key: str) -> list[float]:
    return [each[key] for each in found.repeats(name, N_REPEATS)]


def find_bayesian(found: Found, plan: Plan) -> Finding:
    """Section 5.1.1."""
    cells = [
        compared(
            ("Bayesian trees", label), printed, _repeats(found, VALID, key), reading,
            digits=2 if reading.unit < 0.1 else 1,
        )
        for key, label, printed, reading in SECTION_511
    ]  # fmt: skip
    beside = [
        (cell, _repeats(found, INVALID_TREES, key))
        for cell, (key, *_) in zip(cells, SECTION_511, strict=True)
    ]
    readings = [reading for *_, reading in SECTION_511]
    return Finding(tuple(cells), listings=(beside_listing(beside, readings, n_chains(plan)),))


def find_randomised(found: Found, plan: Plan) -> Finding:
    """Section 5.1.2."""
    cells = tuple(
        compared(
            ("randomised trees", label), printed, _repeats(found, RANDOMISED, key), reading,
            digits=1,
        )
        for key, label, printed, reading in SECTION_512
    )  # fmt: skip
    return Finding(cells)


def find_table_1(found: Found, plan: Plan) -> Finding:
    """The likeliest trees: nodes and weights by rank, and the paths of the first draw."""
    tops = [each["top"] for each in found.repeats(VALID, N_REPEATS)]
    ours, theirs = tops[0], found[f"{INVALID_TREES}/0"]["top"]
    cells, rows = [], []
    for rank, (path, weight) in enumerate(zip(PATHS, WEIGHTS, strict=True)):
        place = f"{rank + 1}: {path}"
        nodes = [float(len(top[rank][0])) for top in tops]
        masses = [top[rank][1] for top in tops]
        cells += [
            compared((place, "nodes"), (len(path), None), nodes, Reading(1.0), digits=1),
            compared((place, "weight"), (weight, None), masses, Reading(0.001), digits=3),
        ]
        rows.append(
            (str(rank + 1), path, *_path_and_mass(ours[rank]), *_path_and_mass(theirs[rank]))
        )
    header = ("#", "printed path", "ours", "weight", RECONSTRUCTED, "weight")
    words = (
        "Paths of the first of our five draws, features from 1, breadth first from the root; equal "
        "paths with different places are different trees. The paper's own draw is not to be had, "
        "so paths cannot be compared one by one."
    )
    return Finding(tuple(cells), listings=(Listing(header, tuple(rows), "Paths", words),))


def _path_and_mass(tree: tuple[str, float]) -> tuple[str, str]:
    return tree[0] or "(no split)", f"{tree[1]:.4f}"


def find_growth(found: Found, plan: Plan) -> Finding:
    """The envelopes of votes and of probabilities as data grow, beside the best one."""
    rows = []
    for n_rows in growth_sizes(plan):
        told = found[f"growth/{n_rows}"]
        numbers = [f"{rate:.1f}" for rate in (*told["votes"], *told["probability"])]
        rows.append((f"{n_rows:,}", f"{told['leaf'][0]:.0f}", *numbers))
    best = five_gaussians_envelope(0.99, n_steps=1000)
    rows.append(("optimum", "", "", "", "", *(f"{100 * rate:.2f}" for rate in best)))
    header = (
        "rows", "leaf of at least", "votes: correct", "uncertain", "incorrect",
        "probability: correct", "uncertain", "incorrect",
    )  # fmt: skip
    words = (
        "Bayesian forests on the five Gaussians, four training sets each, rates in %. With γ by "
        "the averaged probability (eq. 13) the envelope approaches the optimum. By votes (eq. 14, "
        "the paper's choice) it does not: trees that each find the better class agree where its "
        "probability is 0.6. Votes measure whether the *decision* is settled, not whether the "
        "*case* is clear."
    )
    return Finding(listings=(Listing(header, tuple(rows), words=words),))
