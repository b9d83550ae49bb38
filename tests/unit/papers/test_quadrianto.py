"""The splits of papers/quadrianto-2015 have the sizes that the paper prints."""

import sys
from pathlib import Path

import numpy as np
import pytest

from bayeswood import datasets

FOLDER = Path(__file__).parents[3] / "papers" / "quadrianto-2015"
# The N of Table 1.
PRINTED_N = {
    "australian": 618, "breast-cancer": 517, "diabetes": 574, "heart": 270, "ionosphere": 270,
    "german.numer": 680, "iris": 60, "wine": 178, "svmguide2": 159,
}  # fmt: skip
PRINTED_D = {
    "australian": 14, "breast-cancer": 10, "diabetes": 8, "heart": 13, "ionosphere": 34,
    "german.numer": 24, "iris": 4, "wine": 13, "svmguide2": 20,
}  # fmt: skip


@pytest.fixture
def protocol(monkeypatch, data_set):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(datasets, "load", data_set)
    import protocol

    yield protocol
    del sys.modules["protocol"]


@pytest.mark.parametrize("name", list(PRINTED_N))
def test_training_and_test_rows_add_up_to_the_printed_n(protocol, name):
    first, second = protocol.folds(None, name, 2, as_in_paper=True)
    assert len(first.y_train) + len(first.y_test) == PRINTED_N[name]
    assert first.X_train.shape[1] == PRINTED_D[name]
    counts = np.bincount(first.y_train)
    if name not in ("heart", "wine"):
        assert len(set(counts.tolist())) == 1
    assert not np.array_equal(first.X_train, second.X_train)
    rows = np.vstack([first.X_train, first.X_test])
    assert len(rows) <= len(protocol.read(None, name)[1])


def test_no_row_is_in_both_parts(protocol):
    """Rows of ionosphere are all but one distinct."""
    (fold,) = protocol.folds(None, "ionosphere", 1, as_in_paper=True)
    train = {row.tobytes() for row in fold.X_train}
    assert sum(row.tobytes() in train for row in fold.X_test) <= 1


def test_natural_splits_keep_all_rows(protocol):
    (fold,) = protocol.folds(None, "german.numer", 1, as_in_paper=False)
    assert (len(fold.y_train), len(fold.y_test)) == (800, 200)
    np.testing.assert_array_equal(np.bincount(fold.y_test), [60, 140])


def test_log_probability_by_hand(protocol):
    p, y = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 1])
    smoothed = np.log([0.5, 0.5 / 101]).mean()
    assert protocol.log_probability(p, y, n_members=100) == pytest.approx(smoothed)
    assert protocol.log_probability(p, np.array([1, 0])) == pytest.approx(np.log(0.5) / 2)
