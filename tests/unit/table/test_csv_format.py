"""The look of CSV files, the same for the command line and for files in pieces."""

import io

import pyarrow as pa
import pytest
from pyarrow import csv

from bayeswood.table.csv_format import MISSING_CELLS, cell_options, find_delimiter, one_line


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        (b"a,b;c\n", ","),
        (b"a;b\n1,5;2\n", ";"),
        (b"a\tb\n", "\t"),
        (b"a|b", "|"),
        (b"alone\n1;2\n", ","),
        (b"", ","),
    ],
)
def test_the_header_tells_the_delimiter(text, mark):
    assert find_delimiter(text) == mark


def test_a_header_that_is_no_text_is_refused_unless_replaced():
    with pytest.raises(UnicodeDecodeError):
        find_delimiter(b"\xff;b\n")
    assert find_delimiter(b"\xff;b\n", errors="replace") == ";"


def read(text, types=None, columns=()):
    options = cell_options(types or {}, columns)
    return csv.read_csv(io.BytesIO(text), convert_options=options)


@pytest.mark.parametrize("cell", MISSING_CELLS)
def test_missing_cells_of_text_and_numbers(cell):
    table = read(f"x,y,z\n1,a,2\n{cell},{cell},3\n".encode())
    assert table.column("x").to_pylist() == [1, None]
    assert table.column("y").to_pylist() == ["a", None]


def test_words_for_true_and_false():
    found = read(b"x\ntrue\nFalse\nTRUE\n")["x"]
    assert found.type == pa.bool_()
    assert found.to_pylist() == [True, False, True]
    assert read(b"x\n0\n1\n")["x"].type == pa.int64()


def test_columns_and_their_types():
    table = read(b"a,b\n01,2\n", {"a": pa.string()}, ["a"])
    assert table.to_pydict() == {"a": ["01"]}


def test_one_line_is_short():
    assert one_line(ValueError("a\n b")) == "a b"
    long = one_line("x" * 500)
    assert len(long) == 200
    assert long.endswith("…")
    assert one_line("x" * 200) == "x" * 200
