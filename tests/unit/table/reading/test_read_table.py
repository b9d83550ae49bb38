"""Tables from files as they are: what was read, and what was said of it."""

import datetime as dt
import gzip
import io
import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import bayeswood
from bayeswood import BayeswoodError, RandomForestRegressor
from bayeswood.table.reading import Note, note_lines


def read(content, **options):
    data = content.encode() if isinstance(content, str) else content
    return bayeswood.read_table(io.BytesIO(data), **options)


def cells(found, name):
    return found.table[name].to_pylist()


def loud(found):
    return [str(note) for note in found.notes if note.loud]


def test_every_column_is_what_it_looks_like():
    found = read("a;b;c;d;e;f\n1;1,5;x;true;2024-05-01;\n2;n/a;y;false;2024-05-02;\n")
    kinds = [str(kind) for kind in found.table.schema.types]
    assert kinds == ["int64", "double", "string", "bool", "date32[day]", "null"]
    assert [(note.kind, note.column) for note in found.notes] == [
        ("number", "b"), ("date", "e"), ("empty", "f"),
    ]  # fmt: skip
    assert "decimal comma" in str(found.notes[0])
    assert "'n/a' taken as missing" in str(found.notes[0])
    assert "column 'b'" in repr(found)


@pytest.mark.parametrize(("text", "value", "words"), [
    ('a,b\n"1,234",x\n', 1234, "--decimal ,"),
    ("a;b\n1,234;1,5\n", 1.234, "other columns have a decimal comma"),
    ("a;b\n1,234;1.5\n", 1234, "other columns have a decimal point"),
    ("a;b\n1,234;x\n", 1.234, "--thousands ,"),
    ("a;b\n1.234;1,5\n", 1234, "other columns have a decimal comma"),
    ("a;b\n1.234;x\n", 1.234, "--thousands ."),
])  # fmt: skip
def test_what_could_be_either_is_settled_by_the_file_and_said(text, value, words):
    found = read(text)
    assert cells(found, "a") == [value]
    (note,) = [str(note) for note in found.notes if note.kind == "ambiguous"]
    assert note.startswith("PLEASE CHECK") == ("other columns" not in note)  # no proof: loud
    assert words in note
    option, mark = note.split("; --")[1].split()[:2]
    other = read(text, **{option: mark})
    assert cells(other, "a") == [{1234: 1.234, 1.234: 1234}[value]]
    assert not loud(other)


def test_a_point_is_a_point_where_nothing_speaks_against_it():
    assert not loud(read("a,b\n1.234,x\n"))
    assert not loud(read("a;b\n1.234;2.5\n"))


def test_a_number_column_is_no_category_without_a_loud_note():
    numbers = "".join(f"{i}.5\n" for i in range(400))
    found = read("x\n" + numbers + "tbd\n")
    assert str(found.table["x"].type) == "string"
    (note,) = loud(found)
    for word in ("401 levels", "'tbd'", "--na", "--decimal", "--thousands", "--no-header"):
        assert word in note
    found = read("x\n" + numbers + "tbd\n", na=["tbd"])
    assert found.table["x"].null_count == 1
    assert not loud(found)


def test_words_of_a_category_stay_levels_and_are_named():
    found = read("c\na\n?\nb\n")
    assert cells(found, "c") == ["a", "?", "b"]
    assert '--na "?"' in str(found.notes[0])
    assert cells(read("c\na\n?\nb\n", na=["?"]), "c") == ["a", None, "b"]


def test_two_currencies_are_no_numbers():
    assert cells(read("p\n$5\n€7\n"), "p") == ["$5", "€7"]


def test_some_percent_signs_are_said_loudly():
    found = read("p\n5%\n7\n")
    assert cells(found, "p") == [5, 7]
    assert "percent" in loud(found)[0]


def test_a_header_of_numbers_is_doubted():
    text = "5.1,3.5,a\n4.9,3.0,b\n"
    assert "--no-header" in loud(read(text))[0]
    found = read(text, header=False)
    assert found.table.column_names == ["x0", "x1", "x2"]
    assert found.table.num_rows == 2


def test_ids_constants_and_zeros_are_noted():
    rows = "".join(f"{i},7,0{i}\n" for i in range(100, 130))
    found = read("nr,same,zip\n" + rows)
    assert {(note.kind, note.column) for note in found.notes} == {
        ("id", "nr"), ("constant", "same"), ("zeros", "zip"), ("id", "zip"),
    }  # fmt: skip
    assert not [n for n in read("nr,same,zip\n" + rows, target="nr").notes if n.column == "nr"]
    assert cells(read("zip,b\n01,1\n", text=["zip"]), "zip") == ["01"]


