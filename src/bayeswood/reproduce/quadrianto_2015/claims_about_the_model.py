"""What the paper says of its model, held against the library."""

from collections.abc import Sequence

import numpy as np

from bayeswood.forest import Forest, weigh_trees
from bayeswood.reproduce.checks import Check
from bayeswood.reproduce.data import load_classes
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.quadrianto_2015.figures import code_of, prior_trees
from bayeswood.reproduce.quadrianto_2015.measure import (
    DATA_SETS,
    ROWS_PER_CLASS,
    largest_weights,
    published,
)
from bayeswood.reproduce.quadrianto_2015.tables import seed_of, sizes
from bayeswood.theory import prior_leaf_count_pmf

_MASS_DATA, _N_MASS = "german.numer", 5


def mass_units(plan: Plan) -> Sequence[Unit]:
    """Weights of trees as rows come in."""
    return [
        Unit(f"mass/{repeat}", largest_weights,
             (_MASS_DATA, seed_of(plan, repeat), sizes(plan)["trees"]),
             (DATA_SETS[_MASS_DATA].file,))
        for repeat in range(_N_MASS)
    ]  # fmt: skip


def _largest(found: Found, name: str) -> np.ndarray:
    """Mean largest weight at each number of rows."""
    each = np.array([found[f"mass/{repeat}"][name] for repeat in range(_N_MASS)])
    return np.asarray(each.mean(axis=0))


def _averaging_picks_one(found: Found, plan: Plan) -> tuple[bool, str]:
    weights = _largest(found, "BMA")
    return bool(weights[-1] > 0.5 and weights[-1] > weights[0]), _by_rows(weights)


def _power_does_not(found: Found, plan: Plan) -> tuple[bool, str]:
    weights = _largest(found, "S-Bayes")
    return bool(weights.max() < 0.05), _by_rows(weights)


def _by_rows(weights: np.ndarray) -> str:
    return ", ".join(
        f"{2 * n} rows {weight:.3f}" for n, weight in zip(ROWS_PER_CLASS, weights, strict=True)
    )


def _codes(found: Found, plan: Plan) -> tuple[bool, str]:
    codes = [code_of(tree) for tree in prior_trees(plan, 0.475, 300)]
    lawful = all(code[0] == "1" and code.count("0") == code.count("1") + 1 for code in codes)
    return lawful, f"{len(codes)} trees, {len(set(codes))} different"


def _code_probability(found: Found, plan: Plan) -> tuple[bool, str]:
    """Frequencies of small trees against P(L = n); 3.5 standard errors: one in 500 by chance."""
    counts = np.array([tree.n_leaves for tree in prior_trees(plan, 0.475, 4000)])
    texts, holds = [], True
    for n_leaves in (2, 3, 4, 5):
        share, expected = np.mean(counts == n_leaves), float(prior_leaf_count_pmf(0.475, n_leaves))
        holds &= abs(share - expected) < 3.5 * np.sqrt(expected * (1 - expected) / len(counts))
        texts.append(f"{n_leaves} leaves {share:.3f} ({expected:.3f})")
    return bool(holds), ", ".join(texts)


def _same_shapes(found: Found, plan: Plan) -> tuple[bool, str]:
    codes = []
    for data in ("iris", "wine"):
        forest = published(seed_of(plan, 0), 200).fit(*load_classes(data)).forest_
        codes.append([code_of(tree) for tree in forest.trees])
    alike = sum(one == two for one, two in zip(*codes, strict=True))
    return alike == 200, f"{alike} of 200 trees on iris and on wine"


def _empty_leaves(found: Found, plan: Plan) -> tuple[bool, str]:
    bare = (0, 0.5, None, None)
    deeper = (0, 0.5, None, (0, 0.99, None, (0, 0.995, None, None)))
    X, y = [[0.1], [0.3], [0.6], [0.9]], [0, 0, 1, 1]
    forest = weigh_trees(Forest.from_nested([bare, deeper]), X, y)
    one, two = forest.log_weights
    return bool(np.isclose(one, two, atol=1e-12)), f"log evidence {one:.4f} and {two:.4f}"


