"""The training rows that are kept."""

import pickle

import numpy as np
import pytest

from bayeswood.methods.base.training_sample import TrainingSample, sample_size


@pytest.mark.parametrize(
    ("n_features", "size"), [(1, 1000), (50, 1000), (100, 500), (250, 200), (10_000, 200)]
)
def test_the_sample_is_bounded(n_features, size):
    assert sample_size(n_features) == size


def test_few_rows_are_all_kept(rng):
    X = rng.normal(size=(30, 2))
    sample = TrainingSample.draw(X, 7)
    assert sample.n_seen == 30
    assert sorted(sample.rows.tolist()) == sorted(X.tolist())
    assert sample.rows.tolist() != X.tolist()


def test_many_rows_are_drawn(rng):
    X = np.arange(5000.0)[:, None]
    first, again, other = (TrainingSample.draw(X, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.rows, again.rows)
    assert first.rows.tolist() != other.rows.tolist()
    assert len(np.unique(first.rows)) == 1000
    # 1,000 of 5,000: the mean has a standard error of 41.
    assert abs(first.rows.mean() - 2500) < 200


def test_float32_rows_keep_their_values(rng):
    X = rng.normal(size=(20, 3)).astype(np.float32)
    rows = TrainingSample.draw(X, 0).rows
    assert rows.dtype == np.float64
    assert set(rows.ravel()) == set(X.astype(np.float64).ravel())


def test_merged_samples_are_of_all_rows(rng):
    mine = TrainingSample.draw(rng.normal(size=(6000, 1)), 0)
    theirs = TrainingSample.draw(100 + rng.normal(size=(2000, 1)), 0)
    merged = mine.merged(theirs, 0)
    assert merged.n_seen == 8000
    assert len(merged.rows) == 1000
    # A quarter of 1,000 without replacement: the standard deviation is 13.
    assert abs((merged.rows > 50).sum() - 250) < 70


def test_merged_small_samples_keep_all(rng):
    mine, theirs = (TrainingSample.draw(rng.normal(size=(40, 2)), 0) for _ in range(2))
    merged = mine.merged(theirs, 0)
    together = np.concatenate([mine.rows, theirs.rows])
    assert sorted(merged.rows.tolist()) == sorted(together.tolist())


def test_forgotten_rows_leave_once():
    X = np.array([[1.0, np.nan], [1.0, np.nan], [2.0, 0.0], [3.0, 1.0]])
    rest = TrainingSample.draw(X, 0).without(np.array([[1.0, np.nan], [2.0, -0.0], [9.0, 9.0]]))
    assert sorted(rest.rows[:, 0].tolist()) == [1.0, 3.0]
    assert rest.n_seen == 2


def test_pickles_hold_the_rows_alone(rng):
    sample = TrainingSample.draw(rng.normal(size=(30, 2)), 0)
    vars(sample)["_support"] = "made ready"
    again = pickle.loads(pickle.dumps(sample))
    np.testing.assert_array_equal(again.rows, sample.rows)
    assert "_support" not in vars(again)