LINES = {
    "a byte order mark": b"\xef\xbb\xbfa,b\n1,2\n",
    "utf-16": "a,b\n1,2\n".encode("utf-16"),
    "utf-16 without a mark": "a,b\n1,2\n".encode("utf-16-be"),
    "windows line ends": b"a,b\r\n1,2\r\n",
    "old line ends": b"a,b\r1,2\r",
    "no last line end": b"a,b\n1,2",
    "blank lines": b"\n\na,b\n\n1,2\n\n",
    "rows without cells": b"a,b\n,\n1,2\n,\n",
    "comments": b"# one\n# two\na,b\n1,2\n",
    "a named separator": b"sep=;\na;b\n1;2\n",
    "separators at the end": b"a,b,\n1,2,\n",
    "separators at the end of rows": b"a,b\n1,2,\n",
    "quotes": b'"a","b"\n"1","2"\n',
    "gzip": gzip.compress(b"a,b\n1,2\n"),
    "tabs": b"a\tb\n1\t2\n",
    "bars": b"a|b\n1|2\n",
    "json": b'{"a": 1, "b": 2}\n',
}


@pytest.mark.parametrize("case", LINES)
def test_files_of_one_row(case):
    found = read(LINES[case])
    assert found.table.to_pylist() == [{"a": 1, "b": 2}]


@pytest.mark.parametrize(("case", "words"), [
    ("comments", "2 comment lines are skipped"),
    ("rows without cells", "rows without any cell are left out: 2"),
    ("separators at the end", "neither name nor cells"),
    ("separators at the end of rows", "a separator too many"),
    ("utf-16", "UTF-16"),
])  # fmt: skip
def test_lines_that_are_no_rows_are_noted(case, words):
    (note,) = read(LINES[case]).notes
    assert words in str(note)


def test_quoted_cells_hold_anything():
    found = read('name,"long, note"\n"a ""b"" c","x\ny"\n')
    assert found.table.to_pylist() == [{"name": 'a "b" c', "long, note": "x\ny"}]


REFUSED = {
    "latin": ("a\ncaf\xe9\n".encode("latin-1"), {}, "'a'.*--encoding latin-1"),
    "latin header": ("\xe9,b\n1,2\n".encode("latin-1"), {}, "header.*--encoding latin-1"),
    "no such encoding": (b"a\n1\n", {"encoding": "klingon"}, "no encoding 'klingon'"),
    "ragged": (b"# c\na,b\n1,2\n3\n", {}, "line 4 has 1 cells where the header has 2"),
    "empty": (b" \n", {}, "empty"),
    "no rows": (b"a,b\n", {}, "no rows"),
    "twice": (b"a,a\n1,2\n", {}, "'a' occurs more than once"),
    "bad json": (b'{"a": 1}\n{"a": }\n', {}, "JSON Lines.*line 2"),
    "lists": (b'{"a": 1}\n{"a": [1]}\n', {}, "lists"),
    "bad mark": (b"a\n1\n", {"decimal": ";"}, "'decimal' parameter"),
    "bad group": (b"a\n1\n", {"thousands": "-"}, "'thousands' parameter"),
    "one mark": (b"a\n1\n", {"thousands": ",", "decimal": ","}, "must differ"),
    "like nothing": (b"a\n1\n", {"like": 3}, "'like' parameter"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_with_one_line(case):
    data, options, words = REFUSED[case]
    with pytest.raises(BayeswoodError, match=words) as caught:
        read(data, **options)
    assert "\n" not in str(caught.value)


def test_an_encoding_can_be_named():
    assert cells(read("a\ncaf\xe9\n".encode("latin-1"), encoding="latin-1"), "a") == ["café"]


def test_files_by_name_and_standard_input(tmp_path, monkeypatch):
    table = pa.table({"a": [1, 2], "b": ["x", "y"], "when": [dt.date(2024, 1, 1)] * 2})
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, str(tmp_path / "t.feather"))
    with pa.ipc.new_stream(str(tmp_path / "t.arrow"), table.schema) as stream:
        stream.write_table(table)
    lines = "".join(json.dumps({"a": i, "b": b}) + "\n" for i, b in ((1, "x"), (2, "y")))
    (tmp_path / "t.jsonl").write_text(lines)
    for name in ("t.parquet", "t.feather", "t.arrow", "t.jsonl"):
        found = bayeswood.read_table(tmp_path / name)
        assert found.table.select(["a", "b"]).to_pydict() == {"a": [1, 2], "b": ["x", "y"]}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a;b\n1;2\n")))
    assert cells(bayeswood.read_table("-"), "b") == [2]
    with pytest.raises(FileNotFoundError, match="No file"):
        bayeswood.read_table(tmp_path / "gone.csv")
    with pytest.raises(BayeswoodError, match="folder"):
        bayeswood.read_table(tmp_path)
    with pytest.raises(BayeswoodError, match="'source' parameter"):
        bayeswood.read_table(5)


def test_mixed_json_is_read_like_text():
    found = read(b'{"a": 1}\n{"a": "n/a"}\n{"a": 2.5}\n')
    assert cells(found, "a") == [1.0, None, 2.5]


def test_text_that_a_file_declares_stays_text_if_plain():
    stream = io.BytesIO()
    pq.write_table(pa.table({"code": ["01", "02"], "price": ["1,5", "2,5"]}), stream)
    found = read(stream.getvalue())
    assert found.table.to_pydict() == {"code": ["01", "02"], "price": [1.5, 2.5]}


def test_pyarrow_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'bayeswood\[parquet\]'"):
        read("a\n1\n")


@pytest.fixture(scope="module")
def trained():
    """A model of a table with decimal commas, dates of its own and a target."""
    rows = "".join(
        f"{1 + i % 28:02}.{1 + i % 12:02}.2024;1.{100 + i},5 €;{i % 7}%;a;{i},5\n"
        for i in range(60)
    )
    found = read("when;price;share;kind;y\n" + rows + "01.01.2024;n/a;?;b;\n")
    X, y = found.split("y", drop_missing=True)
    return RandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)


