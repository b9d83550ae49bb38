"""Whether the branches of a data frame fit in the memory that Spark's workers of Python have."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bayeswood.distributed.tasks.memory import (
    PROCESS_BYTES,
    MemoryPlan,
    RowCosts,
    in_words,
    plan_memory,
    refuse_large,
)
from bayeswood.errors import BayeswoodError

Setting = Callable[[str], str | None]

_UNITS = {"": 2**20, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50}
_SIZE = re.compile(r"(\d+)([kmgtp]?)(b?)", re.IGNORECASE)
# Those who run executors that end one whose processes take more than was asked for.
_STRICT = ("yarn", "k8s")


@dataclass(frozen=True)
class WorkerMemory:
    """What one worker of Python may take.

    Attributes
    ----------
    n_bytes : int
        Bytes.
    setting : str or None
        The setting of Spark that says so; None where it is the 'memory_limit' of the call.
    n_threads : int
        Processors of a task.
    """

    n_bytes: int
    setting: str | None = None
    n_threads: int = 1

    @property
    def room(self) -> int:
        """Bytes for a branch, as in a fit from files."""
        return self.n_bytes - PROCESS_BYTES


def worker_memory(setting: Setting, memory_limit: int) -> WorkerMemory:
    """The memory of a worker: the limit of the call, or less where Spark gives less.

    Parameters
    ----------
    setting : callable
        A setting of Spark by its name; None where it is not set.
    memory_limit : int
        Bytes that the call allows.

    Notes
    -----
    Spark shares ``spark.executor.pyspark.memory`` out evenly among the processors of an executor.
    Where it is not set, workers take of ``spark.executor.memoryOverhead``, which YARN and
    Kubernetes enforce; it is looked at only if it was set, for the default is no statement.

    Examples
    --------
    >>> settings = {"spark.executor.pyspark.memory": "4g", "spark.executor.cores": "2"}
    >>> worker_memory(settings.get, 10**10)
    WorkerMemory(n_bytes=2147483648, setting='spark.executor.pyspark.memory', n_threads=1)
    >>> worker_memory(settings.get, 10**9)
    WorkerMemory(n_bytes=1000000000, setting=None, n_threads=1)
    """
    cpus = int(setting("spark.task.cpus") or 1)
    cores = int(setting("spark.executor.cores") or 1)
    name, per_worker = "spark.executor.pyspark.memory", 1
    if setting(name) is None and (setting("spark.master") or "").startswith(_STRICT):
        name, per_worker = "spark.executor.memoryOverhead", cpus
    given = setting(name)
    share = memory_limit if given is None else spark_bytes(given) * per_worker // cores
    if share >= memory_limit:
        return WorkerMemory(memory_limit, None, cpus)
    return WorkerMemory(share, name, cpus)


def spark_bytes(size: str) -> int:
    """Bytes as Spark spells them; without a unit they are MiB.

    Examples
    --------
    >>> spark_bytes("2g"), spark_bytes("512MB"), spark_bytes("384")
    (2147483648, 536870912, 402653184)
    """
    match = _SIZE.fullmatch(size.strip())
    if match is None:
        raise BayeswoodError(f"Spark's settings hold a size that cannot be read: {size!r}.")
    number, unit, byte = match.groups()
    return int(number) * _UNITS[unit.lower() or byte.lower()]


def plan_branches(
    costs: RowCosts,
    counts: Sequence[int],
    worker: WorkerMemory,
    driver: int,
    packed_row: int,
    trunk_bytes: int,
    owner: str,
) -> MemoryPlan:
    """What the fit of the branches will take; raises, with the numbers, if one would not fit.

    Parameters
    ----------
    costs : RowCosts
        What rows cost.
    counts : sequence of int
        Rows of each branch.
    worker : WorkerMemory
        Of each worker; it fits one branch at a time.
    driver : int
        Bytes that the driver may take, where the branches are joined.
    packed_row : int
        Bytes of a row in Spark's shuffle.
    trunk_bytes : int
        Memory to fit the trunk, in the driver.
    owner : str
        Who fits, for the errors.
    """
    plan = plan_memory(costs, list(counts), worker.n_bytes, 1, packed_row, trunk_bytes)
    largest, n_threads = plan.largest_branch, worker.n_threads
    while n_threads > 1 and costs.branch(largest, n_threads) > worker.room:
        n_threads -= 1
    needed = costs.branch(largest, n_threads)
    plan = replace(plan, n_threads=n_threads, branch_bytes=needed)
    try:
        refuse_large(replace(plan, graft_bytes=0), costs, owner)
    except BayeswoodError as error:
        if worker.setting is None:
            raise
        raise BayeswoodError(
            f"{error} The limit is what '{worker.setting}' gives to a worker of Python, "
            f"{in_words(worker.n_bytes)}: raise that, for it is below the 'memory_limit'."
        ) from error
    plan = replace(plan, limit=driver)
    refuse_large(replace(plan, branch_bytes=0), costs, owner)
    return replace(plan, peak=max(trunk_bytes, PROCESS_BYTES + needed, plan.graft_bytes))
