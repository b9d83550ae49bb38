"""Thresholded weights and groups. Every threshold has a false-alarm rate of 1e-6 or less."""

import numpy as np
import pytest
from scipy import stats

from bayeswood import _core

ALARM = 1e-6
N_TREES, N_ROWS = 200, 1000


def weights(threshold, groups=None, n_trees=N_TREES, n_rows=N_ROWS, seed=8):
    drawn = [
        _core.draw_weights("exponential", seed, tree, n_rows, threshold, groups)
        for tree in range(n_trees)
    ]
    return np.stack(drawn)


def assert_share(n_found, n, share):
    """An exact binomial test."""
    assert stats.binomtest(int(n_found), n, share).pvalue > ALARM


@pytest.mark.parametrize("threshold", [0.05, 0.2, 0.3, 1.0])
def test_share_left_out_and_law_of_the_rest(threshold):
    drawn = weights(threshold)
    assert_share((drawn == 0).sum(), drawn.size, 1 - np.exp(-threshold))
    assert drawn[drawn > 0].min() >= threshold
    assert stats.kstest(drawn[drawn > 0] - threshold, "expon").pvalue > ALARM


def test_a_threshold_only_sets_small_draws_to_zero():
    plain = weights(0.0)
    np.testing.assert_array_equal(weights(0.3), np.where(plain < 0.3, 0.0, plain))


def test_groups_are_left_out_together(rng):
    groups = rng.integers(0, 150, N_ROWS).astype(np.int32)
    drawn = weights(0.3, groups)
    for group in np.unique(groups):
        is_out = drawn[:, groups == group] == 0
        assert (is_out == is_out[:, :1]).all()
    first_row = np.unique(groups, return_index=True)[1]
    is_out = drawn[:, first_row] == 0
    assert_share(is_out.sum(), is_out.size, 1 - np.exp(-0.3))
    kept = drawn[drawn > 0]
    assert stats.kstest(kept - 0.3, "expon").pvalue > ALARM


def test_groups_of_one_row_have_the_law_of_no_groups():
    alone = weights(0.3, np.arange(N_ROWS, dtype=np.int32))
    assert stats.ks_2samp(alone.ravel(), weights(0.3).ravel()).pvalue > ALARM


def test_groups_are_independent(rng):
    """Whether one group is left out says nothing of another, nor of the weights that stay."""
    groups = np.repeat(np.arange(2), 500).astype(np.int32)
    drawn = weights(0.7, groups, n_trees=4000)
    out = drawn[:, [0, 500]] == 0
    # Where both would go, the larger stays: look at the pairs by how many go.
    p = 1 - np.exp(-0.7)
    both_stay = (~out).all(axis=1)
    assert_share(both_stay.sum(), len(out), (1 - p) ** 2)
    assert_share((out[:, 0] & ~out[:, 1]).sum(), len(out), p * (1 - p) + p * p / 2)


@pytest.mark.parametrize("groups", [None, np.array([0, 0, 1], dtype=np.int32)])
def test_a_tree_is_never_left_without_rows(groups):
    drawn = weights(50.0, groups, n_rows=3)
    kept = (drawn > 0).sum(axis=1)
    if groups is None:
        assert (kept == 1).all()
        plain = weights(0.0, n_rows=3)
        np.testing.assert_array_equal(drawn.argmax(axis=1), plain.argmax(axis=1))
    else:
        assert set(kept) == {1, 2}


def test_a_row_without_sample_weight_is_not_the_one_that_stays():
    sample_weight = np.array([1.0, 0.0])
    for tree in range(100):
        drawn = _core.draw_weights("exponential", 1, tree, 2, 50.0, None, sample_weight)
        assert drawn[0] > 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"scheme": "bootstrap", "weight_threshold": 0.1},
            "exponential weights and subsamples only",
        ),
        ({"weight_threshold": -0.1}, "not negative"),
        ({"weight_threshold": np.nan}, "finite"),
        ({"row_groups": np.zeros(5, np.int32)}, "above 0"),
        ({"weight_threshold": 0.1, "row_groups": np.zeros(4, np.int32)}, "one per row"),
        ({"weight_threshold": 0.1, "row_groups": np.full(5, -1, np.int32)}, "negative"),
    ],
)
def test_senseless_schemes_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        _core.draw_weights(
            **{"scheme": "exponential", "seed": 0, "tree": 0, "n_rows": 5, **options}
        )
