"""One row explained: the numbers are those of the model, the words fit on a page."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    CalibratedForestRegressor,
    explain,
)
from bayeswood.errors import BayeswoodError
from bayeswood.posterior.paths import Step, part_ways, path_steps

LONG = "the_mean_of_a_quantity_with_a_very_long_name_number_"


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(20)
    X = pd.DataFrame(rng.normal(size=(200, 50)), columns=[f"{LONG}{i:02d}" for i in range(50)])
    X["kind"] = rng.choice(["plain", "odd", "a level of a category with a long name"], size=200)
    X.iloc[::9, 3] = np.nan
    y = np.where(X.iloc[:, 0] + X.iloc[:, 1] + (X["kind"] == "odd") > 0.3, "ill", "well")
    model = BayesianForestClassifier(40, min_samples_leaf=2, random_state=0)
    return model.fit(X[:150], y[:150]), X[150:]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(21)
    X = rng.uniform(size=(300, 4))
    y = 10 * X[:, 0] + rng.normal(size=300)
    return BayesianForestRegressor(50, random_state=0).fit(X[:200], y[:200]), X[200:]


def test_ways_end_in_the_leaf_that_apply_gives(classes, numbers):
    for model, X in (classes, numbers):
        rows = model._encode(X)
        leaves = model.apply(X)
        for t in (0, 7):
            tree = model.forest_.trees[t]
            for row, leaf in zip(rows, leaves[:, t], strict=True):
                node = 0
                for step in path_steps(tree, row):
                    assert tree.feature[node] == step.feature
                    node = int((tree.left if step.goes_left else tree.right)[node])
                assert node == leaf


def test_class_numbers_are_those_of_the_model(classes):
    model, X = classes
    predicted, proba, draws = model.predict(X), model.predict_proba(X), model.predict_draws(X)
    interval, total = model.predict_interval(X, coverage=0.8), model.uncertainty(X).total
    for i in range(len(X)):
        why = explain(model, X.iloc[i : i + 1], coverage=0.8, gamma0=0.7)
        votes = draws[:, i].argmax(axis=1)
        chosen = list(model.classes_).index(why.prediction)
        assert why.prediction == predicted[i]
        assert why.probability == pytest.approx(proba[i, chosen])
        assert why.interval == tuple(interval[i, chosen])
        assert why.agreement == pytest.approx(np.mean(votes == chosen))
        assert why.is_confident == (why.agreement >= 0.7)
        assert sorted(d.member for d in why.dissenters) == np.flatnonzero(votes != chosen).tolist()
        assert sum(why.votes.values()) == pytest.approx(1)
        assert why.uncertainty.total == pytest.approx(total[i])


def test_numbers_are_those_of_the_model(numbers):
    model, X = numbers
    why = explain(model, X[0], tolerance=0.5)
    draws = model.predict_draws(X[:1])[:, 0]
    assert why.prediction == model.predict(X[:1])[0]
    assert why.interval == tuple(model.predict_interval(X[:1])[0])
    assert why.mean_interval == tuple(model.predict_interval(X[:1], kind="mean")[0])
    far = np.abs(draws - why.prediction) > 0.5
    assert sorted(d.member for d in why.dissenters) == np.flatnonzero(far).tolist()
    assert why.agreement == pytest.approx(1 - far.mean())


def test_default_tolerance_is_half_the_spread_of_the_leaves(numbers):
    model, X = numbers
    variances = []
    for tree in model.forest_.trees:
        leaf = tree.feature < 0
        w, v = tree.weight[leaf].astype(float), tree.value[leaf, 0]
        variances.append(np.cov(v, aweights=w, ddof=0))
    assert explain(model, X[0]).tolerance == pytest.approx(np.sqrt(np.mean(variances)) / 2)


def test_ways_part_at_the_first_different_step():
    a, b, c = Step(0, 1.0, True), Step(0, 2.0, False), Step(3, 1.0, True)
    ways = [(a, c), (b,), (a, Step(4, 0.0, True)), (a,), (Step(0, 9.0, True), c), (a, c, b)]
    agrees = np.array([True, False, False, False, False, False])
    partings = part_ways(ways, agrees, np.full(6, 1 / 6))
    assert {i: p.kind for i, p in partings.items()} == {
        1: "other side", 2: "other question", 3: "stops", 4: "same way", 5: "goes on",
    }  # fmt: skip
    assert [p.depth for p in partings.values()] == [0, 1, 1, 2, 2]
    assert (partings[1].threshold, partings[1].other_threshold) == (2.0, 1.0)
    assert (partings[2].feature, partings[2].other_feature) == (4, 3)
    assert partings[3].feature == 3
    assert partings[4].feature is None


def test_the_longest_common_beginning_is_found():
    a, b = Step(0, 1.0, True), Step(1, 1.0, True)
    ways = [(b,), (a, b), (a, Step(1, 1.0, False))]
    partings = part_ways(ways, np.array([True, True, False]), np.array([0.8, 0.1, 0.1]))
    assert partings[2].kind == "other side"
    assert partings[2].depth == 1
    heavy = [(Step(0, 5.0, True),), (Step(0, 6.0, True),), (Step(0, 7.0, False),)]
    nearest = part_ways(heavy, np.array([True, True, False]), np.array([0.2, 0.7, 0.1]))
    assert nearest[2].other_threshold == 6.0
    assert part_ways(ways, np.zeros(3, bool), np.full(3, 1 / 3)) == {}


def test_shares_of_the_parting_features_add_up(classes):
    model, X = classes
    for i in range(10):
        why = explain(model, X.iloc[i : i + 1])
        if why.dissenters:
            assert sum(p.share for p in why.parting_features) == pytest.approx(1)
            assert sum(p.n_members for p in why.parting_features) == len(why.dissenters)


def test_a_planted_disagreement_is_found():
    """Two copies of the signal contradict each other in one row: trees that use one or the other
    disagree, and part at these two features.
    """
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 5))
    X[:, 1] = X[:, 0] + 0.01 * rng.normal(size=200)
    y = X[:, 0] > 0
    model = BayesianForestClassifier(100, min_samples_leaf=2, max_features=1, random_state=0)
    model.fit(X, y)
    x = np.array([1.5, -1.5, 0.0, 0.0, 0.0])
    why = explain(model, x)
    assert not why.is_confident
    named = sum(p.share for p in why.parting_features if p.feature in ("x0", "x1"))
    assert named > 0.5


def test_text_is_narrow_and_says_all(classes, numbers):
    model, X = classes
    texts = [explain(model, X.iloc[i : i + 1]).text for i in range(len(X))]
    model, X = numbers
    texts += [str(explain(model, row)) for row in X]
    for text in texts:
        assert max(map(len, text.splitlines())) <= 80
        assert text.startswith("Prediction")
        assert "Confident" in text
        assert "Disagreeing" in text
        assert "nan" not in text


def test_a_unanimous_forest():
    X = np.arange(40.0)[:, None]
    model = BayesianForestClassifier(5, min_samples_leaf=1, random_state=0).fit(X, X[:, 0] > 20)
    why = explain(model, [1.0])
    assert why.is_confident
    assert why.dissenters == ()
    assert "no tree" in why.text
    assert "none that the trees know of" in why.text
    assert repr(why) == f"<Explanation of {why.prediction!r}, confident, 0 dissenters>"


def test_a_regressor_without_responses(numbers):
    _, X = numbers
    model = BayesianForestRegressor(5, keep_responses=False, random_state=0).fit(X, X[:, 0])
    why = explain(model, X[0])
    assert why.interval is None
    assert "no responses were kept" in " ".join(why.text.split())


def test_bad_input(numbers):
    model, X = numbers
    with pytest.raises(BayeswoodError, match="must be one row"):
        explain(model, X[:2])
    with pytest.raises(BayeswoodError, match="'model' parameter of explain"):
        explain(BayesianForestRegressor(), X[0])
    pair = BayesianForestRegressor(2, random_state=0).fit(X, X[:, :2])
    with pytest.raises(BayeswoodError, match="one response"):
        explain(pair, X[0])


def test_members_of_several_trees_are_explained(rng):
    X = rng.normal(size=(120, 3))
    y = X[:, 0] + rng.normal(size=120) / 3
    model = CalibratedForestRegressor(20, random_state=0).fit(X, y)
    found = explain(model, X[3], tolerance=1e-6)
    assert found.n_members == 10
    assert found.trees_per_member > 1
    assert len(found.dissenters) == 10
    assert not found.parting_features
    assert "10 sums of trees" in found.text
    assert max(map(len, found.text.splitlines())) <= 80
    near = explain(model, X[3]).tolerance
    assert 0.2 < near / model.predict(X).std() < 1.0


def test_words_say_where_no_data_are_near(numbers):
    model, X = numbers
    near = explain(model, X[X[:, 0].argsort()[len(X) // 2]])
    far = explain(model, np.full(4, 30.0))
    assert near.support == model.support(X[X[:, 0].argsort()[len(X) // 2]][None])[0]
    assert far.support < 0.05
    assert "Data near    no: less than 1% of the training rows are as far" in far.text
    assert "what the trees say here is a guess" in " ".join(far.text.split())
    assert ("Data near    yes:" in near.text) == (near.support >= 0.05)


def test_a_model_without_a_sample_is_explained_without_support(numbers):
    model, X = numbers
    older = clone(model).set_params(n_estimators=5).fit(X, X[:, 0])
    del older._training_sample
    assert explain(older, X[0]).support is None
    assert "Data near" not in explain(older, X[0]).text


def test_the_features_that_moved_it_most_have_bands():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 4))
    forest = BayesianForestRegressor(30, random_state=0).fit(X, 3 * X[:, 1] - X[:, 2])
    row = np.array([[0.0, 2.0, 0.5, 0.0]])
    found = explain(forest, row)
    assert [one.feature for one in found.reasons][:1] == ["x1"]
    first = found.reasons[0]
    assert first.added == pytest.approx(forest.shap_values(row).values[0, 1])
    assert first.lower <= first.added <= first.upper
    assert "Moved by     x1 = 2 (+" in found.text
