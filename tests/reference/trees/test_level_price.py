"""What levels hold between them by chance, as the price of a category takes it to be."""

from itertools import permutations

import numpy as np
import pytest
from cart_twin import LevelPrice, Node, Problem, Settings

LEVELS = np.array([0, 0, 0, 1, 1, 2], dtype=float)


def price_of(levels, y, weight, n_classes=0):
    settings = Settings("gini" if n_classes else "squared_error")
    n_levels = np.array([int(levels.max()) + 1])
    response = y if n_classes else y[:, None]
    problem = Problem(levels[:, None], response, weight, n_levels, settings, n_classes)
    return LevelPrice(Node(problem, problem.active_rows, 0), 0)


@pytest.mark.parametrize("weights", ["equal", "uneven"])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_share_by_chance_is_exact(rng, n_classes, weights):
    """The same responses in every order over the rows: E[B] / E[I] = e / (W - q / W)."""
    y = rng.normal(size=6) if not n_classes else np.array([0, 1, 2, 0, 1, 0]) % n_classes
    weight = np.ones(6) if weights == "equal" else rng.exponential(size=6)
    between = total = 0.0
    for order in permutations(range(6)):
        price = price_of(LEVELS, y[list(order)], weight, n_classes)
        between += price.node.impurity - price.within
        total += price.node.impurity
    assert between / total == pytest.approx(price.between / price.all, rel=1e-12)
    if weights == "equal":
        assert price.between / price.all == pytest.approx(2 / 5)


@pytest.mark.parametrize("weights", ["equal", "exponential"])
@pytest.mark.parametrize("n_levels", [6, 60, 200])
@pytest.mark.parametrize("n_classes", [0, 2, 3, 7])
def test_noise_lies_one_standard_deviation_from_it(rng, n_classes, n_levels, weights):
    """400 draws: the mean of z has a standard error of 0.05, its deviation one of about 0.04; the
    bounds are five of these, and what the beta variable leaves out with uneven weights."""
    n = 300
    z = []
    for _ in range(400):
        weight = np.ones(n) if weights == "equal" else rng.exponential(size=n)
        levels = rng.integers(n_levels, size=n).astype(float)
        levels[0] = n_levels - 1
        y = rng.binomial(n_classes - 1, 0.4, size=n) if n_classes else rng.normal(size=n)
        price = price_of(levels, y, weight, n_classes)
        share = 1 - price.within / price.node.impurity
        z.append((share - price.between / price.all) / price.deviation)
    assert abs(np.mean(z)) < 0.25
    # Classes in levels of one or two uneven rows vary less than a beta variable: trust is cautious.
    assert (0.6 if n_classes else 0.75) < np.std(z) < 1.3


@pytest.mark.parametrize("weights", ["equal", "exponential"])
def test_levels_of_one_row_have_no_trust_and_no_free_level(rng, weights):
    weight = np.ones(30) if weights == "equal" else rng.exponential(size=30)
    price = price_of(np.arange(30.0), rng.normal(size=30), weight)
    assert price.trust == 0
    assert price.price(0.0) == pytest.approx(price.node.impurity, rel=1e-12)
    assert price.price(0.75) == pytest.approx(0.25 * price.node.impurity, rel=1e-12)


def test_a_price_is_a_variance_per_level_beyond_four(rng):
    n = 1000
    price = price_of((np.arange(n) % 10).astype(float), rng.normal(size=n), np.ones(n))
    variance = price.node.impurity / (n - 1)
    assert price.price(0.0) == pytest.approx((1 - price.trust) * 6 * variance, rel=1e-9)
    assert price.price(1.0) == 0
