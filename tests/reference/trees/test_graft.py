"""Grafting and best-first trunks against twins that do both by hand."""

import numpy as np
import pytest
from graft_twin import grafted, renumbered, to_arrays, to_nested
from random_tables import TARGETS, n_levels_of, random_rows, random_target

from bayeswood import _core
from bayeswood.distributed import (
    BranchPlan,
    bare_branch,
    branch_depths,
    branch_rows,
    fit_branch,
    fit_trunk,
    graft,
    route,
)
from bayeswood.forest import Forest

KINDS = ("normal", "levels3", "integer", "levels70", "tailed")


def problem_of(rng, target, n=300):
    X = random_rows(rng, n, KINDS, missing=0.05)
    made = random_target(rng, X, target)
    n_classes = made.get("n_classes", 0)
    y = made["y"].astype(np.int32) if n_classes else made["y"].astype(float)
    return X, y, n_levels_of(KINDS).astype(np.int32), n_classes, made["criterion"]


def nested(core, index):
    one = core.select(np.array([index]))
    return to_nested(core.tree(index), one.to_arrays())


def assert_same_arrays(found, wanted):
    assert found.keys() == wanted.keys()
    for name in wanted:
        np.testing.assert_array_equal(found[name], wanted[name], err_msg=name)


@pytest.mark.parametrize("target", TARGETS)
def test_grafting_is_the_replacement_of_leaves(rng, target):
    X, y, n_levels, n_classes, criterion = problem_of(rng, target)
    trunk = fit_trunk(
        X, y, n_levels=n_levels, criterion=criterion, n_classes=n_classes, max_leaves=4
    )
    rows = branch_rows(route(trunk, X), 4)
    cut = len(X) // 4  # a leaf size that leaves some branches whole and splits others
    plan = BranchPlan(criterion, 7, 3, n_classes, 2, cut, len(X), keep_rows=True)
    branches = [
        fit_branch(X[r], y[r], None, plan, b, n_levels=n_levels).forest for b, r in enumerate(rows)
    ]
    deep = BranchPlan(criterion, 7, 3, n_classes, 2, 1, len(X), keep_rows=True)
    branches[0] = fit_branch(X[rows[0]], y[rows[0]], None, deep, 0, n_levels=n_levels).forest
    assert {int(n) for b in branches for n in b.n_leaves} > {1}
    wanted = [
        grafted(
            nested(trunk.core, 0),
            [
                renumbered(nested(b.core, t), r.tolist())
                for b, r in zip(branches, rows, strict=True)
            ],
        )
        for t in range(3)
    ]
    whole = graft(trunk, branches, rows, n_jobs=2)
    found = whole.core.to_arrays()
    assert_same_arrays(found, to_arrays(wanted, branches[0].core.to_arrays()))
    _core.Forest.from_arrays(found)  # lawful


@pytest.mark.parametrize("target", ["regression", "multiclass"])
def test_rows_fall_into_their_branches(rng, target):
    X, y, n_levels, n_classes, criterion = problem_of(rng, target)
    trunk = fit_trunk(X, y, n_levels=n_levels, criterion=criterion, n_classes=n_classes)
    plan = BranchPlan(criterion, 1, 4, n_classes, 3, 2, len(X))
    branch = route(trunk, X)
    rows = branch_rows(branch, int(trunk.n_leaves[0]))
    branches = [
        fit_branch(X[r], y[r], None, plan, b, n_levels=n_levels).forest for b, r in enumerate(rows)
    ]
    draws = graft(trunk, branches).draws(X)
    for number, forest in enumerate(branches):
        mine = branch == number
        np.testing.assert_array_equal(draws[:, mine], forest.draws(X[mine]))


def test_a_branch_without_rows_says_what_the_trunk_says(rng):
    X, y, n_levels, n_classes, criterion = problem_of(rng, "multiclass")
    trunk = fit_trunk(
        X, y, n_levels=n_levels, criterion=criterion, n_classes=n_classes, max_leaves=3
    )
    bare = [bare_branch(trunk, b, 2) for b in range(3)]
    whole = graft(trunk, [branch.forest for branch in bare])
    for member in whole.draws(X):
        np.testing.assert_allclose(member, trunk.draws(X)[0], rtol=1e-12)


def test_a_trunk_of_one_leaf_is_its_branch(rng):
    X, y, n_levels, _, criterion = problem_of(rng, "regression")
    trunk = fit_trunk(X, y, n_levels=n_levels, criterion=criterion, max_leaves=1)
    plan = BranchPlan(criterion, 3, 2, 0, 5, 3, len(X))
    forest = fit_branch(X, y, None, plan, 0, n_levels=n_levels).forest
    assert_same_arrays(graft(trunk, [forest]).to_arrays(), forest.to_arrays())


def test_the_trunk_counts_towards_the_depth(rng):
    X, y, n_levels, _, criterion = problem_of(rng, "regression")
    trunk = fit_trunk(X, y, n_levels=n_levels, criterion=criterion, max_leaves=4, max_depth=2)
    plan = BranchPlan(criterion, 3, 2, 0, 5, 1, len(X), max_depth=3)
    depths = branch_depths(trunk)
    assert depths.max() == 2
    branches = [
        fit_branch(X[r], y[r], None, plan, b, n_levels=n_levels, depth=int(depths[b])).forest
        for b, r in enumerate(branch_rows(route(trunk, X), 4))
    ]
    np.testing.assert_array_equal(graft(trunk, branches).depths, [3, 3])
    alone = fit_branch(X, y, None, plan, 0, n_levels=n_levels, depth=3).forest
    np.testing.assert_array_equal(alone.depths, [0, 0])


