"""Rows that do not fit in memory: how fast, how much memory, how far from what the disk allows.

    python -m benchmarks.out_of_core --rows 2e6                  # some minutes
    python -m benchmarks.out_of_core --rows 1e7 1e8 --folder DIR # the real thing
    python -m benchmarks.out_of_core --rows 1e8 --sklearn-rows 2e7

Generated data: float32 columns and a float32 response, in Parquet files of 5 million rows. The fit
runs in a process of its own under a hard limit on memory, with its workers (a control group where
one can be made, else a limit on address space); what they hold is watched while it runs. The model
is saved and scored under the limit too. Beside it, in the same run: reading the Parquet files once,
writing as many bytes as the spill has and reading them back (the physical limit); and
scikit-learn's forest on as many rows as are asked for. Everything generated is deleted.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import one_line
from benchmarks.out_of_core.memory_limit import memory_limit
from benchmarks.out_of_core.process_tree import PeakMemory

N_FEATURES = 10
FILE_ROWS, GROUP_ROWS = 5_000_000, 1_000_000
MODEL = "model.bayeswood"
TEST_ROWS = 100_000
BLOCK = 1 << 24


def generate_rows(n_rows: int, seed: int) -> tuple[NDArray, NDArray]:
    """Uniform columns; Friedman's function of five of them, scaled noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, N_FEATURES), dtype=np.float32)
    mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    mean += 10 * X[:, 3] + 5 * X[:, 4]
    return X, (mean + rng.standard_normal(n_rows, dtype=np.float32)).astype(np.float32)


