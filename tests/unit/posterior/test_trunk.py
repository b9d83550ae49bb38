"""Which splits the members choose, counted by hand."""

import numpy as np
import pandas as pd
import pytest

from bayeswood import BayesianForestClassifier, BayesianForestRegressor
from bayeswood.errors import BayeswoodError
from bayeswood.posterior import trunk_posterior


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(11)
    X = rng.uniform(size=(200, 4))
    y = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=200)
    return BayesianForestRegressor(40, min_samples_leaf=10, random_state=0).fit(X, y)


def node_at(tree, path):
    node = 0
    for side in path:
        node = int((tree.left if side == "L" else tree.right)[node])
    return node


def test_shares_by_brute_force(model):
    found = trunk_posterior(model, max_depth=2, min_weight=0)
    trees = list(model.forest_.trees)
    weights = model.member_weights_
    modal = {place.path: place.choices[0].feature for place in found.places}
    for place in found.places:
        here = [
            idx for idx, tree in enumerate(trees)
            if all(f"x{tree.feature[node_at(tree, place.path[:d])]}" == modal[place.path[:d]]
                   for d in range(place.depth))
        ]  # fmt: skip
        total = weights[here].sum()
        assert place.n_members == len(here)
        assert place.weight == pytest.approx(total)
        assert sum(choice.share for choice in place.choices) == pytest.approx(1)
        for choice in place.choices:
            wanted = -1 if choice.feature is None else int(choice.feature[1:])
            chosen = [i for i in here if trees[i].feature[node_at(trees[i], place.path)] == wanted]
            assert choice.share == pytest.approx(weights[chosen].sum() / total)
            if choice.feature is not None:
                cuts = [trees[i].threshold[node_at(trees[i], place.path)] for i in chosen]
                assert choice.threshold == np.sort(cuts)[(len(cuts) - 1) // 2]
        rows = [trees[i].n_samples[node_at(trees[i], place.path)] for i in here]
        assert place.n_samples == pytest.approx(np.mean(rows))


def test_the_root_holds_all_members(model):
    root = trunk_posterior(model, max_depth=0).places
    assert len(root) == 1
    assert root[0].weight == 1
    assert root[0].value == pytest.approx(
        np.mean([tree.value[0, 0] for tree in model.forest_.trees])
    )


def test_rare_ways_are_left_out(model):
    assert len(trunk_posterior(model, max_depth=6, min_weight=0.9).places) < len(
        trunk_posterior(model, max_depth=6, min_weight=0.01).places
    )


def test_weights_count(model):
    forest = model.forest_
    log_weights = np.full(forest.n_trees, -np.inf)
    log_weights[[2, 5]] = np.log([1, 3])
    chosen = type(forest)(forest.core, log_weights, forest.labels)
    root = trunk_posterior(chosen, max_depth=0).places[0]
    assert root.n_members == 2
    assert {round(choice.share, 9) for choice in root.choices} <= {0.25, 0.75, 1.0}


def test_levels_and_leaves():
    X = pd.DataFrame({"colour": list("rgb") * 20})
    y = X["colour"] == "r"
    model = BayesianForestClassifier(5, min_samples_leaf=1, random_state=0).fit(X, y)
    places = trunk_posterior(model, max_depth=2).places
    assert [place.path for place in places] == ["", "L", "R"]
    assert places[0].choices[0].left_levels in {("r",), ("b", "g")}
    assert places[0].choices[0].threshold is None
    assert places[1].choices[0].feature is None


def test_bad_input(model):
    with pytest.raises(BayeswoodError, match="'max_depth' parameter of trunk_posterior"):
        trunk_posterior(model, max_depth=-1)
    with pytest.raises(BayeswoodError, match="'model' parameter of trunk_posterior"):
        trunk_posterior(3)
