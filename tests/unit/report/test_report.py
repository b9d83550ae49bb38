import json
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console
from sklearn.metrics import brier_score_loss, log_loss, r2_score, root_mean_squared_error

from bayeswood import BayesianForestClassifier, BayesianForestRegressor, RandomForestClassifier
from bayeswood.errors import BayeswoodError
from bayeswood.plots import ClassProbabilityDisplay
from bayeswood.report import (
    ClassPredictions,
    NumberPredictions,
    Outcome,
    classify_outcomes,
    predict_rows,
    score_predictions,
    summarize_importances,
    summarize_model,
)
from bayeswood.report.names import listing, shorten
from bayeswood.report.render import render_importances, render_model, render_scores
from bayeswood.report.summarize import to_plain
from bayeswood.uncertainty import UncertaintyEnvelope


def class_predictions(proba, agreement, classes=("no", "yes"), gamma0=0.9):
    proba = np.asarray(proba, dtype=float)
    labels = np.array(list(classes))
    return ClassPredictions(
        labels,
        labels[proba.argmax(axis=1)],
        proba,
        proba,
        proba,
        np.asarray(agreement),
        gamma0,
        0.9,
    )


def as_text(renderable, width=80):
    console = Console(width=width)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


@pytest.fixture(scope="module")
def cancer():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=300) > 0, "yes", "no")
    return X, y, BayesianForestClassifier(n_estimators=40, random_state=0).fit(X[:200], y[:200])


def test_agreement_is_the_share_of_votes(cancer):
    X, _, forest = cancer
    result = predict_rows(forest, X[200:], gamma0=0.8)
    votes = forest.predict_draws(X[200:]).argmax(axis=2)
    predicted = (result.predicted == "yes").astype(int)
    np.testing.assert_allclose(result.agreement, (votes == predicted).mean(axis=0))
    np.testing.assert_array_equal(result.is_confident, result.agreement >= 0.8)
    np.testing.assert_array_equal(result.predicted, forest.predict(X[200:]))


def test_rates_are_those_of_the_envelope(cancer):
    X, y, forest = cancer
    scores = score_predictions(predict_rows(forest, X[200:], gamma0=0.8), y[200:])
    envelope = UncertaintyEnvelope(0.8).assess(forest, X[200:], y[200:])
    for rate in ("confident_correct", "uncertain", "confident_incorrect"):
        assert getattr(scores, rate) == pytest.approx(getattr(envelope, rate), abs=1e-12)


def test_all_members_agreeing_is_full_agreement():
    X = np.repeat([[0.0], [1.0]], 30, axis=0)
    y = np.repeat([0, 1], 30)
    forest = RandomForestClassifier(n_estimators=100, random_state=0).fit(X, y)
    assert predict_rows(forest, X).agreement.tolist() == [1.0] * 60


def test_hard_votes_decide_the_predicted_class(cancer):
    X, y, _ = cancer
    forest = RandomForestClassifier(n_estimators=25, voting="hard", random_state=0).fit(X, y)
    result = predict_rows(forest, X)
    np.testing.assert_array_equal(result.predicted, forest.predict(X))
    assert result.agreement.min() >= 0.5


@pytest.mark.parametrize("option", [{"coverage": 0}, {"coverage": 1}, {"gamma0": 0}, {"gamma0": 2}])
def test_shares_out_of_range(cancer, option):
    X, _, forest = cancer
    with pytest.raises(BayeswoodError, match=next(iter(option))):
        predict_rows(forest, X, **option)


def test_several_targets_are_refused():
    X = np.arange(20.0)[:, None]
    forest = BayesianForestRegressor(n_estimators=3).fit(X, np.column_stack([X, X]))
    with pytest.raises(BayeswoodError, match="one target"):
        predict_rows(forest, X)


def test_outcomes():
    result = class_predictions([[0.9, 0.1]] * 4, [0.95, 0.95, 0.5, 0.5])
    outcomes = classify_outcomes(result, np.array(["no", "yes", "no", "yes"]))
    assert outcomes.tolist() == [
        Outcome.CONFIDENT_CORRECT, Outcome.CONFIDENT_INCORRECT, Outcome.UNCERTAIN,
        Outcome.UNCERTAIN,
    ]  # fmt: skip


def test_scores_of_two_classes_equal_scikit_learn(cancer):
    X, y, forest = cancer
    result = predict_rows(forest, X[200:])
    scores = score_predictions(result, y[200:])
    assert scores.accuracy == forest.score(X[200:], y[200:])
    assert scores.log_predictive_probability == pytest.approx(-log_loss(y[200:], result.proba))
    expected = brier_score_loss(y[200:], result.proba[:, 1], pos_label="yes")
    assert scores.brier == pytest.approx(expected)
    total = scores.confident_correct + scores.uncertain + scores.confident_incorrect
    assert total == pytest.approx(1)


