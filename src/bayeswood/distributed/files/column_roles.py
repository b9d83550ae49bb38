"""What the columns of the files are for: features, responses, weights."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayeswood.errors import BayeswoodError
from bayeswood.table import categorical


@dataclass(frozen=True)
class Roles:
    """Columns by their role.

    Attributes
    ----------
    features : tuple of str
        Columns to predict from, in order.
    targets : tuple of str
        Columns to predict.
    single_target : bool
        Whether the target was given as one name, so that predictions have one dimension.
    weight : str or None
        Column of sample weights.
    forced : tuple of str
        Features that are categories whatever their type.
    no_categories : bool
        Whether no feature may be a category.
    """

    features: tuple[str, ...]
    targets: tuple[str, ...]
    single_target: bool
    weight: str | None
    forced: tuple[str, ...] = ()
    no_categories: bool = False

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read."""
        return (*self.features, *self.targets, *([self.weight] if self.weight else []))

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Roles":
        """What `to_json` gave."""
        read: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in plain.items()}
        return cls(**read)


def choose_roles(
    known: Sequence[str],
    target: str | Sequence[str],
    features: Sequence[str] | None,
    weight: str | None,
    categorical_features: Any,
    owner: str,
) -> Roles:
    """Give every column its role.

    Parameters
    ----------
    known : sequence of str
        Columns of the first file.
    target : str or sequence of str
        Column, or for several responses columns, to predict.
    features : sequence of str or None
        Columns to predict from; None for all others.
    weight : str or None
        Column of sample weights.
    categorical_features : "from_dtype", None, mask, or list of names or positions
        As of the estimators.
    owner : str
        Whose parameters these are, for the errors.
    """
    single = isinstance(target, str)
    targets = (str(target),) if single else tuple(target)
    if not targets:
        raise BayeswoodError(f"The 'target' parameter of {owner} must name a column. Got none.")
    taken = [*targets, *([weight] if weight else [])]
    chosen = [name for name in known if name not in taken] if features is None else list(features)
    _check_names([*taken, *chosen], known, owner)
    both = sorted(set(chosen) & set(taken))
    if both:
        raise BayeswoodError(
            f"Column {both[0]!r} cannot be a feature of {owner}, for it is its target or weight."
        )
    if not chosen:
        raise BayeswoodError(f"No column is left as a feature of {owner}.")
    asked = categorical.forced_categories(categorical_features, tuple(chosen), len(chosen), owner)
    forced = tuple(np.array(chosen, dtype=object)[asked].tolist())
    return Roles(tuple(chosen), targets, single, weight, forced, categorical_features is None)


def _check_names(names: Sequence[str], known: Sequence[str], owner: str) -> None:
    for name in names:
        if not isinstance(name, str) or name not in known:
            listed = ", ".join(list(known)[:12]) + (", ..." if len(known) > 12 else "")
            raise BayeswoodError(f"{owner} finds no column {name!r}. There are: {listed}.")
    repeated = sorted({name for name in names if list(names).count(name) > 1})
    if repeated:
        raise BayeswoodError(f"Column {repeated[0]!r} is named twice for {owner}.")
