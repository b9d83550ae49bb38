"""Constraints on the parameters of estimators, and the one error message for breaking them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, inf, isfinite, log2, sqrt
from numbers import Integral, Real
from typing import Any

import numpy as np

from bayeswood.errors import BayeswoodError

MAX_TREES = 1_000_000


@dataclass(frozen=True)
class Constraint:
    """What a parameter may be: a test, and the words for it."""

    words: str
    allows: Callable[[Any], bool]

    def __or__(self, other: "Constraint") -> "Constraint":
        # What is last in words, often None, is the quickest to tell.
        return Constraint(
            f"{self.words} or {other.words}", lambda v: other.allows(v) or self.allows(v)
        )


def integer(low: int, high: int | None = None) -> Constraint:
    """An int (or NumPy integer, but no bool) from `low` to `high`."""

    def allows(value: Any) -> bool:
        is_integer = isinstance(value, Integral) and not isinstance(value, bool)
        return is_integer and value >= low and (high is None or value <= high)

    return Constraint(f"an int >= {low}" + ("" if high is None else f" and <= {high}"), allows)


def real(
    low: float, high: float = inf, closed: str = "both", *, integers: bool = False
) -> Constraint:
    """A float between `low` and `high`; `closed` is both, left, right or neither.

    Integers do not count as floats unless `integers`: 1 and 1.0 may mean different things.
    """
    left, right = closed in ("both", "left"), closed in ("both", "right") and isfinite(high)
    brackets = f"{'[' if left else '('}{low:g}, {high:g}{']' if right else ')'}"

    def allows(value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        if isinstance(value, Integral) and not integers:
            return False
        number = float(value)
        above = number >= low if left else number > low
        return above and (number <= high if right else number < high)

    return Constraint(f"a float in the range {brackets}", allows)


def per_class(each: Constraint) -> Constraint:
    """One value for all classes, or a list of values, one for each class in their order."""

    def allows(value: Any) -> bool:
        if isinstance(value, np.ndarray) and value.ndim == 1:
            value = value.tolist()
        if isinstance(value, (list, tuple)):
            return len(value) > 0 and all(each.allows(item) for item in value)
        return each.allows(value)

    return Constraint(f"{each.words}, a list of such with one for each class,", allows)


def one_of(*options: str) -> Constraint:
    """One of some strings."""
    words = f"one of {', '.join(map(repr, options))}" if len(options) > 1 else repr(options[0])
    return Constraint(words, lambda value: isinstance(value, str) and value in options)


def only(value: bool | int | float | str | None, reason: str) -> Constraint:
    """One value alone, with the reason why no other would do."""
    is_flag = value is None or isinstance(value, bool)
    return Constraint(
        f"{value!r}: {reason}", lambda given: given is value if is_flag else given == value
    )


NONE = Constraint("None", lambda value: value is None)
BOOLEAN = Constraint("a bool", lambda value: isinstance(value, (bool, np.bool_)))
CALLABLE = Constraint("a callable", callable)
SEED = Constraint(
    "an int >= 0, a numpy.random.Generator, a numpy.random.RandomState or None",
    lambda v: (
        v is None
        or integer(0).allows(v)
        or isinstance(v, (np.random.Generator, np.random.RandomState))
        or v is np.random
    ),
)
JOBS = Constraint("an int other than 0 or None", lambda v: (v is None) or _is_job_count(v))

SHARED: Mapping[str, Constraint] = {
    "n_jobs": JOBS,
    "random_state": SEED,
    "verbose": integer(0) | BOOLEAN,
}

CART: Mapping[str, Constraint] = {
    **SHARED,
    "n_estimators": integer(1, MAX_TREES),
    "max_depth": integer(1) | NONE,
    "min_samples_leaf": integer(1) | real(0, 1, "neither"),
    "min_weight_fraction_leaf": real(0, 0.5, integers=True),
    "max_features": integer(1) | real(0, 1, "right") | one_of("sqrt", "log2") | NONE,
}


def _is_job_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and value != 0


def parameter_error(name: str, owner: str, words: str, value: Any) -> BayeswoodError:
    """The error for a parameter that is not what `words` say it must be."""
    return BayeswoodError(
        f"The '{name}' parameter of {owner} must be {words}. Got {value!r} instead."
    )


def check_parameters(
    values: Mapping[str, Any], constraints: Mapping[str, Constraint], owner: str
) -> None:
    """Raise for the first parameter that breaks its constraint."""
    for name, constraint in constraints.items():
        if name in values and not constraint.allows(values[name]):
            raise parameter_error(name, owner, constraint.words, values[name])


def resolve_max_features(
    max_features: int | float | str | None, n_features: int, owner: str
) -> int:
    """Number of features tried at a node.

    ``"sqrt"`` and ``"log2"`` of the number of features d, a fraction of d, or a number; rounded
    down, but at least 1, as in scikit-learn.

    Examples
    --------
    >>> resolve_max_features("sqrt", 10, "RandomForestClassifier")
    3
    >>> resolve_max_features(1 / 3, 10, "RandomForestRegressor")
    3
    """
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(log2(n_features)))
    if isinstance(max_features, Integral):
        if int(max_features) > n_features:
            words = f"at most the number of features, {n_features}"
            raise parameter_error("max_features", owner, words, max_features)
        return int(max_features)
    # A third of 3 is 1, though 3 * (1 / 3) may round to less.
    return max(1, int(float(max_features) * n_features + 1e-9))


def resolve_min_samples_leaf(min_samples_leaf: int | float, n_rows: int) -> int:
    """Smallest number of rows in a leaf; a float is a share of the rows, rounded up."""
    if isinstance(min_samples_leaf, Integral):
        return min(int(min_samples_leaf), n_rows)
    return ceil(float(min_samples_leaf) * n_rows)


def draw_seed(random_state: Any) -> int:
    """One 64-bit seed.

    An int is mixed so that neighbouring ints give unrelated streams; a generator is drawn from,
    so a second fit with the same generator differs; None draws from NumPy's global state, as in
    scikit-learn.
    """
    if isinstance(random_state, Integral):
        return int(np.random.SeedSequence(int(random_state)).generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**64, dtype=np.uint64))
    if random_state is None or random_state is np.random:
        random_state = np.random.mtrand._rand
    return int.from_bytes(random_state.bytes(8), "little")


def check_kind(kind: str, caller: str) -> None:
    """Raise unless `kind` is one of the two things that can be asked of a response."""
    if kind not in ("prediction", "mean"):
        raise parameter_error("kind", caller, "one of 'prediction', 'mean'", kind)
