"""The curve over γ₀, and choosing γ₀ from it."""

import warnings

import numpy as np
import pytest
from scipy.stats import binomtest

from bayeswood import choose_gamma0, choose_gamma0_by_cost, envelope_curve
from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty import (
    NoConfidentThreshold,
    UncertaintyEnvelope,
    clopper_pearson_upper,
    fold_curves,
)
from bayeswood.uncertainty.envelope.choice import fallback_test


def votes_of(n_agreeing, n_members=10):
    """Votes for class 0 by so many of the members, the others for class 1, per row."""
    members = np.arange(n_members)[:, None]
    return (members >= np.asarray(n_agreeing)[None, :]).astype(int)


def graded(n_rows=1000):
    """Rows of consistency 1, 0.9 and 0.8 in equal parts; errors: none, 1 in 25, 1 in 5."""
    part = n_rows // 4
    agreeing = np.repeat([10, 10, 9, 8], part)
    y = np.zeros(4 * part, dtype=int)
    y[2 * part : 3 * part : 25] = 1
    y[3 * part :: 5] = 1
    return votes_of(agreeing), y


def test_curve_by_hand():
    votes, y = graded()
    curve = envelope_curve(votes, y=y, gamma0=[1.0, 0.9, 0.8, 0.9])
    assert curve.gamma0.tolist() == [0.8, 0.9, 1.0]
    np.testing.assert_allclose(curve.confident_incorrect, [0.06, 0.01, 0.0])
    np.testing.assert_allclose(curve.uncertain, [0.0, 0.25, 0.5])
    np.testing.assert_allclose(curve.confident_correct, [0.94, 0.74, 0.5])
    assert curve.n_rows == 1000


def test_default_grid_of_the_curve():
    votes, y = graded()
    curve = envelope_curve(votes, y=y)
    assert (curve.gamma0[0], curve.gamma0[-1], len(curve.gamma0)) == (0.5, 1.0, 101)
    total = curve.confident_correct + curve.uncertain + curve.confident_incorrect
    np.testing.assert_allclose(total, 1.0)


def test_an_assessment_knows_its_rows():
    votes, y = graded()
    assessment = UncertaintyEnvelope(0.3).assess(votes, y=y)
    direct = envelope_curve(votes, y=y)
    np.testing.assert_array_equal(envelope_curve(assessment).uncertain, direct.uncertain)
    assert choose_gamma0(assessment) == choose_gamma0(votes, y=y)


def test_curves_over_folds():
    envelope = UncertaintyEnvelope()
    folds = [envelope.assess(votes_of([10, 9]), y=y) for y in ([0, 0], [0, 1], [1, 1])]
    curves = fold_curves(folds, gamma0=[0.9, 1.0])
    np.testing.assert_allclose(curves.mean.confident_correct, [0.5, 1 / 3])
    np.testing.assert_allclose(
        curves.two_sigma["confident_correct"],
        2 * np.std([[1, 0.5, 0], [0.5, 0.5, 0]], axis=1, ddof=1),
    )
    assert curves.mean.n_rows == 6
    with pytest.raises(BayeswoodError, match="two folds"):
        fold_curves(folds[:1])


@pytest.mark.parametrize(("n_events", "n_rows"), [(0, 299), (3, 500), (10, 40), (7, 8)])
def test_upper_limit_equals_scipy_s(n_events, n_rows):
    expected = binomtest(n_events, n_rows, alternative="less").proportion_ci(0.95, "exact").high
    assert clopper_pearson_upper(n_events, n_rows, 0.95) == pytest.approx(expected)
    assert clopper_pearson_upper(n_rows, n_rows, 0.95) == 1.0


def test_choice_by_hand():
    """At 0.9 there are 10 errors in 1,000: 1 % is not shown, 2 % is."""
    votes, y = graded()
    strict = choose_gamma0(votes, y=y, target=0.01)
    assert (strict.gamma0, strict.confident_incorrect, strict.uncertain) == (1.0, 0.0, 0.5)
    assert strict.upper_bound == pytest.approx(1 - 0.05 ** (1 / 1000))
    lax = choose_gamma0(votes, y=y, target=0.02)
    assert (lax.gamma0, lax.confident_incorrect) == (0.9, 0.01)
    assert 0.01 < lax.upper_bound <= 0.02
    assert choose_gamma0(votes, y=y, target=0.1).gamma0 == 0.8


def test_choice_among_the_confident():
    """At 1 there are 500 rows and no error; at 0.9, 10 errors in 750."""
    votes, y = graded()
    assert choose_gamma0(votes, y=y, target=0.02, among="confident").gamma0 > 0.9
    choice = choose_gamma0(votes, y=y, target=0.03, among="confident")
    assert 0.8 < choice.gamma0 <= 0.9
    assert choice.upper_bound == pytest.approx(clopper_pearson_upper(10, 750, 0.95))


def test_a_given_grid_is_kept_to():
    votes, y = graded()
    assert choose_gamma0(votes, y=y, target=0.1, gamma0=[0.95, 0.85]).gamma0 == 0.85
    assert choose_gamma0(votes, y=y, target=0.02, gamma0=[0.95]).gamma0 == 0.95


