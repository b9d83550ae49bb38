"""Damaged and hostile files are refused with one clear error; failed writes lose nothing."""

import importlib.util
import json
import os
import sys
import tempfile
import tracemalloc
import zlib
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.modelfile import write_model
from bayeswood.modelfile.container import digest, read_section, read_table
from bayeswood.modelfile.layout import DIGEST_SIZE, ENTRY, PREAMBLE, Codec, FormatError, Kind
from bayeswood.modelfile.read import parse_model, read_stored


def _load_forests() -> ModuleType:
    path = Path(__file__).with_name("test_trees.py")
    spec = importlib.util.spec_from_file_location("modelfile_forests", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["modelfile_forests"] = module
    spec.loader.exec_module(module)
    return module


forests = _load_forests()
TABLE = PREAMBLE.size + DIGEST_SIZE


@pytest.fixture
def forest() -> Any:
    return forests.random_forest(forests.RECIPES["classifier-rows"], 0)


@pytest.fixture
def model(tmp_path: Path, forest: Any) -> Path:
    path = tmp_path / "trees.model"
    arrays = {"y": np.arange(400.0), "classes": np.array(["no", "yes"])}
    write_model(path, "BayesianForestClassifier", {"seed": 3}, arrays, forest)
    return path


def rebuild(data: bytes, change: Any) -> bytes:
    """Take a file apart, let `change` edit its sections, and seal it again."""
    entries = read_table(BytesIO(data), len(data))
    parts = [
        [list(ENTRY.unpack_from(data, TABLE + k * ENTRY.size)), data[e.offset :][: e.stored_size]]
        for k, e in enumerate(entries)
    ]
    parts = change(parts) or parts
    for fields, body in parts:
        fields[4], fields[6] = len(body), digest(body)
        if fields[2] == Codec.RAW:
            fields[5] = len(body)
    table = b"".join(ENTRY.pack(*fields) for fields, _ in parts)
    size = TABLE + len(table) + sum(len(body) for _, body in parts)
    version = int.from_bytes(data[8:10], "little")
    preamble = PREAMBLE.pack(data[:8], version, len(parts), 0, size)
    return b"".join([preamble, digest(preamble, table), table, *(body for _, body in parts)])


def edit_header(data: bytes, change: Any) -> bytes:
    def edit(parts: Any) -> None:
        header = json.loads(parts[0][1])
        change(header)
        text = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        parts[0][1] = text.encode()

    return rebuild(data, edit)


def edit_section(data: bytes, kind: Kind, change: Any) -> bytes:
    """Change the numbers of one section."""
    entries = read_table(BytesIO(data), len(data))
    index = [entry.kind for entry in entries].index(kind)
    numbers = read_section(BytesIO(data), entries[index]).copy()
    changed = change(numbers)

    def edit(parts: Any) -> None:
        parts[index][0][2] = Codec.RAW
        parts[index][1] = (numbers if changed is None else changed).tobytes()

    return rebuild(data, edit)


def refusal(data: bytes) -> str:
    with pytest.raises(FormatError) as caught:
        parse_model(BytesIO(data), len(data))
    return str(caught.value)


def test_rebuilding_without_a_change_gives_the_same_file(model: Path) -> None:
    data = model.read_bytes()
    assert rebuild(data, lambda parts: None) == data
    assert edit_header(data, lambda header: None) == data


def test_every_truncation_is_refused(model: Path) -> None:
    data = model.read_bytes()
    for size in range(len(data)):
        assert refusal(data[:size])


def test_every_flipped_bit_is_refused(model: Path) -> None:
    data = bytearray(model.read_bytes())
    for k in range(len(data)):
        data[k] ^= 1 << k % 8
        assert refusal(bytes(data))
        data[k] ^= 1 << k % 8


def test_the_error_names_the_file_and_the_reason(model: Path) -> None:
    model.write_bytes(model.read_bytes()[:-1])
    with pytest.raises(BayeswoodError, match=r"Cannot read.*trees\.model.*cut short: \d+ bytes"):
        read_stored(model)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"\x80\x04\x95" * 40, b"a,b\n1,2\n"])
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "other").write_bytes(data)
    with pytest.raises(BayeswoodError, match="not a bayeswood model file"):
        read_stored(tmp_path / "other")


def test_bytes_after_the_end_are_refused(model: Path) -> None:
    assert "bytes after its end" in refusal(model.read_bytes() + b"\0")


