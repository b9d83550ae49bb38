"""Forests grown by the native core through a file: the same bits, and small."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.modelfile import read_model, write_model

N_LEVELS = np.array([0, 0, 3, 70, 1, 0], dtype=np.int32)


def table(seed: int, n_rows: int) -> np.ndarray:
    """Numbers, categories and missing values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, len(N_LEVELS)))
    for j in np.flatnonzero(N_LEVELS):
        X[:, j] = rng.integers(0, N_LEVELS[j], n_rows)
    X[:, 5] = np.round(X[:, 5])
    X[rng.random(X.shape) < 0.05] = np.nan
    return X


def grow(X: np.ndarray, y: np.ndarray, criterion: str, **settings: Any) -> _core.Forest:
    n_levels = settings.pop("n_levels", N_LEVELS)
    settings = {"scheme": "exponential", "seed": 1, "n_trees": 10, "max_features": 3, **settings}
    encoded = _core.EncodedMatrix(X, n_levels)
    return _core.grow_forest(encoded, y, None, criterion=criterion, **settings)[0]


def grown(kind: str, seed: int, keep_rows: bool) -> _core.Forest:
    rng = np.random.default_rng(seed)
    X = table(seed, 500)
    signal = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 3]) % 3
    scheme = "bootstrap" if seed % 2 else "exponential"
    if kind == "regressor":
        y = np.column_stack([signal, rng.normal(size=500)])
        return grow(X, y, "squared_error", scheme=scheme, keep_rows=keep_rows, min_samples_leaf=3)
    n_classes = 2 if kind == "binary" else 40
    codes = (signal * n_classes + rng.normal(size=500)).astype(np.int32) % n_classes
    settings: dict[str, Any] = {"min_samples_leaf": 4, "n_classes": n_classes, "scheme": scheme}
    return grow(X, codes, "gini", keep_rows=keep_rows, **settings)


@pytest.mark.parametrize("keep_rows", [False, True])
@pytest.mark.parametrize("kind", ["regressor", "binary", "many classes"])
@pytest.mark.parametrize("seed", range(4))
def test_loaded_forests_predict_the_same_bits(
    tmp_path: Path, kind: str, keep_rows: bool, seed: int
) -> None:
    core = grown(kind, seed, keep_rows)
    log_weights = np.random.default_rng(seed).normal(size=core.n_trees)
    y = np.random.default_rng(seed).normal(size=500)
    write_model(tmp_path / "model", "C", {"a": 1}, {"y": y}, Forest(core, log_weights))
    class_name, meta, arrays, forest = read_model(tmp_path / "model")
    assert (class_name, meta) == ("C", {"a": 1})
    assert arrays["y"].tobytes() == y.tobytes()
    assert forest.log_weights.tobytes() == log_weights.tobytes()
    assert forest.has_rows == keep_rows
    X, weights = table(seed + 100, 300), np.full(core.n_trees, 1 / core.n_trees)
    again = _core.Forest.from_arrays(_core_arrays(forest))
    assert again.predict_mean(X, weights).tobytes() == core.predict_mean(X, weights).tobytes()
    np.testing.assert_array_equal(again.apply(X), core.apply(X))
    _assert_same_arrays(_core_arrays(forest), core.to_arrays())


def _core_arrays(forest: Forest) -> dict[str, Any]:
    return {key: value for key, value in forest.to_arrays().items() if key != "log_weights"}


def _assert_same_arrays(actual: dict[str, Any], expected: dict[str, Any]) -> None:
    assert actual.keys() == expected.keys()
    for key, value in expected.items():
        assert np.asarray(actual[key]).tobytes() == np.asarray(value).tobytes(), key


@pytest.mark.parametrize("keep_rows", [False, True])
def test_regressor_takes_a_third_of_a_pickle(tmp_path: Path, keep_rows: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 6))
    y = X[:, :1] + X[:, 1:2] ** 2 + rng.normal(size=(3_000, 1))
    theirs = RandomForestRegressor(20, min_samples_leaf=3, max_features=2, random_state=0)
    peer = pickle.dumps(theirs.fit(X, y[:, 0]))
    settings: dict[str, Any] = {"n_trees": 20, "min_samples_leaf": 3, "max_features": 2}
    core = grow(
        X, y, "squared_error", n_levels=np.zeros(6, np.int32), keep_rows=keep_rows, **settings
    )
    write_model(tmp_path / "model", "C", {}, {}, Forest(core, np.zeros(20)))
    assert (tmp_path / "model").stat().st_size < len(peer) / 3


@pytest.mark.parametrize("keep_rows", [False, True])
def test_classifier_takes_a_third_of_a_pickle(tmp_path: Path, keep_rows: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 6))
    codes = (X @ rng.normal(size=(6, 10)) + rng.normal(size=(3_000, 10))).argmax(1).astype(np.int32)
    peer = pickle.dumps(RandomForestClassifier(20, random_state=0).fit(X, codes))
    settings: dict[str, Any] = {"n_classes": 10, "n_trees": 20, "max_features": 2}
    core = grow(X, codes, "gini", n_levels=np.zeros(6, np.int32), keep_rows=keep_rows, **settings)
    write_model(tmp_path / "model", "C", {}, {}, Forest(core, np.zeros(20)))
    assert (tmp_path / "model").stat().st_size < len(peer) / 3


def test_refusal_of_the_core_names_the_file(tmp_path: Path, monkeypatch: Any) -> None:
    def refuse(arrays: dict[str, Any]) -> None:
        raise ValueError("tree 0: a law is broken")

    core = grown("regressor", 0, keep_rows=False)
    write_model(tmp_path / "model", "C", {}, {}, Forest(core, np.zeros(10)))
    monkeypatch.setattr(_core, "Forest", type("Strict", (), {"from_arrays": staticmethod(refuse)}))
    with pytest.raises(BayeswoodError, match=r"Cannot read.*model': tree 0: a law is broken\."):
        read_model(tmp_path / "model")
