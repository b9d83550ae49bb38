"""Splits, CART, trees of the prior and evidence, where they can be known."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayeswood.forest import Forest
from bayeswood.reproduce import data
from bayeswood.reproduce.lakshminarayanan_2013 import measure
from bayeswood.reproduce.lakshminarayanan_2013.measure import (
    SmoothedCART,
    cart_scores,
    chain_scores,
    evidence_ratios,
    exact_log_evidence,
    particle_scores,
    prior_trees,
    rows_of,
    shuffled_part,
    sizes,
)
from bayeswood.reproduce.lakshminarayanan_2013.measure_depth import depths, leaf_depth


@pytest.fixture
def _toys(monkeypatch):
    """Ninety rows; magic04 comes without a predefined split."""

    def load(name):
        X = np.random.default_rng(0).normal(size=(90, 3))
        split = None if name == "magic04" else np.where(np.arange(90) < 60, "train", "test")
        return SimpleNamespace(features=X, target=np.where(X[:, 0] > 0, "g", "h"), split=split)

    monkeypatch.setattr(data, "load", load)
    monkeypatch.setattr(measure, "load", load)


def test_the_shuffle_of_python_2():
    """The first rows of the authors' draw of magic-04."""
    train = shuffled_part(19_020)
    assert train.sum() == 13_314
    expected = "0011111011110111101100111110011110110101"
    assert "".join(str(int(each)) for each in train[:40]) == expected


@pytest.mark.usefixtures("_toys")
def test_given_and_drawn_splits():
    assert len(rows_of("pendigits").y) == 60
    drawn = rows_of("magic04")
    assert (len(drawn.y), len(drawn.y_test), drawn.X.shape[1]) == (63, 27, 3)
    assert sizes("magic04") == {
        "N": 90, "D": 3, "K": 2, "complete": 90, "train": 63, "test": 27,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pendigits", (7494, 3498, 16)),
        ("magic04", (13_314, 5706, 10)),
        ("madelon", (2000, 600, 500)),
    ],
)
def test_the_papers_sizes(monkeypatch, data_set, name, expected):
    monkeypatch.setattr(data, "load", data_set)
    monkeypatch.setattr(measure, "load", data_set)
    rows = rows_of(name)
    assert (len(rows.y), len(rows.y_test), rows.X.shape[1]) == expected


def test_cart_is_smoothed():
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) >= 20).astype(int)
    cart = SmoothedCART("gini", 10, 5.0, 0).fit(X, y)
    np.testing.assert_allclose(cart.predict_proba(np.array([[3.0]])), [[22.5 / 25, 2.5 / 25]])


@pytest.mark.usefixtures("_toys")
def test_scores_of_all_methods():
    filters = particle_scores("pendigits", {"n_particles": 50}, 2, 3)
    chain = chain_scores("pendigits", 3000, {}, 2, 3)
    cart = cart_scores("pendigits", "entropy", 10, 5.0, 2, 3)
    for found in (filters, chain, cart):
        assert all(len(each) == 2 for each in found.values())
        assert min(found["accuracy"]) > 60
        assert max(found["log p"]) < 0
    assert filters["log p"][0] != filters["log p"][1]
    again = particle_scores("pendigits", {"n_particles": 50}, 2, 3)
    assert {**again, "seconds": 0} == {**filters, "seconds": 0}
    assert max(filters["log evidence"]) < 0
    assert min(filters["stages"]) >= 3


def test_a_chain_is_thinned_to_2000_draws(monkeypatch):
    seen = []
    monkeypatch.setattr(measure, "_scores", lambda *given: seen.append(given[-1](0)) or {})
    for n_iterations in (1000, 1_000_000):
        chain_scores("pendigits", n_iterations, {}, 1, 0)
    assert [(each.n_draws, each.thin, each.n_burn_in) for each in seen] == [
        (1000, 1, 0), (2000, 500, 0),
    ]  # fmt: skip


def test_without_a_likelihood_trees_are_the_priors():
    """Nodes run out of rows, so that trees are smaller, the less so the more rows."""
    few, many = prior_trees(20, 2000, 0), prior_trees(5000, 2000, 0)
    assert few["nodes"] < many["nodes"] < 18.28 + 4 * many["nodes sd"] / np.sqrt(2000)
    assert few["depth"] < many["depth"]


def test_evidence_by_hand():
    """Two rows: a leaf, or the one split, whose leaves hold a row each."""
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    apart = 0.25
    together = 0.5 * 2.5 / 6  # eq. 3 with α = 5
    assert np.exp(exact_log_evidence(X, y)) == pytest.approx(0.05 * together + 0.95 * apart)


def test_the_filter_is_unbiased_and_a_wrong_prior_is_not():
    """Five standard errors: once in 10⁶ by chance."""
    right = evidence_ratios({}, 6, 300, 0)
    assert abs(right["mean"] - 1) < 5 * right["error"]
    wrong = evidence_ratios({"alpha_split": 0.5}, 6, 300, 0)
    assert abs(wrong["mean"] - 1) > 5 * wrong["error"]


def test_depth_of_leaves():
    """A chain of three leaves at depths 1, 2, 2."""
    forest = Forest.from_nested([(0, 0.5, 1.0, (0, 0.7, 0.0, 1.0))])
    assert leaf_depth(forest.trees[0]) == pytest.approx(5 / 3)


@pytest.mark.usefixtures("_toys")
def test_depths_of_filters():
    found = depths("pendigits", {"n_particles": 20}, 2, 0)
    assert all(0 < leaf <= most for leaf, most in zip(*found.values(), strict=True))