def test_newer_version_asks_for_an_update(model: Path) -> None:
    data = bytearray(model.read_bytes())
    data[8] = 3
    assert "format version 3" in refusal(bytes(data))
    assert "update bayeswood" in refusal(bytes(data))
    data[8] = 0
    assert "does not exist" in refusal(bytes(data))


def _deep(header: Any, depth: int) -> None:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    header["meta"]["deep"] = value


def _wide_text(number: int) -> dict[str, Any]:
    """An array of 4 MB in 2,000 characters: one such is let in, many are not."""
    text = ["x" * 1_000, *"a" * 1_000]
    return {"name": f"wide {number}", "dtype": "str", "shape": [1_001], "text": text}


HEADERS = {
    "unknown key": (lambda h: h.update(extra=1), "unknown key 'extra'"),
    "lacking key": (lambda h: h.pop("meta"), "lacks the key 'meta'"),
    "class name": (lambda h: h.update(class_name="os.system"), "class name"),
    "meta not a dict": (lambda h: h.update(meta=[]), "not a JSON object"),
    "special float": (lambda h: h["meta"].update({"a": {"$float": "x"}}), "special float"),
    "special float list": (lambda h: h["meta"].update({"a": {"$float": []}}), "special float"),
    "escape": (lambda h: h["meta"].update({"$x": 1}), "escape"),
    "NaN": (lambda h: h["meta"].update(a=float("nan")), "not valid JSON"),
    "deep": (lambda h: _deep(h, 40), "nested deeper"),
    "forest list": (lambda h: h.update(forest=[]), "not a JSON object"),
    "forest key": (lambda h: h["forest"].update(depth=1), "unknown key 'depth'"),
    "n_trees": (lambda h: h["forest"].update(n_trees=0), "'n_trees' must be an int from 1"),
    "n_trees float": (lambda h: h["forest"].update(n_trees=4.0), "'n_trees' must be an int"),
    "n_trees bool": (lambda h: h["forest"].update(n_trees=True), "'n_trees' must be an int"),
    "n_nodes": (lambda h: h["forest"].update(n_nodes=5 + h["forest"]["n_nodes"]), "cannot have"),
    "more nodes": (lambda h: h["forest"].update(n_nodes=2**40), "length the header implies"),
    "has_rows": (lambda h: h["forest"].update(has_rows=1), "true or false"),
    "no rows": (lambda h: h["forest"].update(has_rows=False), "not those that its header"),
    "regressor": (lambda h: h["forest"].update(is_classifier=False), "not those that its header"),
    "classes": (lambda h: h["forest"].update(n_outputs=2**31 - 1), "too many for a model"),
    "fewer classes": (lambda h: h["forest"].update(n_outputs=1), "class that does not exist"),
    "arrays dict": (lambda h: h.update(arrays={}), "not a JSON list"),
    "array key": (lambda h: h["arrays"][0].update(x=1), "unknown key 'x'"),
    "array item": (lambda h: h["arrays"].append(3), "not a JSON object"),
    "array name": (lambda h: h["arrays"][0].update(name=""), "proper name"),
    "array twice": (lambda h: h["arrays"][0].update(name="classes"), "same name"),
    "array dtype": (lambda h: h["arrays"][0].update(dtype="object"), "unknown type"),
    "array dtype list": (lambda h: h["arrays"][0].update(dtype=[]), "unknown type"),
    "array dtype int8": (lambda h: h["arrays"][0].update(dtype="int8"), "outside -128 to 127"),
    "array dtype bool": (lambda h: h["arrays"][0].update(dtype="bool"), "outside 0 to 1"),
    "array shape": (lambda h: h["arrays"][0].update(shape=[399]), "items and the shape"),
    "array shape text": (lambda h: h["arrays"][0].update(shape="400"), "proper shape"),
    "array shape negative": (lambda h: h["arrays"][0].update(shape=[-400]), "dimension"),
    "array shape huge": (lambda h: h["arrays"][0].update(shape=[2**48] * 8), "items and the shape"),
    "array ndim": (lambda h: h["arrays"][0].update(shape=[1] * 8 + [400]), "proper shape"),
    "text item": (lambda h: h["arrays"][1]["text"].append(1), "not text"),
    "text length": (lambda h: h["arrays"][1]["text"].append("x"), "items and the shape"),
    "text dtype": (lambda h: h["arrays"][1].update(dtype="float64"), "unknown type"),
    "text width": (
        lambda h: h["arrays"][1].update(text=["x" * 50_000, *"abcdefghij" * 10], shape=[101]),
        "too long beside",
    ),
    "many text widths": (
        lambda h: h["arrays"].extend(map(_wide_text, range(9))),
        "too long beside",
    ),
    "text shape": (
        lambda h: h["arrays"][1].update(text=[], shape=[0, 2**48, 2**48]),
        "cannot have the shape",
    ),
}


