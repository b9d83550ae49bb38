"""The structure of a posterior over trees, counted by hand and by brute force."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bayeswood import BayesianForestClassifier, RandomForestRegressor
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest, Labels
from bayeswood.posterior import structure, trunk_posterior

YES, NO = {"counts": [0, 5]}, {"counts": [5, 0]}
STUMP = (0, 1.0, NO, YES)


def stump(feature, cut):
    return (feature, cut, NO, YES)


def hand_made(trees, weights, **options):
    return Forest.from_nested(trees, log_weights=np.log(weights), **options)


@pytest.fixture(scope="module")
def weighted():
    """Trees on a number with repeats, another number and a category, with uneven weights."""
    rng = np.random.default_rng(20)
    X = pd.DataFrame({
        "a": rng.integers(0, 6, 300).astype(float),
        "b": rng.normal(size=300),
        "c": rng.choice(list("rstuv"), 300),
    })  # fmt: skip
    y = (X["a"] + X["b"] + 2 * (X["c"] == "s") + rng.normal(size=300) > 3).to_numpy()
    model = BayesianForestClassifier(60, max_depth=2, random_state=0).fit(X, y)
    forest = model.forest_
    weights = rng.dirichlet(np.ones(60))
    log_weights = np.where(np.arange(60) % 7 == 3, -np.inf, np.log(weights))
    return Forest(forest.core, log_weights, forest.labels)


def test_features_by_brute_force(weighted):
    found = structure(weighted)
    n_splits, used, at_root = Counter(), Counter(), Counter()
    cuts = {}
    for tree, weight in zip(weighted.trees, weighted.weights, strict=True):
        names = [weighted.labels.feature_names[j] for j in tree.feature if j >= 0]
        at_root[names[0] if names else None] += weight
        for name in set(names):
            used[name] += weight
        for node in np.flatnonzero(tree.feature >= 0):
            name = weighted.labels.feature_names[tree.feature[node]]
            n_splits[name] += weight
            if tree.is_category_split(node):
                key = tuple(weighted.labels.level(2, i) for i in tree.left_levels(node))
            else:
                key = tree.threshold[node]
            cuts.setdefault(name, Counter())[key] += weight
    cuts = {name: +counted for name, counted in cuts.items()}  # without those of weight 0
    assert [f.feature for f in found.features] == [name for name, _ in n_splits.most_common()]
    for f in found.features:
        assert f.n_splits == pytest.approx(n_splits[f.feature])
        assert f.share == pytest.approx(n_splits[f.feature] / n_splits.total())
        assert f.use_probability == pytest.approx(used[f.feature])
        assert f.root_probability == pytest.approx(at_root[f.feature])
        wanted = {key: w / n_splits[f.feature] for key, w in cuts[f.feature].items()}
        if f.feature == "c":
            assert dict(f.left_sets) == pytest.approx(wanted)
            shares = [share for _, share in f.left_sets]
            assert shares == sorted(shares, reverse=True)
        else:
            got = dict(zip(f.thresholds.tolist(), f.threshold_weights.tolist(), strict=True))
            assert got == pytest.approx(wanted)
            assert np.all(np.diff(f.thresholds) > 0)
    assert {c.feature: c.share for c in found.root} == pytest.approx(+at_root)


def test_distinct_trees_by_brute_force(weighted):
    found = structure(weighted, n_top=10**6)
    mass = Counter()
    for tree, weight in zip(weighted.trees, weighted.weights, strict=True):
        mass[tuple(tree.feature.tolist())] += weight
    mass = +mass
    assert found.n_distinct == len(mass) == len(found.top)
    assert {tree.node_features: tree.mass for tree in found.top} == pytest.approx(mass)
    assert sum(tree.mass for tree in found.top) == pytest.approx(1)
    assert sum(tree.n_members for tree in found.top) == found.n_trees
    assert found.effective_n_distinct == pytest.approx(1 / sum(m**2 for m in mass.values()))
    masses = [tree.mass for tree in found.top]
    assert masses == sorted(masses, reverse=True) == found.distinct_mass.tolist()
    assert [tree.n_leaves for tree in found.top] == found.distinct_n_leaves.tolist()
    for tree in found.top:
        stands_for = weighted.trees[tree.tree_idx]
        assert tuple(stands_for.feature.tolist()) == tree.node_features
        alike = [
            i for i, other in enumerate(weighted.trees)
            if tuple(other.feature.tolist()) == tree.node_features
        ]  # fmt: skip
        assert tree.tree_idx == max(alike, key=lambda i: weighted.weights[i])
        assert tree.n_leaves == stands_for.n_leaves


def test_the_root_is_that_of_the_trunk(weighted):
    ours = structure(weighted).root
    trunks = trunk_posterior(weighted, max_depth=0).places[0].choices
    assert list(map(str, ours)) == list(map(str, trunks))
    assert [c.share for c in ours] == pytest.approx([c.share for c in trunks])


def test_cuts_are_merged_and_places_are_not():
    left = (0, 1.0, stump(1, 2.0), NO)
    right = (0, 1.0, NO, stump(1, 2.0))
    other_cut = (0, 5.0, NO, stump(1, 3.0))
    found = structure(hand_made([left, right, other_cut], [0.5, 0.2, 0.3]))
    assert [tree.mass for tree in found.top] == pytest.approx([0.5, 0.5])
    assert {tree.nested() for tree in found.top} == {"x0(x1(., .), .)", "x0(., x1(., .))"}
    assert {tree.path for tree in found.top} == {("x0", "x1")}
    merged = next(tree for tree in found.top if tree.n_members == 2)
    assert merged.tree_idx == 2
    assert [choice.lower for choice in merged.splits] == [1.0, 2.0]
    assert [choice.upper for choice in merged.splits] == [5.0, 3.0]


def test_nested_text_of_a_bushy_tree():
    tree = (0, 1.0, (1, 1.0, NO, stump(2, 1.0)), (3, 1.0, stump(4, 1.0), stump(5, 1.0)))
    found = structure(hand_made([tree], [1.0])).top[0]
    assert found.nested() == "x0(x1(., x2(., .)), x3(x4(., .), x5(., .)))"
    assert found.path == ("x0", "x1", "x3", "x2", "x4", "x5")


def test_sizes():
    trees = [NO, stump(0, 1.0), stump(1, 2.0), (0, 1.0, NO, stump(1, 2.0))]
    forest = hand_made(trees, [0.1, 0.2, 0.3, 0.4], n_features=2, n_classes=2)
    found = structure(forest)
    assert float(found.n_leaves.mean) == pytest.approx(0.1 + 1.0 + 1.2)
    assert float(found.depth.probability(lambda d: d == 1)) == pytest.approx(0.5)
    best = [(size.n_leaves, size.tree_idx) for size in found.best_by_size]
    assert best == [(1, 0), (2, 2), (3, 3)]
    assert [size.mass for size in found.best_by_size] == pytest.approx([0.1, 0.5, 0.4])
    assert found.best_by_size[0].log_posterior is None
    root = {choice.feature: choice.share for choice in found.root}
    assert root == pytest.approx({"x0": 0.6, "x1": 0.3, None: 0.1})


def test_the_best_tree_is_that_of_the_highest_log_posterior():
    forest = hand_made([stump(0, 1.0), stump(0, 2.0), stump(1, 2.0)], [0.2, 0.3, 0.5])
    found = structure(forest, log_posterior=[-3.0, -5.0, -4.0])
    assert (found.best_by_size[0].tree_idx, found.best_by_size[0].log_posterior) == (0, -3.0)
    assert found.top[0].tree_idx == 0
    assert structure(forest).best_by_size[0].tree_idx == 2


def test_the_log_posterior_of_the_draws_is_used():
    forest = hand_made([stump(0, 1.0), stump(0, 2.0)], [0.25, 0.75])
    trace = SimpleNamespace(
        log_posterior=np.array([[-99.0, -1.0, -2.0, -2.0, -2.0]]), n_burn_in=1, thin=1
    )
    model = SimpleNamespace(
        forest_=forest, trace_=trace, draw_tree_=np.array([[0, 1, 1, 1]])
    )  # fmt: skip
    assert structure(model).best_by_size[0].tree_idx == 0
    assert structure(model).best_by_size[0].log_posterior == -1.0


def test_trees_without_a_split():
    found = structure(hand_made([NO, YES], [0.5, 0.5], n_features=3, n_classes=2))
    assert found.features == ()
    assert found.n_distinct == 1
    assert found.root[0].feature is None
    assert found.top[0].path == ()
    assert found.top[0].nested() == "."
    assert "no split" in str(found)


def test_weightless_trees_do_not_count():
    forest = hand_made([stump(0, 1.0), stump(1, 2.0)], [1.0, 1.0])
    alone = Forest(forest.core, [0.0, -np.inf])
    found = structure(alone)
    assert (found.n_trees, found.n_distinct) == (1, 1)
    assert [f.feature for f in found.features] == ["x0"]
    with pytest.raises(KeyError):
        found["x1"]


def test_more_than_64_levels():
    levels = tuple(f"level {i}" for i in range(70))
    trees = [(0, {3, 66}, NO, YES), (0, {3}, NO, YES), (0, {3, 66}, YES, NO)]
    labels = Labels(("town",), (levels,))
    found = structure(hand_made(trees, [0.2, 0.5, 0.3], n_levels=[70], labels=labels))
    assert found["town"].left_sets[0][0] in {("level 3", "level 66"), ("level 3",)}
    assert dict(found["town"].left_sets) == pytest.approx(
        {("level 3", "level 66"): 0.5, ("level 3",): 0.5}
    )
    assert np.isnan(found["town"].quantiles(0.5)).all()


def test_text_of_long_names_stays_within_the_page():
    rng = np.random.default_rng(5)
    names = [f"mean_systolic_pressure_on_day_{i}" for i in range(30)]
    X = pd.DataFrame(rng.normal(size=(200, 30)), columns=names)
    model = RandomForestRegressor(10, random_state=0).fit(X, X.sum(axis=1))
    lines = str(structure(model, n_top=5)).splitlines()
    assert max(map(len, lines)) <= 100
    assert any("more" in line for line in lines)


def test_ten_thousand_trees_take_no_loop_over_nodes():
    rng = np.random.default_rng(6)
    cuts = rng.normal(size=10_000)
    forest = hand_made([stump(0, float(cut)) for cut in cuts], np.ones(10_000))
    found = structure(forest)
    assert found.n_distinct == 1
    assert found["x0"].quantiles(0.5)[0] == np.sort(cuts)[4999]


@pytest.mark.parametrize("n_top", [-1, 2.5, True])
def test_bad_n_top(n_top):
    with pytest.raises(BayeswoodError, match="'n_top' parameter of structure"):
        structure(hand_made([STUMP], [1.0]), n_top=n_top)


def test_bad_input():
    with pytest.raises(BayeswoodError, match="'model' parameter of structure"):
        structure(3)
    with pytest.raises(BayeswoodError, match="'log_posterior' parameter of structure"):
        structure(hand_made([STUMP], [1.0]), log_posterior=[1.0, 2.0])
