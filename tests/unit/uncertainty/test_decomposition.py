"""Where uncertainty comes from."""

import numpy as np
import pytest

from bayeswood.uncertainty import member_variance, split_entropy, split_variance


def test_members_that_agree_leave_only_data_uncertainty():
    draws = np.broadcast_to([0.25, 0.75], (4, 3, 2))
    split = split_entropy(draws, np.full(4, 0.25))
    expected = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))
    np.testing.assert_allclose(split.data, expected)
    np.testing.assert_allclose(split.knowledge, 0.0, atol=1e-15)


def test_members_sure_of_different_classes_want_knowledge():
    draws = np.eye(3)[:, None, :]
    split = split_entropy(draws, np.full(3, 1 / 3))
    np.testing.assert_allclose(split.total, np.log(3))
    np.testing.assert_array_equal(split.data, 0.0)


def test_entropies_add_up_and_are_never_negative(rng):
    draws = rng.dirichlet(np.full(5, 0.05), size=(40, 200))
    weights = rng.dirichlet(np.ones(40))
    split = split_entropy(draws, weights)
    np.testing.assert_allclose(split.total, split.data + split.knowledge, rtol=1e-14)
    for part in split:
        assert np.isfinite(part).all()
        assert (part >= 0).all()


def test_a_probability_past_one_by_rounding_is_harmless():
    draws = np.array([[[1.0 + 2e-16, 0.0]]])
    split = split_entropy(draws, np.ones(1))
    assert all((part == 0).all() for part in split)


def test_variances_follow_the_law_of_total_variance(rng):
    means, spreads = rng.normal(size=6), rng.exponential(size=6)
    weights = rng.dirichlet(np.ones(6))
    split = split_variance(means[:, None], weights, np.atleast_1d(weights @ spreads))
    mean = weights @ means
    second_moment = weights @ (spreads + means**2)
    np.testing.assert_allclose(split.total, second_moment - mean**2)


@pytest.mark.parametrize("value", [0.1, 1e8 + 0.1, 1e-300, -3.3])
def test_identical_members_have_no_variance(value):
    draws = np.full((7, 4), value)
    np.testing.assert_array_equal(member_variance(draws, np.full(7, 1 / 7)), 0.0)


def test_variance_survives_a_large_mean():
    draws = 1e9 + np.array([[0.0], [1.0]])
    np.testing.assert_allclose(member_variance(draws, np.full(2, 0.5)), 0.25)
