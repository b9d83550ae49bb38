"""The interval of a response, by sums of trees and by what their leaves remember."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest
from bayeswood.uncertainty import Responses

F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ResidualEnds:
    """μ + a z(a): a mean of trees, and residuals in units of their size a.

    z is linear in log a between three centres, and constant beyond them.

    Attributes
    ----------
    mean : Forest
        Whose prediction is μ.
    sizes : Forest or None
        Whose prediction is a, where it is not below `least`; None: a is `least`.
    least : ndarray, (n_outputs,)
    centres : ndarray, (n_outputs, 3)
        Of log a, ascending.
    ends : ndarray, (n_outputs, 3, 2)
        z at the centres, for the lower and the upper end.
    """

    mean: Forest
    sizes: Forest | None
    least: F64
    centres: F64
    ends: F64


@dataclass(frozen=True, eq=False)
class LeafEnds:
    """Quantiles of the training responses in the leaves that a row falls in.

    Attributes
    ----------
    forest : Forest
        The trees, and their weights.
    responses : Responses
        What is in their leaves.
    levels : ndarray, (n_outputs, 2)
        Of the lower and the upper end.
    """

    forest: Forest
    responses: Responses
    levels: F64


@dataclass(frozen=True, eq=False)
class ResponseInterval:
    """share · residuals + (1 − share) · leaves, (n_rows, n_outputs, 2).

    The interval reaches to the prediction where this lies outside.

    Attributes
    ----------
    share : ndarray, (n_outputs,)
    residuals : ResidualEnds or None
        None where `share` is 0 throughout.
    leaves : LeafEnds or None
        None where it is 1 throughout.
    """

    share: F64
    residuals: ResidualEnds | None
    leaves: LeafEnds | None
