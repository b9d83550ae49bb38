"""A score is the sum of its parts, and each part is what its formula says."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty import split_brier, split_log_loss
from bayeswood.uncertainty.checks.probability_groups import (
    group_by_probability,
    likeness_groups,
    read_class_truth,
)

SPLITS = [split_brier, split_log_loss]


def problem(rng, n_classes, n_rows=300):
    proba = rng.dirichlet(np.full(n_classes, 0.6), size=n_rows)
    truth = np.array([rng.choice(n_classes, p=0.7 * p + 0.3 / n_classes) for p in proba])
    return truth, proba, np.arange(n_classes)


def whole(parts):
    return parts.reliability - parts.resolution + parts.uncertainty + parts.within


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("split", SPLITS)
def test_parts_add_up_to_the_score(split, n_classes, strategy, rng):
    parts = split(*problem(rng, n_classes), strategy=strategy, n_bins=7)
    assert whole(parts) == pytest.approx(parts.score, rel=1e-12)
    assert min(parts.reliability, parts.resolution, parts.uncertainty) > 0


def test_scores_are_those_of_scikit_learn(rng):
    truth, proba, classes = problem(rng, 2)
    assert split_brier(truth, proba, classes).score == pytest.approx(
        brier_score_loss(truth, proba[:, 1])
    )
    truth, proba, classes = problem(rng, 4)
    assert split_log_loss(truth, proba, classes).score == pytest.approx(log_loss(truth, proba))


def test_parts_by_brute_force(rng):
    """Loops over the groups, with the formulas written out for two classes."""
    y, proba, classes = problem(rng, 2)
    p = proba[:, 1]
    groups = np.minimum((p * 10).astype(int), 9)
    base = y.mean()
    reliability = resolution = log_reliability = log_resolution = 0.0
    for k in np.unique(groups):
        rows = groups == k
        f, m, share = y[rows].mean(), p[rows].mean(), rows.mean()
        reliability += share * (f - m) ** 2
        resolution += share * (f - base) ** 2
        for q, r in ((f, m), (1 - f, 1 - m)):
            log_reliability += share * (q * np.log(q / r) if q > 0 else 0)
        for q, r in ((f, base), (1 - f, 1 - base)):
            log_resolution += share * (q * np.log(q / r) if q > 0 else 0)
    brier = split_brier(y, proba, classes, strategy="uniform")
    assert brier.reliability == pytest.approx(reliability)
    assert brier.resolution == pytest.approx(resolution)
    assert brier.uncertainty == pytest.approx(base * (1 - base))
    loss = split_log_loss(y, proba, classes, strategy="uniform")
    assert loss.reliability == pytest.approx(log_reliability)
    assert loss.resolution == pytest.approx(log_resolution)
    assert loss.uncertainty == pytest.approx(-base * np.log(base) - (1 - base) * np.log(1 - base))


@pytest.mark.parametrize("split", SPLITS)
def test_equal_probabilities_leave_nothing_within(split, rng):
    levels = np.array([0.1, 0.35, 0.8])[rng.integers(3, size=500)]
    truth = (rng.random(500) < levels).astype(int)
    parts = split(truth, np.column_stack([1 - levels, levels]), [0, 1], strategy="uniform")
    assert parts.within == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("split", SPLITS)
def test_frequencies_as_probabilities_are_reliable(split):
    truth = np.repeat([0, 1, 0, 1], [3, 1, 1, 3])
    proba = np.repeat([[0.75, 0.25], [0.25, 0.75]], 4, axis=0)
    parts = split(truth, proba, [0, 1])
    assert parts.reliability == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("split", SPLITS)
def test_a_class_the_model_does_not_know(split):
    parts = split(["a", "z"], [[0.9, 0.1], [0.5, 0.5]], ["a", "b"], n_bins=2)
    assert np.isfinite(parts.score)
    assert whole(parts) == pytest.approx(parts.score)


def test_equal_probabilities_share_a_group(rng):
    given = np.repeat(rng.random(20), 7)
    group = group_by_probability(given, 6, "quantile", "f")
    for value in np.unique(given):
        assert len(np.unique(group[given == value])) == 1
    assert len(np.unique(group)) == 6


def test_more_classes_are_grouped_by_the_predicted_one_too():
    proba = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.8, 0.15, 0.05]])
    truth = read_class_truth([0, 1, 2], proba, [0, 1, 2], "f")
    group = likeness_groups(truth, 4, "uniform", "f")
    assert group[0] == group[2] != group[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strategy": "odd"}, "'strategy' parameter of split_brier"),
        ({"n_bins": 0}, "'n_bins' parameter of split_brier"),
        ({"proba": [[0.5, 0.4]]}, "sum to 1 in each row"),
        ({"proba": [[0.5, 0.5], [1, 0]]}, r"must be of shape \(1, 2\)"),
        ({"y": []}, "at least one"),
    ],
)
def test_bad_input(change, message):
    given = {"y": [1], "proba": [[0.5, 0.5]], "classes": [0, 1], **change}
    with pytest.raises(BayeswoodError, match=message):
        split_brier(**given)
