"""Boosted trees under monotone constraints beside a twin: their cuts, and how leaves are moved."""

import numpy as np
import pytest
import stage_twin
from cart_twin import Node, Problem, Settings
from nested_tree import levels_of
from test_boost import FIRST_NUMBER, RATE, SEED, boosted, table, weights_in

from bayeswood import _core

SIGNS = (1, 0, -1, 0)
KINDS = ("normal", "rounded", "integer", "levels7")


class OrderedNode(Node):
    """Cuts along a constrained column whose sides differ in the wrong direction are none."""

    def candidates(self, features):
        found = super().candidates(features)
        for cuts in found:
            for i in range(len(cuts.gain)):
                if self.is_wrong(cuts.split(i)):
                    cuts.gain[i] = -np.inf
        return found

    def is_wrong(self, split):
        if not SIGNS[split.feature] or split.threshold == np.inf:
            return False
        sides = split.goes_left, ~split.goes_left
        means = [np.average(self.response[s, 0], weights=self.weight[s]) for s in sides]
        return SIGNS[split.feature] * (means[0] - means[1]) > 0


def assert_moved(tree, index, grown, low, high, n_levels):
    """The twin's cuts, and its means within bounds."""
    cut, value = grown.get("cut"), grown["node"].value[0]
    assert tree["n_samples"][index] == len(grown["node"].rows)
    assert tree["feature"][index] == (cut.feature if cut else -1)
    if not cut:
        # Values of inner nodes come from weights in single precision.
        assert tree["value"][index, 0] == pytest.approx(np.clip(value, low, high), abs=1e-6)
        return
    np.testing.assert_array_equal(tree["threshold"][index], cut.threshold)
    assert tree["missing_left"][index] == cut.missing_left
    if n_levels[cut.feature]:
        assert levels_of(tree, index, n_levels[cut.feature]) == cut.left_levels
    bounds = {"left": (low, high), "right": (low, high)}
    if SIGNS[cut.feature] and cut.threshold < np.inf:
        means = [np.clip(grown[side]["node"].value[0], low, high) for side in ("left", "right")]
        lower, upper = ("left", "right")[:: SIGNS[cut.feature]]
        bounds[lower], bounds[upper] = (low, np.mean(means)), (np.mean(means), high)
    for side, (least, most) in bounds.items():
        assert_moved(tree, tree[side][index], grown[side], least, most, n_levels)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_stages_are_those_of_the_twin(rng, monkeypatch, missing, weighted):
    monkeypatch.setattr(stage_twin, "Node", OrderedNode)
    X, y, n_levels = data = table(rng, KINDS, n=250, missing=missing)
    weights = rng.exponential(size=len(X)) if weighted else None
    n_stages = 4
    bags = boosted(data, weights, n_bags=1, n_stages=n_stages, monotonic_cst=list(SIGNS))
    given = weights_in(0, len(X), weights)
    mean = np.average(y, axis=0, weights=given)
    for stage in range(n_stages):
        so_far = bags.forest(stage, [0]).predict_mean(X, np.ones(stage)) if stage else mean
        settings = Settings(max_depth=3, min_samples_leaf=4)
        problem = Problem(X, y - so_far, given, n_levels, settings)
        twin = stage_twin.StageTree(problem, SEED, FIRST_NUMBER + stage, 4)
        tree = bags.forest(stage + 1, [0]).tree(stage)
        value = (np.asarray(tree["value"]) - (0 if stage else mean)) / RATE
        assert_moved({**tree, "value": value}, 0, twin.root, -np.inf, np.inf, n_levels)


def test_any_tree_can_be_moved(rng):
    """Trees that cut at random, and forests that were grown without the rule."""
    X, y, n_levels = table(rng, KINDS, n=300, missing=0.1)
    encoded = _core.EncodedMatrix(X, n_levels)
    how = {"scheme": "bootstrap", "seed": 1, "n_trees": 4, "max_features": 4}
    free, _ = _core.grow_forest(encoded, y, None, criterion="squared_error", **how)
    cut, _ = _core.grow_forest(
        encoded, y, None, criterion="squared_error", monotonic_cst=SIGNS, splitter="random", **how
    )
    labels = (y[:, 0] > np.median(y)).astype(np.int32)
    classes, _ = _core.grow_forest(encoded, labels, None, criterion="gini", n_classes=2, **how)
    rows = np.repeat(X[:40, None], 200, axis=1)
    for column in (0, 2):
        rows[:] = X[:40, None]
        rows[:, :, column] = np.linspace(*np.nanquantile(X[:, column], [0, 1]), 200)
        flat = rows.reshape(-1, 4)

        def falls(forest, flat=flat, column=column):
            said = forest.predict_draws(flat)[:, :, -1].reshape(4, 40, 200)
            return (SIGNS[column] * np.diff(said, axis=2) < 0).any()

        assert falls(free)
        assert falls(classes)
        assert not falls(cut)
        assert not falls(free.bounded(SIGNS))
        assert not falls(classes.bounded(SIGNS))
    proba = classes.bounded(SIGNS).predict_draws(X)
    np.testing.assert_allclose(proba.sum(axis=2), 1, rtol=1e-15)


@pytest.mark.parametrize("signs", [(1, 0), (2, 0, 0, 0), (0, 0, 0, 1)])
def test_constraints_that_cannot_be_are_refused(rng, signs):
    X, y, n_levels = data = table(rng, KINDS, n=40)
    with pytest.raises(ValueError, match="monotonic_cst"):
        boosted(data, monotonic_cst=list(signs))
    with pytest.raises(ValueError, match="monotonic_cst"):
        _core.grow_forest(
            _core.EncodedMatrix(X, n_levels), y, None, criterion="squared_error", scheme="unit",
            seed=0, n_trees=1, max_features=4, monotonic_cst=signs,
        )  # fmt: skip
