"""The printed tables, and what their arithmetic says."""

import numpy as np
import pytest

from bayeswood.reproduce.schetinin_2004.printed import (
    PATHS,
    SETS,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    WEIGHTS,
)


@pytest.mark.parametrize("table", [TABLE_3, TABLE_4], ids=["table 3", "table 4"])
def test_the_three_rates_add_up(table):
    """A slip of ours would show; the paper's own rounding does not."""
    for name in SETS:
        assert sum(mean for mean, _ in table[name][2:]) == pytest.approx(100, abs=0.25), name


def test_every_set_is_in_every_table():
    assert set(SETS) == set(TABLE_2) == set(TABLE_3) == set(TABLE_4)
    assert len(PATHS) == len(WEIGHTS) == 20


def test_rows_of_table_3_that_are_impossible():
    """More right than are not wrong with confidence."""
    rows = [name for name in SETS if TABLE_3[name][1][0] > 100 - TABLE_3[name][4][0] + 0.1]
    assert rows == ["ionosphere", "image_segmentation", "sonar"]
    assert TABLE_3["vehicle"][0][0] > TABLE_2["vehicle"][2] // 5 - 1  # leaves of 5 rows


@pytest.mark.parametrize(("name", "n_folds"), [
    ("pima_diabetes", 5), ("ionosphere", 10), ("sonar", 10), ("breast_cancer_wisconsin", 10),
    ("house_votes_84", 10),
])  # fmt: skip
def test_spreads_at_their_limit(name, n_folds):
    """2σ = 2 √n times the mean: all folds but one without an uncertain case."""
    mean, two_sigma = TABLE_3[name][3]
    low, high = (two_sigma - 0.05) / (mean + 0.05), (two_sigma + 0.05) / (mean - 0.05)
    assert low <= 2 * np.sqrt(n_folds) <= high
    one = np.zeros(n_folds)
    one[0] = n_folds * mean
    assert 2 * one.std(ddof=1) == pytest.approx(2 * np.sqrt(n_folds) * mean)
