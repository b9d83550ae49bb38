"""Memory of a fit on Spark: what its settings tell, and what is refused by them."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayeswood import BayeswoodError
from bayeswood.distributed.files.encoding import Rows
from bayeswood.distributed.pieces.trunk import fit_trunk
from bayeswood.distributed.tasks.memory import PROCESS_BYTES, RowCosts
from bayeswood.spark import stages
from bayeswood.spark.branch_memory import (
    WorkerMemory,
    plan_branches,
    spark_bytes,
    worker_memory,
)

pa = pytest.importorskip("pyarrow", minversion="18")  # as the extra `spark` asks for

COSTS = RowCosts(table=100, n_features=10, leaf_bytes=60, rows_per_leaf=100, n_trees=10)
GIGA = 10**9
OWN, OVERHEAD = "spark.executor.pyspark.memory", "spark.executor.memoryOverhead"


@pytest.mark.parametrize(
    ("settings", "share", "name"),
    [
        ({}, 4 * GIGA, None),
        ({OWN: "1g"}, 2**30, OWN),
        ({OWN: "8g"}, 4 * GIGA, None),
        ({OWN: "2g", "spark.executor.cores": "4"}, 2**29, OWN),
        # Who does not enforce it does not count; nor does it where workers have their own.
        ({OVERHEAD: "1g", "spark.master": "spark://host"}, 4 * GIGA, None),
        ({OVERHEAD: "1024", "spark.master": "k8s://host"}, 2**30, OVERHEAD),
        ({OVERHEAD: "1g", OWN: "2g", "spark.master": "yarn"}, 2**31, OWN),
        (
            {
                OVERHEAD: "2g",
                "spark.master": "yarn",
                "spark.executor.cores": "4",
                "spark.task.cpus": "2",
            },
            2**30,
            OVERHEAD,
        ),
    ],
)
def test_a_worker_has_what_spark_gives_it(settings, share, name):
    cpus = int(settings.get("spark.task.cpus", 1))
    assert worker_memory(settings.get, 4 * GIGA) == WorkerMemory(share, name, cpus)


def test_sizes_that_cannot_be_read_are_shown():
    with pytest.raises(BayeswoodError, match="cannot be read: 'much'"):
        spark_bytes("much")


def plan(counts, worker, driver=4 * GIGA):
    return plan_branches(COSTS, counts, worker, driver, 52, GIGA, "fit")


def test_a_plan_speaks_of_one_worker():
    found = plan([10**6, 2 * 10**6], WorkerMemory(2 * GIGA, None, 4))
    assert (found.n_workers, found.largest_branch, found.n_rows) == (1, 2 * 10**6, 3 * 10**6)
    assert found.branch_bytes == COSTS.branch(2 * 10**6, found.n_threads)
    assert found.spill_bytes == 52 * 3 * 10**6
    assert (found.limit, found.peak) == (4 * GIGA, PROCESS_BYTES + found.branch_bytes)


def test_threads_are_given_up_before_a_branch_is_refused():
    one, four = (COSTS.branch(2 * 10**6, n) + PROCESS_BYTES for n in (1, 4))
    assert plan([2 * 10**6], WorkerMemory(four, None, 4)).n_threads == 4
    assert plan([2 * 10**6], WorkerMemory(one, None, 4)).n_threads == 1


def test_what_would_not_fit_is_refused_with_the_numbers():
    with pytest.raises(BayeswoodError, match=r"9,000,000 rows .* of fit, 1\.0 GB"):
        plan([9 * 10**6], WorkerMemory(GIGA))
    with pytest.raises(BayeswoodError, match=rf"what '{OWN}' gives to a worker of Python, 1\.0 GB"):
        plan([9 * 10**6], WorkerMemory(GIGA, OWN))
    with pytest.raises(BayeswoodError, match=r"forest of 900,000,000 rows .* fit is 4\.0 GB"):
        plan([9 * 10**5] * 1000, WorkerMemory(GIGA))


def test_packets_are_let_go_before_a_branch_is_grown(rng, monkeypatch):
    packing = stages.Packing(("<f4", "<f4", "<f8"), n_features=2, n_outputs=1, has_weight=False)
    X, y = rng.random((10_000, 2), dtype=np.float32), rng.random((10_000, 1))
    ids = rng.permutation(10_000)
    levels = np.zeros(2, dtype=np.int32)
    trunk = fit_trunk(X, y, n_levels=levels, criterion="squared_error", max_leaves=1)
    known = {name: np.asarray(value) for name, value in trunk.to_arrays().items()}
    encoding = SimpleNamespace(matrix_type=np.float32, classes=None)

    def packets():
        halves = [
            packing.pack(Rows(X[own], y[own], None), ids[own]) for own in (ids[::2], ids[1::2])
        ]
        yield pa.record_batch({"branch": pa.array([0, 0], pa.int32()), "packed": halves})

    held, before = [], pa.total_allocated_bytes()

    def grow(rows, own, *rest):
        held.append(pa.total_allocated_bytes() - before)
        np.testing.assert_array_equal(own, np.arange(10_000))
        np.testing.assert_array_equal(rows.X, X[np.argsort(ids)])
        np.testing.assert_array_equal(rows.y, y[np.argsort(ids)])
        return b"grown"

    monkeypatch.setattr(stages, "_fitted", grow)
    monkeypatch.setattr(stages.Packing, "of", lambda *arguments: packing)
    monkeypatch.setattr(stages.FilePlan, "from_json", lambda plain: None)
    (found,) = stages.fit_rows(packets(), {}, encoding, known, None, 1)
    assert found.to_pydict() == {"branch": [0], "part": [0], "fitted": [b"grown"]}
    assert held[0] < 10_000 < packing.row_bytes * len(ids)
