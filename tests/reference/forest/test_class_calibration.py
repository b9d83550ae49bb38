"""The native fit of class calibrations against its slow twin."""

from dataclasses import replace

import class_calibration_twin as twin
import numpy as np
import pytest
from scipy.optimize import check_grad, minimize

from bayeswood import _core
from bayeswood.uncertainty import KindSums, Votes, fit_class_calibration, judge_classes

SIZES = [(2, 400, 40), (3, 300, 20), (7, 600, 90), (26, 500, 60), (40, 300, 30),
         (5, 5000, 50), (70, 300, 30)]  # fmt: skip


def cases(rng, n_classes, n_rows, n_trees, rare=0.1):
    """Averages over two halves of the trees, true classes, weights of which some are 0."""
    proba = rng.dirichlet(np.full(n_classes, 0.5), n_rows)
    proba[:, -1] *= rare
    proba /= proba.sum(axis=1, keepdims=True)
    label = np.minimum((np.cumsum(proba, axis=1) < rng.random((n_rows, 1))).sum(axis=1),
                       n_classes - 1)  # fmt: skip
    timid = proba**0.6 / (proba**0.6).sum(axis=1, keepdims=True)
    halves = tuple(rng.multinomial(n_trees // 2, timid) / (n_trees // 2) for _ in range(2))
    weights = np.where(rng.random(n_rows) < 0.1, 0.0, rng.uniform(0.5, 2, n_rows))
    return (halves[0] + halves[1]) / 2, halves, label, weights


def votes_of(means, n_trees, halves=None, predicting=1.0):
    votes = Votes.from_means(means, np.full(len(means), n_trees), halves)
    return replace(votes, n_trees_predicting=predicting * n_trees)


@pytest.mark.parametrize("with_halves", [False, True])
@pytest.mark.parametrize(("n_classes", "n_rows", "n_trees"), SIZES)
def test_the_fit_is_the_twins(n_classes, n_rows, n_trees, with_halves, rng):
    means, halves, label, weights = cases(rng, n_classes, n_rows, n_trees)
    given = (halves, 3.0) if with_halves else (None, 1.0)
    fitted = fit_class_calibration(votes_of(means, n_trees, *given), label, weights)
    beyond = 1 - 1 / 3 if with_halves else 0.0
    power, offset, slopes = twin.fit(means, n_trees, label, weights, given[0], beyond)
    assert fitted.power == pytest.approx(power, abs=1e-8)
    np.testing.assert_allclose(fitted.offset, offset, atol=1e-8)
    np.testing.assert_allclose(fitted.slopes, slopes, atol=1e-8)
    np.testing.assert_allclose(
        fitted.apply(means), twin.apply(means, n_trees, power, offset, slopes), atol=1e-8
    )


@pytest.mark.parametrize(("n_classes", "n_rows", "n_trees"), [(2, 400, 40), (7, 5000, 90)])
def test_it_is_where_the_sums_are_least_and_shares_match(n_classes, n_rows, n_trees, rng):
    means, halves, label, weights = cases(rng, n_classes, n_rows, n_trees)
    fitted = fit_class_calibration(votes_of(means, n_trees, halves, 3.0), label, weights)
    made = twin.Fit(means, n_trees, label, weights, halves, 1 - 1 / 3)
    exact = {"jac": True, "method": "BFGS", "options": {"gtol": 1e-10}}
    best = minimize(made.power_loss, np.zeros(1 + n_classes), **exact).x
    assert fitted.power == pytest.approx(np.exp(best[0]), rel=1e-5)
    if n_classes > 2:
        start = np.concatenate([np.zeros(n_classes), best[1:]])
        best = minimize(lambda at: made.slope_loss(np.exp(best[0]), at), start, **exact).x
        np.testing.assert_allclose(fitted.slopes, np.exp(best[:n_classes]), atol=1e-4)
    gaps = made.share_gaps(fitted.power * fitted.slopes, fitted.offset)
    np.testing.assert_allclose(gaps, 0.0, atol=1e-4)  # in rows


@pytest.mark.parametrize("power", [0.02, 60.0])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_so_it_is_on_the_bounds(power, n_classes, rng):
    means = rng.dirichlet(np.full(n_classes, 3.0), 300)
    sharp = means**power / (means**power).sum(axis=1, keepdims=True)
    label = np.minimum((np.cumsum(sharp, axis=1) < rng.random((300, 1))).sum(axis=1), n_classes - 1)
    fitted = fit_class_calibration(votes_of(means, 300), label)
    expected = twin.fit(means, 300, label, np.ones(300))
    assert fitted.power * fitted.slopes == pytest.approx(expected[0] * expected[2], abs=1e-8)
    np.testing.assert_allclose(fitted.offset, expected[1], atol=1e-8)
    assert (fitted.power * fitted.slopes <= 8 * (1 + 1e-12)).all()
    assert (fitted.power * fitted.slopes >= 0.2 * (1 - 1e-12)).all()


@pytest.mark.parametrize(("n_classes", "n_rows", "n_trees"), SIZES)
def test_the_loss_is_the_twins(n_classes, n_rows, n_trees, rng):
    means, _, label, weights = cases(rng, n_classes, n_rows, n_trees)
    found = votes_of(means, n_trees).native().loss(label.astype(np.int32), weights)
    assert found == pytest.approx(twin.loss(means, n_trees, label, weights), abs=1e-8)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_twins_gradients_are_those_of_finite_differences(n_classes, rng):
    means, _, label, weights = cases(rng, n_classes, 60, 30)
    fit = twin.Fit(means, 30, label, weights)
    slope, target = rng.uniform(0.5, 3, n_classes), rng.uniform(1, 20, n_classes)
    for ask, n_parameters in (
        (fit.power_loss, 1 + n_classes),
        (lambda at: fit.slope_loss(1.8, at), 2 * n_classes),
        (lambda at: fit.share_loss(slope, target, at), n_classes),
    ):
        at = rng.normal(size=n_parameters)
        assert check_grad(lambda p, f=ask: f(p)[0], lambda p, f=ask: f(p)[1], at) < 1e-6


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_trials_are_the_losses_of_weighted_averages(n_jobs, rng):
    n_kinds, n_strengths, n_rows, n_classes = 2, 3, 200, 4
    counts = rng.integers(0, 12, (n_kinds, n_rows)).astype(np.int32)
    proba = rng.dirichlet(np.ones(n_classes), (n_kinds, n_strengths, n_rows))
    sums = counts[:, None, :, None] * proba
    label, weights = rng.integers(n_classes, size=n_rows), rng.uniform(0.5, 2, n_rows)
    strength, shares = np.array([0, 2, 1]), rng.dirichlet(np.ones(n_kinds), 3)
    kinds = KindSums(sums, counts, np.array([20, 30]))
    found = kinds.losses(strength, shares, label, weights, n_jobs)
    seen = counts.sum(axis=0) > 0
    for trial in range(3):
        w = (shares[trial] / kinds.n_trees)[:, None]
        total = (w * counts).sum(axis=0)[seen]
        means = (w[:, :, None] * sums[:, strength[trial]]).sum(axis=0)[seen] / total[:, None]
        n_trees = np.mean(total**2 / (w**2 * counts).sum(axis=0)[seen])
        expected = twin.loss(means, n_trees, label[seen], weights[seen])
        assert found[trial] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_rows_are_judged_by_fits_to_other_folds(n_classes, n_jobs, rng):
    means, halves, label, weights = cases(rng, n_classes, 200, 40)
    weights = np.maximum(weights, 0.1)
    votes = votes_of(means, 40, halves, 4.0)
    judged, used = judge_classes(
        votes, label, weights, None, fit_class_calibration(votes, label, weights), n_jobs
    )
    assert used.all()
    plain = twin.apply(means, 40, 1.0, np.zeros(n_classes), np.ones(n_classes))
    proba, predicted = np.empty_like(means), np.empty_like(means)
    for fold in range(5):
        out = np.arange(200) % 5 == fold
        found = twin.fit(means, 40, label, np.where(out, 0.0, weights), halves, 0.75)
        proba[out] = twin.apply(means[out], 40, *found)
        of_halves = sum(twin.apply(half[out], 40, *found) for half in halves) / 2
        predicted[out] = proba[out] - 0.75 * (of_halves - proba[out])
    rows = np.arange(200)
    # Fits that begin elsewhere end within what they call enough of each other.
    for before, p in ((0, plain), (1, proba)):
        for name, values in {
            "true_proba": p[rows, label],
            "top_proba": p.max(axis=1),
            "is_top": p.argmax(axis=1) == label,
            "sum_squares": (p**2).sum(axis=1),
            "second_proba": p[:, 1],
        }.items():
            np.testing.assert_allclose(getattr(judged, name)[:, before], values, atol=1e-4)
    share = np.bincount(label, weights, n_classes) / weights.sum()
    np.testing.assert_allclose(judged.rates[:, 0], share)
    np.testing.assert_allclose(judged.rates[:, 1], weights @ predicted / weights.sum(), atol=1e-4)


def test_out_of_bag_votes_are_the_weighted_averages(rng):
    n_rows, n_trees, n_classes = 120, 14, 3
    X, y = rng.normal(size=(n_rows, 4)), rng.integers(n_classes, size=n_rows).astype(np.int32)
    encoded = _core.EncodedMatrix(X, np.zeros(4, dtype=np.int32))
    drawn = {"scheme": "exponential", "seed": 3, "weight_threshold": 0.3}
    forest, _ = _core.grow_forest(
        encoded, y, None, criterion="gini", n_trees=n_trees, n_classes=n_classes, max_features=2,
        **drawn,
    )  # fmt: skip
    weights, half = rng.random(n_trees), rng.integers(0, 2, n_trees).astype(np.int32)
    start, label, mean, first, second, counts, number = forest.predict_oob_votes(
        X, tree_weights=weights, half=half, **drawn
    )
    out = np.stack(
        [_core.draw_weights("exponential", 3, t, n_rows, 0.3) == 0 for t in range(n_trees)]
    )
    w = weights[:, None] * out
    np.testing.assert_array_equal(counts, out.sum(axis=0))
    seen = counts > 0
    expected = w[:, seen].sum(axis=0) ** 2 / (w[:, seen] ** 2).sum(axis=0)
    np.testing.assert_allclose(number[seen], expected)
    assert not number[~seen].any()
    row = np.repeat(np.arange(n_rows), np.diff(start))
    draws = forest.predict_draws(X)
    every = np.ones(n_trees, dtype=bool)
    for found, trees in ((mean, every), (first, half == 0), (second, half == 1)):
        total = w[trees].sum(axis=0)
        sums = np.einsum("tn,tnc->nc", w[trees], draws[trees])
        whole = np.einsum("tn,tnc->nc", w, draws) / np.maximum(w.sum(axis=0), 1e-300)[:, None]
        expected = np.where(total[:, None] > 0, sums / np.maximum(total, 1e-300)[:, None], whole)
        np.testing.assert_allclose(found, expected[row, label], rtol=1e-9, atol=1e-12)
    threaded = forest.predict_oob_votes(X, tree_weights=weights, half=half, n_jobs=3, **drawn)
    np.testing.assert_array_equal(threaded[2], mean)


def test_unlawful_votes_are_refused():
    start, label, mean = np.array([0, 1, 2]), np.zeros(2, np.int32), np.ones(2)
    ones, truth = np.ones(2), np.zeros(2, np.int32)
    for words, arguments in {
        "row by row": (np.array([0, 2, 1]), label, mean, None, None, 2, 5.0, 0.0),
        "entry_label": (start, label + 2, mean, None, None, 2, 5.0, 0.0),
        "beyond": (start, label, mean, None, None, 2, 5.0, 1.5),
    }.items():
        with pytest.raises(ValueError, match=words):
            _core.ClassVotes(*arguments)
    votes = _core.ClassVotes(start, label, mean, None, None, 2, 5.0, 0.0)
    with pytest.raises(ValueError, match="label"):
        votes.fit(truth + 2, ones)
    with pytest.raises(ValueError, match="weights"):
        votes.fit(truth, np.ones(3))
