"""Elementary steps: what is made of sums of trees, in words that other places understand.

A step takes a vector of numbers x, one for each output, and gives another:

==================  ================================================================
op                  gives
==================  ================================================================
``affine``          factor_k x_k + offset_k
``log``             log x_k
``softmax``         exp x_k / Σ_j exp x_j
``normalise``       x_k / Σ_j x_j
``prepend-zero``    0, x_1, x_2, ...
``probit-pair``     Φ(−x_2), Φ(x_2)
``precision-mean``  of a mean precision x_1 and a mean lean x_2: with p the base precision,
                    q = p + sharpness (x_1 − p) and r = mean p + sharpness (x_2 − mean p),
                    offset + r / q where q > least p, and offset + x_2 / x_1 elsewhere
==================  ================================================================
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, softmax

F64 = NDArray[np.float64]
Step = Mapping[str, Any]


def apply_steps(steps: Sequence[Step], x: F64) -> F64:
    """The steps, one after another, on (..., n_outputs).

    Examples
    --------
    >>> apply_steps([{"op": "prepend-zero"}, {"op": "softmax"}], np.array([[0.0]]))
    array([[0.5, 0.5]])
    """
    for step in steps:
        x = _OPERATIONS[step["op"]](step, x)
    return x


def _precision_mean(step: Step, x: F64) -> F64:
    precision, lean = x[..., 0], x[..., 1]
    plain, sharpness = step["precision"], step["sharpness"]
    sharp = plain + sharpness * (precision - plain)
    shift = step["mean"] * plain + sharpness * (lean - step["mean"] * plain)
    floor = step["least"] * plain
    mean = np.where(sharp > floor, shift / np.maximum(sharp, floor), lean / precision)
    found: F64 = (mean + step["offset"])[..., None]
    return found


_OPERATIONS: dict[str, Callable[[Step, F64], F64]] = {
    "affine": lambda step, x: step["factor"] * x + step["offset"],
    "log": lambda step, x: np.log(x),
    "softmax": lambda step, x: softmax(x, axis=-1),
    "normalise": lambda step, x: x / x.sum(axis=-1, keepdims=True),
    "prepend-zero": lambda step, x: np.concatenate([np.zeros_like(x[..., :1]), x], axis=-1),
    "probit-pair": lambda step, x: ndtr(np.stack([-x[..., 1], x[..., 1]], axis=-1)),
    "precision-mean": _precision_mean,
}
