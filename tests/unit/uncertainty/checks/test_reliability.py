"""Frequencies beside probabilities, with their bands."""

import numpy as np
import pytest

from bayeswood import RandomForestClassifier, calibration_report
from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty import (
    class_event,
    clopper_pearson_interval,
    summarize_calibration,
    summarize_reliability,
    wilson_interval,
)


def test_groups_by_hand():
    found = summarize_reliability([0, 1, 1, 1], [0.1, 0.2, 0.9, 1.0], n_bins=2)
    np.testing.assert_allclose(found.mean_probability, [0.15, 0.95])
    np.testing.assert_allclose(found.frequency, [0.5, 1.0])
    assert found.n_cases.tolist() == [2, 2]
    assert found.error == pytest.approx((0.35 + 0.05) / 2)


def test_error_by_brute_force(rng):
    given = rng.random(400)
    happened = rng.random(400) < given**2
    found = summarize_reliability(happened, given, n_bins=8, strategy="quantile", n_boot=0)
    order = np.argsort(given)
    parts = np.array_split(order, 8)
    error = sum(abs(happened[p].mean() - given[p].mean()) * len(p) / 400 for p in parts)
    assert found.error == pytest.approx(error)
    assert np.isnan(found.error_lower)


def test_bootstrap_is_that_of_the_rows(rng):
    """One sample of rows, drawn here with the generator that the function is given."""
    given, happened = rng.random(200), rng.integers(0, 2, size=200)
    found = summarize_reliability(happened, given, n_bins=3, n_boot=1, rng=5)
    rows = np.random.default_rng(5).integers(200, size=200)
    again = summarize_reliability(happened[rows], given[rows], n_bins=3, n_boot=0)
    assert found.error_lower == found.error_upper == pytest.approx(again.error)
    np.testing.assert_allclose(found.boot_lower, again.frequency)


def test_right_probabilities_err_by_chance_alone(rng):
    given = rng.random(4000)
    found = summarize_reliability(rng.random(4000) < given, given, rng=rng)
    # The error of right probabilities is the mean of 10 half-normals; its standard deviation is
    # about a quarter of its mean, so that double the mean is 4 of them: below 1e-4 by chance.
    assert found.error < 2 * found.error_by_chance
    wrong = summarize_reliability(rng.random(4000) < 0.8 * given, given, rng=rng)
    assert wrong.error_lower > 2 * wrong.error_by_chance


def test_bands_hold_the_frequency_where_the_sample_is_large(rng):
    given = rng.random(5000)
    found = summarize_reliability(rng.random(5000) < given, given, n_bins=5, confidence=0.95)
    assert np.all((found.boot_lower <= found.frequency) & (found.frequency <= found.boot_upper))
    np.testing.assert_allclose(found.boot_lower, found.lower, atol=0.01)
    np.testing.assert_allclose(found.boot_upper, found.upper, atol=0.01)


def test_events_of_two_and_of_more_classes():
    event, given, name = class_event([2, 1], [[0.2, 0.5, 0.3], [0.1, 0.8, 0.1]], [0, 1, 2])
    assert (event.tolist(), given.tolist(), name) == (
        [False, True],
        [0.5, 0.8],
        "the predicted class",
    )


@pytest.mark.parametrize(
    ("event", "probability", "message"),
    [
        ([1], [0.5, 0.5], "one event and one probability"),
        ([], [], "at least one row"),
        ([1], [1.5], "between 0 and 1"),
        ([1], [np.nan], "between 0 and 1"),
    ],
)
def test_bad_input(event, probability, message):
    with pytest.raises(BayeswoodError, match=message):
        summarize_reliability(event, probability)


def test_intervals_of_a_frequency_cover_as_they_say():
    """Exactly: summed over the binomial distribution."""
    from scipy.stats import binom

    n, hits = 25, np.arange(26)
    for share in np.linspace(0.02, 0.98, 49):
        low, high = clopper_pearson_interval(hits, np.full(26, n), 0.9)
        assert binom.pmf(hits, n, share)[(low <= share) & (share <= high)].sum() >= 0.9
    shares = np.linspace(0.1, 0.9, 81)
    low, high = wilson_interval(hits, np.full(26, n), 0.9)
    covered = [binom.pmf(hits, n, s)[(low <= s) & (s <= high)].sum() for s in shares]
    assert np.mean(covered) == pytest.approx(0.9, abs=0.02)


def test_no_cases_tell_nothing():
    low, high = clopper_pearson_interval(0, 0)
    assert (float(low), float(high)) == (0, 1)


def test_report_of_a_model(rng):
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + rng.normal(size=300) > 0, "yes", "no")
    forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X[:150], y[:150])
    report = calibration_report(forest, X[150:], y[150:], n_boot=20)
    proba = forest.predict_proba(X[150:])
    again = summarize_calibration(y[150:], proba, forest.classes_, n_boot=20)
    assert str(report) == str(again)
    assert report.reliability.name == "yes"
    assert f"{report.brier.score:.4f}" in str(report)
    assert max(map(len, str(report).splitlines())) <= 80
