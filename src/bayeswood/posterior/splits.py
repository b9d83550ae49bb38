"""What members choose to split on, summed up by weight."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest, Labels

F64 = NDArray[np.float64]

# The cuts between these two shares are the range of 90 % of them.
_LEVELS = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class SplitChoice:
    """One feature that members split on at a place.

    Attributes
    ----------
    feature : str or None
        None where they do not split.
    share : float
        Of the members at the place, by weight.
    threshold : float or None
        Weighted median of their cuts; None for a category and where they do not split.
    lower, upper : float or None
        The 5 % and the 95 % quantile of their cuts.
    left_levels : tuple of str
        For a category the commonest set of levels that goes left.
    """

    feature: str | None
    share: float
    threshold: float | None = None
    lower: float | None = None
    upper: float | None = None
    left_levels: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.feature is None:
            return "no split"
        if self.threshold is None:
            return f"{self.feature} in {{{', '.join(self.left_levels)}}}"
        cut = f"{self.feature} <= {self.threshold:.4g}"
        if self.lower is None or self.lower == self.upper:
            return cut
        return f"{cut} ({self.lower:.4g} to {self.upper:.4g})"


def forest_of(model: Any, caller: str) -> Forest:
    """The trees of a fitted estimator, or the forest itself.

    Raises
    ------
    BayeswoodError
        If there are none.
    """
    forest = model if isinstance(model, Forest) else getattr(model, "forest_", None)
    if forest is None:
        raise BayeswoodError(
            f"The 'model' parameter of {caller} must be a fitted bayeswood estimator or a Forest. "
            f"Got {type(model).__name__} instead."
        )
    return forest


def number_choice(name: str, share: float, cuts: F64, weights: F64) -> SplitChoice:
    """The choice of a numeric feature, from the members' cuts."""
    low, middle, high = weighted_quantiles(cuts, weights, _LEVELS)
    return SplitChoice(name, share, middle, low, high)


def category_choice(
    labels: Labels, feature: int, share: float, sets: Mapping[tuple[int, ...], float]
) -> SplitChoice:
    """The choice of a category, from the weight of each set of levels that goes left."""
    commonest = max(sets, key=lambda levels: sets[levels])
    name = labels.feature_names[feature]
    return SplitChoice(name, share, left_levels=tuple(labels.level(feature, i) for i in commonest))


def weighted_quantiles(values: F64, weights: F64, levels: tuple[float, ...]) -> list[float]:
    """Smallest values that so much of the weight does not exceed.

    Examples
    --------
    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), (0.25, 0.5))
    [1.0, 2.0]
    """
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(weights[order]) / weights.sum()
    places = np.searchsorted(cumulative, np.array(levels) - 1e-12)
    return [float(v) for v in values[order][np.minimum(places, len(values) - 1)]]
