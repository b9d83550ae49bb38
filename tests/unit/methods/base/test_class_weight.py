"""Weights of classes: what they are to the rows, on every classifier, and in files."""

import io

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.utils import compute_sample_weight

import bayeswood as bw
from bayeswood.methods.base.class_weight import (
    plain_class_weight,
    read_class_weight,
    weigh_classes,
)
from bayeswood.methods.base.training_data import read_class_blocks, read_class_target

X, Y = make_classification(200, 5, n_informative=3, weights=[0.8], random_state=0)
WORDS = np.array(["rare", "often"])[(Y == 0).astype(int)]

DRAWING = [bw.RandomForestClassifier, bw.BayesianForestClassifier]
WEIGHTED = [
    *DRAWING,
    bw.CalibratedForestClassifier,
    bw.RandomizedTreesClassifier,
    bw.EmpiricalBayesianForestClassifier,
    bw.SubsampleForestClassifier,
]
COUNTING = [
    bw.SafeBayesForestClassifier(10, random_state=0),
    bw.MCMCTreeClassifier(1, n_burn_in=20, n_draws=10, random_state=0),
    bw.SMCTreeClassifier(10, n_islands=1, random_state=0),
    bw.BARTClassifier(5, n_chains=1, n_burn_in=5, n_draws=10, random_state=0),
]


@pytest.mark.parametrize("class_weight", ["balanced", {"rare": 3, "often": 0.5}, {"rare": 2}])
def test_weights_are_those_of_scikit_learn(class_weight):
    found = weigh_classes(class_weight, read_class_target(WORDS, "F"), None, "F")
    np.testing.assert_allclose(found, compute_sample_weight(class_weight, WORDS))


@pytest.mark.parametrize("class_weight", ["balanced", [{0: 2, 1: 3}, {0: 1, 5: 4}]])
def test_weights_of_several_outputs_multiply(class_weight):
    y = np.column_stack([Y, 5 * (X[:, 0] > 0)])
    found = weigh_classes(class_weight, read_class_blocks(y, "F"), None, "F")
    np.testing.assert_allclose(found, compute_sample_weight(class_weight, y))


@pytest.mark.parametrize("cls", WEIGHTED, ids=lambda cls: cls.__name__)
def test_class_weights_multiply_sample_weight(cls):
    given = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    forest = cls(6, class_weight={1: 3.0}, random_state=0).fit(X, Y, sample_weight=given)
    other = cls(6, random_state=0).fit(X, Y, sample_weight=given * np.where(Y == 1, 3.0, 1.0))
    assert forest.forest_.digest == other.forest_.digest
    assert forest.forest_.digest != cls(6, random_state=0).fit(X, Y, given).forest_.digest


@pytest.mark.parametrize("estimator", COUNTING, ids=lambda e: type(e).__name__)
@pytest.mark.filterwarnings("ignore::bayeswood.posterior.IslandsDisagree")
def test_methods_that_count_take_whole_class_weights(estimator):
    expected = estimator.fit(X, Y, sample_weight=np.where(Y == 1, 3.0, 1.0)).predict_proba(X)
    forest = estimator.set_params(class_weight={1: 3}).fit(X, Y)
    np.testing.assert_array_equal(forest.predict_proba(X), expected)
    for refused in ("balanced", {1: 0.5}):
        with pytest.raises(bw.BayeswoodError, match="whole numbers"):
            estimator.set_params(class_weight=refused).fit(X, Y)
    estimator.set_params(class_weight=None)


def test_chunks_of_a_stream_are_weighed_too():
    forest = bw.SafeBayesForestClassifier(10, class_weight={1: 3}, random_state=0)
    forest.partial_fit(X[:50], Y[:50], classes=[0, 1]).partial_fit(X[50:], Y[50:])
    assert forest.n_rows_seen_ == len(Y) + 2 * Y.sum()


@pytest.mark.parametrize("cls", DRAWING, ids=lambda cls: cls.__name__)
def test_each_tree_balances_what_it_draws(cls):
    forest = cls(5, class_weight="balanced_subsample", max_depth=1, random_state=0).fit(X, Y)
    plain = cls(5, max_depth=1, random_state=0).fit(X, Y)
    for tree, other in zip(forest.forest_.trees, plain.forest_.trees, strict=True):
        np.testing.assert_allclose(tree.value[0], 0.5, atol=1e-6)
        assert abs(other.value[0][0] - 0.5) > 0.1
        assert tree.n_samples[0] == other.n_samples[0]  # the same draw


def test_balancing_in_pieces_is_balancing_at_once(monkeypatch):
    from bayeswood.methods.cart import grow_cart

    settings = {"class_weight": "balanced_subsample", "random_state": 0}
    whole = bw.RandomForestClassifier(7, **settings).fit(X, Y)
    monkeypatch.setattr(grow_cart, "_HANDED_WEIGHTS", 2 * len(Y))
    pieces = bw.RandomForestClassifier(7, **settings).fit(X, Y)
    assert pieces.forest_.digest == whole.forest_.digest


def test_without_draws_a_balanced_subsample_is_all_rows():
    settings = {"bootstrap": False, "random_state": 0, "min_samples_leaf": 10}
    by_tree = bw.RandomForestClassifier(4, class_weight="balanced_subsample", **settings).fit(X, Y)
    balanced = bw.RandomForestClassifier(4, class_weight="balanced", **settings).fit(X, Y)
    np.testing.assert_allclose(by_tree.predict_proba(X), balanced.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ("nonsense", "one of 'balanced', 'balanced_subsample'"),
        ({}, "a dict of classes"),
        ({0: -1.0}, "finite weights >= 0"),
        ({"x": 2}, "names the class 'x', which y does not hold"),
        ([{0: 1}, {1: 2}], "a list of 1 dicts"),
    ],
)
def test_what_is_no_class_weight_is_refused_in_words(class_weight, words):
    with pytest.raises(bw.BayeswoodError, match=words):
        bw.RandomForestClassifier(2, class_weight=class_weight).fit(X, Y)


def test_files_read_in_pieces_take_no_class_weight(tmp_path):
    forest = bw.EmpiricalBayesianForestClassifier(class_weight="balanced")
    with pytest.raises(bw.BayeswoodError, match=r"'class_weight' .* must be None for fit_parquet"):
        forest.fit_parquet([tmp_path / "rows.parquet"], target="y")


@pytest.mark.parametrize("value", [None, "balanced", {1: 2.0, "a": 0.5}, [{0: 1.0}, {1: 3.0}]])
def test_files_keep_class_weights(value):
    assert read_class_weight(plain_class_weight(value)) == value


def test_a_saved_forest_knows_its_class_weight():
    iris, kind = load_iris(return_X_y=True)
    forest = bw.RandomForestClassifier(3, class_weight={np.int64(0): 2}, random_state=0)
    file = io.BytesIO()
    forest.fit(iris, kind).save(file)
    file.seek(0)
    assert bw.load(file).class_weight == {0: 2.0}
