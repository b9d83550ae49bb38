"""Scores do not depend on how the rows are cut, and are those of textbook formulas."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, mean_absolute_error, r2_score

from bayeswood.report import ClassPredictions, NumberPredictions, score_predictions
from bayeswood.report.score_sums import ClassSums, NumberSums
from bayeswood.table.exact_sum import ExactSum

CUTS = [[0, 200], [0, 1, 200], [0, 50, 51, 130, 200]]


def number_case(rng, far=0.0):
    y = far + rng.normal(size=200)
    return NumberPredictions(y + rng.normal(size=200), y - rng.random(200), y + 1, 0.9), y


def class_case(rng):
    proba = rng.dirichlet([1, 1], size=200)
    classes = np.array(["no", "yes"])
    y = classes[(rng.random(200) < proba[:, 1]).astype(int)]
    guess = classes[proba.argmax(axis=1)]
    return ClassPredictions(classes, guess, proba, None, None, proba.max(axis=1), 0.9, 0.9), y


@pytest.mark.parametrize("cut", CUTS)
def test_pieces_add_up_to_the_whole(rng, cut):
    for make, sums in ((number_case, NumberSums()), (class_case, ClassSums())):
        predictions, y = make(rng)
        for start, end in pairwise(cut):
            sums.add(predictions.take(np.arange(start, end)), y[start:end])
        assert sums.scores() == score_predictions(predictions, y)


@pytest.mark.parametrize("far", [0.0, 1e8])
def test_numbers_by_the_book(rng, far):
    predictions, y = number_case(rng, far)
    scores = score_predictions(predictions, y)
    assert scores.r2 == pytest.approx(r2_score(y, predictions.predicted), rel=1e-12)
    assert scores.mae == pytest.approx(mean_absolute_error(y, predictions.predicted), rel=1e-14)
    assert scores.rmse**2 == pytest.approx(np.mean((y - predictions.predicted) ** 2), rel=1e-14)


def test_classes_by_the_book(rng):
    predictions, y = class_case(rng)
    scores = score_predictions(predictions, y)
    assert -scores.log_predictive_probability == pytest.approx(log_loss(y, predictions.proba))
    brier = brier_score_loss(y == "yes", predictions.proba[:, 1])
    assert scores.brier == pytest.approx(brier, rel=1e-12)


def test_a_target_that_does_not_vary_has_no_r2():
    y = np.full(7, 0.1)
    assert np.isnan(score_predictions(NumberPredictions(y + 1, y, y, 0.9), y).r2)


def test_infinities_stay_infinite():
    y = np.array([1.0, 2.0])
    scores = score_predictions(NumberPredictions(np.array([np.inf, 2.0]), y, y, 0.9), y)
    assert (scores.rmse, scores.r2) == (np.inf, -np.inf)
    total = ExactSum()
    total.add(np.array([np.nan, 1.0]))
    assert np.isnan(total.over(1))