@pytest.mark.parametrize("name", HEADERS)
def test_wrong_headers_are_refused(model: Path, name: str) -> None:
    change, message = HEADERS[name]
    assert message in refusal(edit_header(model.read_bytes(), change))


TEXTS = {
    "not JSON": b"{",
    "not UTF-8": b'{"\xff":1}',
    "constant": b"NaN",
    "list": b"[]",
    "spaces": b'{"arrays": []}',
    "key twice": b'{"a":1,"a":1}',
    "unsorted": b'{"b":1,"a":1}',
    "huge float": b'{"a":1e999}',
    "huge int": b'{"a":' + b"9" * 1301 + b"}",
    "very huge int": b'{"a":' + b"9" * 100_000 + b"}",
    "surrogate": b'{"a":"\\ud800"}',
    "deep": b"[" * 200_000 + b"]" * 200_000,
    "half deep": b'{"a":' * 200_000,
    "empty": b"",
}


@pytest.mark.parametrize("name", TEXTS)
def test_odd_json_is_refused(model: Path, name: str) -> None:
    def edit(parts: Any) -> None:
        parts[0][1] = TEXTS[name]

    expected = "lone surrogate" if name == "surrogate" else "its header"
    assert expected in refusal(rebuild(model.read_bytes(), edit))


def _field(index: int, column: int, value: int) -> Any:
    def edit(parts: Any) -> None:
        parts[index][0][column] = value

    return edit


def _bomb(parts: Any) -> None:
    """Ten million zeros, and a table that says so."""
    parts[-1] = [[Kind.NAMED_ARRAY, 1, Codec.ZLIB, 0, 0, 10**7, b""], zlib.compress(bytes(10**7))]


def _lying_bomb(parts: Any) -> None:
    """Ten million zeros, and a table that says a thousandth of it."""
    body = zlib.compress(bytes(10**7), 9)
    parts[-1] = [[Kind.NAMED_ARRAY, 1, Codec.ZLIB, 0, 0, len(body) + 1, b""], body]


def _trailing(parts: Any) -> None:
    raw = bytes(1000)
    parts[-1] = [[Kind.NAMED_ARRAY, 1, Codec.ZLIB, 0, 0, 1000, b""], zlib.compress(raw) + b"more"]


def _not_zlib(parts: Any) -> None:
    parts[-1] = [[Kind.NAMED_ARRAY, 1, Codec.ZLIB, 0, 0, 1000, b""], b"not zlib"]


TABLES = {
    "kind": (_field(1, 0, 63), "unknown code"),
    "dtype": (_field(1, 1, 0), "wrong type"),
    "dtype of another kind": (_field(1, 1, 9), "wrong type"),
    "codec": (_field(1, 2, 2), "unknown code"),
    "reserved": (_field(1, 3, 1), "wrong type"),
    "compressed header": (_field(0, 2, 1), "must not be compressed"),
    "sections swapped": (lambda parts: [*parts[:1], *parts[:0:-1]], "not those"),
    "section left out": (lambda parts: parts[:-1], "not those"),
    "section twice": (lambda parts: [*parts, parts[-1]], "not those"),
    "header last": (lambda parts: parts[::-1], "first section is not the header"),
    "bomb": (_bomb, "would unpack to more than"),
    "lying bomb": (_lying_bomb, "does not unpack to its stated size"),
    "trailing": (_trailing, "does not unpack to its stated size"),
    "not zlib": (_not_zlib, "cannot be unpacked"),
}


@pytest.mark.parametrize("name", TABLES)
def test_wrong_tables_are_refused(model: Path, name: str) -> None:
    change, message = TABLES[name]
    assert message in refusal(rebuild(model.read_bytes(), change))


def _fill(value: float) -> Any:
    def change(numbers: np.ndarray) -> None:
        numbers[:] = value

    return change


def _signalling_nan(numbers: np.ndarray) -> None:
    numbers.view(np.uint32)[-1] = 0x7FA0_0001


def _minus_infinity(numbers: np.ndarray) -> None:
    numbers[0] = -np.inf


