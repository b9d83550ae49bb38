import gzip
import sys

import numpy as np
import pytest
from dataset_cases import objects, toy_columns

from bayeswood.datasets.csv_file import (
    digest_of_cells,
    format_columns,
    parse_columns,
    whole_as_integers,
)

TEXT = ("colour", "code", "split", "target")


@pytest.fixture(params=["pyarrow", "standard library"])
def _reader(request, monkeypatch):
    if request.param != "pyarrow":
        monkeypatch.setitem(sys.modules, "pyarrow", None)


def packed(text):
    return gzip.compress(text.encode())


def assert_same(found, wanted):
    assert list(found) == list(wanted)
    for name, column in wanted.items():
        assert found[name].dtype == column.dtype
        np.testing.assert_array_equal(found[name], column)


@pytest.mark.usefixtures("_reader")
def test_what_is_written_is_read_back():
    assert_same(parse_columns(format_columns(toy_columns()), TEXT), toy_columns())


@pytest.mark.usefixtures("_reader")
def test_cells_are_taken_as_they_are_written():
    data = packed('a,b,c\n1e3,"x, y",NA\n,,nan\n 0.1,007,"say ""hi"""\n')
    wanted = {
        "a": np.array([1000.0, np.nan, 0.1]),
        "b": objects("x, y", None, "007"),
        "c": objects("NA", "nan", 'say "hi"'),
    }
    assert_same(parse_columns(data, ("b", "c")), wanted)


@pytest.mark.usefixtures("_reader")
def test_more_rows_than_are_read_at_once():
    numbers = np.random.default_rng(0).standard_normal(25_000)
    columns = {"x": numbers, "target": np.arange(25_000.0)}
    assert_same(parse_columns(format_columns(columns), ()), columns)


@pytest.mark.usefixtures("_reader")
@pytest.mark.parametrize(
    "data",
    [
        b"no gzip",
        packed("a,b\n1,2\n" * 50)[:-9],
        packed("a,b\n1,2,3\n"),
        packed("a,b\n1\n"),
        packed("a,b\n1,two\n"),
    ],
    ids=["not packed", "cut", "too many cells", "too few", "no number"],
)
def test_what_is_no_such_file(data):
    with pytest.raises((OSError, EOFError, ValueError)):
        parse_columns(data, ())


def test_the_same_columns_give_the_same_bytes():
    assert format_columns(toy_columns()) == format_columns(toy_columns())
    text = gzip.decompress(format_columns(toy_columns())).decode()
    assert text.splitlines()[:3] == [
        "size,n,colour,code,split,target",
        "1.0,3,red,1,train,yes",
        ",4,?,2,train,no",
    ]


def test_the_digest_knows_values_and_not_their_spelling():
    columns = toy_columns()
    before = digest_of_cells(columns)
    columns["size"][3] = 0.0
    columns["size"][1] = np.frombuffer(np.array(0xFFF8000000000001, dtype="u8").tobytes())[0]
    assert digest_of_cells(columns) == before
    assert digest_of_cells(parse_columns(format_columns(columns), TEXT)) == before


def test_the_digest_sees_every_change():
    changed = [toy_columns() for _ in range(5)]
    changed[0]["size"][0] = np.nextafter(1.0, 2.0)
    changed[1]["colour"][0] = "Red"
    changed[2] = {name: column[::-1] for name, column in changed[2].items()}
    changed[3]["code"], changed[3]["colour"] = changed[3]["colour"], changed[3]["code"]
    changed[4]["target"] = objects("yesno", None, "no", "yes")
    digests = {digest_of_cells(columns) for columns in [toy_columns(), *changed]}
    assert len(digests) == 6


def test_whole_numbers_become_integers_where_all_are():
    assert whole_as_integers(np.array([1.0, -2.0])).dtype == np.int64
    assert whole_as_integers(np.array([1.0, np.nan])).dtype == np.float64
    assert whole_as_integers(np.array([1.0, 2.5])).dtype == np.float64
    assert whole_as_integers(objects("1")).dtype == object
