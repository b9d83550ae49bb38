"""Every row of the table, run with scikit-learn's forest and with ours; and the page made of it."""

import inspect

import numpy as np
import pytest
from swap_page import PAGE, page
from swap_table import OURS, ROWS, THEIRS, Refused, outcome


def is_close(first, second, within):
    return np.allclose(np.asarray(first, float), np.asarray(second, float), rtol=0, atol=within)


@pytest.mark.parametrize("entry", ROWS, ids=[entry.call for entry in ROWS])
def test_row(entry):
    if entry.missing():
        pytest.skip(entry.missing())
    theirs, ours = outcome(entry, THEIRS), outcome(entry, OURS)
    if entry.status == "same":
        np.testing.assert_equal(ours, theirs)
    elif entry.status == "same law":
        assert is_close(ours, theirs, entry.within), (ours, theirs)
        assert not isinstance(ours, Refused)
    elif entry.status == "differs":
        assert not isinstance(ours, Refused)
        assert not np.array_equal(np.asarray(ours, object), np.asarray(theirs, object))
    else:
        assert entry.status == "refused"
        assert isinstance(ours, Refused)
        assert not isinstance(theirs, Refused)
        assert entry.words


@pytest.mark.parametrize("side", ["classifier", "regressor"])
def test_every_parameter_and_attribute_of_theirs_has_a_row(side):
    forest = getattr(THEIRS, side)
    names = [*inspect.signature(forest).parameters]
    names += [n for n, _ in inspect.getmembers(forest) if not n.startswith("_")]
    fitted = fitted_names(forest)
    asked = " ".join(entry.call for entry in ROWS)
    assert [name for name in {*names, *fitted} if name not in asked] == []


def fitted_names(forest):
    X = np.arange(20.0)[:, None]
    fitted = forest(30, oob_score=True, random_state=0).fit(X, np.arange(20) % 2)
    return [name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")]


def test_page_is_of_the_table():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python tests/contract/swap_page.py"
