"""A model file that was changed and sealed again is refused, or it is a model that predicts.

The digests of such a file are right, so nothing but the estimator's own reading stands between it
and the user. Run as a script, ``test_estimator_file_fuzz.py SEED COUNT`` changes COUNT files of
every estimator and prints what became of them; the test runs it that way, so that a crash of native
code or a runaway allocation ends that process and not the test run.
"""

import importlib.util
import json
import os
import subprocess
import sys
import time
import traceback
import warnings
from collections import Counter
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import bayeswood
from bayeswood import BayeswoodError, EnvelopeClassifier
from bayeswood.methods.registry import ESTIMATORS
from bayeswood.modelfile.container import read_section, read_table
from bayeswood.modelfile.layout import Codec

N_PER_ESTIMATOR = 120
SLOWEST = 0.5  # CPU seconds of one file, loaded and asked; a usual one takes 5 ms

Rng = np.random.Generator

SMALL = {"n_estimators": 6, "n_jobs": 1, "random_state": 0}
CHAINS = {"n_chains": 2, "n_burn_in": 20, "n_draws": 6, "n_jobs": 1, "random_state": 0}
PARTICLES = {"n_particles": 12, "n_islands": 2, "n_jobs": 1, "random_state": 0}
SETTINGS: dict[str, dict[str, Any]] = {
    "BARTClassifier": {**CHAINS, "n_estimators": 5},
    "BARTRegressor": {**CHAINS, "n_estimators": 5},
    "CalibratedForestClassifier": {**SMALL, "n_estimators": 20},
    "CalibratedForestRegressor": {**SMALL, "n_estimators": 20},
    "MCMCTreeClassifier": CHAINS,
    "MCMCTreeRegressor": CHAINS,
    "SMCTreeClassifier": PARTICLES,
    "SMCTreeRegressor": PARTICLES,
    "SafeBayesForestClassifier": {**SMALL, "depth": 3},
    "SafeBayesForestRegressor": {**SMALL, "depth": 3},
}
# The other ways in which a file can be laid out.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "hard votes": ("RandomForestClassifier", {"voting": "hard", "oob_score": True}),
    "random cuts": ("SafeBayesForestClassifier", {"tree_prior": "galton-watson"}),
    "trees over rows": ("SafeBayesForestRegressor", {"tree_prior": "rows", "max_leaves": 8}),
    "power of classes": ("SafeBayesForestClassifier", {"pooling": "power", "reservoir_size": 20}),
    "power of numbers": ("SafeBayesForestRegressor", {"pooling": "power", "reservoir_size": 20}),
    "variance trees": ("BARTRegressor", {"variance_trees": 3}),
}


def _load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fuzz_files = _load("test_modelfile_fuzz")


