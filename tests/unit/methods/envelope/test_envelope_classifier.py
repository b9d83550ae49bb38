"""The classifier that may decline, and comparing several over folds."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from bayeswood import (
    UNCERTAIN,
    BayesianForestClassifier,
    BayesianForestRegressor,
    EnvelopeClassifier,
    UncertaintyEnvelope,
    choose_gamma0,
    compare_envelopes,
)
from bayeswood.errors import BayeswoodError
from bayeswood.theory import sample_five_gaussians
from bayeswood.uncertainty import NoConfidentThreshold, mean_tree_size


@pytest.fixture(scope="module")
def gaussians():
    X, y = sample_five_gaussians(400, rng=3)
    return X[:200], y[:200], X[200:], y[200:]


def forest(**options):
    return BayesianForestClassifier(40, random_state=0, **options)


@pytest.mark.parametrize(
    ("labels", "reject_label", "kind"),
    [
        ([1, 2], "uncertain", "O"), ([1, 2], -1, "i"), ([1, 2], None, "O"), ([1, 2], np.nan, "O"),
        (["a", "b"], "uncertain", "U"), (["a", "b"], "a long word", "U"), (["a", "b"], -1, "O"),
        ([False, True], "uncertain", "O"),
    ],
)  # fmt: skip
def test_declined_rows_get_the_label(labels, reject_label, kind, gaussians):
    X, y, X_test, _ = gaussians
    names = np.array(labels)
    model = EnvelopeClassifier(forest(), 0.9, reject_label=reject_label).fit(X, names[y - 1])
    predicted = model.predict(X_test)
    declined = model.consistency(X_test) < 0.9 - 1e-9
    assert 0 < declined.sum() < len(declined)
    assert predicted.dtype.kind == kind
    assert {str(label) for label in predicted[declined]} == {str(reject_label)}
    majority = UncertaintyEnvelope(0).decide(model.estimator_, X_test)
    assert predicted[~declined].tolist() == majority[~declined].tolist()
    decisions = model.decide(X_test)
    assert all(decision is UNCERTAIN for decision in decisions[declined])


def test_it_agrees_with_the_envelope(gaussians):
    X, y, X_test, y_test = gaussians
    model = EnvelopeClassifier(forest(), 0.9).fit(X, y)
    plain = forest().fit(X, y)
    expected = UncertaintyEnvelope(0.9).assess(plain, X_test, y_test)
    assert model.score(X_test, y_test) == expected.confident_correct
    assert model.assess(X_test, y_test).uncertain == expected.uncertain
    np.testing.assert_array_equal(model.predict_proba(X_test), plain.predict_proba(X_test))
    weights = np.arange(len(y_test), dtype=float)
    solved = expected.is_confident & expected.is_correct
    assert model.score(X_test, y_test, weights) == pytest.approx(
        np.average(solved, weights=weights)
    )


def test_gamma0_is_chosen_on_rows_held_out():
    X, y = sample_five_gaussians(3000, rng=1)
    model = EnvelopeClassifier(forest(), "auto", target=0.05, random_state=2).fit(X, y)
    assert model.choice_.n_rows == 750
    assert model.gamma0_ == model.choice_.gamma0 <= 1
    assert model.assess(*sample_five_gaussians(5000, rng=8)).confident_incorrect < 0.05
    again = clone(model).fit(X, y)
    assert again.gamma0_ == model.gamma0_
    assert clone(model).set_params(gamma0=0.5).fit(X, y).gamma0_ == 0.5


def test_a_fitted_ensemble_is_calibrated_as_it_is(gaussians):
    X, y, _, _ = gaussians
    fitted = forest().fit(X, y)
    rows = sample_five_gaussians(500, rng=9)
    model = EnvelopeClassifier(FrozenEstimator(fitted), "auto", target=0.06).fit(*rows)
    assert model.choice_ == choose_gamma0(fitted, *rows, target=0.06)
    assert model.estimator_.estimator is fitted


def test_probabilities_may_measure(gaussians):
    X, y, X_test, _ = gaussians
    model = EnvelopeClassifier(forest(min_samples_leaf=20), 0.9, measure="probability").fit(X, y)
    clear = model.predict_proba(X_test).max(axis=1) >= 0.9
    assert 0 < clear.sum() < len(clear)
    np.testing.assert_array_equal(model.predict(X_test) != "uncertain", clear)
    auto = clone(model).set_params(gamma0="auto", target=0.2, random_state=0).fit(X, y)
    assert auto.gamma0_ in auto.consistency(X)


def test_nothing_is_decided_where_no_promise_can_be_kept(gaussians):
    X, y, X_test, _ = gaussians
    with pytest.warns(NoConfidentThreshold, match="at least 299 rows"):
        model = EnvelopeClassifier(forest(), "auto", random_state=0).fit(X, y)
    assert set(model.predict(X_test)) == {"uncertain"}


def test_a_new_fit_forgets_the_old_choice():
    X, y = sample_five_gaussians(2000, rng=1)
    model = EnvelopeClassifier(forest(), "auto", target=0.1, random_state=0).fit(X, y)
    assert hasattr(model, "choice_")
    assert not hasattr(model.set_params(gamma0=0.9).fit(X, y), "choice_")


def test_it_is_an_estimator_among_others(gaussians):
    X, y, X_test, _ = gaussians
    model = EnvelopeClassifier(forest(), 0.9)
    assert cross_val_score(model, X, y, cv=3).min() > 0.3
    search = GridSearchCV(model, {"gamma0": [0.6, 1.0], "estimator__max_depth": [2]}, cv=2)
    assert search.fit(X, y).best_params_["gamma0"] == 0.6
    fitted = model.fit(X, y)
    restored = pickle.loads(pickle.dumps(fitted))
    assert restored.predict(X_test).tolist() == fitted.predict(X_test).tolist()
    assert "EnvelopeClassifier" in repr(model)


def test_frames_and_missing_values_pass_through():
    columns = {"colour": ["red", "blue", None, "red"] * 20, "x": list(range(80))}
    frame = pd.DataFrame(columns)
    y = ["warm", "cold", "cold", "warm"] * 20
    model = EnvelopeClassifier(forest(), 0.8, reject_label="?").fit(frame, y)
    assert model.feature_names_in_.tolist() == ["colour", "x"]
    assert model.n_features_in_ == 2
    assert np.mean(model.predict(frame) == np.array(y)) > 0.9
    auto = EnvelopeClassifier(forest(), "auto", target=0.3, random_state=0)
    for table in (frame, pl.DataFrame(columns), pa.table(columns)):
        assert auto.fit(table, y).choice_.n_rows == 20


@pytest.mark.parametrize(
    "options",
    [
        {"gamma0": 1.5}, {"gamma0": "best"}, {"target": 0.0}, {"confidence": 2.0},
        {"calibration_size": 1.0}, {"random_state": "x"}, {"estimator": 3}, {"reject_label": 1},
        {"measure": "both"},
    ],
)  # fmt: skip
def test_bad_parameters(options, gaussians):
    X, y, _, _ = gaussians
    name = next(iter(options))
    model = EnvelopeClassifier(**{"estimator": forest(), **options})
    with pytest.raises(BayeswoodError, match=f"'{name}' parameter of EnvelopeClassifier must"):
        model.fit(X, y)


def test_models_that_cannot_vote(gaussians):
    X, y, X_test, _ = gaussians
    model = EnvelopeClassifier(LogisticRegression()).fit(X, y)
    with pytest.raises(BayeswoodError, match="with members"):
        model.predict(X_test)
    for ask in ("predict", "predict_proba", "decide", "consistency"):
        with pytest.raises(NotFittedError):
            getattr(EnvelopeClassifier(forest()), ask)(X_test)


# --- comparison -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def comparison(gaussians):
    X, y, _, _ = gaussians
    models = {"ours": forest(), "theirs": RandomForestClassifier(20, random_state=0)}
    return compare_envelopes(models, X, y, KFold(4, shuffle=True, random_state=0), gamma0=0.9)


def test_comparison_equals_a_loop_by_hand(comparison, gaussians):
    X, y, _, _ = gaussians
    rows, sizes = [], []
    for train, test in KFold(4, shuffle=True, random_state=0).split(X):
        fitted = RandomForestClassifier(20, random_state=0).fit(X[train], y[train])
        result = UncertaintyEnvelope(0.9).assess(fitted, X[test], y[test])
        rows.append(result.confident_incorrect)
        sizes.append(np.mean([tree.tree_.n_leaves - 1 for tree in fitted.estimators_]))
    record = comparison.records()[1]
    assert record["model"] == "theirs"
    assert record["confident_incorrect"] == pytest.approx(np.mean(rows))
    assert record["confident_incorrect_two_sigma"] == pytest.approx(2 * np.std(rows, ddof=1))
    assert record["tree_size"] == pytest.approx(np.mean(sizes))


def test_comparison_as_a_table(comparison):
    frame = comparison.to_frame()
    assert frame.index.tolist() == ["ours", "theirs"]
    rates = frame[["confident_correct", "uncertain", "confident_incorrect"]]
    np.testing.assert_allclose(rates.sum(axis=1), 1)
    lines = comparison.to_markdown().splitlines()
    assert len(lines) == 4
    assert {line.count("|") for line in lines} == {7}
    assert "4 folds" in repr(comparison)
    assert "±" in lines[2]


def test_folds_go_on_to_the_choice_of_gamma0(comparison):
    choice = choose_gamma0(list(comparison["ours"].assessments), target=0.1)
    assert len(choice.fold_gamma0) == 4
    assert choice.n_rows == 200
    curves = comparison["ours"].curves(gamma0=[0.5, 0.9])
    assert curves.mean.uncertain[1] == pytest.approx(comparison.mean("uncertain")[0])
    spread = comparison.two_sigma("uncertain")[0]
    assert curves.two_sigma["uncertain"][1] == pytest.approx(spread)


def test_models_of_a_list_are_named_by_class(gaussians):
    X, y, _, _ = gaussians
    models = [ExtraTreesClassifier(3), ExtraTreesClassifier(4), BaggingClassifier(n_estimators=3)]
    found = compare_envelopes(models, X, y, 2)
    assert found.names == ("ExtraTreesClassifier", "ExtraTreesClassifier 2", "BaggingClassifier")
    with pytest.raises(BayeswoodError, match="no model 'other'"):
        found["other"]


def test_sizes_of_trees_are_splits(gaussians):
    X, y, _, _ = gaussians
    ours = forest().fit(X, y)
    assert mean_tree_size(ours) == pytest.approx(np.mean(ours.forest_.n_leaves) - 1)
    assert mean_tree_size(EnvelopeClassifier(forest()).fit(X, y)) == mean_tree_size(ours)
    members = BaggingClassifier(LogisticRegression(), 3).fit(X, y)
    assert np.isnan(mean_tree_size(members))


def test_members_without_trees_leave_the_size_empty():
    X, y = load_iris(return_X_y=True)
    bagging = BaggingClassifier(LogisticRegression(max_iter=1000), 3)
    table = compare_envelopes({"bagging": bagging}, X, y, 2)
    assert "| bagging |  |" in table.to_markdown()


@pytest.mark.parametrize(
    ("models", "cv", "words"),
    [
        ([], 5, "must not be empty"),
        ([BayesianForestRegressor()], 5, "must hold classifiers"),
        ([3], 5, "must hold classifiers"),
        ([BayesianForestClassifier(2)], [([0, 1], [2])], "at least 2 folds"),
    ],
)
def test_bad_comparisons(models, cv, words, gaussians):
    X, y, _, _ = gaussians
    with pytest.raises(BayeswoodError, match=words):
        compare_envelopes(models, X, y, cv)


def test_without_pandas_there_are_records(comparison, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(BayeswoodError, match="needs pandas"):
        comparison.to_frame()
    assert len(comparison.records()) == 2