def test_a_model_remembers_how_its_table_was_written(trained, tmp_path):
    trained.save(tmp_path / "m")
    for model in (trained, bayeswood.load(tmp_path / "m")):
        reading = model.schema_.reading
        assert reading.target == "y"
        assert (reading.of("price").decimal, reading.of("price").thousands) == (",", ".")
        assert reading.of("price").currency == "€"
        assert reading.of("share").percent
        assert reading.of("when").date_format == "%d.%m.%Y"
        assert list(model.feature_names_in_) == ["when", "price", "share", "kind"]
        assert model.n_features_in_ == 4
        assert len(model.feature_importances_) == model.schema_.n_features > 4


def test_a_later_table_is_read_by_the_marks_of_training(trained):
    text = "when;price;share;kind\n03.02.2024;1.234;5%;a\n"
    found = read(text, like=trained)
    assert cells(found, "price") == [1234]
    assert cells(found, "when") == [dt.datetime(2024, 2, 3)]
    assert not found.notes
    assert trained.predict(found).shape == (1,)
    plain = read("when;price;share;kind\n2024-02-03;1234.5;5;a\n", like=trained)
    assert cells(plain, "price") == [1234.5]
    assert [note.column for note in plain.notes if note.loud] == ["when", "price", "share"]
    same = read("when;price;share;kind\n03.02.2024;1.234,50 €;5%;a\n", like=trained)
    other = read("when;price;share;kind\n03.02.2024;1234.5;5%;a\n", like=trained)
    np.testing.assert_array_equal(trained.predict(same), trained.predict(other))


def test_words_that_no_number_column_can_hold_are_refused(trained):
    text = "when;price;share;kind\n03.02.2024;1,5;5%;a\n03.02.2024;cheap;5%;a\n"
    with pytest.raises(
        BayeswoodError, match=r"'price' must hold numbers.*'cheap' in data row 2.*--na"
    ):
        read(text, like=trained)
    assert cells(read(text, like=trained, na=["cheap"]), "price") == [1.5, None]


def test_split_needs_a_target():
    found = read("a,b\n1,2\n")
    with pytest.raises(BayeswoodError, match="'target' parameter of split"):
        found.split("c")
    X, y = found.split("b")
    assert X.column_names == ["a"]
    assert read("a,b\n1,2\n", target="b").features.column_names == ["a"]
    assert y.to_pylist() == [2]
    assert list(found.to_pandas().columns) == ["a", "b"]
    assert pl.from_arrow(found.table).shape == (1, 2)


def test_a_series_tells_the_targets_name():
    X, y = pd.DataFrame({"a": np.arange(20.0)}), pd.Series(np.arange(20.0), name="price")
    forest = RandomForestRegressor(n_estimators=2, random_state=0)
    assert forest.fit(X, y).schema_.reading.target == "price"
    assert forest.fit(X, y.to_numpy()).schema_.reading.target is None


def test_lines_of_notes_are_shared_and_the_loud_ones_come_first():
    notes = [Note("number", "plain.", name) for name in "abcdef"] + [Note("x", "look!", loud=True)]
    assert note_lines(notes) == [
        "PLEASE CHECK: look!",
        "columns 'a', 'b', 'c', 'd' and 2 more: plain.",
    ]


def test_the_word_that_makes_a_category_of_numbers_is_named():
    """Not those that are taken as missing anyway."""
    cells = [f"{n}.5" for n in range(40)] + ["n/a", "-", "unbekannt"]
    [note] = loud(read("a\n" + "\n".join(cells) + "\n"))
    assert "such as 'unbekannt'." in note
