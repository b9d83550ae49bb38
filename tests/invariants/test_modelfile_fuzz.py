"""No file, however damaged or hostile, crashes or hangs the reader or makes it eat memory.

Run as a script, this file fuzzes: ``test_modelfile_fuzz.py SEED COUNT`` mutates COUNT files in a
process whose memory is limited, and prints what became of them. The tests run it that way, so
that a crash of native code or a runaway allocation ends that process and not the test run.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.modelfile import write_model
from bayeswood.modelfile.container import digest, read_section, read_table
from bayeswood.modelfile.layout import DIGEST_SIZE, ENTRY, PREAMBLE, Codec, FormatError
from bayeswood.modelfile.read import StoredModel, parse_model, read_stored

N_SHARDS, N_PER_SHARD = 2, 12_000
MEMORY_LIMIT = 1 << 28  # bytes beyond what the imports need
PEAK_RATIO, PEAK_FLOOR = 64, 1 << 22  # of the file's size; bytes
SLOWEST_FILE = 5.0  # seconds; a usual one takes a millisecond
TABLE = PREAMBLE.size + DIGEST_SIZE
NUMBERS = [0, 1, 2, 3, 7, 8, 63, 64, 127, 128, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31]
WIDE = [*NUMBERS, 2**32 - 1, 2**32, 2**48, 2**63 - 1, 2**63, 2**64 - 1]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-320, 1e300, np.inf, -np.inf, np.nan]
JSON_VALUES = [None, True, -1, 1.5, "", "x", [], {}, [[]], {"$float": "nan"}, {"$": 1}, *WIDE]

Rng = np.random.Generator


def _load(name: str) -> ModuleType:
    path = Path(__file__).parents[1] / "unit" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


damage = _load("modelfile/test_damage")
forests = damage.forests


def corpus() -> list[bytes]:
    """Write one small model of each kind."""
    arrays = {"y": np.linspace(0, 1, 50), "zeros": np.zeros(300), "c": np.array(["no", "yes"])}
    meta = {"seed": 3, "alpha": float("nan"), "columns": [{"name": "x", "levels": ["a", 1]}]}
    files = []
    with tempfile.TemporaryDirectory() as folder:
        for seed, recipe in enumerate(forests.RECIPES.values()):
            path = Path(folder) / "model"
            write_model(path, "C", meta, arrays, forests.random_forest(recipe, seed))
            files.append(path.read_bytes())
    return files


def pick(rng: Rng, items: Any) -> Any:
    return items[int(rng.integers(len(items)))]


def reseal_table(data: bytes | bytearray) -> bytes:
    """Make the digest of preamble and table right, if they can be found."""
    n_sections = int.from_bytes(data[10:12], "little")
    table = bytes(data[TABLE : TABLE + n_sections * ENTRY.size])
    sealed = digest(bytes(data[: PREAMBLE.size]), table)
    return bytes(data[: PREAMBLE.size]) + sealed + bytes(data[TABLE:])


def reseal_all(data: bytes | bytearray) -> bytes:
    """Make every digest right, and the stated file size."""
    data = bytearray(data)
    n_sections = int.from_bytes(data[10:12], "little")
    offset = TABLE + n_sections * ENTRY.size
    if offset > len(data):
        return bytes(data)
    data[16:24] = len(data).to_bytes(8, "little")
    for k in range(n_sections):
        start = TABLE + k * ENTRY.size
        size = int.from_bytes(data[start + 8 : start + 16], "little")
        body = bytes(data[offset : offset + size])
        data[start + 24 : start + 40] = digest(body)
        offset += size
    return reseal_table(data)


def flip_bytes(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(int(rng.integers(1, 9))):
        changed[int(rng.integers(len(changed)))] = pick(
            rng, (0, 1, 127, 128, 255, rng.integers(256))
        )
    return bytes(changed)


def cut(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    if rng.random() < 0.3:
        return data + rng.bytes(int(rng.integers(1, 50)))
    start = int(rng.integers(len(data)))
    return data[:start] if rng.random() < 0.5 else data[:start] + data[start + 1 :]


def splice(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    other = pick(rng, others)
    start, length = int(rng.integers(len(data))), int(rng.integers(1, 200))
    source = int(rng.integers(len(other))) if rng.random() < 0.5 else start
    return data[:start] + other[source : source + length] + data[start + length :]


def flip_sealed(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    return reseal_all(flip_bytes(data, rng, others))


def flip_body_sealed(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """Change bytes of sections only: all sizes stay right."""
    start = TABLE + int.from_bytes(data[10:12], "little") * ENTRY.size
    return reseal_all(data[:start] + flip_bytes(data[start:], rng, others))


def cut_sealed(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    return reseal_all(cut(data, rng, others))


def splice_sealed(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    return reseal_all(splice(data, rng, others))


def lie_in_preamble(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    fields = list(PREAMBLE.unpack_from(data))
    column = int(rng.integers(1, 5))
    high = (0, 2**16, 2**16, 2**32, 2**64)[column]
    fields[column] = pick(rng, [n for n in (*WIDE, fields[column] + 1) if n < high])
    return reseal_table(PREAMBLE.pack(*fields) + data[PREAMBLE.size :])


def lie_in_table(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    n_sections = int.from_bytes(data[10:12], "little")
    start = TABLE + ENTRY.size * int(rng.integers(n_sections))
    fields = list(ENTRY.unpack_from(data, start))
    column = int(rng.integers(6))
    high = (2**16, 2**8, 2**8, 2**32, 2**64, 2**64)[column]
    near = (fields[column] + 1, max(fields[column] - 1, 0), 8 * fields[column])
    fields[column] = pick(rng, [n for n in (*WIDE, *near, *near) if n < high])
    changed = data[:start] + ENTRY.pack(*fields) + data[start + ENTRY.size :]
    return reseal_all(changed) if rng.random() < 0.5 else reseal_table(changed)


def shuffle_sections(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    def change(parts: list[Any]) -> list[Any]:
        a, b = rng.integers(len(parts), size=2)
        match int(rng.integers(4)):
            case 0:
                parts[a], parts[b] = parts[b], parts[a]
            case 1:
                del parts[a]
            case 2:
                parts.insert(a, [list(parts[b][0]), parts[b][1]])
            case _:
                parts[a][1] = parts[b][1]
        return parts

    return bytes(damage.rebuild(data, change))


def change_numbers(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """Set, drop or add numbers in one to three sections, and seal all again."""
    entries = read_table(BytesIO(data), len(data))

    def change(parts: list[Any]) -> None:
        for _ in range(int(rng.integers(1, 4))):
            k = int(rng.integers(1, len(entries)))
            numbers = _mutated(read_section(BytesIO(data), entries[k]).copy(), rng)
            parts[k][0][2] = Codec.RAW
            parts[k][1] = numbers.tobytes()

    return bytes(damage.rebuild(data, change))


def _mutated(numbers: np.ndarray, rng: Rng) -> np.ndarray:
    action = rng.random()
    if action < 0.1 or len(numbers) == 0:
        return np.append(numbers, numbers[:1] if len(numbers) else np.zeros(1, numbers.dtype))
    if action < 0.2:
        return np.delete(numbers, int(rng.integers(len(numbers))))
    where = rng.integers(len(numbers), size=int(rng.integers(1, 4)))
    if action < 0.3:
        return rng.permutation(numbers)
    if action < 0.6:
        numbers[where] = numbers[rng.integers(len(numbers), size=len(where))]
    elif numbers.dtype.kind == "f":
        numbers[where] = numbers.dtype.type(pick(rng, FLOATS[:-4] + FLOATS[-3:]))
    else:
        high = np.iinfo(numbers.dtype).max
        numbers[where] = pick(rng, [n for n in (*WIDE, int(numbers[where[0]]) ^ 1) if n <= high])
    return numbers


def change_header(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """Put an odd value somewhere in the JSON tree."""

    def change(header: dict[str, Any]) -> None:
        place: Any = header
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = pick(rng, keys)
            if isinstance(place[key], dict | list) and place[key] and rng.random() < 0.85:
                place = place[key]
                continue
            _change_value(place, key, rng)
            return

    return bytes(damage.edit_header(data, change))


def _change_value(place: Any, key: Any, rng: Rng) -> None:
    action = rng.random()
    if action < 0.1:
        del place[key]
    elif action < 0.2 and isinstance(place, dict):
        place[pick(rng, ["", "$x", "x", "text", "n_trees"])] = place[key]
    elif action < 0.5 and type(place[key]) is int:
        place[key] += int(rng.integers(-2, 3))
    else:
        place[key] = pick(rng, JSON_VALUES)


def change_json_text(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    def change(parts: list[Any]) -> None:
        mutate = pick(rng, (flip_bytes, cut, splice))
        parts[0][1] = mutate(parts[0][1], rng, [part[1] or b"0" for part in parts])
        if rng.random() < 0.1:
            parts[0][1] = pick(rng, (b"[", b'{"a":', b'"')) * int(rng.integers(1, 20_000))

    return bytes(damage.rebuild(data, change))


UNSEALED = (flip_bytes, cut, splice)
SEALED = (
    flip_sealed,
    flip_body_sealed,
    cut_sealed,
    splice_sealed,
    lie_in_preamble,
    lie_in_table,
    shuffle_sections,
    change_numbers,
    change_numbers,
    change_numbers,
    change_header,
    change_header,
    change_json_text,
)
Mutator = Callable[[bytes, Rng, list[bytes]], bytes]


def leaf_of(arrays: dict[str, Any], tree: int, row: np.ndarray) -> int:
    """Walk one tree in plain Python; any step outside the arrays is an IndexError."""
    end = int(np.cumsum(arrays["n_nodes"])[tree])
    first = end - int(arrays["n_nodes"][tree])
    is_split = arrays["feature"][first:end] >= 0
    rank = np.cumsum(is_split) - is_split
    node = steps = 0
    while is_split[node]:
        node = int(2 * rank[node] + (1 if goes_left(arrays, first + node, row) else 2))
        steps += 1
        assert steps < end - first, "a walk does not end"
    return node


def goes_left(arrays: dict[str, Any], node: int, row: np.ndarray) -> bool:
    feature = arrays["feature"]
    value = row[feature[node]]
    if np.isnan(value):
        return bool(arrays["missing_left"][node])
    if arrays["n_levels"][feature[node]] == 0:
        return bool(value <= arrays["threshold"][node])
    before = feature[:node][feature[:node] >= 0]
    offset = int(((arrays["n_levels"][before].astype(np.int64) + 63) // 64).sum())
    word = int(arrays["category_words"][offset + int(value) // 64])
    return bool(word >> int(value) % 64 & 1)


def check_accepted(stored: StoredModel) -> None:
    """Predict with a forest that was let in: in Python, then in the native core."""
    arrays = stored.forest_arrays
    X = forests.random_rows(forests.PlainForest(arrays, stored.log_weights), 2, 0)
    core = _core.Forest.from_arrays(arrays)
    leaves = core.apply(X)
    for tree in range(min(3, core.n_trees)):
        assert leaf_of(arrays, tree, X[0]) == leaves[0, tree]
    if arrays["n_outputs"] <= 2_000:
        check_predictions(core, X)


def check_predictions(core: Any, X: np.ndarray) -> None:
    weights = np.full(core.n_trees, 1 / core.n_trees)
    mean = core.predict_mean(X, weights)
    assert mean.shape == (len(X), core.n_outputs)
    if core.is_classifier:
        np.testing.assert_allclose(mean.sum(axis=1), 1, atol=1e-3)
        core.predict_votes(X, weights)


def outcome(data: bytes) -> str:
    """Parse a file; whatever it is, the answer is a model or one clear refusal."""
    start = time.perf_counter()
    try:
        stored = parse_model(BytesIO(data), len(data))
    except FormatError:
        return "refused"
    finally:
        assert time.perf_counter() - start < SLOWEST_FILE, "a file takes too long"
    check_accepted(stored)
    return "accepted"


def check_peak(data: bytes) -> None:
    """Parsing takes memory in proportion to the file."""
    tracemalloc.start()
    try:
        parse_model(BytesIO(data), len(data))
    except FormatError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak <= PEAK_RATIO * len(data) + PEAK_FLOOR, f"{peak} bytes for {len(data)}"


def check_through_disk(data: bytes, expected: str, path: Path) -> None:
    path.write_bytes(data)
    try:
        read_stored(path)
        actual, message = "accepted", ""
    except BayeswoodError as error:
        actual, message = "refused", str(error)
    assert actual == expected
    assert not message or (str(path) in message and len(message) < 1_000)


def limit_memory() -> None:
    """Let this process have little more memory than it has now."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY_LIMIT
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def fuzz(seed: int, count: int) -> dict[str, int]:
    """Mutate and parse `count` files; count what became of them by mutator."""
    files, rng, tally = corpus(), np.random.default_rng(seed), Counter[str]()
    if sys.platform == "linux":
        limit_memory()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(count):
            original = pick(rng, files)
            sealed = rng.random() < 0.75
            mutate: Mutator = pick(rng, SEALED if sealed else UNSEALED)
            data = mutate(original, rng, files)
            result = "unchanged" if data == original else outcome(data)
            tally[f"{mutate.__name__} {result}"] += 1
            if k % 20 == 0 and result != "unchanged":
                check_peak(data)
                check_through_disk(data, result, Path(folder) / "model")
    return dict(tally)


@pytest.mark.parametrize("shard", range(N_SHARDS))
def test_mutated_files_never_do_harm(shard: int) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-W", "error", __file__, str(shard), str(N_PER_SHARD)],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    tally = json.loads(done.stdout)
    assert sum(tally.values()) == N_PER_SHARD
    for mutate in UNSEALED:
        assert f"{mutate.__name__} accepted" not in tally
    for mutate in SEALED:
        assert tally[f"{mutate.__name__} refused"] > 50
    assert tally["change_numbers accepted"] > 100


def test_memory_limit_is_felt() -> None:
    """The negative control: the fuzzing process cannot take much more memory than it says."""
    if sys.platform != "linux":
        pytest.skip("the limit is set on Linux only")
    code = (
        "import runpy, sys; import numpy as np; "
        f"m = runpy.run_path({__file__!r}); m['limit_memory'](); np.ones(2 * {MEMORY_LIMIT}, 'u1')"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert "MemoryError" in done.stderr


if __name__ == "__main__":
    print(json.dumps(fuzz(int(sys.argv[1]), int(sys.argv[2]))))
