"""The kinds of problem in the table: each with the benchmark's own, and with one drawn anew."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks import held_out, problems
from benchmarks.problems import Problem


@dataclass(frozen=True)
class Kind:
    """`own(quick)` is what the table shows; `drawn(seed, quick)` is of the same shape."""

    own: Callable[[bool], Problem]
    drawn: Callable[[int, bool], Problem]

    def make(self, quick: bool, seed: int | None) -> Problem:
        return self.own(quick) if seed is None else self.drawn(seed, quick)


def regression(n_rows: int, n_features: int, **how: int) -> Kind:
    return Kind(
        partial(problems.friedman_regression, n_rows, n_features, **how),
        partial(held_out.regression, n_rows, n_features, **how),
    )


def binary(n_rows: int, n_features: int) -> Kind:
    return Kind(
        partial(problems.friedman_binary, n_rows, n_features),
        partial(held_out.binary, n_rows, n_features),
    )


def classes(n_rows: int, n_features: int, n_classes: int, min_samples_leaf: int = 1) -> Kind:
    shape, leaf = (n_rows, n_features, n_classes), {"min_samples_leaf": min_samples_leaf}
    return Kind(
        partial(problems.informative_classes, *shape, **leaf),
        partial(held_out.classes, *shape, **leaf),
    )


def levels(n_rows: int, n_features: int, n_levels: int) -> Kind:
    shape = (n_rows, n_features, n_levels)
    return Kind(partial(problems.equal_levels, *shape), partial(held_out.levels, *shape))


REGRESSION_20K = regression(20_640, 10)
REGRESSION_200K = regression(200_000, 20)
REGRESSION_1M = regression(1_000_000, 20)
CALIFORNIA = Kind(problems.california, partial(held_out.regression, 18_576, 8))
WIDE = regression(2_000, 5_000, n_test=2_000)
TALL = regression(5_000_000, 5)
BINARY_200K = binary(200_000, 20)
PENDIGITS = Kind(problems.ten_classes, partial(held_out.classes, 10_992, 16, 10))
CLASSES_10 = classes(10_992, 16, 10, min_samples_leaf=3)
CLASSES_26 = classes(20_000, 16, 26)
CLASSES_100 = classes(20_000, 20, 100)
LEVELS = levels(200_000, 10, 50)