def test_too_few_rows_decide_nothing():
    votes, y = votes_of([10] * 298), np.zeros(298, dtype=int)
    with pytest.warns(
        NoConfidentThreshold, match="at least 299 rows are needed, and there are 298"
    ):
        choice = choose_gamma0(votes, y=y)
    assert choice.gamma0 == float("inf")
    assert not choice.found
    assert (choice.uncertain, choice.confident_incorrect, choice.upper_bound) == (1.0, 0.0, 0.0)
    decisions = UncertaintyEnvelope(choice.gamma0).decide(votes)
    assert set(decisions) == {"uncertain"}
    enough = choose_gamma0(votes_of([10] * 299), y=np.zeros(299, dtype=int))
    assert enough.found


def test_errors_at_every_threshold_decide_nothing():
    votes, y = votes_of([10] * 1000), (np.arange(1000) % 10 == 0).astype(int)
    with pytest.warns(NoConfidentThreshold, match="has 100 errors in 1000 rows"):
        assert choose_gamma0(votes, y=y).gamma0 == float("inf")
    with pytest.warns(NoConfidentThreshold, match="has 100 errors in 1000 confident rows"):
        assert choose_gamma0(votes, y=y, among="confident").gamma0 == float("inf")


def test_folds_are_pooled():
    votes, y = graded()
    envelope = UncertaintyEnvelope()
    halves = [
        envelope.assess(votes[:, part], y=y[part])
        for part in (slice(0, None, 2), slice(1, None, 2))
    ]
    whole = choose_gamma0(votes, y=y, target=0.02)
    pooled = choose_gamma0(halves, target=0.02)
    assert pooled.gamma0 == whole.gamma0
    assert pooled.n_rows == 1000
    assert len(pooled.fold_gamma0) == 2
    assert whole.fold_gamma0 == ()
    assert whole.two_sigma == {}
    spread = 2 * np.std([half.at(0.9).uncertain for half in halves], ddof=1)
    assert pooled.two_sigma["uncertain"] == pytest.approx(spread)
    by_cost = choose_gamma0_by_cost(halves, cost_incorrect=10)
    assert by_cost.gamma0 == 0.9
    assert by_cost.two_sigma == pooled.two_sigma


def test_fallback_gives_on_what_was_not_needed():
    level = 0.04
    assert fallback_test(np.array([0.01, 0.02, 0.03, 0.04]), level).all()
    assert fallback_test(np.array([0.9, 0.01, 0.9, 0.01]), level).tolist() == [False, True] * 2
    assert not fallback_test(np.array([0.011, 0.011, 0.011, 0.011]), level).any()


def test_cost_by_hand():
    """Costs per 1,000 rows at 0.8: 60 e; at 0.9: 250 + 10 e; at 1: 500."""
    votes, y = graded()
    cheap = choose_gamma0_by_cost(votes, y=y, cost_incorrect=4)
    assert (cheap.gamma0, cheap.cost) == (0.8, pytest.approx(0.24))
    middle = choose_gamma0_by_cost(votes, y=y, cost_incorrect=10)
    assert (middle.gamma0, middle.cost) == (0.9, pytest.approx(0.35))
    dear = choose_gamma0_by_cost(votes, y=y, cost_incorrect=100)
    assert (dear.gamma0, dear.cost) == (1.0, pytest.approx(0.5))
    free = choose_gamma0_by_cost(votes, y=y, cost_incorrect=1, cost_uncertain=0)
    assert free.gamma0 >= 1.0


def test_spread_of_the_cost():
    votes, y = graded()
    single = choose_gamma0_by_cost(votes, y=y, cost_incorrect=10)
    per_row = np.repeat([0.0, 1.0, 10.0], [740, 250, 10])
    assert single.cost_two_sigma == pytest.approx(2 * per_row.std(ddof=1) / np.sqrt(1000))
    envelope = UncertaintyEnvelope()
    parts = [slice(0, 800), slice(800, 1000)]
    folds = [envelope.assess(votes[:, part], y=y[part]) for part in parts]
    pooled = choose_gamma0_by_cost(folds, cost_incorrect=10)
    assert pooled.cost == single.cost
    costs = [(50 + 100) / 800, 1.0]  # at 0.9
    assert pooled.cost_two_sigma == pytest.approx(2 * np.std(costs, ddof=1))


@pytest.mark.parametrize(
    "options",
    [
        {"target": 0}, {"target": 1.0}, {"target": "low"}, {"confidence": 1}, {"confidence": True},
        {"among": "some"}, {"gamma0": []}, {"gamma0": [0.5, 2.0]}, {"gamma0": "all"},
    ],
)  # fmt: skip
def test_bad_options(options):
    votes, y = graded(40)
    with pytest.raises(BayeswoodError, match=f"'{next(iter(options))}' parameter of choose_gamma0"):
        choose_gamma0(votes, y=y, **options)


def test_bad_costs():
    votes, y = graded(40)
    with pytest.raises(BayeswoodError, match="costs"):
        choose_gamma0_by_cost(votes, y=y, cost_incorrect=np.nan)


def test_no_warning_where_a_threshold_is_found():
    votes, y = graded()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choose_gamma0(votes, y=y)
