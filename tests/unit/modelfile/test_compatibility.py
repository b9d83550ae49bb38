"""Files written by the first version of the format stay readable."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bayeswood import MCMCTreeClassifier, SMCTreeClassifier, load
from bayeswood.modelfile import read_model
from bayeswood.modelfile.read import read_stored

REFERENCE = Path(__file__).parents[2] / "reference"
# The same bits; NumPy 1 adds up in another order.
ROUNDING = 0.0 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 1e-14


def parse(value: Any) -> Any:
    """Turn the plain JSON twin of an array into the array; floats are in hexadecimal."""
    if not isinstance(value, dict):
        return value
    items = value["items"]
    if value["dtype"].startswith("float"):
        items = [float.fromhex(item) for item in items]
    return np.array(items, dtype=value["dtype"]).reshape(value["shape"])


def assert_same(actual: Any, expected: Any) -> None:
    if not isinstance(expected, np.ndarray):
        assert actual == expected
        return
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_version_1_is_read(name: str) -> None:
    stored = read_stored(REFERENCE / f"modelfile_v1.{name}")
    expected = json.loads((REFERENCE / f"modelfile_v1.{name}.json").read_text("utf-8"))
    assert stored.class_name == expected["class_name"]
    for actual, wanted in (
        (stored.arrays, expected["arrays"]),
        (stored.forest_arrays, expected["forest"]),
    ):
        assert actual.keys() == wanted.keys()
        for key in wanted:
            assert_same(actual[key], parse(wanted[key]))
    assert_same(stored.log_weights, parse(expected["log_weights"]))


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_meta_of_version_1_are_read(name: str) -> None:
    meta = read_stored(REFERENCE / f"modelfile_v1.{name}").meta
    assert math.isnan(meta.pop("nan"))
    columns = [{"name": "größe", "levels": ["a", "b", 1, True]}]
    assert meta == {"seed": 3, "nothing": None, "columns": columns, "$key": -0.5}


@pytest.mark.parametrize(("name", "n_outputs"), [("classifier", 3), ("regressor", 2)])
def test_version_1_makes_a_forest(name: str, n_outputs: int) -> None:
    forest = read_model(REFERENCE / f"modelfile_v1.{name}")[3]
    assert (forest.n_trees, forest.n_features, forest.n_outputs) == (3, 5, n_outputs)


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        (MCMCTreeClassifier, "mcmc", [0.10129870129870128, 0.7974025974025974]),
        (SMCTreeClassifier, "smc", [0.19919710266276452, 0.6208343717614242]),
    ],
)
def test_a_total_of_old_stays_a_total(kind: Any, name: str, expected: list[float]) -> None:
    """When these files were written, `dirichlet_alpha` was the sum over the classes."""
    trees = load(REFERENCE / f"total_alpha.{name}")
    assert (trees.concentration, trees.dirichlet_alpha) == (1.5, None)
    X, y = load_iris(return_X_y=True)
    X, y = X[::5], y[::5]
    assert trees.predict_proba(X[18:19])[0, :2] == pytest.approx(expected, rel=ROUNDING, abs=0)
    again = kind(**trees.get_params()).fit(X, y)
    np.testing.assert_allclose(again.predict_proba(X), trees.predict_proba(X), rtol=ROUNDING)
