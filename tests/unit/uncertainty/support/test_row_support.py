"""Support is the share of rows that are no better surrounded."""

import numpy as np
import pytest

from bayeswood.uncertainty import RowSupport
from bayeswood.uncertainty.support.row_support import _surprise, _surprise_left_out


def fitted(rows, categories=(), n_jobs=1):
    rows = np.asarray(rows, dtype=np.float64)
    is_category = np.isin(np.arange(rows.shape[1]), categories)
    return RowSupport.fit(rows, is_category, np.ones(rows.shape[1]), n_jobs)


def test_a_gap_has_no_support(rng):
    x = np.concatenate([rng.random(100), 3 + rng.random(100)])
    rng.shuffle(x)
    support = fitted(x[:, None])(np.array([[0.5], [3.5], [2.0], [-2.0], [9.0], [1e300]]))
    assert (support[:2] > 0.3).all()
    assert (support[2:] < 0.005).all()


def test_support_falls_on_beyond_all_rows(rng):
    support = fitted(rng.normal(size=(100, 2)))(np.array([[6.0, 0], [12, 0], [24, 0], [48, 0]]))
    assert (np.diff(support) < 0).all()
    assert (support >= 0).all()


def test_surprise_is_the_log_of_a_share():
    known = np.array([1.0, 2.0, 2.0, 5.0])
    found = _surprise(np.array([0.0, 2.0, 3.0, 5.0, 5.5]), known)
    np.testing.assert_allclose(
        found, [0, np.log(5 / 4), np.log(5 / 2), np.log(5 / 2), np.log(5) + 0.5]
    )


def test_surprise_of_a_known_row_leaves_it_out(rng):
    scores = np.round(rng.normal(size=(3, 20)), 1)
    found = _surprise_left_out(scores, np.sort(scores, axis=1))
    for v in range(3):
        for i in range(20):
            others = np.sort(np.delete(scores[v], i))
            assert found[v, i] == pytest.approx(_surprise(scores[v, i : i + 1], others)[0])


@pytest.mark.parametrize("n_rows", [2, 3, 10, 49, 50])
@pytest.mark.parametrize("n_features", [1, 2, 3, 40])
def test_few_rows_do(n_rows, n_features, rng):
    rows = rng.normal(size=(n_rows, n_features))
    support = fitted(rows)(np.concatenate([rows, rows + 100]))
    assert ((support >= 0) & (support <= 1)).all()
    assert support[n_rows:].max() <= support[:n_rows].min()


def test_equal_rows_support_each_other():
    support = fitted(np.ones((30, 3)))(np.array([[1.0, 1, 1], [1, 1, 2], [1, 1, np.nan]]))
    assert support[0] == 1
    assert (support[1:] < 0.05).all()


def test_levels_and_missing_values(rng):
    rows = np.column_stack([rng.integers(0, 3, 300), rng.normal(size=300), rng.normal(size=300)])
    rows[:, 1] += 4 * rows[:, 0]
    rows[rng.random(300) < 0.2, 2] = np.nan
    support = fitted(rows, categories=(0,))
    asked = np.array(
        [[0, 0, 0], [2, 8, np.nan], [-1, 4, 0], [np.nan, 4, 0], [0, np.nan, 0], [0, 8, 0]]
    )
    assert (support(asked) < 0.05).tolist() == [False, False, True, True, True, True]


def test_no_rows_have_no_support(rng):
    assert fitted(rng.normal(size=(20, 2)))(np.empty((0, 2))).shape == (0,)


def test_blocks_and_threads_do_not_matter(rng, monkeypatch):
    rows, asked = rng.normal(size=(150, 4)), rng.normal(size=(90, 4))
    whole = fitted(rows)(asked)
    np.testing.assert_array_equal(fitted(rows, n_jobs=3)(asked, n_jobs=3), whole)
    monkeypatch.setattr("bayeswood.uncertainty.support.row_support._BLOCK_DISTANCES", 100)
    np.testing.assert_array_equal(fitted(rows)(asked), whole)


def test_units_do_not_matter(rng):
    rows, asked = rng.normal(size=(150, 3)), 2 * rng.normal(size=(50, 3))
    scale = np.array([1.0, 1024, 2.0**-20])
    np.testing.assert_array_equal(fitted(rows * scale)(asked * scale), fitted(rows)(asked))
