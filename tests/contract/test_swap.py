"""Every row of the table, run with scikit-learn's forest and with ours; and the page made of it."""

import inspect

import numpy as np
import pytest
from swap_page import PAGE, page
from swap_table import OURS, ROWS, THEIRS, Refused, outcome

import bayeswood


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


# What calibrated forests have none of: they grow trees out, and always score themselves.
OF_OTHER_TREES = {"max_leaf_nodes", "min_samples_split", "min_impurity_decrease", "ccp_alpha"}
SWAPPED = [
    (bayeswood.RandomForestClassifier, THEIRS.classifier),
    (bayeswood.BayesianForestClassifier, THEIRS.classifier),
    (bayeswood.CalibratedForestClassifier, THEIRS.classifier),
    (bayeswood.RandomForestRegressor, THEIRS.regressor),
    (bayeswood.BayesianForestRegressor, THEIRS.regressor),
    (bayeswood.CalibratedForestRegressor, THEIRS.regressor),
]


@pytest.mark.parametrize(("ours", "theirs"), SWAPPED, ids=lambda cls: cls.__name__)
def test_defaults_of_theirs_are_taken_where_they_are_spelled_out(ours, theirs):
    defaults = theirs().get_params() | {"n_estimators": 6}
    later = {entry.needs for entry in ROWS if entry.missing()}
    allowed = OF_OTHER_TREES | {"oob_score"} if "Calibrated" in ours.__name__ else set()
    assert set(defaults) - set(ours().get_params()) <= later | allowed
    taken = {name: value for name, value in defaults.items() if name in ours().get_params()}
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    assert ours(**taken).fit(X, y).predict(X).shape == (40,)


def test_page_is_of_the_table():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python tests/contract/swap_page.py"
