"""Several columns of classes at once."""

import io
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import bayeswood as bw

X, KIND = load_iris(return_X_y=True)
LABELS = np.column_stack([KIND > 0, KIND > 1]).astype(int)
MIXED = np.column_stack([np.array(["a", "b", "c"])[KIND], np.array(["x", "y"])[LABELS[:, 0]]])


@pytest.fixture(scope="module")
def mixed():
    return bw.RandomForestClassifier(12, random_state=0).fit(X, MIXED)


def test_joint_trees_are_those_of_scikit_learn():
    ours = bw.RandomForestClassifier(1, bootstrap=False, max_features=None, max_depth=2)
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0)
    y = np.column_stack([KIND, 3 * (X[:, 1] > 3)])
    found, expected = (forest.fit(X, y).predict_proba(X) for forest in (ours, theirs))
    for ours_of, theirs_of in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours_of, theirs_of, atol=1e-6)


def test_answers_for_every_output(mixed):
    assert [classes.tolist() for classes in mixed.classes_] == [["a", "b", "c"], ["x", "y"]]
    assert mixed.n_classes_ == [3, 2]
    assert mixed.n_outputs_ == 2
    proba = mixed.predict_proba(X)
    assert [part.shape for part in proba] == [(150, 3), (150, 2)]
    for part in proba:
        np.testing.assert_allclose(part.sum(axis=1), 1.0)
    guess = mixed.predict(X)
    assert guess.shape == (150, 2)
    assert np.mean(guess == MIXED) > 0.98
    np.testing.assert_allclose(np.exp(mixed.predict_log_proba(X)[1]), proba[1])


def test_a_tree_answers_for_every_output(mixed):
    trees = [tree.predict_proba(X) for tree in mixed.estimators_]
    for k, part in enumerate(mixed.predict_proba(X)):
        np.testing.assert_allclose(np.mean([tree[k] for tree in trees], axis=0), part)
    assert set(mixed.estimators_[0].predict(X)[:, 1]) == {"x", "y"}


def test_files_and_pickles_keep_every_output(mixed):
    file = io.BytesIO()
    mixed.save(file)
    file.seek(0)
    for other in (bw.load(file), pickle.loads(pickle.dumps(mixed))):
        np.testing.assert_array_equal(other.predict(X), mixed.predict(X))
        assert other.n_classes_ == [3, 2]


def test_a_file_whose_classes_do_not_fit_is_refused(mixed):
    meta, arrays, forest = mixed._state()
    wrong = {**meta, "class_blocks": meta["class_blocks"][:1]}
    with pytest.raises(bw.BayeswoodError, match="classes do not match"):
        bw.RandomForestClassifier._from_state(wrong, arrays, forest)


def test_columns_of_a_frame_are_outputs():
    frame = pd.DataFrame(MIXED, columns=["kind", "late"])
    forest = bw.BayesianForestClassifier(4, random_state=0).fit(X, frame)
    assert forest.predict(X).shape == (150, 2)


def test_out_of_bag_labels():
    forest = bw.RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, LABELS)
    shares = forest.oob_decision_function_
    assert shares.shape == (150, 2, 2)
    right = (shares.argmax(axis=1) == LABELS).all(axis=1)
    assert forest.oob_score_ == right.mean()
    assert 0.9 < right.mean() < 1.0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"criterion": "entropy"}, "'criterion' .* must be 'gini' where y has several"),
        ({"voting": "hard"}, "'voting' .* must be 'soft' where y has several"),
        ({"oob_score": True}, "different numbers of classes"),
    ],
)
def test_what_joint_trees_cannot_do_is_refused(settings, words):
    with pytest.raises(bw.BayeswoodError, match=words):
        bw.RandomForestClassifier(3, **settings).fit(X, MIXED)


@pytest.mark.parametrize(
    "name", ["predict_draws", "predict_votes", "predict_interval", "uncertainty"]
)
def test_answers_for_one_output_alone_are_refused(mixed, name):
    with pytest.raises(bw.BayeswoodError, match="MultiOutputClassifier fits a forest for each"):
        getattr(mixed, name)(X)


@pytest.mark.parametrize(
    "cls", [bw.CalibratedForestClassifier, bw.MCMCTreeClassifier, bw.RandomizedTreesClassifier]
)
def test_other_classifiers_name_the_alternative(cls):
    with pytest.raises(bw.BayeswoodError, match="MultiOutputClassifier fits one of it for each"):
        cls().fit(X, LABELS)
