"""The native tournament against a slow twin."""

import numpy as np
import pytest

from bayeswood import _core
from bayeswood.methods.calibrated_forest.class_guarantee import margins, packed


def twin(left_out, margin, label, weight, votes, n_classes, by_class):
    """left_out: (n_trees, n_old) bools; the rest as the core has it."""
    found = np.zeros((len(votes), n_classes))
    is_itself = np.eye(n_classes, dtype=bool)
    for row, own in enumerate(votes):
        for old in range(left_out.shape[1]):
            counts = np.bincount(own[left_out[:, old]], minlength=n_classes)
            rival = np.where(is_itself, 0, counts).max(axis=1)
            counts_for = (np.arange(n_classes) == label[old]) | (not by_class)
            found[row] += weight[old] * (counts_for & (margin[old] <= counts - rival))
    return found


@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize(("n_trees", "n_classes"), [(1, 1), (7, 2), (64, 3), (70, 5), (130, 200)])
def test_native_counts_are_the_twins(n_trees, n_classes, by_class, rng):
    left_out = rng.random((n_trees, 40)) < 0.4
    label = rng.integers(n_classes, size=40, dtype=np.int32)
    old_votes = rng.integers(n_classes, size=(40, n_trees), dtype=np.int32)
    old_votes = np.where(rng.random(old_votes.shape) < 0.5, label[:, None], old_votes)
    margin = margins(old_votes, left_out, label, n_classes)
    weight = rng.integers(1, 4, 40) / 4.0
    votes = rng.integers(n_classes, size=(37, n_trees), dtype=np.int32)
    favourite = rng.choice(label, (37, 1))
    votes = np.where(rng.random(votes.shape) < 0.5, favourite, votes)
    wanted = twin(left_out, margin, label, weight, votes, n_classes, by_class)
    a_vote_too_many = twin(left_out, margin + 1, label, weight, votes, n_classes, by_class)
    assert (a_vote_too_many != wanted).any()
    for instructions in ("portable", *_core.instruction_sets()):
        for n_jobs in (1, 3):
            found = _core.count_unbeaten(
                packed(left_out),
                margin,
                label,
                weight,
                votes,
                n_classes,
                by_class,
                instruction_set=instructions,
                n_jobs=n_jobs,
            )
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("by_class", [False, True])
def test_counting_ends_where_it_is_enough(by_class, rng):
    n_trees, n_classes, n_old = 90, 6, 300
    proba = rng.dirichlet(np.full(n_classes, 0.5), n_old + 50)
    votes = np.array([rng.choice(n_classes, n_trees, p=p) for p in proba], dtype=np.int32)
    label = np.array([rng.choice(n_classes, p=p) for p in proba[:n_old]], dtype=np.int32)
    left_out = rng.random((n_trees, n_old)) < 0.3
    margin = margins(votes[:n_old], left_out, label, n_classes)
    given = packed(left_out), margin, label, np.ones(n_old), votes[n_old:], n_classes, by_class
    every, enough = _core.count_unbeaten(*given), rng.uniform(0, 40, n_classes)
    found = _core.count_unbeaten(*given, enough)
    np.testing.assert_array_equal(found > enough, every > enough)
    assert (found < every).any()
    assert (found <= every).all()
    with pytest.raises(ValueError, match="enough"):
        _core.count_unbeaten(*given, enough[1:])


def test_margins_are_votes_for_the_class_less_the_most_for_another():
    votes = np.array([[0, 0, 1, 2], [1, 1, 0, 2]], dtype=np.int32)
    left_out = np.array([[True, True, True, False], [False, True, True, True]]).T
    found = margins(votes, left_out, np.array([0, 2], dtype=np.int32), 3)
    np.testing.assert_array_equal(found, [1, 0])


@pytest.mark.parametrize("n_classes", [2, 5])
def test_leaves_vote_for_their_most_probable_class(rng, n_classes):
    X = rng.integers(0, 3, (200, 3)).astype(np.float64)
    y = rng.integers(n_classes, size=200).astype(np.int32)
    encoded = _core.EncodedMatrix(X, np.zeros(3, dtype=np.int32))
    forest, _ = _core.grow_forest(
        encoded, y, None, criterion="gini", scheme="unit", seed=1, n_trees=4, n_classes=n_classes,
        max_features=1, min_samples_leaf=2,
    )  # fmt: skip
    found = np.split(_core.node_classes(forest), np.cumsum(forest.n_nodes)[:-1])
    for t in range(4):
        tree = forest.tree(t)
        wanted = np.where(tree["feature"] < 0, tree["value"].argmax(axis=1), 0)
        np.testing.assert_array_equal(found[t], wanted)


def test_wrong_arrays_are_refused(rng):
    left_out, label = packed(np.ones((5, 3), dtype=bool)), np.zeros(3, dtype=np.int32)
    votes = np.zeros((2, 5), dtype=np.int32)
    weight = np.ones(3)
    for wrong in (
        (left_out, label[:2], label, weight, votes, 2),
        (left_out, label, label + 2, weight, votes, 2),
        (left_out, label, label, weight, votes - 1, 2),
        (left_out, label, label, weight, np.zeros((2, 65), dtype=np.int32), 2),
        (left_out, label, label, weight, votes[:, :0], 2),
    ):
        with pytest.raises(ValueError, match=r"margin|label|votes"):
            _core.count_unbeaten(*wrong)
