"""What other libraries are given: categories as such, and no gaps where they take none."""

import numpy as np
import pytest

from benchmarks.calibration import other_libraries
from benchmarks.calibration.metrics import LEVELS, quantile_loss
from benchmarks.calibration.sets import Split, text_columns

pd = pytest.importorskip("pandas")


@pytest.fixture
def split():
    X = np.array([[1.0, 0.5], [0.0, np.nan], [2.0, 1.5]])
    return Split(X[:2], np.zeros(2), X[2:], np.zeros(1), categories=(0,))


def test_text_columns_are_categories_in_training_and_test(split):
    train, test = split.frame(split.X), split.frame(split.X_test)
    assert list(train["x0"].cat.categories) == list(test["x0"].cat.categories) == ["l0", "l1", "l2"]
    assert train["x0"].tolist() == ["l1", "l0"]
    assert test["x0"].tolist() == ["l2"]
    assert train["x1"].dtype == np.float64


def test_what_is_missing_is_filled_or_named(split):
    train = split.frame(split.X)
    filled = other_libraries._filled(train, train[["x1"]].mean())
    assert filled["x1"].tolist() == [0.5, 0.5]
    assert other_libraries._as_text(train)["x0"].tolist() == ["l1", "l0"]


def test_columns_of_text_are_found():
    cells = np.array([["a", 1.0], ["b", 2.0]], dtype=object)
    assert text_columns(cells) == (0,)
    assert text_columns(np.ones((2, 2))) == ()


def test_quantiles_that_are_right_lose_least(rng):
    y = rng.normal(size=4000)
    from scipy.special import ndtri

    right = np.tile(ndtri(LEVELS), (len(y), 1))
    # The CRPS of the standard normal distribution is 1/√π on average; 19 levels see most of it.
    assert quantile_loss(y, right) == pytest.approx(np.pi**-0.5, rel=0.1)
    assert quantile_loss(y, right) < min(quantile_loss(y, right * s) for s in (0.7, 1.4))
