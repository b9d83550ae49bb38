"""Arrow's tables are read as any data frame is, and plain columns without narwhals."""

import narwhals.stable.v1 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from bayeswood.table import arrow_functions as af
from bayeswood.table.arrow import ArrowTable
from bayeswood.table.frame import FrameTable

COLUMNS = {
    "floats": pa.chunked_array([[0.1, None], [float("nan"), -2.0]]),
    "singles": pa.chunked_array([pa.array([0.1, None, 1.5, 2.5], pa.float32())]),
    "whole": pa.chunked_array([[1, 2], [2**60 + 1, -4]]),
    "small": pa.chunked_array([pa.array([1, 2, 3, 255], pa.uint8())]),
    "some": pa.chunked_array([[1, None], [3, 4]]),
    "flags": pa.chunked_array([[True, False], [True, True]]),
    "some flags": pa.chunked_array([[True, None], [False, True]]),
    "words": pa.chunked_array([["b", "a"], [None, "b"]]),
    "no words": pa.chunked_array([pa.nulls(4, pa.string())]),
    "long": pa.chunked_array([pa.array(["b", "a", None, "b"], pa.large_string())]),
    "coded": pa.chunked_array([pa.array(["b", "a", None, "b"]).dictionary_encode()]),
    "nothing": pa.chunked_array([pa.nulls(4)]),
}
DATES = pa.chunked_array([pa.array([0, 10**6, None, 2], pa.timestamp("us"))])


def both(table):
    names = tuple(table.column_names)
    frame = nw.from_native(table, eager_only=True)
    return ArrowTable(table, names, table.shape), FrameTable(frame, names, frame.shape)


def plain(cells):
    missing = None if cells.missing is None else cells.missing.tolist()
    values = [None if x != x else x for x in cells.values.tolist()]
    return cells.family, cells.values.dtype, values, missing, cells.words, cells.declared


@pytest.mark.parametrize("name", COLUMNS)
def test_cells_are_those_of_a_frame(name):
    ours, theirs = both(pa.table({name: COLUMNS[name]}))
    assert ours.shape == theirs.shape
    assert plain(ours.cells(0)) == plain(theirs.cells(0))
    assert ours.moments(0) is None


def test_floats_are_those_of_a_frame():
    ours, theirs = both(pa.table(COLUMNS))
    wanted = np.arange(len(COLUMNS)) != 1
    for chosen in (wanted, ~wanted):
        one, two = np.zeros((4, len(COLUMNS))), np.zeros((4, len(COLUMNS)))
        found = ours.write_floats(one, chosen)
        assert found.tolist() == theirs.write_floats(two, chosen).tolist()
        assert found.sum() == 1
        np.testing.assert_array_equal(one, two)


def test_dates_are_those_of_a_frame():
    ours, theirs = (table.moments(0) for table in both(pa.table({"day": DATES})))
    assert (ours.kind, ours.zone) == (theirs.kind, theirs.zone)
    assert ours.missing.tolist() == theirs.missing.tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.1, np.nan, -0.0, np.inf]),
        np.arange(20.0)[::2],
        np.arange(5),
        np.array([True] * 9 + [False] * 3),
        np.arange(3, dtype=np.int32),
        np.array(["a", "b"]),
        np.array([], dtype=np.float64),
    ],
)
def test_arrays_are_those_of_arrow(values):
    found = af.from_numpy(values)
    found.validate(full=True)
    assert found.type == pa.array(values).type
    assert repr(found.to_pylist()) == repr(values.tolist())


def test_functions_are_those_of_arrow():
    texts = pa.chunked_array([[" 1.5", None], ["2 ", "x.y"]])
    assert af.trimmed(texts) == pc.utf8_trim_whitespace(texts)
    assert af.contains(texts, ".") == pc.match_substring(texts, ".")
    assert af.matches(texts, "^\\w") == pc.match_substring_regex(texts, "^\\w")
    flags = af.contains(texts, ".")
    assert (af.some(flags), af.every(flags)) == (True, False)
    assert af.kept(texts, flags) == texts.filter(flags)
    assert af.without_nulls(texts) == texts.drop_null()
    empty = pa.chunked_array([], pa.bool_())
    assert (af.some(empty), af.every(empty)) == (False, False)


def test_casts_are_those_of_arrow():
    whole = pa.chunked_array([[1, 2**60 + 1, None]])
    assert af.cast(whole, pa.float64(), safe=False) == whole.cast(pa.float64(), safe=False)
    assert af.cast(whole, pa.string()) == whole.cast(pa.string())
    for values, kind in ((whole, pa.int8()), (pa.array(["x"]), pa.float64())):
        with pytest.raises(pa.ArrowInvalid):
            af.cast(values, kind)
