"""The recalibration of averaged class probabilities; against its slow twin in `reference`."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize, root

from bayeswood.uncertainty import ClassCalibration, Votes, fit_class_calibration, judge_classes


def averages(rng, n_rows, n_classes, power=1.0):
    """Vote shares of rows, their true classes by p ∝ share^power, and the trees behind each."""
    scores = rng.normal(size=(n_rows, n_classes))
    proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    sharp = proba**power / (proba**power).sum(axis=1, keepdims=True)
    label = (rng.uniform(size=(n_rows, 1)) > np.cumsum(sharp, axis=1)).sum(axis=1)
    n_trees = rng.integers(20, 80, size=n_rows)
    means = np.array([rng.multinomial(n, p) / n for n, p in zip(n_trees, proba, strict=True)])
    return means, np.minimum(label, n_classes - 1), n_trees


def slow_objective(parameters, means, n_trees, label, weights):
    """The formula as it is written, over a dense table; B is one for all rows."""
    power, offset = parameters[0], parameters[1:]
    n_classes, number = means.shape[1], np.mean(n_trees)
    smoothed = (number * means + 1 / n_classes) / (number + 1)
    scores = smoothed**power * np.exp(offset)
    proba = scores / scores.sum(axis=1, keepdims=True)
    loss = -(weights * np.log(proba[np.arange(len(label)), label])).sum()
    return loss + np.log(power) ** 2 / (2 * 1.5**2) + (offset**2).sum() / 2


def slow_slope_objective(parameters, means, n_trees, label, weights, power):
    """The formula with a slope per class as it is written, over a dense table; of log s, b."""
    n_classes, number = means.shape[1], np.mean(n_trees)
    slopes, offset = np.exp(parameters[:n_classes]), parameters[n_classes:]
    smoothed = (number * means + 1 / n_classes) / (number + 1)
    scores = (n_classes * smoothed) ** (power * slopes) * np.exp(offset)
    proba = scores / scores.sum(axis=1, keepdims=True)
    loss = -(weights * np.log(proba[np.arange(len(label)), label])).sum()
    return loss + (np.log(slopes) ** 2).sum() / (2 * 0.3**2) + (offset**2).sum() / 2


@pytest.mark.parametrize("n_classes", [3, 6])
def test_the_slopes_are_the_optimum(n_classes, rng):
    means, label, n_trees = averages(rng, 300, n_classes, 2.0)
    weights = rng.uniform(0.5, 2, size=300)
    fitted = fit_class_calibration(Votes.from_means(means, n_trees), label, weights)
    at = (means, n_trees, label, weights / weights.mean(), fitted.power)
    best = minimize(slow_slope_objective, np.zeros(2 * n_classes), args=at, tol=1e-12)
    np.testing.assert_allclose(np.log(fitted.slopes), best.x[:n_classes], atol=2e-3)


@pytest.mark.parametrize("power", [0.05, 0.5, 1.0, 2.0, 40.0])
def test_the_power_is_the_optimum(power, rng):
    means, label, n_trees = averages(rng, 300, 2, power)
    weights = rng.uniform(0.5, 2, size=300)
    fitted = fit_class_calibration(Votes.from_means(means, n_trees), label, weights)
    scaled = weights / weights.mean()
    best = min(
        (
            minimize(
                slow_objective,
                np.array([start, 0.0, 0.0]),
                args=(means, n_trees, label, scaled),
                bounds=[(0.2, 8.0), (None, None), (None, None)],
            )
            for start in (0.3, 1.0, 5.0)
        ),
        key=lambda found: found.fun,
    )
    assert fitted.power == pytest.approx(best.x[0], abs=2e-3)
    assert 0.2 <= fitted.power <= 8.0


@pytest.mark.parametrize("n_classes", [2, 5, 33])
def test_mean_probabilities_are_the_shares(n_classes, rng):
    means, label, n_trees = averages(rng, 500, n_classes, 2.0)
    weights = rng.uniform(0.5, 2, size=500)
    fitted = fit_class_calibration(Votes.from_means(means, n_trees), label, weights)
    scaled = weights / weights.mean()
    gap = scaled @ fitted.apply(means) - np.bincount(label, scaled, n_classes)
    np.testing.assert_allclose(gap, -fitted.offset / 4, atol=1e-4)
    assert fitted.offset.sum() == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_so_they_are_over_more_trees_than_left_a_row_out(n_classes, rng):
    """A mean over B trees less what half of them give more, times 1 − B / B'."""
    proba = rng.dirichlet(np.full(n_classes, 0.4), size=800)
    halves = [rng.multinomial(10, proba) / 10 for _ in range(2)]
    label = np.argmax(rng.multinomial(1, proba), axis=1)
    means = sum(halves) / 2
    votes = Votes.from_means(means, np.full(800, 20), tuple(halves))
    fitted = fit_class_calibration(replace(votes, n_trees_predicting=80.0), label)
    p, h = fitted.apply(means), (fitted.apply(halves[0]) + fitted.apply(halves[1])) / 2
    predicted = p - 0.75 * (h - p)
    gap = predicted.sum(axis=0) - np.bincount(label, minlength=n_classes)
    np.testing.assert_allclose(gap, -fitted.offset / 4, atol=1e-4)
    assert np.abs((h - p).sum(axis=0)).max() > 0.1  # a thousand times what is allowed above