def test_scores_of_three_classes():
    proba = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]
    scores = score_predictions(class_predictions(proba, [1, 1], "abc"), np.array(["b", "c"]))
    assert scores.brier == pytest.approx((0.25 + 0.49 + 0.04 + 0.01 + 0.01 + 0.04) / 2)
    assert scores.log_predictive_probability == pytest.approx(np.log([0.3, 0.8]).mean())


def test_probability_zero_and_unseen_classes_are_counted():
    result = class_predictions([[1, 0], [1, 0], [1, 0]], [1, 1, 1])
    scores = score_predictions(result, np.array(["no", "yes", "maybe"]))
    assert scores.n_zero_probability == 2
    assert scores.accuracy == pytest.approx(1 / 3)
    assert np.isfinite(scores.log_predictive_probability)
    assert "2 true classes had probability 0" in as_text(render_scores(scores))


def test_scores_of_numbers():
    rng = np.random.default_rng(1)
    y = rng.normal(size=50)
    guess = y + rng.normal(size=50)
    result = NumberPredictions(guess, guess - 1, guess + 1, 0.9)
    scores = score_predictions(result, y)
    assert scores.rmse == pytest.approx(root_mean_squared_error(y, guess))
    assert scores.r2 == pytest.approx(r2_score(y, guess))
    assert scores.covered == np.mean(np.abs(y - guess) <= 1)
    assert scores.mean_width == pytest.approx(2)


def test_r2_of_a_constant_target_is_not_a_number():
    ones = np.ones(3)
    scores = score_predictions(NumberPredictions(ones, ones, ones, 0.9), ones)
    assert np.isnan(scores.r2)
    assert to_plain(scores)["r2"] is None


def test_importances_are_sorted_with_their_spread(cancer):
    _, _, forest = cancer
    importances = summarize_importances(forest)
    assert importances.names[0] == "x0"
    assert list(importances.mean) == sorted(forest.feature_importances_, reverse=True)
    assert importances.spread[0] == forest.feature_importances_std_[0]
    records = importances.to_json()
    assert [record["feature"] for record in records] == list(importances.names)
    assert records[0]["mean"] == importances.mean[0]
    assert records[0]["spread"] == importances.spread[0]


def test_model_summary_is_plain(cancer):
    _, _, forest = cancer
    summary = summarize_model(forest)
    plain = json.loads(json.dumps(to_plain(summary), allow_nan=False))
    assert plain["classes"] == ["no", "yes"]
    assert plain["n_trees"] == 40
    assert plain["task"] == "classification"
    assert plain["mean_leaves"] > 2


def test_to_plain_knows_what_json_knows():
    value = {"a": (np.int64(1), np.float64("nan")), 2: None, "c": SimpleNamespace}
    assert to_plain(value) == {"a": [1, None], "2": None, "c": str(SimpleNamespace)}


@pytest.mark.parametrize("width", [80, 60])
def test_text_fits_the_width(cancer, width):
    X, y, forest = cancer
    scores = score_predictions(predict_rows(forest, X), y)
    for renderable in (render_scores(scores), render_model(summarize_model(forest))):
        text = as_text(renderable, width)
        assert max(map(len, text.splitlines())) <= width
    assert "at least 90% of the trees" in as_text(render_scores(scores))


def test_long_names_and_many_features_fit():
    names = tuple(f"a_very_long_feature_name_with_number_{i:03d}_at_its_end" for i in range(40))
    mean = np.linspace(0.05, 0, 40)
    text = as_text(render_importances(SimpleNamespace(names=names, mean=mean, spread=mean)))
    assert max(map(len, text.splitlines())) <= 80
    assert "and 30 more" in text
    assert "001_at_its_end"[-10:] in text


def test_names_that_look_like_markup_are_kept():
    names = ("[red]x", "[/b]")
    mean = np.array([0.6, 0.4])
    text = as_text(render_importances(SimpleNamespace(names=names, mean=mean, spread=mean)))
    assert "[red]x" in text
    assert "[/b]" in text


def test_shorten_and_listing():
    assert shorten("short") == "short"
    assert len(shorten("x" * 99, 21)) == 21
    assert listing(["a"]) == "a"
    assert listing(range(8), 6) == "0, 1, 2, 3, 4, 5 and 2 more"
    assert listing(range(7), 6) == "0, 1, 2, 3, 4, 5, 6"


def test_intervals_of_classes_are_left_out_if_not_asked_for(monkeypatch):
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    forest = BayesianForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    whole = predict_rows(forest, X)
    monkeypatch.setattr(BayesianForestClassifier, "predict_interval", None)
    found = predict_rows(forest, X, class_intervals=False)
    assert found.lower is found.upper is None
    np.testing.assert_array_equal(found.proba, whole.proba)
    assert found.take(np.arange(3)).lower is None
    with pytest.raises(BayeswoodError, match="class_intervals=True"):
        ClassProbabilityDisplay.from_predictions(y, found)