def change_one_array(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """Change a few numbers of one section, its length never."""
    entries = read_table(BytesIO(data), len(data))
    k = int(rng.integers(1, len(entries)))
    numbers = read_section(BytesIO(data), entries[k]).copy()
    for at in rng.integers(len(numbers), size=int(rng.integers(1, 4)) if len(numbers) else 0):
        numbers[at] = near(numbers, int(at), rng)

    def change(parts: list[Any]) -> None:
        parts[k][0][2] = Codec.RAW
        parts[k][1] = numbers.tobytes()

    return bytes(fuzz_files.damage.rebuild(data, change))


def near(numbers: np.ndarray, at: int, rng: Rng) -> Any:
    """A number like one of the section, or one at the end of what it can hold."""
    if rng.random() < 0.3:
        return numbers[int(rng.integers(len(numbers)))]
    if numbers.dtype.kind == "f":
        tiny, huge = np.finfo(numbers.dtype).tiny, np.finfo(numbers.dtype).max
        return fuzz_files.pick(rng, (0, 1, -1, 1e-9, 1e6, -numbers[at], tiny, huge, np.inf, np.nan))
    high = int(np.iinfo(numbers.dtype).max)
    return fuzz_files.pick(
        rng, (0, 1, high, high // 2, int(numbers[at]) ^ 1, int(numbers[at]) // 2)
    )


CHANGES = (
    *[change_one_array] * 8,
    *[fuzz_files.change_numbers] * 2,
    *[fuzz_files.change_header] * 4,
    fuzz_files.shuffle_sections,
    fuzz_files.flip_body_sealed,
)


def rows_of_three_kinds(n_rows: int, rng: Rng) -> np.ndarray:
    """Two numbers, one with gaps, and a category of four levels."""
    X = rng.normal(size=(n_rows, 3))
    X[:, 2] = rng.integers(4, size=n_rows)
    X[rng.random(n_rows) < 0.1, 1] = np.nan
    return X


def corpus() -> dict[str, bytes]:
    """A small model of every estimator, as a file."""
    rng = np.random.default_rng(0)
    X = rows_of_three_kinds(60, rng)
    y = X[:, 0] + (X[:, 2] == 1) + rng.normal(size=60)
    labels = np.array(["a", "b", "c"])[np.digitize(y, [-0.5, 1.0])]
    planned = {name: (name, {}) for name in ESTIMATORS} | VARIANTS
    files = {}
    for title, (name, extra) in planned.items():
        settings = {**SETTINGS.get(name, SMALL), "categorical_features": [2], **extra}
        target = labels if "Classifier" in name else y
        files[title] = fitted_file(ESTIMATORS[name](**settings), X, target)
    forest = bayeswood.RandomForestClassifier(**SMALL, oob_score=True)
    files["EnvelopeClassifier"] = fitted_file(EnvelopeClassifier(forest), X, labels)
    return files


def fitted_file(model: Any, X: np.ndarray, y: np.ndarray) -> bytes:
    stream = BytesIO()
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # so few trees and draws
        model.fit(X, y).save(stream)
    return stream.getvalue()


def check_answers(model: Any, X: np.ndarray) -> None:
    """Whatever a loaded model says is finite and obeys the laws of what it is."""
    if hasattr(model, "predict_proba"):
        check_probabilities(model.predict_proba(X))
        model.predict(X)
    else:
        assert np.isfinite(model.predict(X)).all()
    if isinstance(model, EnvelopeClassifier):
        return
    interval = model.predict_interval(X)
    assert np.isfinite(interval).all()
    assert (interval[..., 0] <= interval[..., 1]).all()
    parts = model.uncertainty(X)
    assert np.isfinite([parts.total, parts.data, parts.knowledge]).all()
    assert model.predict_draws(X).shape[1] == len(X)
    assert abs(model.member_weights_.sum() - 1) < 1e-6
    assert np.isfinite(model.feature_importances_).all()


def check_probabilities(p: np.ndarray) -> None:
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-3)


def outcome(data: bytes, X: np.ndarray) -> str:
    """What became of a file: "refused", "accepted", or the fault that slipped through."""
    start = time.process_time()
    try:
        model = bayeswood.load(BytesIO(data))
    except BayeswoodError:
        result = "refused"
    except Exception as error:  # any other is a defect: it is told, not raised
        return f"LOAD {fault(error)}"
    else:
        try:
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # other names
                check_answers(model, X)
            result = "accepted"
        except Exception as error:
            if "were not kept" not in str(error):  # that is what keep_responses=False says
                return f"ASK {fault(error)}"
            result = "accepted"
    took = time.process_time() - start
    return result if took < SLOWEST else f"SLOW {took:.1f} s"


def fault(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    at = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in frames[:-4:-1])
    return f"{type(error).__name__}: {str(error)[:100]} at {at}"


def fuzz(seed: int, count: int) -> dict[str, dict[str, int]]:
    """Change `count` files of every estimator; count what became of them."""
    files, rng = corpus(), np.random.default_rng(seed)
    X = rows_of_three_kinds(3, rng)
    others = list(files.values())
    if sys.platform == "linux":
        fuzz_files.limit_memory()
    tally: dict[str, Counter[str]] = {}
    for title, original in files.items():
        check_answers(bayeswood.load(BytesIO(original)), X)
        found = tally[title] = Counter()
        for _ in range(count):
            data = fuzz_files.pick(rng, CHANGES)(original, rng, others)
            found["unchanged" if data == original else outcome(data, X)] += 1
    return {title: dict(found) for title, found in tally.items()}


def test_sealed_files_of_every_estimator_are_refused_or_predict() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-W", "error", __file__, "0", str(N_PER_ESTIMATOR)],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    tally = json.loads(done.stdout)
    assert set(ESTIMATORS) < set(tally)
    for title, found in tally.items():
        assert set(found) <= {"refused", "accepted", "unchanged"}, (title, found)
        assert found["refused"] > 10, title
        assert found["accepted"] > 5, title


if __name__ == "__main__":
    print(json.dumps(fuzz(int(sys.argv[1]), int(sys.argv[2]))))
