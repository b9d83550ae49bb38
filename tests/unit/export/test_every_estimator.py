"""What is exported says what the model says: at every cut, where values miss, of unseen levels."""

import ctypes
import importlib.util
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from bayeswood import BayeswoodError
from bayeswood.export import apply_steps, describe, encode, to_c, to_dict, to_onnx, to_treelite

# treelite has no words for what these make of sums of trees.
NOT_IN_TREELITE = {"CalibratedForestClassifier", "SafeBayesForestRegressor", "BARTClassifier"}
# Of these the last steps need exp, log or erfc, of which C libraries differ in the last digit.
NOT_TO_THE_BIT = {"CalibratedForestClassifier", "SafeBayesForestClassifier", "BARTClassifier"}
DIGITS = 4e-15
SINGLE = 2e-7

spec = importlib.util.spec_from_file_location("twin", Path(__file__).with_name("json_twin.py"))
twin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(twin)


def compiled(path):
    """The functions of a C file."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    library = path.with_suffix(".so")
    command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([*command, str(path), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def run_c(library, rows, width, name="bayeswood"):
    out = np.full((len(rows), width), np.nan)
    place = ctypes.c_void_p(rows.ctypes.data), ctypes.c_size_t(len(rows))
    getattr(library, f"{name}_predict_rows")(*place, ctypes.c_void_p(out.ctypes.data))
    return out


def relative(found, expected):
    return np.abs(found - expected).max() / max(1.0, np.abs(expected).max())


def test_steps_are_the_link(case):
    additive = case.model.predictive_.additive(case.model.forest_)
    rows = encode(case.model, case.rows[:50])
    found = sum(
        part.share
        * np.tensordot(part.forest.weights, apply_steps(part.steps, part.forest.draws(rows)), 1)
        for part in additive.parts
    )
    expected = case.answer[:50]
    assert relative(apply_steps(additive.steps, found), expected) < 1e-13


def test_json(case):
    plain = json.loads(json.dumps(to_dict(case.model), allow_nan=False))
    chosen = np.r_[0:5, len(case.rows) - 65 : len(case.rows)]
    rows = encode(case.model, case.rows)[chosen]
    assert relative(twin.predict(plain, rows), case.answer[chosen]) < 1e-13


def test_c(case, tmp_path):
    to_c(case.model, tmp_path / "model.c")
    expected = case.answer
    library = compiled(tmp_path / "model.c")
    found = run_c(library, encode(case.model, case.rows), expected.shape[1])
    if case.name in NOT_TO_THE_BIT:
        assert relative(found, expected) < DIGITS
    else:
        assert (found == expected).all()


def test_onnx(case, tmp_path):
    pytest.importorskip("onnx", reason="needs the extra 'export'")
    runtime = pytest.importorskip("onnxruntime", reason="needs the extra 'export'")
    to_onnx(case.model, tmp_path / "model.onnx")
    session = runtime.InferenceSession(
        str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"]
    )
    *label, found = session.run(None, {"X": encode(case.model, case.rows)})
    assert found.dtype == np.float64
    assert relative(found, case.answer) < DIGITS
    if label:
        second, first = np.sort(case.answer, axis=1).T[-2:]
        clear = first - second > 1e-9
        assert clear.mean() > 0.5
        assert (label[0] == case.model.predict(case.rows))[clear].all()


def test_treelite(case):
    treelite = pytest.importorskip("treelite", reason="needs the extra 'export'")
    if case.name in NOT_IN_TREELITE:
        with pytest.raises(BayeswoodError, match=f"cannot take this {case.name}: treelite has"):
            to_treelite(case.model)
        return
    found = treelite.gtil.predict(to_treelite(case.model), encode(case.model, case.rows), nthread=1)
    expected = case.answer
    # treelite's softmax is one of float32.
    close = SINGLE if describe(case.model).steps else DIGITS
    assert relative(found.reshape(expected.shape), expected) < close


def session_of(model, **options):
    pytest.importorskip("onnx", reason="needs the extra 'export'")
    runtime = pytest.importorskip("onnxruntime", reason="needs the extra 'export'")
    made = to_onnx(model, **options).SerializeToString()
    return runtime.InferenceSession(made, providers=["CPUExecutionProvider"])


def columns_of(model, table):
    """Columns as inputs: words with "" for what is missing, numbers with NaN."""
    return {
        column.name: (
            table[[column.name]].to_numpy(dtype=np.float64)
            if column.kind == "numeric"
            else table[[column.name]].fillna("").to_numpy(dtype=object)
        )
        for column in model.schema_.columns
    }


def test_onnx_takes_columns(case):
    session = session_of(case.model, by_column=True)
    assert [given.type for given in session.get_inputs()] == [
        "tensor(double)", "tensor(double)", "tensor(string)", "tensor(string)",
    ]  # fmt: skip
    found = session.run(None, columns_of(case.model, case.rows))[-1]
    assert relative(found, case.answer) < DIGITS


# Mixtures whose quantiles are searched for, or a spread that is not that of the answer.
WITHOUT_INTERVALS = {
    "BARTRegressor", "MCMCTreeRegressor", "SMCTreeRegressor", "SafeBayesForestClassifier",
    "SafeBayesForestRegressor",
}  # fmt: skip


def test_intervals_in_onnx(case):
    pytest.importorskip("onnx", reason="needs the extra 'export'")
    if case.name in WITHOUT_INTERVALS:
        with pytest.raises(BayeswoodError, match=f"has no interval of this {case.name}"):
            to_onnx(case.model, coverage=0.8)
        return
    session = session_of(case.model, coverage=0.8)
    found = session.run(["interval"], {"X": encode(case.model, case.rows)})[0]
    expected = case.model.predict_interval(case.rows, coverage=0.8)
    assert np.abs(found - expected.reshape(found.shape)).max() < 1e-9


def test_the_rows_come_to_every_leaf(case):
    """What is asked above is asked of all leaves.

    Trees that were drawn without data (safe-Bayesian forests) have leaves that no row can come to.
    """
    rows = encode(case.model, case.rows)
    forest = describe(case.model).parts[0].forest
    leaves = forest.apply(rows)
    reached = sum(len(np.unique(of_tree)) for of_tree in leaves.T)
    assert reached > (0.75 if "SafeBayes" in case.name else 0.99) * forest.n_leaves.sum()
