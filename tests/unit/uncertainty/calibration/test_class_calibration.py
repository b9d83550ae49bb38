"""The recalibration of averaged class probabilities."""

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize

from bayeswood.uncertainty import ClassCalibration, Votes, fit_class_calibration, judge_classes
from bayeswood.uncertainty.calibration.class_calibration import _Objective, _SlopeObjective


@pytest.fixture
def one_power(monkeypatch):
    """No slopes, however many classes."""
    monkeypatch.setattr(
        "bayeswood.uncertainty.calibration.class_calibration._MOST_CLASSES_SLOPED", 0
    )


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
    """The formula as it is written, over a dense table."""
    power, offset = parameters[0], parameters[1:]
    n_classes = means.shape[1]
    smoothed = (n_trees[:, None] * means + 1 / n_classes) / (n_trees[:, None] + 1)
    scores = smoothed**power * np.exp(offset)
    proba = scores / scores.sum(axis=1, keepdims=True)
    loss = -(weights * np.log(proba[np.arange(len(label)), label])).sum()
    return loss + np.log(power) ** 2 / (2 * 1.5**2) + (offset**2).sum() / (2 * 0.5**2)


@pytest.mark.parametrize("n_classes", [2, 3, 12])
def test_the_sparse_objective_is_the_formula(n_classes, rng):
    means, label, n_trees = averages(rng, 40, n_classes)
    weights = rng.uniform(0.5, 2, size=40)
    objective = _Objective(Votes.from_means(means, n_trees), label, weights)
    for _ in range(5):
        at = np.concatenate([[rng.uniform(0.3, 5)], rng.normal(size=n_classes)])
        found = objective.value_and_gradient(at)[0] * 40
        np.testing.assert_allclose(found, slow_objective(at, means, n_trees, label, weights))


@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_gradient_is_that_of_finite_differences(n_classes, rng):
    means, label, n_trees = averages(rng, 60, n_classes)
    objective = _Objective(Votes.from_means(means, n_trees), label, rng.uniform(0.5, 2, size=60))
    for ask, at in (
        (objective.value_and_gradient, np.concatenate([[2.5], rng.normal(size=n_classes)])),
        (objective.in_log_power, rng.normal(size=1 + n_classes)),
    ):
        error = check_grad(lambda p, f=ask: f(p)[0], lambda p, f=ask: f(p)[1], at)
        assert error < 1e-6


def slow_slope_objective(parameters, means, n_trees, label, weights, power):
    """The formula with a slope per class as it is written, over a dense table; of log s, b."""
    n_classes = means.shape[1]
    slopes, offset = np.exp(parameters[:n_classes]), parameters[n_classes:]
    smoothed = (n_trees[:, None] * means + 1 / n_classes) / (n_trees[:, None] + 1)
    scores = (n_classes * smoothed) ** (power * slopes) * np.exp(offset)
    proba = scores / scores.sum(axis=1, keepdims=True)
    loss = -(weights * np.log(proba[np.arange(len(label)), label])).sum()
    penalty = (np.log(slopes) ** 2).sum() / (2 * 0.3**2) + (offset**2).sum() / (2 * 0.5**2)
    return loss + penalty


@pytest.mark.parametrize("block_entries", [1, 70, 2**15])
def test_the_objective_of_slopes_is_the_formula(block_entries, monkeypatch, rng):
    monkeypatch.setattr(
        "bayeswood.uncertainty.calibration.class_calibration._BLOCK_ENTRIES", block_entries
    )
    means, label, n_trees = averages(rng, 40, 5)
    weights = rng.uniform(0.5, 2, size=40)
    objective = _SlopeObjective(Votes.from_means(means, n_trees), label, weights, 1.8)
    for _ in range(5):
        at = rng.normal(size=10)
        expected = slow_slope_objective(at, means, n_trees, label, weights, 1.8)
        np.testing.assert_allclose(objective(at)[0] * 40, expected)
        error = check_grad(lambda p: objective(p)[0], lambda p: objective(p)[1], at)
        assert error < 1e-6


@pytest.mark.parametrize("n_classes", [3, 6])
def test_the_slopes_are_the_optimum(n_classes, rng):
    means, label, n_trees = averages(rng, 300, n_classes, 2.0)
    weights = rng.uniform(0.5, 2, size=300)
    fitted = fit_class_calibration(Votes.from_means(means, n_trees), label, weights)
    at = (means, n_trees, label, weights / weights.mean(), fitted.power)
    best = minimize(slow_slope_objective, np.zeros(2 * n_classes), args=at, tol=1e-12)
    ours = np.concatenate([np.log(fitted.slopes), fitted.offset])
    assert slow_slope_objective(ours, *at) <= best.fun + 1e-6
    np.testing.assert_allclose(ours, best.x, atol=2e-3)


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
    best = np.concatenate([np.log(fitted.slopes), fitted.offset])
    at = (means, n_trees, label, np.ones(2000), fitted.power)
    least = slow_slope_objective(best, *at)
    for shift in (*(0.01 * np.eye(6)[1:]), *(-0.01 * np.eye(6))):
        assert slow_slope_objective(best + shift, *at) > least