def write_files(folder: Path, n_rows: int) -> None:
    """Parquet files of `n_rows` in all, a row group at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"x{j}" for j in range(N_FEATURES)]
    schema = pa.schema([(name, pa.float32()) for name in [*names, "y"]])
    for start in range(0, n_rows, FILE_ROWS):
        path = folder / f"part-{start // FILE_ROWS:04d}.parquet"
        with pq.ParquetWriter(path, schema, use_dictionary=False) as writer:
            for first in range(start, min(start + FILE_ROWS, n_rows), GROUP_ROWS):
                X, y = generate_rows(min(GROUP_ROWS, n_rows - first), seed=first + 1)
                columns = [*np.ascontiguousarray(X.T), y]
                writer.write_table(pa.table(dict(zip(schema.names, columns, strict=True))))


def reading_seconds(folder: Path, n_jobs: int) -> float:
    """Wall time to read all columns of all files, by as many threads as the fit has processes."""
    import pyarrow.parquet as pq

    paths = sorted(folder.glob("*.parquet"))

    def read(own: list[Path]) -> None:
        for path in own:
            with pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as source:
                for _ in source.iter_batches(batch_size=65_536, use_threads=False):
                    pass

    threads = [threading.Thread(target=read, args=(paths[i::n_jobs],)) for i in range(n_jobs)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def spilling_seconds(folder: Path, n_bytes: int) -> tuple[float, float]:
    """Wall time to write so many bytes and to read them."""
    path = folder / "physical-limit"
    block = os.urandom(BLOCK)
    start = time.perf_counter()
    with open(path, "wb") as stream:
        for _ in range(-(-n_bytes // BLOCK)):
            stream.write(block)
        os.fsync(stream.fileno())
    written = time.perf_counter()
    with open(path, "rb") as stream:
        while stream.read(BLOCK):
            pass
    read = time.perf_counter()
    path.unlink()
    return written - start, read - written


def timed_processes(n_workers: int, seconds: dict[str, float]) -> Any:
    """The usual worker processes, with a note of how long each kind of task took."""
    from bayeswood.distributed.backends.local_processes import LocalProcesses

    class TimedProcesses(LocalProcesses):
        def run(self, tasks: Any, memory: int, report: Any = None) -> Iterator[Any]:
            start = time.perf_counter()
            yield from super().run(tasks, memory, report)
            seconds[tasks[0].kind] = time.perf_counter() - start

    return TimedProcesses(n_workers)


def fit_once(options: argparse.Namespace) -> dict[str, Any]:
    """Fit, save and predict, in this process; what it took."""
    from bayeswood import EmpiricalBayesianForestRegressor

    n_rows = int(options.rows[0])
    forest = EmpiricalBayesianForestRegressor(
        options.trees,
        min_samples_leaf=options.min_samples_leaf,
        trunk_max_leaves=max(2, round(n_rows / options.branch_rows)),
        keep_responses=False,
        check_trunk=False,
        random_state=0,
    )
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    with timed_processes(options.jobs, seconds) as executor:
        forest.fit_parquet(
            options.folder / "data",
            target="y",
            spill_dir=options.folder,
            memory_limit=options.memory_limit,
            n_jobs=options.jobs,
            executor=executor,
        )
    wall = time.perf_counter() - start
    start = time.perf_counter()
    forest.save(options.folder / MODEL)
    saving = time.perf_counter() - start
    return {
        "rows": n_rows,
        "wall": wall,
        "steps": seconds,
        "saving": saving,
        "rmse": test_error(forest),
        "plan": forest.memory_plan_.to_json(),
        "forest_bytes": forest.forest_.nbytes,
        "digest": forest.forest_.digest,
    }


def test_error(forest: Any) -> float:
    """Of a model on new rows."""
    import pyarrow as pa

    X, y = generate_rows(TEST_ROWS, seed=0)
    table = pa.table({f"x{j}": X[:, j] for j in range(N_FEATURES)})
    return float(np.sqrt(np.mean((forest.predict(table) - y) ** 2)))


def fit_scikit_learn(options: argparse.Namespace) -> dict[str, Any]:
    """Fit scikit-learn's forest to a sample held in memory."""
    from sklearn.ensemble import RandomForestRegressor

    n_rows = int(options.rows[0])
    X = np.empty((n_rows, N_FEATURES), dtype=np.float32)
    y = np.empty(n_rows)
    for first in range(0, n_rows, GROUP_ROWS):
        part = slice(first, min(first + GROUP_ROWS, n_rows))
        X[part], y[part] = generate_rows(part.stop - first, seed=first + 1)
    forest = RandomForestRegressor(
        options.trees,
        min_samples_leaf=options.min_samples_leaf,
        n_jobs=options.jobs,
        random_state=0,
    )
    start = time.perf_counter()
    forest.fit(X, y)
    wall = time.perf_counter() - start
    X_test, y_test = generate_rows(TEST_ROWS, seed=0)
    error = float(np.sqrt(np.mean((forest.predict(X_test) - y_test) ** 2)))
    return {"rows": n_rows, "wall": wall, "rmse": error}


def in_process(work: str, options: argparse.Namespace, n_rows: int) -> dict[str, Any]:
    """Run one of the two fits in a process of its own, under the limit; watch its memory."""
    command = [sys.executable, "-m", "benchmarks.out_of_core", "--work", work]
    command += ["--rows", str(n_rows), "--trees", str(options.trees), "--jobs", str(options.jobs)]
    command += ["--memory-limit", str(options.memory_limit), "--folder", str(options.folder)]
    command += ["--min-samples-leaf", str(options.min_samples_leaf)]
    command += ["--branch-rows", str(options.branch_rows)]
    with memory_limit(options.memory_limit) as limit:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            env=limit.environment,
            preexec_fn=limit.enter,
        )
        with process, PeakMemory(process.pid) as peak:
            answer, _ = process.communicate()
        found = {"rows": n_rows, "peak": peak.n_bytes, "limit": limit.kind}
    if process.returncode:
        return {**found, "failed": True}
    return {**json.loads(answer.splitlines()[-1]), **found}


