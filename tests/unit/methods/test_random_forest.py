"""What random forests have of their own: votes and out-of-bag rows."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification, make_friedman1
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error, r2_score

from bayeswood import RandomForestClassifier, RandomForestRegressor, _core


def test_hard_voting_is_the_mode_of_the_trees():
    X, y = make_classification(n_samples=150, flip_y=0.3, random_state=0)
    model = RandomForestClassifier(7, voting="hard", random_state=0).fit(X, y)
    votes = model.predict_draws(X).argmax(axis=2)
    shares = np.stack([(votes == c).mean(axis=0) for c in range(2)], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), shares, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (votes.sum(axis=0) > 3).astype(int))


def test_soft_and_hard_voting_share_their_trees():
    X, y = load_iris(return_X_y=True)
    soft = RandomForestClassifier(5, random_state=0).fit(X, y)
    hard = RandomForestClassifier(5, voting="hard", random_state=0).fit(X, y)
    np.testing.assert_array_equal(soft.predict_draws(X), hard.predict_draws(X))


def slow_out_of_bag(model, X, hard=False):
    """Means over the trees whose bootstrap sample misses the row, tree by tree."""
    draws = model.forest_.draws(X)
    if hard:
        draws = np.eye(draws.shape[2])[draws.argmax(axis=2)]
    out = np.stack(
        [
            _core.draw_weights("bootstrap", model.seed_, tree, len(X)) == 0
            for tree in range(model.forest_.n_trees)
        ]
    )
    return (draws * out[..., None]).sum(axis=0) / out.sum(axis=0)[:, None]


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_out_of_bag_probabilities(voting):
    X, y = make_classification(n_samples=120, flip_y=0.2, random_state=1)
    y = np.array(["no", "yes"])[y]
    model = RandomForestClassifier(40, voting=voting, oob_score=True, random_state=0).fit(X, y)
    expected = slow_out_of_bag(model, X, hard=voting == "hard")
    np.testing.assert_allclose(model.oob_decision_function_, expected, atol=1e-12)
    guess = model.classes_[expected.argmax(axis=1)]
    assert model.oob_score_ == accuracy_score(y, guess)
    assert model.oob_score_ < model.score(X, y)


@pytest.mark.parametrize("n_outputs", [0, 2])
def test_out_of_bag_means(n_outputs):
    X, y = make_friedman1(n_samples=120, random_state=1)
    if n_outputs:
        y = np.column_stack([y * (i + 1) for i in range(n_outputs)])
    model = RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, y)
    expected = slow_out_of_bag(model, X).reshape(y.shape)
    np.testing.assert_allclose(model.oob_prediction_, expected)
    assert model.oob_score_ == pytest.approx(r2_score(y, expected))


def test_a_metric_may_replace_the_score():
    X, y = make_friedman1(n_samples=100, random_state=1)
    model = RandomForestRegressor(40, oob_score=mean_absolute_error, random_state=0).fit(X, y)
    assert model.oob_score_ == pytest.approx(mean_absolute_error(y, model.oob_prediction_))
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(40, oob_score=balanced_accuracy_score, random_state=0)
    guess = model.fit(X, y).oob_decision_function_.argmax(axis=1)
    assert model.oob_score_ == pytest.approx(balanced_accuracy_score(y, guess))


def test_rows_of_weight_zero_are_predicted_by_all_trees():
    X, y = make_friedman1(n_samples=100, random_state=1)
    weight = np.ones(100)
    weight[::4] = 0.0
    model = RandomForestRegressor(30, oob_score=True, random_state=0).fit(X, y, weight)
    assert model.oob_prediction_.shape == (100,)
    np.testing.assert_allclose(model.oob_prediction_[::4], model.predict(X[::4]))
    kept = weight > 0
    expected = slow_out_of_bag(model, X[kept])[:, 0]
    np.testing.assert_allclose(model.oob_prediction_[kept], expected)
    assert model.oob_score_ == pytest.approx(r2_score(y[kept], expected))


def test_the_score_is_weighted():
    X, y = load_iris(return_X_y=True)
    weight = np.where(y == 1, 5.0, 1.0)
    model = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X, y, weight)
    guess = model.oob_decision_function_.argmax(axis=1)
    assert model.oob_score_ == pytest.approx(accuracy_score(y, guess, sample_weight=weight))


def test_rows_that_every_tree_saw_are_nan_with_a_warning():
    X, y = make_friedman1(n_samples=50, random_state=1)
    model = RandomForestRegressor(2, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="no out-of-bag prediction"):
        model.fit(X, y)
    missing = np.isnan(model.oob_prediction_)
    assert 0 < missing.sum() < 50
    assert np.isfinite(model.oob_score_)


def test_no_out_of_bag_row_at_all():
    with pytest.warns(UserWarning, match="1 of 1 rows"):
        model = RandomForestClassifier(3, oob_score=True).fit([[1.0]], ["a"])
    assert np.isnan(model.oob_score_)


def test_out_of_bag_attributes_are_there_only_when_asked_for():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X, y)
    model.set_params(oob_score=False).fit(X, y)
    assert not hasattr(model, "oob_score_")
    assert not hasattr(model, "oob_decision_function_")


def test_bootstrap_leaves_count_distinct_rows():
    X, y = make_friedman1(n_samples=80, random_state=1)
    model = RandomForestRegressor(3, random_state=0).fit(X, y)
    for i, tree in enumerate(model.forest_.trees):
        counts = _core.draw_weights("bootstrap", model.seed_, i, 80)
        assert tree.n_samples[0] == np.count_nonzero(counts)
        assert tree.weight[0] == counts.sum() == 80
