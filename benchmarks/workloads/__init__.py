"""What is measured. A workload takes `Options` and returns its rows and its notes."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.kinds import Kind
from benchmarks.problems import Problem
from benchmarks.rows import Row


@dataclass(frozen=True)
class Options:
    """How to run: `quick` shrinks the data, `repeats` overrides each workload's own number.

    `held_out` is the seed of problems that are drawn instead of the benchmark's own.
    """

    quick: bool = False
    repeats: int | None = None
    peers: tuple[str, ...] | None = None
    held_out: int | None = None

    def problem(self, kind: Kind) -> Problem:
        return kind.make(self.quick, self.held_out)

    def n_repeats(self, own: int) -> int:
        return self.repeats or (1 if self.quick else own)

    def n_trees(self, own: int) -> int:
        return min(own, 5) if self.quick else own

    def chosen(self, peers: tuple[str, ...]) -> tuple[str, ...]:
        return peers if self.peers is None else tuple(p for p in peers if p in self.peers)


Workload = Callable[[Options], tuple[list[Row], list[str]]]


def all_workloads() -> dict[str, Workload]:
    """Every workload by its name, in the order of the table."""
    from benchmarks.workloads import file_size, fit, memory, predict, quantiles, threads

    modules = (fit, predict, quantiles, threads, memory, file_size)
    return {name: run for module in modules for name, run in module.WORKLOADS.items()}
