"""Time of a prediction: ours, and the exported model in C, onnxruntime and treelite.

The same forest on one thread, one row and 100,000, in turn; the best of some rounds counts. Rows
are encoded beforehand for all, for ours too; the call through Python is in every figure.
"""

import argparse
import ctypes
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification

from bayeswood import BayesianForestClassifier, export
from benchmarks import machine

Predict = Callable[[np.ndarray], np.ndarray]


def ours(model: BayesianForestClassifier) -> Predict:
    return lambda rows: model.predictive_.probabilities(model.forest_, rows, 1)


def in_c(model: BayesianForestClassifier) -> Predict:
    folder = Path(tempfile.mkdtemp())
    export.to_c(model, folder / "model.c")
    command = ["cc", "-std=c99", "-O2", "-shared", "-fPIC", "model.c", "-o", "model.so", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "model.so"))
    shutil.rmtree(folder)

    def predict(rows: np.ndarray) -> np.ndarray:
        out = np.empty((len(rows), len(model.classes_)))
        given = ctypes.c_void_p(rows.ctypes.data), ctypes.c_size_t(len(rows))
        library.bayeswood_predict_rows(*given, ctypes.c_void_p(out.ctypes.data))
        return out

    return predict


def in_onnxruntime(model: BayesianForestClassifier) -> Predict:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    made = export.to_onnx(model).SerializeToString()
    session = onnxruntime.InferenceSession(made, options, providers=["CPUExecutionProvider"])
    return lambda rows: session.run(["probabilities"], {"X": rows})[0]


def in_treelite(model: BayesianForestClassifier) -> Predict:
    import treelite

    made = export.to_treelite(model)
    return lambda rows: treelite.gtil.predict(made, rows, nthread=1)[:, 0]


WAYS = {"bayeswood": ours, "C": in_c, "onnxruntime": in_onnxruntime, "treelite": in_treelite}


def fitted(n_estimators: int) -> BayesianForestClassifier:
    X, y = make_classification(5_000, 20, n_informative=8, n_classes=3, random_state=0)
    return BayesianForestClassifier(n_estimators, random_state=0).fit(X, y)


def seconds(predict: Predict, rows: np.ndarray, n_calls: int) -> float:
    start = time.perf_counter()
    for _ in range(n_calls):
        predict(rows)
    return (time.perf_counter() - start) / n_calls


def measured(ways: dict[str, Predict], rows: np.ndarray, repeats: int) -> dict[str, float]:
    """Best seconds per call of every way, asked in turn; all must say the same."""
    expected = ways["bayeswood"](rows)
    for name, predict in ways.items():
        assert np.abs(predict(rows) - expected).max() < 1e-9, name
    n_calls = 200 if len(rows) == 1 else 1
    rounds = [[seconds(p, rows, n_calls) for p in ways.values()] for _ in range(repeats)]
    return dict(zip(ways, np.min(rounds, axis=0), strict=True))


def shown(seconds: float) -> str:
    return f"{1e6 * seconds:,.0f} µs" if seconds < 0.01 else f"{seconds:.2f} s"


def table(n_estimators: int, sizes: list[int], repeats: int) -> Iterator[str]:
    model = fitted(n_estimators)
    ways = {name: make(model) for name, make in WAYS.items()}
    rng = np.random.default_rng(0)
    yield "| rows | " + " | ".join(ways) + " |"
    yield "|---" * (len(ways) + 1) + "|"
    for size in sizes:
        found = measured(ways, rng.normal(size=(size, 20)), repeats)
        yield f"| {size:,} | " + " | ".join(map(shown, found.values())) + " |"


def main() -> None:
    parser = argparse.ArgumentParser("export_latency", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few trees and rows: does it run?")
    quick = parser.parse_args().quick
    print(f"{machine.one_line()}\n")
    for line in table(5, [1, 50], 1) if quick else table(100, [1, 100_000], 7):
        print(line, flush=True)


if __name__ == "__main__":
    main()
