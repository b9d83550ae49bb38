"""The reconstruction does what it says, invalid as that is."""

import random

import numpy as np
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce.schetinin_2004.invalid_sampler import (
    N_BURN_IN,
    N_DRAWS,
    _Chain,
    invalid_trees,
    run_invalid_chains,
)
from bayeswood.reproduce.schetinin_2004.row_bits import RowBits, to_bits, to_mask
from bayeswood.theory import sample_five_gaussians


@pytest.fixture(scope="module")
def rows():
    """Two features, the second with ties, and three classes."""
    X, y = sample_five_gaussians(90, rng=7)
    X[:, 1] = np.round(X[:, 1], 1)
    y = y - 1
    y[::9] = 2
    return X[:60], y[:60], X[60:]


@pytest.fixture(scope="module")
def chain(rows):
    chain = _Chain(RowBits(*rows, p_min=5), random.Random(1))
    chain.run()
    return chain


def test_bits_are_rows(rows):
    mask = np.random.default_rng(0).random(61) < 0.3
    assert to_mask(to_bits(mask), 61).tolist() == mask.astype(int).tolist()


def test_cuts_are_the_nodes_own_that_leave_enough_rows(rows):
    X, y, X_test = rows
    table = RowBits(X, y, X_test, p_min=5)
    inside = np.random.default_rng(1).random(60) < 0.5
    for feature in (0, 1):
        values = np.unique(X[:, feature])
        column = X[inside, feature]
        lawful = [
            code
            for code, value in enumerate(values)
            if value in column and 5 <= np.sum(column <= value) <= len(column) - 5
        ]
        found = table.cuts(to_bits(inside), feature)
        assert found == lawful
        for code in found:
            assert table.train[feature][code] == to_bits(X[:, feature] <= values[code])
            assert table.test[feature][code] == to_bits(X_test[:, feature] <= values[code])


def test_rows_are_scored_by_the_posterior_mean_of_their_leaf(rows):
    X, y, X_test = rows
    inside = np.random.default_rng(2).random(60) < 0.4
    counts = np.bincount(y[inside], minlength=3)
    expected = np.sum(counts * np.log((counts + 1) / (counts.sum() + 3)))
    table = RowBits(X, y, X_test, p_min=5)
    assert table.score(to_bits(inside)) == pytest.approx(expected, rel=1e-12)
    assert table.vote(to_bits(inside)) == counts.argmax()


def route(node, X, values, inside, leaves):
    """The leaves that rows reach, by the rules themselves."""
    if node.feature < 0:
        leaves.append((node, inside))
        return
    left = X[:, node.feature] <= values[node.feature][node.cut]
    route(node.children[0], X, values, inside & left, leaves)
    route(node.children[1], X, values, inside & ~left, leaves)


def test_the_last_tree_is_lawful(rows, chain):
    X, y, _ = rows
    leaves = []
    values = [np.unique(column) for column in X.T]
    route(chain._root, X, values, np.ones(60, dtype=bool), leaves)
    assert {id(node) for node, _ in leaves} == {id(node) for node in chain._leaves}
    total = 0.0
    for node, inside in leaves:
        assert node.rows == to_bits(inside)
        assert inside.sum() >= 5
        counts = np.bincount(y[inside], minlength=3)
        total += np.sum(counts * np.log((counts + 1) / (counts.sum() + 3)))
    assert chain.log_likelihoods[-1] == pytest.approx(total, abs=1e-8)
    assert chain.sizes[-1] == len(leaves) - 1 == len(chain._splits)


def test_every_draw_votes_once(rows, chain):
    assert chain.votes.sum(axis=1).tolist() == [N_DRAWS] * 30
    assert chain.trees.total() == N_DRAWS
    assert len(chain.sizes) == len(chain.accepted) == N_BURN_IN + N_DRAWS


def test_what_is_counted_is_the_vote_of_the_tree(rows, chain):
    """Counting once more adds the last tree's votes on the test rows."""
    X, y, X_test = rows
    before = chain.votes.copy()
    chain._count(1)
    added = chain.votes - before
    leaves = []
    values = [np.unique(column) for column in X.T]
    route(chain._root, X_test, values, np.ones(30, dtype=bool), leaves)
    for node, reached in leaves:
        label = np.bincount(y[to_mask(node.rows, 60).astype(bool)], minlength=3).argmax()
        assert np.all(added[reached, label] == 1)
    assert added.sum() == 30


def test_a_chain_does_not_depend_on_the_others(rows):
    one, two = (run_invalid_chains(*rows, n_chains, 4) for n_chains in (1, 2))
    assert one.n_splits[0].tolist() == two.n_splits[0].tolist()
    assert one.n_splits[0].tolist() != two.n_splits[1].tolist()


def test_no_cut_is_said_at_once(rows):
    X, y, X_test = rows
    with pytest.raises(BayeswoodError, match="No cut leaves 40 rows"):
        run_invalid_chains(X, y, X_test, 1, 0, p_min=40)


def test_it_gives_trees_of_the_printed_size():
    """12.4 splits and acceptance .47 are printed; a valid chain has half of that."""
    found = invalid_trees(0, 0, 5)
    assert 10 < found["size"] < 15
    assert 0.42 < found["acceptance"] < 0.62
    masses = [mass for _, mass in found["top"]]
    assert masses == sorted(masses, reverse=True)
    assert sum(found["distinct masses"]) == pytest.approx(1)
    assert found["distinct sizes"] == sorted(found["distinct sizes"])