def show_fit(found: dict[str, Any], parquet: float, spill: tuple[float, float]) -> None:
    plan, physical = found["plan"], parquet + sum(spill)
    steps = ", ".join(f"{kind} {seconds:.1f} s" for kind, seconds in found["steps"].items())
    print(
        f"\n{found['rows']:,} rows: {found['wall']:.1f} s, "
        f"{found['rows'] / found['wall']:,.0f} rows/s"
    )
    print(f"  steps: {steps}")
    print(f"  {plan['n_branches']} branches, the largest of {plan['largest_branch']:,} rows")
    print(
        f"  memory of all processes: peak {found['peak'] / 1e9:.2f} GB, planned "
        f"{plan['peak'] / 1e9:.2f} GB, allowed {plan['limit'] / 1e9:.2f} GB ({found['limit']})"
    )
    print(
        f"  model {found['forest_bytes'] / 1e6:.0f} MB, saved in {found['saving']:.1f} s; spill "
        f"{plan['spill_bytes'] / 1e9:.2f} GB"
    )
    print(
        f"  physical limit {physical:.1f} s (Parquet {parquet:.1f}, spill written {spill[0]:.1f}, "
        f"read {spill[1]:.1f}): {found['rows'] / physical:,.0f} rows/s, "
        f"{found['wall'] / physical:.0f} times as fast"
    )
    print(f"  RMSE on new rows {found['rmse']:.4f} (noise 1); digest {found['digest'][:16]}")


def show_scikit_learn(found: dict[str, Any]) -> None:
    print(f"\nscikit-learn RandomForestRegressor on {found['rows']:,} of the rows, in memory:")
    if found.get("failed"):
        print(f"  failed within the limit; peak {found['peak'] / 1e9:.2f} GB")
        return
    print(f"  {found['wall']:.1f} s, {found['rows'] / found['wall']:,.0f} rows/s")
    print(f"  memory {found['peak'] / 1e9:.2f} GB; RMSE on new rows {found['rmse']:.4f}")


def run(options: argparse.Namespace, n_rows: int) -> dict[str, Any]:
    """Generate, fit, compare with the disk, delete."""
    with tempfile.TemporaryDirectory(prefix="bayeswood-bench-", dir=options.folder) as place:
        inside = argparse.Namespace(**{**vars(options), "folder": Path(place)})
        data = inside.folder / "data"
        data.mkdir()
        write_files(data, n_rows)
        found = in_process("fit", inside, n_rows)
        if found.get("failed"):
            raise SystemExit(f"The fit of {n_rows:,} rows failed.")
        parquet = reading_seconds(data, options.jobs)
        spill = spilling_seconds(inside.folder, found["plan"]["spill_bytes"])
    show_fit(found, parquet, spill)
    return {**found, "parquet": parquet, "spill": spill}


def show_growth(runs: list[dict[str, Any]]) -> None:
    """How time grows with rows, from the smallest to the largest run."""
    if len(runs) > 1:
        first, last = runs[0], runs[-1]
        rows, wall = last["rows"] / first["rows"], last["wall"] / first["wall"]
        print(f"\n{rows:.1f} times the rows took {wall:.1f} times as long.")


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.out_of_core")
    parser.add_argument("--rows", type=float, nargs="+", default=[2e6])
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory-limit", type=lambda text: int(float(text)), default=4 * 10**9)
    parser.add_argument("--min-samples-leaf", type=int, default=100)
    parser.add_argument("--branch-rows", type=float, default=5e5, help="rows of an even branch")
    parser.add_argument("--folder", type=Path, default=None, help="where to generate and spill")
    parser.add_argument("--sklearn-rows", type=float, default=0, help="0 leaves scikit-learn out")
    parser.add_argument("--json", type=Path, default=None, help="write the figures here")
    parser.add_argument("--work", choices=["fit", "scikit-learn"], help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    options = read_options(arguments)
    if options.work:
        work = {"fit": fit_once, "scikit-learn": fit_scikit_learn}[options.work]
        print(json.dumps(work(options)))
        return
    print(one_line())
    runs = [run(options, int(n_rows)) for n_rows in options.rows]
    show_growth(runs)
    if options.sklearn_rows:
        peer = in_process("scikit-learn", options, int(options.sklearn_rows))
        show_scikit_learn(peer)
        runs.append({"peer": "scikit-learn", **peer})
    if options.json is not None:
        options.json.write_text(json.dumps(runs, indent=1))


if __name__ == "__main__":
    main()