def _homogeneous(found: Found, plan: Plan) -> tuple[bool, str]:
    stump = Forest.from_nested([(0, 0.5, None, None)])
    X = [[0.1], [0.2], [0.3], [0.7], [0.8], [0.9]]
    pure, mixed = (
        float(weigh_trees(stump, X, y, n_classes=2).log_weights[0])
        for y in ([0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1])
    )
    return pure > mixed, f"log evidence {pure:.2f} of pure leaves, {mixed:.2f} of mixed ones"


def _small_lambda(found: Found, plan: Plan) -> tuple[bool, str]:
    """The mean number of leaves, (2 - 2λ)/(1 - 2λ), without end at 1/2; here cut at 10,000."""
    sizes_at = {
        each: np.mean([tree.n_leaves for tree in prior_trees(plan, each, 2000)])
        for each in (0.3, 0.475, 0.5)
    }
    text = ", ".join(f"λ = {each}: {mean:.1f}" for each, mean in sizes_at.items())
    small, middle, large = sizes_at.values()
    return bool(large > 2 * middle > 4 * small), text


def _chipman_sizes(found: Found, plan: Plan) -> tuple[bool, str]:
    base, steeper, likelier = (_mean_nodes(*each) for each in ((0.9, 0.5), (0.9, 1.0), (0.95, 0.5)))
    return likelier > base and steeper > base, (
        f"mean nodes {base:.1f} at (.9, .5), {likelier:.1f} at (.95, .5), {steeper:.1f} at (.9, 1)"
    )


def _mean_nodes(alpha_split: float, beta_split: float) -> float:
    """n_d = 1 + 2 p_d n_{d+1}, with p_d = α_s/(1 + d)^β_s."""
    n_nodes = 1.0
    for depth in range(200, -1, -1):
        n_nodes = 1 + 2 * alpha_split / (1 + depth) ** beta_split * n_nodes
    return n_nodes


MODEL_CHECKS = (
    Check(
        "As more data arrive, Bayesian trees put their mass on a single tree (sections 1 and 4)",
        f"mean largest weight of a tree at β = 1, {_MASS_DATA}; holds if it grows beyond .5",
        _averaging_picks_one,
    ),
    Check(
        "Dividing by N, no single member dominates as the training set grows (section 4)",
        f"the same at β = 5/N; holds if it stays below .05, {_MASS_DATA}",
        _power_does_not,
    ),
    Check(
        "Codes start with 1 and have one leaf more than splits (section 2.1, Figure 1)",
        "the codes of 300 trees",
        _codes,
    ),
    Check(
        "1s occur independently with probability λ (section 2.1)",
        "share of 4,000 trees with 2 to 5 leaves, and what follows from it (3.5 standard errors)",
        _code_probability,
    ),
    Check(
        "Exactly the same tree structures serve all data sets (section 2.1)",
        "codes of 200 trees of one seed on two data sets",
        _same_shapes,
    ),
    Check(
        "Leaves without rows do not contribute to the weight of a tree (Figure 3)",
        "a tree with and without empty leaves",
        _empty_leaves,
    ),
    Check(
        "p(Y|X, T) is larger with more homogeneous values in the leaves (section 2.2)",
        "the same tree with pure and with mixed leaves",
        _homogeneous,
    ),
    Check(
        "λ of at most .5 is recommended for efficiency (footnote 6)",
        "mean leaves of 2,000 trees; holds if they more than double from .3 to .475 and to .5",
        _small_lambda,
    ),
    Check(
        "For larger α_s and β_s the typical trees of Chipman's prior are larger (section 2.1)",
        "mean number of nodes by recursion",
        _chipman_sizes,
    ),
    Check(
        "The prior proposal has a better trade-off of accuracy and time than any more optimal one "
        "(section 3)",
        "no other proposal of whole trees is given in the paper",
    ),
)
