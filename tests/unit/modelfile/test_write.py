"""Models survive the trip through a file, bit for bit."""

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.modelfile import write_model
from bayeswood.modelfile.layout import Kind
from bayeswood.modelfile.read import StoredModel, read_stored
from bayeswood.modelfile.thresholds import decode_thresholds, encode_thresholds


def _load_forests() -> ModuleType:
    path = Path(__file__).with_name("test_trees.py")
    spec = importlib.util.spec_from_file_location("modelfile_forests", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["modelfile_forests"] = module
    spec.loader.exec_module(module)
    return module


forests = _load_forests()


def round_trip(path: Path, forest: Any, meta: Any = None, arrays: Any = None) -> StoredModel:
    write_model(path, "BayesianForestRegressor", meta or {}, arrays or {}, forest)
    return read_stored(path)


def assert_same_bits(actual: Any, expected: Any) -> None:
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert actual.tobytes() == expected.tobytes()


@pytest.fixture
def forest() -> Any:
    return forests.random_forest(forests.RECIPES["regressor"], 0)


@pytest.mark.parametrize("name", forests.RECIPES)
@pytest.mark.parametrize("seed", range(5))
def test_forests_come_back_bit_for_bit(tmp_path: Path, name: str, seed: int) -> None:
    forest = forests.random_forest(forests.RECIPES[name], seed)
    stored = round_trip(tmp_path / "model", forest)
    assert stored.class_name == "BayesianForestRegressor"
    assert stored.forest_arrays.keys() == forest.arrays.keys()
    for key in ("n_features", "n_outputs", "is_classifier"):
        assert stored.forest_arrays[key] == forest.arrays[key]
        assert type(stored.forest_arrays[key]) is type(forest.arrays[key])
    for key, value in forest.arrays.items():
        if isinstance(value, np.ndarray):
            assert_same_bits(stored.forest_arrays[key], value)
    assert_same_bits(stored.log_weights, forest.log_weights)


@pytest.mark.parametrize(
    ("n_distinct", "n_splits", "kind"),
    [
        (256, 4_000, Kind.THRESHOLD_INDEX8),
        (257, 4_000, Kind.THRESHOLD_INDEX16),
        (65_536, 300_000, Kind.THRESHOLD_INDEX16),
        (65_537, 300_000, Kind.THRESHOLD_INDEX32),
        (4_000, 4_000, Kind.THRESHOLD_FLOAT64),
    ],
)
def test_thresholds_take_the_narrowest_index(n_distinct: int, n_splits: int, kind: Kind) -> None:
    rng = np.random.default_rng(n_distinct)
    values = rng.permutation(n_distinct) / 7
    threshold = np.concatenate([values, rng.choice(values, n_splits - n_distinct)])
    feature = np.full(n_splits, 2, dtype=np.int32)
    sections = encode_thresholds(feature, threshold, 4)
    assert len(sections[kind]) == n_splits
    assert decode_thresholds(feature, sections).tobytes() == threshold.tobytes()


def test_the_same_model_gives_the_same_bytes(tmp_path: Path, forest: Any) -> None:
    for name in ("a", "b"):
        write_model(tmp_path / name, "C", {"b": 1, "a": 2}, {"y": np.arange(3)}, forest)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_log_weights_in_to_arrays_are_not_stored_twice(tmp_path: Path, forest: Any) -> None:
    plain = round_trip(tmp_path / "plain", forest)
    forest.arrays["log_weights"] = forest.log_weights
    again = round_trip(tmp_path / "again", forest)
    assert again.forest_arrays.keys() == plain.forest_arrays.keys()
    assert "log_weights" in forest.arrays


META = {
    "settings": {"n_estimators": 100, "max_features": 0.5, "criterion": None, "on": True},
    "text": 'ünïcödé \\ "quoted" \n \u2028 \U0001f332',
    "empty": [{}, [], ""],
    "numbers": [0, -1, 2**200, 1e-300, -0.0, 0.1, 1.7976931348623157e308],
    "": "empty key",
    "$float": "a key that looks like an escape",
    "$$": {"$x": 1},
}


def test_meta_comes_back(tmp_path: Path, forest: Any) -> None:
    meta = round_trip(tmp_path / "model", forest, META).meta
    assert meta == META
    assert math.copysign(1, meta["numbers"][4]) == -1


def test_special_floats_come_back(tmp_path: Path, forest: Any) -> None:
    meta = round_trip(tmp_path / "model", forest, {"a": [np.nan, math.inf, -math.inf]}).meta
    assert math.isnan(meta["a"][0])
    assert meta["a"][1:] == [math.inf, -math.inf]


def test_numpy_scalars_and_tuples_become_plain(tmp_path: Path, forest: Any) -> None:
    given = {"a": (np.int32(3), np.float32(0.5), np.bool_(True), np.str_("s"), np.float64("nan"))}
    meta = round_trip(tmp_path / "model", forest, given).meta
    assert meta["a"][:4] == [3, 0.5, True, "s"]
    assert [type(item) for item in meta["a"]] == [int, float, bool, str, float]


def _nested(depth: int) -> Any:
    return [_nested(depth - 1)] if depth else 0


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"a": {1, 2}}, r"meta\['a'\] is of type set"),
        ({"a": [0, b"bytes"]}, r"meta\['a'\]\[1\] is of type bytes"),
        ({"a": {3: 1}}, r"meta\['a'\] has the key 3, which is not a str"),
        ({"a": np.arange(3)}, r"meta\['a'\] is of type ndarray"),
        ({"a": 1j}, "is of type complex"),
        ({"a": 1 << 20_000}, "20001 bits"),
        ({"a": "\ud800"}, "lone surrogate"),
        ({"a": _nested(60)}, "nested deeper than 32"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_unfit_meta_are_refused(tmp_path: Path, forest: Any, meta: Any, message: str) -> None:
    with pytest.raises(BayeswoodError, match=message):
        write_model(tmp_path / "model", "C", meta, {}, forest)
    assert list(tmp_path.iterdir()) == []


ARRAYS = {
    "float64": np.array([[0.1, np.nan], [-0.0, np.inf]]),
    "float64 of float32": np.float32([0.1, -np.inf, 1e-40]).astype(np.float64),
    "float64 of bytes": np.arange(200.0),
    "float64 with -0": np.array([0.0, -0.0, 1.0]),
    "float64 of shorts": np.arange(0.0, 60_000.0, 300.0),
    "float64 of words": np.array([4_000_000_001.0, 3.0]),
    "nan payload": np.array([0x7FF8_0000_0000_1234], dtype=np.uint64).view(np.float64),
    "signalling nan": np.array([0x7FF4_0000_0000_0001], dtype=np.uint64).view(np.float64),
    "signalling nan32": np.array([0x7FA0_0001], dtype=np.uint32).view(np.float32),
    "float32": np.linspace(0, 1, 7, dtype=np.float32),
    "int64": np.array([-(2**63), 2**63 - 1]),
    "uint64": np.array([2**64 - 1], dtype=np.uint64),
    "int8": np.array([-128, 127], dtype=np.int8),
    "int32 small": np.array([-3, 4], dtype=np.int32),
    "uint16": np.arange(300, dtype=np.uint16).reshape(3, 100),
    "bool": np.array([[True], [False]]),
    "scalar": np.array(3.5),
    "empty": np.empty((0, 4), dtype=np.float32),
    "strided": np.arange(20.0)[::3],
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "zeros": np.zeros(5_000),
    "text": np.array([["a", "längst"], ["", "\U0001f332"]]),
    "objects": np.array(["x", "yy"], dtype=object),
    "no text": np.array([], dtype="<U1"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_come_back(tmp_path: Path, forest: Any, name: str) -> None:
    given = {"before": np.arange(3), name: ARRAYS[name], "after": np.arange(2.0)}
    arrays = round_trip(tmp_path / "model", forest, arrays=given).arrays
    assert list(arrays) == list(given)
    if ARRAYS[name].dtype == object:
        assert arrays[name].dtype == object
        np.testing.assert_array_equal(arrays[name], ARRAYS[name])
    else:
        assert_same_bits(arrays[name], ARRAYS[name])
    assert_same_bits(arrays["after"], given["after"])


def test_big_endian_numbers_come_back_native(tmp_path: Path, forest: Any) -> None:
    given = {"i": np.array([1, 300], dtype=">i4"), "f": np.array([0.1, 2.0], dtype=">f8")}
    arrays = round_trip(tmp_path / "model", forest, arrays=given).arrays
    assert arrays["i"].dtype == np.int32
    assert arrays["f"].dtype == np.float64
    np.testing.assert_array_equal(arrays["i"], [1, 300])
    np.testing.assert_array_equal(arrays["f"], [0.1, 2.0])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": [1, 2]}, "'a' is of type list"),
        ({"a": np.array([1, "x", None], dtype=object)}, "items that are not text"),
        ({"a": np.array([1j])}, "type complex128"),
        ({"a": np.array([b"x"])}, r"type \|S1"),
        ({"a": np.array(["2020-01-01"], dtype="M8[D]")}, "datetime64"),
        ({"a": np.float16([1])}, "type float16"),
        ({"": np.arange(2)}, "array name"),
        ({3: np.arange(2)}, "array name"),
        ({"a": np.zeros((1,) * 9)}, "more than 8 dimensions"),
        ({"a": np.array(["x" * 50_000, *"abcdefghij" * 10])}, "too long beside the others"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_unfit_arrays_are_refused(tmp_path: Path, forest: Any, arrays: Any, message: str) -> None:
    with pytest.raises(BayeswoodError, match=message):
        write_model(tmp_path / "model", "C", {}, arrays, forest)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("class_name", ["", "not a name", "a" * 300, 3, None, "x;y"])
def test_unfit_class_names_are_refused(tmp_path: Path, forest: Any, class_name: Any) -> None:
    with pytest.raises(BayeswoodError, match="class name"):
        write_model(tmp_path / "model", class_name, {}, {}, forest)


def test_unlawful_forest_is_not_written(tmp_path: Path, forest: Any) -> None:
    forest.arrays["leaf_value"] = forest.arrays["leaf_value"] * np.nan
    with pytest.raises(BayeswoodError, match=r"Cannot write.*mean of a leaf"):
        write_model(tmp_path / "model", "C", {}, {}, forest)


def test_absurd_number_of_classes_is_refused(tmp_path: Path) -> None:
    forest = forests.random_forest(forests.RECIPES["classifier"], 0)
    forest.arrays["n_outputs"] = 2**31 - 1
    with pytest.raises(BayeswoodError, match="too many"):
        write_model(tmp_path / "model", "C", {}, {}, forest)
    forest.arrays["n_outputs"] = 60_000
    assert round_trip(tmp_path / "model", forest).forest_arrays["n_outputs"] == 60_000


def test_compressible_forests_stay_within_the_unpacking_limit(tmp_path: Path) -> None:
    recipe = forests.Recipe(n_trees=30_000, n_splits=0, whole_weights=True)
    forest = forests.random_forest(recipe, 0)
    same = dict.fromkeys(("leaf_n_samples", "leaf_weight", "leaf_value"), 1)
    forest.arrays.update({key: np.ones_like(forest.arrays[key]) for key in same})
    arrays = {"zeros": np.zeros(3_000_000, dtype=np.uint8)}
    stored = round_trip(tmp_path / "model", forest, arrays=arrays)
    assert not stored.arrays["zeros"].any()
    assert len(stored.forest_arrays["n_nodes"]) == 30_000


def test_a_deep_chain_comes_back(tmp_path: Path) -> None:
    depth = 20_000
    forest = forests.random_forest(forests.Recipe(n_trees=1, n_splits=0), 0)
    forest.arrays.update(_chain(depth))
    stored = round_trip(tmp_path / "model", forest)
    assert_same_bits(stored.forest_arrays["feature"], forest.arrays["feature"])


def _chain(depth: int) -> dict[str, np.ndarray]:
    feature = np.zeros(2 * depth + 1, dtype=np.int32)
    feature[1::2] = -1
    feature[-1] = -1
    return {
        "n_nodes": np.array([2 * depth + 1]),
        "feature": feature,
        "threshold": np.where(feature == 0, np.arange(len(feature)) / 7, np.nan),
        "missing_left": np.zeros(len(feature), dtype=np.uint8),
        "leaf_n_samples": np.ones(depth + 1, dtype=np.int32),
        "leaf_weight": np.ones(depth + 1, dtype=np.float32),
        "leaf_value": np.zeros(depth + 1),
    }
