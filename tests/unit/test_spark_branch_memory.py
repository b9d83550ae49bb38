"""Memory of a fit on Spark: what its settings tell, and what is refused by them."""

import pytest

from bayeswood import BayeswoodError
from bayeswood.distributed.memory import PROCESS_BYTES, RowCosts
from bayeswood.spark.branch_memory import (
    WorkerMemory,
    plan_branches,
    spark_bytes,
    worker_memory,
)

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