def test_of_classes_that_are_all_but_certain_more_trees_are_foreseen_once(rng):
    """What halves give more changes faster with b there than what all trees give."""
    n_classes, number, beyond = 12, 36.0, 1 - 36 / 100
    label = rng.integers(n_classes, size=1500)
    sure = rng.beta(9, 1, size=1500)
    proba = np.zeros((1500, n_classes))
    proba[np.arange(1500), label] = sure
    proba[np.arange(1500), (label + rng.integers(1, 5, size=1500)) % n_classes] += 1 - sure
    halves = [rng.multinomial(18, proba) / 18 for _ in range(2)]
    means = sum(halves) / 2
    votes = Votes.from_means(means, np.full(1500, number), tuple(halves))
    fitted = fit_class_calibration(replace(votes, n_trees_predicting=100.0), label)

    count = np.bincount(label, minlength=n_classes)
    powers = fitted.power * fitted.slopes

    def total(averages, offset):
        smoothed = (number * averages + 1 / n_classes) / (number + 1)
        scores = np.log(n_classes * smoothed) * powers + offset
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return (shares / shares.sum(axis=1, keepdims=True)).sum(axis=0)

    before = root(lambda b: total(means, b) + b - count, np.zeros(n_classes), tol=1e-10).x
    more = sum(total(half, before) for half in halves) / 2 - total(means, before)
    wanted = count + beyond * more
    after = root(lambda b: total(means, b) + b / 4 - wanted, before, tol=1e-10).x
    np.testing.assert_allclose(fitted.offset, after, atol=2e-3)


def test_unequal_classes_have_unequal_slopes(rng):
    """The first class happens as often as its share says, the others are a toss-up."""
    means = rng.dirichlet([2.0, 2.0, 2.0], size=2000)
    others = rng.integers(1, 3, size=2000)
    label = np.where(rng.uniform(size=2000) < means[:, 0], 0, others)
    fitted = fit_class_calibration(Votes.from_means(means, np.full(2000, 300)), label)
    # Over 300 seeds the first is 2.3 to 4.1 and the larger of the others 0.45 to 0.69.
    assert fitted.slopes[0] > 1.5
    assert fitted.slopes[1:].max() < 0.9


def test_slopes_stay_within_the_bounds_of_the_power(rng):
    """The first class is certain where its share is above average, so that no slope is enough."""
    means = rng.dirichlet([2.0, 2.0, 2.0], size=2000)
    label = np.where(means[:, 0] > 1 / 3, 0, rng.integers(1, 3, size=2000))
    n_trees = np.full(2000, 300)
    fitted = fit_class_calibration(Votes.from_means(means, n_trees), label)
    powers = fitted.power * fitted.slopes
    assert powers[0] == pytest.approx(8.0)
    assert (powers[1:] >= 0.2 * (1 - 1e-12)).all()


@pytest.mark.parametrize("n_classes", [2, 31])
def test_two_or_many_classes_have_one_power(n_classes, rng):
    means, label, n_trees = averages(rng, 400, n_classes, 2.0)
    fitted = fit_class_calibration(Votes.from_means(means, n_trees), label)
    assert (fitted.slopes == 1).all()


def test_a_power_on_its_bound_keeps_the_offsets_optimal(rng):
    means = np.tile([[0.55, 0.45]], (4000, 1))
    fitted = fit_class_calibration(
        Votes.from_means(means, np.full(4000, 1000)), np.zeros(4000, dtype=int)
    )
    assert fitted.power == 8.0
    assert fitted.offset[0] > 0 > fitted.offset[1]


def test_the_power_is_found_again(rng):
    means, label, n_trees = averages(rng, 20_000, 3, power=2.0)
    fitted = fit_class_calibration(Votes.from_means(means, n_trees), label)
    # Noise of the shares pulls the power below 2: 1.6 to 1.9 over 50 seeds.
    assert 1.4 < fitted.power < 2.1
    assert np.abs(fitted.offset).max() < 0.2


