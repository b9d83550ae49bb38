"""What holds for every envelope, whatever the votes (Hypothesis)."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bayeswood.uncertainty import UncertaintyEnvelope, choose_gamma0_by_cost, envelope_curve

SHAPES = st.tuples(st.integers(1, 30), st.integers(1, 12))
SHARES = st.floats(0, 1)
LAW = settings(derandomize=True, deadline=None)


@st.composite
def labelled_votes(draw):
    """Votes of members, true classes, and whole weights, not all 0."""
    n_members, n_rows = draw(SHAPES)
    labels = st.integers(0, 3)
    votes = draw(hnp.arrays(np.int64, (n_members, n_rows), elements=labels))
    y = draw(hnp.arrays(np.int64, n_rows, elements=labels))
    weights = draw(hnp.arrays(np.float64, n_members, elements=st.integers(0, 5).map(float)))
    assume(weights.any())
    return votes, y, weights


def rates(result):
    return result.confident_correct, result.uncertain, result.confident_incorrect


@LAW
@given(labelled_votes(), SHARES)
def test_rates_add_to_one(case, gamma0):
    votes, y, weights = case
    result = UncertaintyEnvelope(gamma0).assess(votes, y=y, member_weights=weights)
    assert abs(sum(rates(result)) - 1) < 1e-12
    assert min(rates(result)) >= 0


@LAW
@given(labelled_votes(), SHARES)
def test_consistency_lies_between_one_over_c_and_one(case, gamma0):
    votes, _, weights = case
    gamma = UncertaintyEnvelope(gamma0).consistency(votes, member_weights=weights)
    n_classes = len(np.unique(votes))
    assert np.all((gamma >= 1 / n_classes - 1e-9) & (gamma <= 1))


@LAW
@given(labelled_votes(), SHARES, st.randoms(use_true_random=False))
def test_permuting_members_changes_nothing(case, gamma0, random):
    votes, y, weights = case
    order = list(range(len(votes)))
    random.shuffle(order)
    for chosen in (None, weights):
        envelope = UncertaintyEnvelope(gamma0)
        before = envelope.assess(votes, y=y, member_weights=chosen)
        permuted = None if chosen is None else chosen[order]
        after = envelope.assess(votes[order], y=y, member_weights=permuted)
        np.testing.assert_array_equal(before.consistency, after.consistency)
        np.testing.assert_array_equal(before.predicted, after.predicted)
        assert rates(before) == rates(after)


@LAW
@given(labelled_votes(), SHARES)
def test_weights_zero_and_one_are_leaving_members_out(case, gamma0):
    votes, y, weights = case
    taking_part = weights > 0
    envelope = UncertaintyEnvelope(gamma0)
    weighted = envelope.assess(votes, y=y, member_weights=taking_part.astype(float))
    left_out = envelope.assess(votes[taking_part], y=y)
    np.testing.assert_array_equal(weighted.consistency, left_out.consistency)
    np.testing.assert_array_equal(weighted.predicted, left_out.predicted)
    assert rates(weighted) == rates(left_out)


@LAW
@given(labelled_votes(), SHARES)
def test_whole_weights_are_copies_of_members(case, gamma0):
    votes, y, weights = case
    envelope = UncertaintyEnvelope(gamma0)
    weighted = envelope.assess(votes, y=y, member_weights=weights)
    copied = envelope.assess(np.repeat(votes, weights.astype(int), axis=0), y=y)
    np.testing.assert_allclose(weighted.consistency, copied.consistency, atol=1e-11)
    np.testing.assert_array_equal(weighted.outcome, copied.outcome)


@LAW
@given(labelled_votes())
def test_the_curve_is_the_envelope_at_each_threshold(case):
    votes, y, weights = case
    grid = np.array([0.0, 0.3, 0.5, 2 / 3, 0.9, 1.0])
    curve = envelope_curve(votes, y=y, gamma0=grid, member_weights=weights)
    for idx, gamma0 in enumerate(grid):
        at = UncertaintyEnvelope(gamma0).assess(votes, y=y, member_weights=weights)
        from_curve = [
            curve.confident_correct[idx], curve.uncertain[idx], curve.confident_incorrect[idx],
        ]  # fmt: skip
        np.testing.assert_allclose(from_curve, rates(at), atol=1e-12)
    assert np.all(np.diff(curve.uncertain) >= -1e-12)


@LAW
@given(labelled_votes(), st.floats(1, 20), st.floats(0, 3))
def test_no_threshold_is_cheaper_than_the_cheapest(case, cost_incorrect, cost_uncertain):
    votes, y, weights = case
    choice = choose_gamma0_by_cost(
        votes,
        y=y,
        cost_incorrect=cost_incorrect,
        cost_uncertain=cost_uncertain,
        member_weights=weights,
    )
    for gamma0 in (0.0, 0.25, 1 / 3, 0.5, 0.8, 1.0, float("inf")):
        at = UncertaintyEnvelope(gamma0).assess(votes, y=y, member_weights=weights)
        cost = cost_uncertain * at.uncertain + cost_incorrect * at.confident_incorrect
        assert choice.cost <= cost + 1e-9