@pytest.mark.parametrize("n_classes", [2, 31])
def test_two_or_many_classes_have_one_power(n_classes, rng):
    means, label, n_trees = averages(rng, 400, n_classes, 2.0)
    fitted = fit_class_calibration(Votes.from_means(means, n_trees), label)
    assert (fitted.slopes == 1).all()


@pytest.mark.parametrize("power", [0.05, 0.5, 1.0, 2.0, 40.0])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.usefixtures("one_power")
def test_the_fit_is_the_optimum(power, n_classes, rng):
    means, label, n_trees = averages(rng, 300, n_classes, power)
    weights = rng.uniform(0.5, 2, size=300)
    fitted = fit_class_calibration(Votes.from_means(means, n_trees), label, weights)
    scaled = weights / weights.mean()
    best = min(
        (
            minimize(
                slow_objective,
                np.concatenate([[start], np.zeros(n_classes)]),
                args=(means, n_trees, label, scaled),
                bounds=[(0.2, 8.0)] + [(None, None)] * n_classes,
            )
            for start in (0.3, 1.0, 5.0)
        ),
        key=lambda found: found.fun,
    )
    ours = np.concatenate([[fitted.power], fitted.offset])
    assert slow_objective(ours, means, n_trees, label, scaled) <= best.fun + 1e-6
    np.testing.assert_allclose(ours, best.x, atol=2e-3)
    assert 0.2 <= fitted.power <= 8.0


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
    one = fit_class_calibration(
        Votes.from_means(np.ones((4, 1)), np.full(4, 9)), np.zeros(4, dtype=int)
    )
    assert none.power == one.power == 1.0
    assert not none.offset.any()
    np.testing.assert_array_equal(one.apply(np.ones((2, 1)), np.array([9, 9])), 1.0)


def test_the_identity_only_smooths():
    means = np.array([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]])
    found = ClassCalibration.identity(3, 4.0).apply(means)
    np.testing.assert_allclose(found, (4 * means + 1 / 3) / 5)


@pytest.mark.parametrize("n_entries", [1, 12, 10_000])
def test_blocks_and_parts_of_votes(n_entries, rng):
    means, _, n_trees = averages(rng, 50, 3)
    votes = Votes.from_means(means, n_trees)
    calibration = ClassCalibration(1.7, np.array([0.1, -0.2, 0.1]), np.array([1.2, 0.8, 1.0]), 9.0)
    dense = calibration.apply(means, n_trees)
    blocks = [calibration.apply_votes(block) for block in votes.blocks(n_entries)]
    np.testing.assert_allclose(np.concatenate(blocks), dense)
    chosen = rng.uniform(size=50) < 0.5
    np.testing.assert_allclose(calibration.apply_votes(votes.take(chosen)), dense[chosen])
    joined = Votes.concatenate([votes.take(chosen), votes.take(~chosen)])
    np.testing.assert_allclose(
        calibration.apply_votes(joined), np.concatenate([dense[chosen], dense[~chosen]])
    )


def test_many_classes_take_the_room_of_their_votes(rng):
    n_rows, n_classes = 300, 20_000
    label = rng.integers(n_classes, size=n_rows)
    votes = Votes(
        np.arange(n_rows), label, np.full(n_rows, np.log(0.5)),
        np.full(n_rows, np.log(0.5 / n_classes)), n_classes,
    )  # fmt: skip
    fitted = fit_class_calibration(votes, label)
    assert fitted.power > 1
    assert fitted.offset.shape == (n_classes,)


def test_no_row_is_judged_by_a_fit_to_its_fold(rng):
    means, label, n_trees = averages(rng, 100, 2)
    votes = Votes.from_means(means, n_trees)
    judged = judge_classes(votes, label, None, None)
    held_out = np.arange(100) % 5 == 2
    others = fit_class_calibration(votes.take(~held_out), label[~held_out])
    proba = others.apply(means[held_out], n_trees[held_out])
    np.testing.assert_allclose(judged.second_proba[held_out, 1], proba[:, 1])
    np.testing.assert_allclose(judged.sum_squares[held_out, 1], (proba**2).sum(axis=1))
    # A group is judged as a whole: one group of all rows has no others.
    together = judge_classes(votes, label, None, np.zeros(100, dtype=np.int32))
    alone = fit_class_calibration(votes, label).apply(means, n_trees)
    np.testing.assert_allclose(together.second_proba[:, 1], alone[:, 1])


@pytest.mark.usefixtures("one_power")
@pytest.mark.parametrize("lead", [0.06, 0.15, 0.2])
def test_very_timid_averages_are_sharpened_to_the_bound(lead, rng):
    """All rows right, by little: γ would be without bounds, and no step may overflow."""
    label = rng.integers(0, 3, size=120)
    means = (1 - lead) * rng.dirichlet(np.full(3, 60.0), size=120)
    means[np.arange(120), label] += lead
    n_trees = np.full(120, 90)
    fitted = fit_class_calibration(Votes.from_means(means, n_trees), label)
    assert fitted.power == 8.0
    best = np.concatenate([[8.0], fitted.offset])
    least = slow_objective(best, means, n_trees, label, np.ones(120))
    for shift in (*(0.01 * np.eye(4)[1:]), *(-0.01 * np.eye(4))):
        assert slow_objective(best + shift, means, n_trees, label, np.ones(120)) > least
