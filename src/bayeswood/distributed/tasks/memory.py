"""Memory, planned before it is used."""

import re
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any

from bayeswood.errors import BayeswoodError

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_PATTERN = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)

#: What a Python process with this library, Arrow and a batch of rows takes before a fit begins.
PROCESS_BYTES = 260 * 10**6
SMALLEST_LIMIT = 600 * 10**6


def parse_bytes(size: Any, name: str, owner: str) -> int:
    """A number of bytes from ``"4GB"``, ``"500 MB"``, ``"2GiB"`` or a number.

    Examples
    --------
    >>> parse_bytes("4GB", "memory_limit", "fit_parquet")
    4000000000
    >>> parse_bytes("1.5 GiB", "memory_limit", "fit_parquet")
    1610612736
    """
    if isinstance(size, Real) and not isinstance(size, bool) and float(size) > 0:
        return int(float(size))
    match = _PATTERN.fullmatch(size) if isinstance(size, str) else None
    if match is None or not float(match.group(1)) > 0:
        raise BayeswoodError(
            f"The '{name}' parameter of {owner} must be a number of bytes above 0, such as "
            f"'4GB'. Got {size!r} instead."
        )
    unit = (match.group(2) or "").lower()
    return int(float(match.group(1)) * {**_UNITS, **_BINARY}[unit])


def in_words(n_bytes: float) -> str:
    """Bytes for people.

    Examples
    --------
    >>> in_words(4_200_000_000), in_words(300)
    ('4.2 GB', '300 bytes')
    """
    size = float(n_bytes)
    if size < 1000:
        return f"{size:.0f} bytes"
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 1000:
            return f"{size:.1f} {unit}"
    return f"{size / 1000:.1f} TB"


# Measured on the native grower: what it holds per row besides the table, for each thread, and
# the parts of that which grow with the number of features.
_THREAD_ROW = 64
_THREAD_CELL = 2
_CODE = 3
# Bytes of a leaf and its share of the splits above it, and of a class in it.
_LEAF = 60
_LEAF_CLASS = 12
# A forest is saved with 1.5 times its own size beside it (0.7 to predict), as measured; the rest
# is what the allocator keeps of the branches it was made of.
FOREST_COPIES = 2.8
_MARGIN = 1.1


@dataclass(frozen=True)
class RowCosts:
    """What rows cost in memory.

    Attributes
    ----------
    table : int
        Bytes of a row of a branch: features, responses, weight, row number.
    n_features : int
        Features.
    leaf_bytes : float
        Bytes of a leaf.
    rows_per_leaf : float
        Rows that share a leaf, as one tree on the sample shows.
    n_trees : int
        Trees of the forest.
    kept : int
        Bytes that the model keeps per row and tree.
    """

    table: int
    n_features: int
    leaf_bytes: float
    rows_per_leaf: float
    n_trees: int
    kept: int = 0

    def forest(self, n_rows: int) -> int:
        """Bytes of the trees of so many rows."""
        per_row = self.leaf_bytes / max(self.rows_per_leaf, 1.0) + self.kept
        return int(n_rows * self.n_trees * per_row)

    def branch(self, n_rows: int, n_threads: int = 1) -> int:
        """Bytes that a process needs to fit a branch of so many rows."""
        per_row = self.table + _CODE * self.n_features
        per_row += n_threads * (_THREAD_ROW + _THREAD_CELL * self.n_features)
        grown = _MARGIN * n_rows * per_row + FOREST_COPIES * self.forest(n_rows)
        return PROCESS_BYTES + int(grown)

    def graft(self, n_rows: int) -> int:
        """Bytes that joining all branches needs, and saving the forest."""
        return PROCESS_BYTES + int(FOREST_COPIES * self.forest(n_rows))

    def most_rows(self, n_bytes: int) -> int:
        """Rows of the largest branch that one process of so many bytes can fit."""
        for_a_million = self.branch(10**6) - PROCESS_BYTES
        return max(0, int((n_bytes - PROCESS_BYTES) / for_a_million * 10**6))


def leaf_bytes(n_classes: int) -> float:
    """Bytes of a leaf."""
    return _LEAF + _LEAF_CLASS * min(n_classes, 3)