SECTIONS = {
    "structure": (Kind.STRUCTURE, _fill(255), "past its end"),
    "structure of leaves": (Kind.STRUCTURE, _fill(0), "stated number of splits"),
    "structure reversed": (Kind.STRUCTURE, lambda bits: bits[::-1], "past its end"),
    "feature": (Kind.FEATURE, _fill(200), "feature that does not exist"),
    "all numeric": (Kind.N_LEVELS, _fill(0), "threshold layout"),
    "all categories": (Kind.N_LEVELS, _fill(9), "threshold layout"),
    "layout": (Kind.THRESHOLD_LAYOUT, _fill(3), "unknown code"),
    "no layout": (Kind.THRESHOLD_LAYOUT, _fill(0), "threshold layout does not match"),
    "layout direct": (Kind.THRESHOLD_LAYOUT, lambda a: a & 0xF0, "counts do not match"),
    "count": (Kind.THRESHOLD_COUNT, lambda a: a + (a > 0), "counts do not add up"),
    "count 0": (Kind.THRESHOLD_COUNT, _fill(0), "counts do not match"),
    "index": (Kind.THRESHOLD_INDEX8, _fill(255), "past the end of its table"),
    "index too short": (Kind.THRESHOLD_INDEX8, lambda a: a[1:], "items where"),
    "equal thresholds": (Kind.THRESHOLD_FLOAT32, _fill(1.0), "does not ascend"),
    "NaN threshold": (
        Kind.THRESHOLD_FLOAT32,
        lambda a: np.append(a[:-1], a[:1] * np.nan),
        "not a number",
    ),
    "table reversed": (Kind.THRESHOLD_FLOAT32, lambda a: a[::-1], "does not ascend"),
    "signalling threshold": (Kind.THRESHOLD_FLOAT32, _signalling_nan, "not a number"),
    "-inf threshold": (Kind.THRESHOLD_FLOAT64, _minus_infinity, "not a number"),
    "missing_left": (Kind.MISSING_LEFT, _fill(255), "past its end"),
    "category set": (Kind.CATEGORY_SETS, _fill(255), "level that does not exist"),
    "category sets too long": (Kind.CATEGORY_SETS, lambda a: np.append(a, a[:1]), "where"),
    "weight": (Kind.LEAF_WEIGHT, _fill(np.nan), "weight of a leaf"),
    "samples": (Kind.LEAF_N_SAMPLES, _fill(200), "training rows"),
    "value": (Kind.LEAF_VALUE, _fill(np.nan), "probability"),
    "value 0": (Kind.LEAF_VALUE, _fill(0.0), "probability"),
    "value too short": (Kind.LEAF_VALUE, lambda a: a[1:], "items where"),
    "pure": (Kind.LEAF_PURE, _fill(0), "items where"),
    "entries": (Kind.LEAF_N_ENTRIES, _fill(0), "items where"),
    "class": (Kind.LEAF_CLASS, _fill(77), "class that does not exist"),
    "equal classes": (Kind.LEAF_CLASS, _fill(1), "do not ascend"),
    "rows": (Kind.LEAF_ROWS, _fill(2**32 - 1), "outside"),
    "no rows": (Kind.LEAF_ROWS, lambda a: a[:0], "is empty"),
    "log weights": (Kind.LOG_WEIGHTS, _fill(np.nan), "log weights"),
}


TABLED = forests.Recipe(is_classifier=True, n_outputs=2, keep_rows=True, n_splits=80, grid=3)


@pytest.mark.parametrize("name", SECTIONS)
def test_wrong_sections_are_refused(tmp_path: Path, name: str) -> None:
    kind, change, message = SECTIONS[name]
    forest = forests.random_forest(TABLED, 18)
    forest.log_weights = np.array([0.1, 0.2, 0.3, 0.4])
    write_model(tmp_path / "model", "C", {}, {}, forest)
    assert message in refusal(edit_section((tmp_path / "model").read_bytes(), kind, change))


def test_dense_files_take_memory_in_proportion(tmp_path: Path) -> None:
    """The bound that docs/modelfile.md states, on a file that packs 200,000 stumps."""
    forest = forests.random_forest(forests.Recipe(n_trees=200_000, n_splits=0), 0)
    for key in ("leaf_n_samples", "leaf_weight", "leaf_value"):
        forest.arrays[key] = np.zeros_like(forest.arrays[key])
    forest.log_weights = np.zeros(200_000)
    write_model(tmp_path / "model", "C", {}, {}, forest)
    data = (tmp_path / "model").read_bytes()
    assert len(data) < 5_000
    tracemalloc.start()
    parse_model(BytesIO(data), len(data))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * len(data) + 24_000_000


