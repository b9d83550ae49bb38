"""What a Bayesian forest has where a threshold leaves rows out of its trees."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification, make_friedman1
from sklearn.metrics import accuracy_score, mean_absolute_error, r2_score

import bayeswood
from bayeswood import BayesianForestClassifier, BayesianForestRegressor, _core
from bayeswood.forest import Forest, RowWeights
from bayeswood.methods.base.predictive import LeafResponses
from bayeswood.theory import estimate_tree_correlation
from bayeswood.uncertainty import Responses

THRESHOLD = 0.3


def slow_out_of_bag(model, X):
    """Means over the trees that gave the row weight 0, tree by tree."""
    out = np.stack(
        [
            _core.draw_weights("exponential", model.seed_, tree, len(X), THRESHOLD) == 0
            for tree in range(model.forest_.n_trees)
        ]
    )
    return (model.forest_.draws(X) * out[..., None]).sum(axis=0) / out.sum(axis=0)[:, None]


def test_out_of_bag_probabilities():
    X, y = make_classification(n_samples=120, flip_y=0.2, random_state=1)
    y = np.array(["no", "yes"])[y]
    model = BayesianForestClassifier(
        60, weight_threshold=THRESHOLD, oob_score=True, random_state=0
    ).fit(X, y)
    expected = slow_out_of_bag(model, X)
    np.testing.assert_allclose(model.oob_decision_function_, expected, atol=1e-12)
    assert model.oob_score_ == accuracy_score(y, model.classes_[expected.argmax(axis=1)])
    assert model.oob_score_ < model.score(X, y)


@pytest.mark.parametrize("n_outputs", [0, 2])
def test_out_of_bag_means(n_outputs):
    X, y = make_friedman1(n_samples=120, random_state=1)
    if n_outputs:
        y = np.column_stack([y * (i + 1) for i in range(n_outputs)])
    model = BayesianForestRegressor(
        60, weight_threshold=THRESHOLD, oob_score=True, random_state=0
    ).fit(X, y)
    expected = slow_out_of_bag(model, X).reshape(y.shape)
    np.testing.assert_allclose(model.oob_prediction_, expected)
    assert model.oob_score_ == pytest.approx(r2_score(y, expected))


def test_a_metric_may_replace_the_score():
    X, y = make_friedman1(n_samples=100, random_state=1)
    model = BayesianForestRegressor(
        60, weight_threshold=0.5, oob_score=mean_absolute_error, random_state=0
    ).fit(X, y)
    assert model.oob_score_ == pytest.approx(mean_absolute_error(y, model.oob_prediction_))


def test_rows_of_sample_weight_zero_are_predicted_by_all_trees():
    X, y = make_friedman1(n_samples=100, random_state=1)
    weight = np.ones(100)
    weight[::4] = 0.0
    model = BayesianForestRegressor(60, weight_threshold=0.5, oob_score=True, random_state=0).fit(
        X, y, weight
    )
    np.testing.assert_allclose(model.oob_prediction_[::4], model.predict(X[::4]))


def test_rows_that_took_part_everywhere_have_no_prediction():
    X, y = load_iris(return_X_y=True)
    model = BayesianForestClassifier(3, weight_threshold=0.1, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="took part in every tree"):
        model.fit(X, y)
    assert np.isnan(model.oob_decision_function_).any()
    assert 0 <= model.oob_score_ <= 1


@pytest.mark.parametrize("kind", [BayesianForestClassifier, BayesianForestRegressor])
def test_a_score_without_a_threshold_is_refused(kind):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(bayeswood.BayeswoodError, match=r"'oob_score'.*weight_threshold, to 0\.2"):
        kind(oob_score=True).fit(X, y)


@pytest.mark.parametrize("threshold", [-0.1, np.nan, np.inf, "auto", None])
def test_a_senseless_threshold_is_refused(threshold):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(bayeswood.BayeswoodError, match="'weight_threshold' parameter of Bayesian"):
        BayesianForestClassifier(weight_threshold=threshold).fit(X, y)


def test_no_threshold_is_the_forest_it_was():
    X, y = load_iris(return_X_y=True)
    plain = BayesianForestClassifier(5, random_state=0).fit(X, y)
    same = BayesianForestClassifier(5, weight_threshold=0, random_state=0).fit(X, y)
    np.testing.assert_array_equal(plain.predict_draws(X), same.predict_draws(X))
    assert not hasattr(plain, "oob_score_")


def test_leaves_count_only_rows_that_took_part():
    X, y = make_friedman1(n_samples=300, random_state=1)
    model = BayesianForestRegressor(20, weight_threshold=0.5, random_state=0).fit(X, y)
    sizes = np.array([tree.n_samples[0] for tree in model.forest_.trees])
    assert (sizes < 300).all()
    assert 0.5 < sizes.mean() / 300 < 0.7  # exp(-0.5) is 0.607; 12 standard errors either way


@pytest.mark.parametrize("n_rows", [1, 2])
def test_tiny_tables_do_not_fail(n_rows):
    model = BayesianForestRegressor(20, weight_threshold=3.0, random_state=0)
    model.fit(np.arange(n_rows)[:, None], np.arange(n_rows, dtype=float))
    assert np.isfinite(model.predict([[0.0]])).all()


def test_files_keep_what_is_out_of_bag(tmp_path):
    X, y = make_friedman1(n_samples=120, random_state=1)
    model = BayesianForestRegressor(
        60, weight_threshold=THRESHOLD, oob_score=True, random_state=0
    ).fit(X, y)
    model.save(tmp_path / "model")
    loaded = bayeswood.load(tmp_path / "model")
    assert loaded.weight_threshold == THRESHOLD
    assert loaded.oob_score_ == model.oob_score_
    np.testing.assert_array_equal(loaded.oob_prediction_, model.oob_prediction_)
    for name in ("predict", "uncertainty"):
        found, expected = (np.asarray(getattr(m, name)(X)) for m in (loaded, model))
        np.testing.assert_array_equal(found, expected)
    levels = [0.1, 0.5, 0.9]
    np.testing.assert_array_equal(
        loaded.predict_quantiles(X, levels), model.predict_quantiles(X, levels)
    )


def test_responses_of_grouped_rows_survive_a_file(tmp_path, rng):
    """Groups travel with the responses, and their trees' weights come again."""
    X, y = make_friedman1(n_samples=120, random_state=1)
    groups = rng.integers(0, 30, 120).astype(np.int32)
    model = BayesianForestRegressor(10, weight_threshold=THRESHOLD, random_state=0).fit(X, y)
    core, _ = _core.grow_forest(
        _core.EncodedMatrix(X, np.zeros(X.shape[1], np.int32)),
        y[:, None],
        None,
        criterion="squared_error",
        scheme="exponential",
        seed=model.seed_,
        n_trees=10,
        max_features=3,
        min_samples_leaf=3,
        keep_rows=True,
        weight_threshold=THRESHOLD,
        row_groups=groups,
    )
    model.forest_ = Forest(core)
    law = RowWeights("exponential", model.seed_, THRESHOLD, groups)
    responses = Responses(y[:, None], None, law)
    model.predictive_ = LeafResponses(responses)
    model.save(tmp_path / "model")
    loaded = bayeswood.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predictive_.responses.row_weights.groups, groups)
    np.testing.assert_array_equal(
        loaded.predict_quantiles(X, [0.2, 0.8]), model.predict_quantiles(X, [0.2, 0.8])
    )
    np.testing.assert_array_equal(
        loaded.uncertainty(X).data, responses.variance(model.forest_, X)[:, 0]
    )


def test_tree_correlation_refuses_left_out_rows():
    X, y = make_friedman1(n_samples=60, random_state=1)
    model = BayesianForestRegressor(10, weight_threshold=THRESHOLD, random_state=0).fit(X, y)
    with pytest.raises(bayeswood.BayeswoodError, match=r"weight_threshold=0\.3"):
        estimate_tree_correlation(model, X)