def test_only_ratios_of_weights_matter(rng):
    means, label, n_trees = averages(rng, 200, 3)
    votes = Votes.from_means(means, n_trees)
    weights = rng.uniform(0.5, 2, size=200)
    first = fit_class_calibration(votes, label, weights)
    second = fit_class_calibration(votes, label, np.ldexp(weights, 40))
    assert first.power == second.power
    np.testing.assert_array_equal(first.offset, second.offset)
    plain, ones = (fit_class_calibration(votes, label, w) for w in (None, np.ones(200)))
    assert plain.power == ones.power


def test_nothing_to_fit_is_the_identity():
    none = fit_class_calibration(
        Votes.from_means(np.zeros((0, 3)), np.zeros(0, dtype=int)), np.zeros(0, dtype=int)
    )
    unseen = fit_class_calibration(
        Votes.from_means(np.zeros((5, 3)), np.zeros(5, dtype=int) + 1), np.zeros(5, dtype=int)
    )
    one = fit_class_calibration(
        Votes.from_means(np.ones((4, 1)), np.full(4, 9)), np.zeros(4, dtype=int)
    )
    assert none.power == unseen.power == one.power == 1.0
    assert not none.offset.any()
    assert not unseen.offset.any()
    np.testing.assert_array_equal(one.apply(np.ones((2, 1))), 1.0)


def test_the_identity_only_smooths():
    means = np.array([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]])
    found = ClassCalibration.identity(3, 4.0).apply(means)
    np.testing.assert_allclose(found, (4 * means + 1 / 3) / 5)


def test_rows_that_no_tree_left_out_take_no_part(rng):
    means, label, n_trees = averages(rng, 200, 3)
    number = np.full(200, n_trees.mean())
    unseen = rng.random(200) < 0.3
    with_gaps = Votes.from_means(np.where(unseen[:, None], 0.0, means), number)
    without = Votes.from_means(means[~unseen], number[~unseen])
    np.testing.assert_array_equal(with_gaps.seen, ~unseen)
    first, second = (
        fit_class_calibration(with_gaps, label), fit_class_calibration(without, label[~unseen])
    )  # fmt: skip
    assert first.power == second.power
    np.testing.assert_array_equal(first.offset, second.offset)


def test_many_classes_take_the_room_of_their_votes(rng):
    n_rows, n_classes = 300, 20_000
    label = rng.integers(n_classes, size=n_rows)
    votes = Votes(
        np.arange(n_rows + 1), label.astype(np.int32), np.ones(n_rows), None, n_classes, 1.0, 1.0
    )
    fitted = fit_class_calibration(votes, label)
    assert fitted.power > 1
    assert fitted.offset.shape == (n_classes,)


def test_no_row_is_judged_by_a_fit_to_its_fold(rng):
    means, label, _ = averages(rng, 100, 2)
    number = np.full(100, 40)
    votes = Votes.from_means(means, number)
    fitted = fit_class_calibration(votes, label)
    judged, used = judge_classes(votes, label, None, None, fitted)
    assert used.all()
    held_out = np.arange(100) % 5 == 2
    others = fit_class_calibration(
        Votes.from_means(means[~held_out], number[~held_out]), label[~held_out]
    )
    proba = others.apply(means[held_out])
    np.testing.assert_allclose(judged.second_proba[held_out, 1], proba[:, 1], atol=1e-6)
    np.testing.assert_allclose(judged.sum_squares[held_out, 1], (proba**2).sum(axis=1), atol=1e-6)
    # A group is judged as a whole: one group of all rows has no others.
    together, _ = judge_classes(votes, label, None, np.zeros(100, dtype=np.int32), fitted)
    np.testing.assert_allclose(together.second_proba[:, 1], fitted.apply(means)[:, 1], atol=1e-6)


@pytest.mark.parametrize("lead", [0.06, 0.15, 0.2])
def test_very_timid_averages_are_sharpened_to_the_bound(lead, rng):
    """All rows right, by little: γ would be without bounds, and no step may overflow."""
    label = rng.integers(0, 2, size=120)
    means = (1 - lead) * rng.dirichlet(np.full(2, 60.0), size=120)
    means[np.arange(120), label] += lead
    fitted = fit_class_calibration(Votes.from_means(means, np.full(120, 90)), label)
    assert fitted.power == 8.0
    assert np.isfinite(fitted.offset).all()
