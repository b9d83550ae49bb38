"""Finding files, and refusing those whose columns do not agree before a row is used."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayeswood import BayeswoodError
from bayeswood.distributed.files.batches import read_batches
from bayeswood.distributed.files.file_plan import cut_fragments, open_source
from bayeswood.distributed.files.file_types import inspect_file
from bayeswood.distributed.files.input_files import find_files

OWNER = "Forest.fit_parquet"


def write(path, **columns):
    """Write a small file of the kind that its name says."""
    table = pa.table(columns)
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=2)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    else:
        lines = [",".join(columns)]
        lines += [
            ",".join("" if v is None else str(v) for v in row.values()) for row in table.to_pylist()
        ]
        path.write_text("\n".join(lines) + "\n")
    return path


def source_of(folder, target="y", features=None, weight=None):
    return open_source(folder, target, features, weight, "from_dtype", OWNER)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv"])
def test_every_format_gives_the_same_rows(tmp_path, kind):
    path = write(
        tmp_path / f"a.{kind}", x=[1.5, None, 2.5, 4.0], c=["u", "v", None, "u"], y=[1, 2, 3, 4]
    )
    file = inspect_file(str(path))
    assert file.n_rows == 4
    assert file.types == {"x": "double", "c": "string", "y": "int64"}
    batches = list(read_batches(file, ["y", "x", "c"], batch_rows=3))
    assert all(batch.num_rows <= 3 for batch in batches)
    rows = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    assert rows == [(1, 1.5, "u"), (2, None, "v"), (3, 2.5, None), (4, 4.0, "u")]


def test_folders_patterns_and_lists_are_sorted(tmp_path):
    for name in ("b.parquet", "a.parquet", "c.parquet"):
        write(tmp_path / name, y=[1])
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "notes.txt").write_text("no data")
    (tmp_path / "bayeswood-0123").mkdir()
    write(tmp_path / "bayeswood-0123" / "spilled.arrow", y=[1])
    expected = [str(tmp_path / name) for name in ("a.parquet", "b.parquet", "c.parquet")]
    assert find_files(tmp_path, OWNER) == expected
    assert find_files(str(tmp_path / "*.parquet"), OWNER) == expected
    assert find_files(expected[::-1], OWNER) == expected


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        ([], "at least one file"),
        ("nowhere.parquet", "finds no file 'nowhere.parquet'"),
        ("*.parquet", "finds no file"),
        ("notes.txt", "must end in one of .parquet"),
        (["a.parquet", "a.parquet"], "named twice"),
        ("empty_folder", "holds no data file"),
    ],
)
def test_files_that_cannot_be_found_are_named(tmp_path, monkeypatch, paths, words):
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("no data")
    Path("empty_folder").mkdir()
    if "a.parquet" in paths:
        write(tmp_path / "a.parquet", y=[1])
    with pytest.raises(BayeswoodError, match=words.replace("*", r"\*")):
        find_files(paths, OWNER)


def test_a_missing_column_is_named_with_its_file(tmp_path):
    write(tmp_path / "a.parquet", x=[1.0], y=[1.0])
    write(tmp_path / "b.parquet", z=[1.0], y=[1.0])
    with pytest.raises(
        BayeswoodError, match=r"b\.parquet' has no column 'x', which .*a\.parquet' has"
    ):
        source_of(tmp_path)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv"])
def test_a_string_where_a_number_was_is_named_with_its_file(tmp_path, kind):
    write(tmp_path / f"a.{kind}", x=[1.0, 2.5], y=[1.0, 0.5])
    write(tmp_path / f"b.{kind}", x=["one", "two"], y=[1.0, 0.5])
    with pytest.raises(
        BayeswoodError, match=rf"Column 'x' of '.*b\.{kind}' holds strings, but that"
    ):
        source_of(tmp_path)


def test_a_changed_width_is_an_error_where_types_are_declared(tmp_path):
    write(tmp_path / "a.parquet", x=pa.array([1.0], pa.float32()), y=[1.0])
    write(tmp_path / "b.parquet", x=pa.array([1.0], pa.float64()), y=[1.0])
    with pytest.raises(BayeswoodError, match=r"'x' of '.*b\.parquet' holds numbers \(double\)"):
        source_of(tmp_path)


def test_text_may_be_packed_as_a_dictionary_in_some_files(tmp_path):
    write(tmp_path / "a.parquet", c=["u"], y=[1.0])
    write(tmp_path / "b.parquet", c=pa.array(["v"]).dictionary_encode(), y=[1.0])
    assert source_of(tmp_path).types["c"] == "string"


def test_csv_types_hold_every_row_and_every_file(tmp_path, monkeypatch):
    monkeypatch.setattr("bayeswood.distributed.files.batches.CSV_BLOCK", 64)
    n = 50
    write(
        tmp_path / "a.csv",
        whole=list(range(n)),
        late=[*range(n - 1), 0.5],
        empty=[None] * n,
        y=[1] * n,
    )
    write(tmp_path / "b.csv", whole=[0.5] * n, late=list(range(n)), empty=["w"] * n, y=[2] * n)
    assert inspect_file(str(tmp_path / "a.csv")).types["late"] == "double"
    source = source_of(tmp_path)
    assert source.types == {"whole": "double", "late": "double", "empty": "string", "y": "int64"}
    first = next(iter(read_batches(source.files[0], ["whole", "empty"])))
    assert str(first.schema.field("whole").type) == "double"
    assert str(first.schema.field("empty").type) == "string"


def test_files_that_are_no_tables_are_refused(tmp_path):
    (tmp_path / "zero.parquet").write_bytes(b"")
    (tmp_path / "noise.parquet").write_bytes(b"PAR1 but nothing else")
    (tmp_path / "twice.csv").write_text("x,x\n1,2\n")
    with pytest.raises(BayeswoodError, match=r"zero\.parquet' is empty"):
        inspect_file(str(tmp_path / "zero.parquet"))
    with pytest.raises(BayeswoodError, match=r"noise\.parquet' is not a readable Parquet file"):
        inspect_file(str(tmp_path / "noise.parquet"))
    with pytest.raises(BayeswoodError, match="two columns of the name 'x'"):
        inspect_file(str(tmp_path / "twice.csv"))


def test_a_file_without_rows_is_checked_and_skipped(tmp_path):
    nothing = pa.array([], pa.float64())
    write(tmp_path / "a.parquet", x=nothing, y=nothing)
    with pytest.raises(BayeswoodError, match="have no rows"):
        source_of(tmp_path)
    write(tmp_path / "b.parquet", x=[1.0, 2.0], y=[1.0, 2.0])
    assert source_of(tmp_path).n_rows == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"target": "z"}, "finds no column 'z'. There are: x, w, y"),
        ({"features": ["x", "x"]}, "'x' is named twice"),
        ({"features": ["x", "y"]}, "'y' is named twice|'y' cannot be a feature"),
        ({"features": []}, "No column is left"),
        ({"weight": "v"}, "finds no column 'v'"),
        ({"target": []}, "must name a column"),
    ],
)
def test_roles_that_cannot_be(tmp_path, arguments, words):
    write(tmp_path / "a.parquet", x=[1.0], w=[1.0], y=[1.0])
    with pytest.raises(BayeswoodError, match=words):
        source_of(tmp_path, **{"target": "y", **arguments})


def test_fragments_cover_every_row_group_once(tmp_path, rng):
    for name in "abc":
        n = int(rng.integers(1, 30))
        write(tmp_path / f"{name}.parquet", x=np.arange(n), y=np.arange(n))
    source = source_of(tmp_path)
    fragments = cut_fragments(source.files, most_rows=7)
    seen = [(f.file, group) for f in fragments for group in range(f.start, f.stop)]
    assert seen == [(i, g) for i, f in enumerate(source.files) for g in range(len(f.group_rows))]
    assert sum(f.n_rows for f in fragments) == source.n_rows
    assert all(f.n_rows <= 7 or f.stop - f.start == 1 for f in fragments)