def test_a_leaf_has_its_share_of_the_whole_weight(rng):
    X, y, n_levels, _, criterion = problem_of(rng, "regression")
    weight = rng.uniform(0.5, 2, len(X))
    whole = BranchPlan(criterion, 3, 40, 0, 5, 1, float(weight.sum()), 0.05)
    twice = BranchPlan(criterion, 3, 40, 0, 5, 1, 2 * float(weight.sum()), 0.025)
    first, second = (
        fit_branch(X, y, weight, plan, 0, n_levels=n_levels).forest for plan in (whole, twice)
    )
    assert_same_arrays(first.to_arrays(), second.to_arrays())
    shares = [tree.weight[tree.feature < 0] / tree.weight[0] for tree in first.trees]
    assert min(share.min() for share in shares) >= 0.05 * (1 - 1e-6)
    none = BranchPlan(criterion, 3, 1, 0, 5, 1, 30 * float(weight.sum()), 0.05)
    assert fit_branch(X, y, weight, none, 0, n_levels=n_levels).forest.n_leaves[0] == 1


def test_log_weights_of_branches_add_up():
    trunk = Forest.from_nested([(0, 0.5, None, None)])
    two = Forest.from_nested([1.0, 2.0])
    weighted = Forest(two.core, np.log([1.0, 3.0]))
    np.testing.assert_allclose(graft(trunk, [weighted, two]).weights, [0.25, 0.75])
    np.testing.assert_allclose(graft(trunk, [weighted, weighted]).weights, [0.1, 0.9])


@pytest.mark.parametrize(
    ("branches", "words"),
    [
        ([[1.0]], "2 leaves needs as many branches"),
        ([[1.0], [1.0, 2.0]], "number of trees"),
        ([[1.0], [(1, 0.0, 1.0, 2.0)]], "branch 1 is not of the trunk's shape"),
    ],
)
def test_parts_that_do_not_fit_are_refused(branches, words):
    trunk = Forest.from_nested([(0, 0.5, None, None)])
    with pytest.raises(ValueError, match=words):
        graft(trunk, [Forest.from_nested(branch) for branch in branches])


# --- the trunk ----------------------------------------------------------------------------------


def impurity(y, weight, criterion):
    if criterion == "squared_error":
        mean = weight @ y / weight.sum()
        return float((weight @ (y - mean) ** 2).sum())
    shares = np.bincount(y, weight) / weight.sum()
    shares = shares[shares > 0]
    score = 1 - (shares**2).sum() if criterion == "gini" else -(shares * np.log(shares)).sum()
    return float(weight.sum() * score)


def grown_best_first(X, y, weight, settings, n_levels, n_classes, max_leaves):
    """Row sets of the leaves: of one whole tree, always the split that gains most."""
    encoded = _core.EncodedMatrix(X, n_levels)
    core, _ = _core.grow_forest(
        encoded,
        y,
        weight,
        scheme="unit",
        seed=0,
        n_trees=1,
        n_classes=n_classes,
        max_features=X.shape[1],
        random_ties=False,
        **settings,
    )
    tree, leaf = core.tree(0), core.apply(X)[:, 0]

    def rows_of(node):
        below = {node}
        for child in range(node, len(tree["left"])):  # children come after their parents
            if child in below and tree["left"][child] >= 0:
                below |= {int(tree["left"][child]), int(tree["right"][child])}
        return np.flatnonzero(np.isin(leaf, sorted(below)))

    def gain(node):
        if tree["left"][node] < 0:
            return -1.0
        parts = [rows_of(k) for k in (node, int(tree["left"][node]), int(tree["right"][node]))]
        score = [impurity(y[rows], weight[rows], settings["criterion"]) for rows in parts]
        return score[0] - score[1] - score[2]

    leaves = [0]
    while len(leaves) < max_leaves and max(map(gain, leaves)) >= 0:
        best = leaves.pop(int(np.argmax([gain(node) for node in leaves])))
        leaves += [int(tree["left"][best]), int(tree["right"][best])]
    return {tuple(rows_of(node).tolist()) for node in leaves}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("max_leaves", [2, 3, 6, 9])
def test_the_trunk_grows_best_first(rng, target, max_leaves):
    X, y, n_levels, n_classes, criterion = problem_of(rng, target, n=150)
    weight = rng.uniform(0.5, 2, len(X))
    settings = {"criterion": criterion, "min_samples_leaf": 8}
    wanted = grown_best_first(X, y, weight, settings, n_levels, n_classes, max_leaves)
    trunk = fit_trunk(
        X, y, weight, n_levels=n_levels, n_classes=n_classes, max_leaves=max_leaves, **settings
    )
    found = branch_rows(route(trunk, X), int(trunk.n_leaves[0]))
    assert {tuple(rows.tolist()) for rows in found} == wanted
    assert len(wanted) == max_leaves
    np.testing.assert_array_equal(
        [len(rows) for rows in found], trunk.trees[0].n_samples[trunk.trees[0].feature < 0]
    )
