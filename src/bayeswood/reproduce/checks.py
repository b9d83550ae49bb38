"""Claims as they are written down: a sentence, and a function that numbers make true or false."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from bayeswood.reproduce.finding import Claim
from bayeswood.reproduce.paper import Found, MissingDataError, Plan

# From what the units gave, and the plan, to whether a claim holds and the numbers.
Compute = Callable[[Found, Plan], tuple[bool, str]]


@dataclass(frozen=True)
class Check:
    """How a claim is checked.

    Attributes
    ----------
    text : str
        What the paper says, and where.
    checked : str
        What is computed to see whether it holds.
    compute : callable or None
        From what the units gave, and the plan, to whether it holds and the numbers. None: it is
        not checked, and `checked` says why.
    """

    text: str
    checked: str
    compute: Compute | None = None


def check_claims(checks: Iterable[Check], found: Found, plan: Plan) -> tuple[Claim, ...]:
    """The claims, checked; one whose data are not here says so.

    Parameters
    ----------
    checks : iterable of Check
    found : Found
    plan : Plan
    """
    return tuple(_check(check, found, plan) for check in checks)


def _check(check: Check, found: Found, plan: Plan) -> Claim:
    if check.compute is None:
        return Claim(check.text, "", None, check.checked)
    try:
        holds, numbers = check.compute(found, plan)
    except MissingDataError as error:
        return Claim(check.text, check.checked, None, str(error))
    return Claim(check.text, check.checked, holds, numbers)


def p_above_zero(differences: ArrayLike) -> float:
    """P of Student's one-sided test that a mean is above 0; repeats may be all the same.

    Parameters
    ----------
    differences : array-like, (n_repeats,)

    Examples
    --------
    >>> round(p_above_zero([1.0, 2.0, 3.0]), 4)
    0.0371
    >>> p_above_zero([0.0, 0.0]), p_above_zero([2.0, 2.0])
    (1.0, 0.0)
    """
    values = np.asarray(differences, dtype=np.float64)
    mean, n = float(values.mean()), len(values)
    error = float(values.std(ddof=1)) / np.sqrt(n)
    if error == 0.0:
        return 0.0 if mean > 0 else 1.0
    return float(stdtr(n - 1, -mean / error))
