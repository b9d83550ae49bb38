"""Residuals of new rows, which more bags predict than left a training row out."""

from itertools import product

import numpy as np
import pytest

from bayeswood import CalibratedForestRegressor
from bayeswood.forest import RowWeights
from bayeswood.methods.calibrated_forest.number_plan import _SIZE_SEED


def out_of_bag(model, X):
    """What each bag says of each row, and which left it out: of the mean, then of the size."""
    predictive, threshold = model.predictive_, model.weight_threshold_
    for forest, seed in ((model.forest_, 0), (predictive.sizes, _SIZE_SEED)):
        said = forest.draws(X)[:, :, 0]
        law = RowWeights("subsample", model.seed_ ^ seed, threshold)
        yield said, law.left_out(len(said), len(X))


def slow_shrinkage(model, X, y, weights):
    """The line through both halves and all bags that left a row out, row by row."""
    (mean, mean_out), (size, size_out) = out_of_bag(model, X)
    least, scaled, halves, rows = model.predictive_.least[0], [], [], []
    counts, half_counts = [], []
    for i in range(len(X)):
        means, sizes = mean[mean_out[:, i], i], size[size_out[:, i], i]
        if len(means) < 2 or len(sizes) < 2:
            continue
        rows.append(i)
        scaled.append(abs(y[i] - means.mean()) / max(sizes.mean(), least))
        parts = product((means[::2], means[1::2]), (sizes[::2], sizes[1::2]))
        halves.append([abs(y[i] - m.mean()) / max(a.mean(), least) for m, a in parts])
        counts.append(1 / len(means))
        half_counts.append((1 / len(means[::2]) + 1 / len(means[1::2])) / 2)
    whole = np.average(scaled, weights=weights[rows])
    half = np.average(np.mean(halves, axis=1), weights=weights[rows])
    further = (np.mean(counts) - 1 / len(mean)) / (np.mean(half_counts) - np.mean(counts))
    return 1 - (half / whole - 1) * further


@pytest.mark.parametrize("weighted", [False, True])
def test_scaled_residuals_are_smaller_by_what_halves_say(weighted, friedman, rng):
    X, y = friedman
    weights = rng.uniform(0.5, 2, size=len(y)) if weighted else None
    model = CalibratedForestRegressor(40, interval="affine", random_state=0).fit(X, y, weights)
    (_, _), (size, out) = out_of_bag(model, X)
    own = np.array([size[out[:, i], i].mean() for i in range(len(X))])
    z = (y - model.oob_prediction_) / np.maximum(own, model.predictive_.least)
    expected = slow_shrinkage(model, X, y, np.ones(len(y)) if weights is None else weights)
    assert 0.8 < expected < 0.999
    np.testing.assert_allclose(model.scaled_residuals_[:, 0], expected * np.sort(z))
    mean_square = np.average((expected * z) ** 2, weights=weights)
    np.testing.assert_allclose(model.residual_factor_, mean_square)


def test_each_response_has_a_factor_of_its_own(friedman, rng):
    """Bags agree on noise, and have much to say on structure."""
    X, _ = friedman
    y = np.column_stack([10 * X[:, 3] + 5 * X[:, 4], rng.normal(size=len(X))])
    together = CalibratedForestRegressor(40, interval="affine", random_state=0).fit(X, y)
    found = []
    for k in (0, 1):
        residuals = y[:, k] - together.oob_prediction_[:, k]
        sizes = together.predictive_.sizes.draws(X)[:, :, k]
        law = RowWeights("subsample", together.seed_ ^ _SIZE_SEED, together.weight_threshold_)
        out = law.left_out(len(sizes), len(X))
        own = np.array([sizes[out[:, i], i].mean() for i in range(len(X))])
        z = np.sort(residuals / np.maximum(own, together.predictive_.least[k]))
        found.append(together.scaled_residuals_[:, k] / z)
        np.testing.assert_allclose(found[k], found[k][0])
    assert found[0][0] < found[1][0] - 0.02


def test_one_bag_leaves_residuals_as_they_are(friedman):
    """No row was left out twice."""
    X, y = friedman
    model = CalibratedForestRegressor(2, interval="affine", random_state=0).fit(X, y)
    assert model.forest_.n_members == 1
    (_, _), (size, out) = out_of_bag(model, X)
    seen = ~np.isnan(model.oob_prediction_) & out[0]
    own = np.maximum(size[0, seen], model.predictive_.least)
    z = (y - model.oob_prediction_)[seen] / own
    np.testing.assert_allclose(model.scaled_residuals_[:, 0], np.sort(z))
