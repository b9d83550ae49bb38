"""Cuts for rows that another library rounds to float32 before it compares them."""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def widened(threshold: F64) -> F64:
    """The largest float64 that is rounded to a float32 <= threshold.

    Examples
    --------
    >>> t = widened(np.array([0.3, 1.0]))
    >>> np.float32(t) <= [0.3, 1.0], np.float32(np.nextafter(t, np.inf)) <= [0.3, 1.0]
    (array([ True,  True]), array([False, False]))
    """
    below = threshold.astype(np.float32)
    below = np.where(below > threshold, np.nextafter(below, np.float32(-np.inf)), below)
    above = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
    middle = below / 2.0 + above / 2.0
    # Half-way, float32 rounds to the even of two neighbours.
    with np.errstate(over="ignore"):
        is_below = middle.astype(np.float32) <= threshold
    found: F64 = np.where(is_below, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isfinite(above), found, threshold)
