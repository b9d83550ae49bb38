"""The best possible envelope of the five-Gaussian problem, and how forests come near it."""

import zlib

import numpy as np
import pytest

from bayeswood import BayesianForestClassifier, UncertaintyEnvelope
from bayeswood.theory import (
    five_gaussians_envelope,
    five_gaussians_posterior,
    sample_five_gaussians,
)

# By adaptive quadrature, to more digits than are shown.
OPTIMUM = {
    "confident_correct": 0.46815275932593436,
    "uncertain": 0.5310185618937355,
    "confident_incorrect": 0.0008286787802875105,
}
BAYES_ERROR = 0.0778848222148172
N_TEST = 20_000
N_TREES, N_REPEATS = 100, 8


@pytest.fixture(scope="module")
def test_rows():
    return sample_five_gaussians(N_TEST, rng=zlib.crc32(b"test rows"))


def test_optimum_by_quadrature():
    found = five_gaussians_envelope(0.99)
    for rate, value in OPTIMUM.items():
        assert getattr(found, rate) == pytest.approx(value, abs=5e-6)
    assert sum(found) == pytest.approx(1, abs=1e-12)
    assert five_gaussians_envelope(0.0).confident_incorrect == pytest.approx(BAYES_ERROR, abs=1e-6)


def test_optimum_by_sampling(test_rows):
    """The posterior as an ensemble; thresholds of 5 standard errors, a false alarm in a million."""

    class Bayes:
        classes_ = np.array([1, 2])
        predict = None
        predict_proba = staticmethod(five_gaussians_posterior)

    result = UncertaintyEnvelope(0.99, measure="probability").assess(Bayes(), *test_rows)
    for rate, value in OPTIMUM.items():
        error = np.sqrt(value * (1 - value) / N_TEST)
        assert getattr(result, rate) == pytest.approx(value, abs=5 * error)


def rates_of_forests(n_rows, measure, test_rows):
    """The three rates of several forests whose leaves grow with the data, but more slowly."""
    leaf = round(n_rows ** (2 / 3) / 4)
    envelope = UncertaintyEnvelope(0.99, measure)
    found = []
    for repeat in range(N_REPEATS):
        X, y = sample_five_gaussians(n_rows, rng=1000 * repeat + n_rows)
        forest = BayesianForestClassifier(
            N_TREES, min_samples_leaf=leaf, max_features=None, random_state=repeat
        )
        result = envelope.assess(forest.fit(X, y), *test_rows)
        found.append([getattr(result, rate) for rate in OPTIMUM])
    return np.array(found)


def test_a_bayesian_forest_approaches_the_optimum(test_rows):
    """Distances over trial seeds: 0.17 ± 0.09 with 250 rows, 0.02 ± 0.02 with 16,000 (one forest).

    With eight forests each, the thresholds are more than three standard errors away.
    """
    optimum = np.array(list(OPTIMUM.values()))
    few, many = (rates_of_forests(n, "probability", test_rows) for n in (250, 16_000))
    distance_few, distance_many = (np.abs(r - optimum).sum(axis=1).mean() for r in (few, many))
    assert distance_many < 0.4 * distance_few
    assert distance_many < 0.06
    assert many[:, 2].mean() < 0.5 * few[:, 2].mean()


def test_votes_approach_the_bayes_classifier_instead(test_rows):
    """Trees that each find the Bayes class agree, however close the posterior is to a half.

    So the envelope of votes tends to (1 - Bayes error, 0, Bayes error), not to the optimum.
    """
    few, many = (rates_of_forests(n, "votes", test_rows).mean(axis=0) for n in (250, 16_000))
    limit = np.array([1 - BAYES_ERROR, 0.0, BAYES_ERROR])
    assert np.abs(many - limit).sum() < 0.7 * np.abs(few - limit).sum()
    assert many[0] > 0.8
    assert many[2] > 20 * OPTIMUM["confident_incorrect"]