@dataclass(frozen=True)
class MemoryPlan:
    """How much memory a fit from files may take, and what for.

    Attributes
    ----------
    limit : int
        Bytes that all its processes may take together.
    n_rows : int
        Rows that take part.
    n_branches : int
        Branches.
    largest_branch : int
        Rows of the largest.
    branch_bytes : int
        Memory to fit the largest.
    n_workers : int
        Branches of that size that are fitted at once.
    n_threads : int
        Native threads of each.
    forest_bytes : int
        The model, as one tree on the sample lets expect.
    graft_bytes : int
        Memory to join the branches.
    trunk_bytes : int
        Memory to fit the trunk to its sample.
    peak : int
        The most memory that all processes together are expected to take.
    spill_bytes : int
        Room that the spill takes on disk.
    """

    limit: int
    n_rows: int
    n_branches: int
    largest_branch: int
    branch_bytes: int
    n_workers: int
    n_threads: int
    forest_bytes: int
    graft_bytes: int
    trunk_bytes: int
    peak: int
    spill_bytes: int

    def to_json(self) -> dict[str, int]:
        """Plain data."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.n_rows:,} rows in {self.n_branches} branches of at most "
            f"{self.largest_branch:,} rows; {self.n_workers} at once at "
            f"{in_words(self.branch_bytes)}, the model about {in_words(self.forest_bytes)}; peak "
            f"about {in_words(self.peak)} of {in_words(self.limit)}, spill "
            f"{in_words(self.spill_bytes)}"
        )


def plan_memory(
    costs: RowCosts,
    counts: list[int],
    limit: int,
    n_jobs: int,
    spill_row: int,
    trunk_bytes: int,
) -> MemoryPlan:
    """Share out the memory once the branches' sizes are known.

    Parameters
    ----------
    costs : RowCosts
        What rows cost.
    counts : list of int
        Rows of each branch.
    limit : int
        Bytes for all processes together.
    n_jobs : int
        Processors to use.
    spill_row : int
        Bytes of a row on disk.
    trunk_bytes : int
        Memory to fit the trunk.
    """
    n_rows, largest = sum(counts), max(counts)
    room = limit - PROCESS_BYTES
    n_workers = max(1, min(n_jobs, len(counts), room // max(1, costs.branch(largest))))
    n_threads = max(1, n_jobs // n_workers)
    while n_threads > 1 and n_workers * costs.branch(largest, n_threads) > room:
        n_threads -= 1
    branch_bytes = costs.branch(largest, n_threads)
    graft = costs.graft(n_rows)
    return MemoryPlan(
        limit=limit,
        n_rows=n_rows,
        n_branches=len(counts),
        largest_branch=largest,
        branch_bytes=branch_bytes,
        n_workers=n_workers,
        n_threads=n_threads,
        forest_bytes=costs.forest(n_rows),
        graft_bytes=graft,
        trunk_bytes=trunk_bytes,
        peak=max(trunk_bytes, PROCESS_BYTES + n_workers * branch_bytes, graft),
        spill_bytes=n_rows * spill_row,
    )


def refuse_large(plan: MemoryPlan, costs: RowCosts, owner: str) -> None:
    """Raise, with the numbers, if a branch or the model would not fit."""
    room = plan.limit - PROCESS_BYTES
    if plan.branch_bytes > room:
        most = costs.most_rows(room)
        least = -(-plan.n_rows // max(1, most))
        raise BayeswoodError(
            f"The largest of {plan.n_branches} branches has {plan.largest_branch:,} rows and needs "
            f"{in_words(plan.branch_bytes)} to fit, but the 'memory_limit' of {owner}, "
            f"{in_words(plan.limit)}, leaves {in_words(room)}: at most {most:,} rows. Set "
            f"trunk_max_leaves well above {least}, or on_large_branch='split', or raise the limit."
        )
    if plan.graft_bytes > plan.limit:
        raise BayeswoodError(
            f"The forest of {plan.n_rows:,} rows and {costs.n_trees} trees will take about "
            f"{in_words(plan.forest_bytes)}, and {in_words(plan.graft_bytes)} to save; "
            f"the 'memory_limit' of {owner} is {in_words(plan.limit)}. {_less_forest(costs)}"
        )


def _less_forest(costs: RowCosts) -> str:
    """What makes a forest smaller."""
    first = "Set keep_responses=False, raise" if costs.kept else "Raise"
    return f"{first} min_samples_leaf, lower n_estimators or max_depth, or raise the limit."
