"""What randomised trees have of their own: drawn splits, smoothed leaves, staged scores."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_classification

from bayeswood import BayeswoodError, RandomizedTreesClassifier, load


@pytest.fixture
def problem():
    X, y = make_classification(300, 8, flip_y=0.2, random_state=0)
    return X, np.array(["no", "yes"])[y]


@pytest.mark.parametrize("alpha", [2.5, [0.5, 4.5]])
def test_leaves_are_smoothed(problem, alpha):
    X, y = problem
    raw = RandomizedTreesClassifier(3, dirichlet_alpha=0, random_state=0).fit(X, y)
    smooth = RandomizedTreesClassifier(3, dirichlet_alpha=alpha, random_state=0).fit(X, y)
    leaf = raw.apply(X)
    np.testing.assert_array_equal(leaf, smooth.apply(X))
    for number in range(3):
        n = raw.forest_.trees[number].n_samples[leaf[:, number]]
        shares = raw.predict_draws(X)[number]
        expected = (shares * n[:, None] + alpha) / (n[:, None] + 5)
        np.testing.assert_allclose(smooth.predict_draws(X)[number], expected, rtol=1e-12)


def test_trees_differ_and_obey_the_leaf_limit(problem):
    model = RandomizedTreesClassifier(20, min_samples_leaf=9, random_state=0).fit(*problem)
    assert len({tuple(tree.threshold) for tree in model.forest_.trees}) == 20
    for tree in model.forest_.trees:
        assert tree.n_samples[tree.feature < 0].min() >= 9


def test_staged_and_member_scores(problem):
    X, y = problem
    model = RandomizedTreesClassifier(30, random_state=0).fit(X[:150], y[:150])
    weight = np.random.default_rng(0).exponential(size=150)
    X, y = X[150:], y[150:]
    staged = model.staged_score(X, y, weight)
    assert staged[-1] == pytest.approx(model.score(X, y, weight))
    draws = model.predict_draws(X)
    for size in (1, 2, 17):
        guess = model.classes_[draws[:size].mean(axis=0).argmax(axis=1)]
        assert staged[size - 1] == pytest.approx(np.average(guess == y, weights=weight))
    single = model.member_scores(X, y, weight)
    assert single[0] == pytest.approx(staged[0])
    assert model.best_member(X, y, weight) == np.argmax(single)


def test_small_nodes_are_not_split(problem):
    X, y = problem
    model = RandomizedTreesClassifier.as_published(n_estimators=20, random_state=0).fit(X, y)
    split, leaves = [], []
    for tree in model.forest_.trees:
        is_split = tree.feature >= 0
        split += tree.n_samples[is_split].tolist()
        leaves += tree.n_samples[~is_split].tolist()
    assert min(split) == 5
    assert min(leaves) == 1
    params = model.get_params()
    assert (params["n_candidate_splits"], params["dirichlet_alpha"]) == (20, 1.0)


def test_file_and_threads(problem, tmp_path):
    X, y = problem
    model = RandomizedTreesClassifier(10, random_state=0).fit(X, y)
    model.save(tmp_path / "trees.bw")
    again = load(tmp_path / "trees.bw")
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), rtol=1e-6)
    threads = RandomizedTreesClassifier(10, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(threads.predict_proba(X), model.predict_proba(X))


def test_categories_and_missing_values():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", None], 400)
    size = np.where(rng.random(400) < 0.1, np.nan, rng.normal(size=400))
    y = np.where(colour == "red", "stop", np.where(np.nan_to_num(size) > 0, "go", "wait"))
    X = pd.DataFrame({"colour": colour, "size": size})
    model = RandomizedTreesClassifier(25, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9  # half of the rows are of one class


def test_scores_refuse_nonsense(problem):
    X, y = problem
    model = RandomizedTreesClassifier(3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.staged_score(X, y[:-1])
    with pytest.raises(BayeswoodError, match="sample_weight"):
        model.member_scores(X, y, -np.ones(len(y)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_candidate_splits", 0),
        ("n_candidate_splits", 1.5),
        ("min_samples_split", 1),
        ("dirichlet_alpha", -1.0),
        ("dirichlet_alpha", [1, 2]),
    ],
)
def test_bad_parameters(name, value):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(BayeswoodError, match=f"The '{name}' parameter of RandomizedTreesClass"):
        RandomizedTreesClassifier(**{name: value}).fit(X, y)
