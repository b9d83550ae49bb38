"""Files written by the first version of the format stay readable."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bayeswood.modelfile import read_model
from bayeswood.modelfile.read import read_stored

REFERENCE = Path(__file__).parents[2] / "reference"


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