def test_missing_file_directory_and_device_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BayeswoodError, match="No such file"):
        read_stored(tmp_path / "nothing")
    with pytest.raises(BayeswoodError, match="not a regular file"):
        read_stored(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a Unix thing")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, forest: Any) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BayeswoodError, match="not a regular file"):
        read_stored(tmp_path / "pipe")
    with pytest.raises(BayeswoodError, match="not a regular file"):
        write_model(tmp_path / "pipe", "C", {}, {}, forest)


def test_str_and_path_are_both_taken(tmp_path: Path, forest: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    write_model("model", "C", {"a": 1}, {}, forest)
    assert read_stored("model").meta == read_stored(tmp_path / "model").meta == {"a": 1}


def test_names_with_a_null_character_are_refused(forest: Any) -> None:
    with pytest.raises(BayeswoodError, match="null character"):
        read_stored("a\0b")
    with pytest.raises(BayeswoodError, match="null character"):
        write_model("a\0b", "C", {}, {}, forest)


def test_a_number_is_not_a_path(forest: Any) -> None:
    with pytest.raises(TypeError, match="a path or a binary stream"):
        read_stored(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a path or a binary stream"):
        write_model(3, "C", {}, {}, forest)  # type: ignore[arg-type]


def test_directories_are_not_written_to(tmp_path: Path, forest: Any) -> None:
    with pytest.raises(BayeswoodError, match=r"Cannot write.*it is a directory"):
        write_model(tmp_path, "C", {}, {}, forest)
    with pytest.raises(BayeswoodError, match=r"the directory '.*nowhere' does not exist"):
        write_model(tmp_path / "nowhere" / "model", "C", {}, {}, forest)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no users to lock out on this system")
def test_a_locked_directory_is_refused(forest: Any) -> None:
    with tempfile.TemporaryDirectory() as name:  # unlike tmp_path, others may be let in
        Path(name).chmod(0o555)
        is_root = os.geteuid() == 0
        if is_root:  # root may write anywhere: be somebody else for a moment
            os.seteuid(65534)
        try:
            with pytest.raises(BayeswoodError, match="Permission denied"):
                write_model(Path(name) / "model", "C", {}, {}, forest)
        finally:
            if is_root:
                os.seteuid(0)
            Path(name).chmod(0o700)


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), KeyboardInterrupt()])
def test_failed_write_keeps_the_old_file(
    model: Path, forest: Any, monkeypatch: Any, call: str, error: BaseException
) -> None:
    def fail(*args: Any) -> None:
        raise error

    before = model.read_bytes()
    monkeypatch.setattr(os, call, fail)
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else BayeswoodError
    with pytest.raises(expected):
        write_model(model, "C", {}, {}, forest)
    monkeypatch.undo()
    assert model.read_bytes() == before
    assert list(model.parent.iterdir()) == [model]


def test_a_link_stays_a_link(model: Path, forest: Any) -> None:
    link = model.with_name("link")
    link.symlink_to(model.name)
    write_model(link, "Linked", {}, {}, forest)
    assert link.is_symlink()
    assert read_stored(model).class_name == "Linked"


@pytest.fixture
def sums(tmp_path: Path) -> bytes:
    """A file of four members of three trees each."""
    stumps = [(0, 0.1 * k, float(k), 1.0) for k in range(12)]
    forest = Forest.from_nested(stumps, trees_per_member=3)
    write_model(tmp_path / "sums", "Sums", {}, {}, forest)
    return (tmp_path / "sums").read_bytes()


@pytest.mark.parametrize("size", [0, 1, 5, 13, -3, 3.0, True, "3", None])
def test_members_that_cannot_be_are_refused(sums: bytes, size: Any) -> None:
    assert parse_model(BytesIO(sums), len(sums)).trees_per_member == 3
    damaged = edit_header(sums, lambda header: header["forest"].update(trees_per_member=size))
    assert "trees_per_member" in refusal(damaged) or "add up" in refusal(damaged)


def test_members_need_a_weight_each(sums: bytes) -> None:
    damaged = edit_header(sums, lambda header: header["forest"].update(trees_per_member=4))
    assert "'log_weights' section does not have the length" in refusal(damaged)


def test_the_first_version_knows_no_sums(sums: bytes) -> None:
    preamble = sums[:8] + b"\1" + sums[9 : PREAMBLE.size]
    table = sums[TABLE:][: ENTRY.size * len(read_table(BytesIO(sums), len(sums)))]
    as_first = preamble + digest(preamble, table) + sums[TABLE:]
    assert "unknown key 'trees_per_member'" in refusal(as_first)
    without = edit_header(sums, lambda header: header["forest"].pop("trees_per_member"))
    assert "lacks the key 'trees_per_member'" in refusal(without)
