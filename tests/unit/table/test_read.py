"""What counts as a table, and what is copied."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import _NotAnArray

from bayeswood.table import fit_table, transform_table

RNG = np.random.default_rng(20240501)
DATA = RNG.normal(size=(6, 4))


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


VIEWS = {
    "C": DATA,
    "F": np.asfortranarray(DATA),
    "float32": DATA.astype(np.float32),
    "every second row": DATA[::2],
    "some columns": DATA[:, 1::2],
    "backwards": DATA[::-1, ::-1],
    "transposed": DATA.T,
    "read-only": read_only(DATA),
    "one row": DATA[:1],
    "one cell": DATA[:1, :1],
}


@pytest.mark.parametrize("case", VIEWS)
def test_float_arrays_are_not_copied(case):
    X = VIEWS[case]
    matrix, schema = fit_table(X, estimator_name="Forest")
    assert matrix is X
    assert transform_table(X, schema, estimator_name="Forest") is X


def test_memory_mapped_file_is_not_copied(tmp_path):
    np.save(tmp_path / "x.npy", DATA)
    X = np.load(tmp_path / "x.npy", mmap_mode="r")
    matrix, _ = fit_table(X, estimator_name="Forest")
    assert np.shares_memory(matrix, X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pandas_floats_are_not_copied(dtype):
    frame = pd.DataFrame(DATA.astype(dtype), columns=list("abcd"))
    matrix, _ = fit_table(frame, estimator_name="Forest")
    assert matrix.dtype == dtype
    assert np.shares_memory(matrix, frame.to_numpy())


@pytest.mark.parametrize("dtype", ["i1", "u8", "i8", "f2", "g", ">f8", ">f4", ">i4"])
def test_other_numbers_become_native_floats(dtype):
    X = np.array([[1, 2], [3, 100]], dtype=dtype)
    matrix, schema = fit_table(X, estimator_name="Forest")
    assert matrix.dtype.isnative
    assert matrix.dtype == np.float64
    assert matrix.tolist() == [[1.0, 2.0], [3.0, 100.0]]
    assert schema.all_numeric


@pytest.mark.parametrize(
    "X",
    [
        DATA.tolist(),
        tuple(map(tuple, DATA)),
        [np.array(row) for row in DATA],
        DATA.astype(object),
        _NotAnArray(DATA),
    ],
)
def test_array_likes(X):
    matrix, schema = fit_table(X, estimator_name="Forest")
    np.testing.assert_array_equal(matrix, DATA)
    assert schema.all_numeric


def test_list_of_rows_keeps_types_apart():
    rows = [["a", 1, True, 0.5], ["b", None, False, 1]]
    matrix, schema = fit_table(rows, estimator_name="Forest")
    np.testing.assert_array_equal(matrix, [[0, 1, 1, 0.5], [1, np.nan, 0, 1]])
    assert [column.levels for column in schema.columns] == [("a", "b"), (), (False, True), ()]


def test_masked_cells_are_missing():
    mask = [[False, True], [False, False]]
    for data in ([[1, 2], [3, 4]], [[1.0, 2.0], [3.0, 4.0]]):
        matrix, _ = fit_table(np.ma.masked_array(data, mask), estimator_name="Forest")
        np.testing.assert_array_equal(matrix, [[1, np.nan], [3, 4]])
    words = np.ma.masked_array([["u", "v"], ["w", "x"]], mask)
    matrix, _ = fit_table(words, estimator_name="Forest")
    np.testing.assert_array_equal(matrix, [[0, np.nan], [1, 0]])


def test_array_of_strings_and_of_booleans():
    matrix, schema = fit_table(np.array([["b", "1"], ["a", "2"]]), estimator_name="Forest")
    assert matrix.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert schema.columns[1].levels == ("1", "2")
    matrix, schema = fit_table(np.array([[True], [False]]), estimator_name="Forest")
    assert matrix.tolist() == [[1.0], [0.0]]
    assert schema.columns[0].levels == (False, True)


def test_the_users_frame_is_not_changed():
    frame = pd.DataFrame({"s": ["b", None], "n": [1.0, np.nan]})
    before = frame.copy(deep=True)
    matrix, _ = fit_table(frame, estimator_name="Forest")
    matrix[:] = 7.0
    pd.testing.assert_frame_equal(frame, before)


BLOCK_FRAME_LIBRARIES = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name in ("pandas", "polars", "pyarrow"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Block())
import numpy as np
from bayeswood.table import fit_class_target, fit_table

fit_table(np.ones((2, 2)), estimator_name="Forest")
matrix, _ = fit_table([["b", 1, None], ["a", 2, True]], estimator_name="Forest")
assert matrix[:, :2].tolist() == [[1.0, 1.0], [0.0, 2.0]]
assert fit_class_target(["u", "v"], "Forest")[0].tolist() == [0, 1]
"""


def test_no_frame_library_is_needed():
    done = subprocess.run(
        [sys.executable, "-c", BLOCK_FRAME_LIBRARIES], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
