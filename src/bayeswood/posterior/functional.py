"""The posterior of any functional of the fitted function.

Members m are draws f_m from the posterior of the fitted function, with weights w_m. Whatever can
be computed from one function, T(f), has as its posterior the values T(f_m) with the same weights:

    E[T | data] ≈ Σ_m w_m T(f_m),     P(T <= t | data) ≈ Σ_m w_m 1[T(f_m) <= t].

For a functional that is not linear in f, T of the averaged forest is not the mean of T(f_m).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.posterior.members import Members
from bayeswood.uncertainty import (
    check_alpha,
    check_coverage,
    interval_levels,
    member_quantiles,
    member_variance,
)

F64 = NDArray[np.float64]

_NAME = "posterior_functional"


@dataclass(frozen=True, repr=False)
class Posterior:
    """A posterior as weighted draws.

    Attributes
    ----------
    draws : (n_members, ...) ndarray
        The functional of each member.
    weights : (n_members,) ndarray
        They sum to 1.
    """

    draws: F64
    weights: F64

    @property
    def mean(self) -> F64:
        """Posterior mean."""
        return np.asarray(np.tensordot(self.weights, self.draws, axes=1))

    @property
    def std(self) -> F64:
        """Posterior standard deviation."""
        return np.asarray(np.sqrt(member_variance(self.draws, self.weights)))

    def quantiles(self, alpha: ArrayLike) -> F64:
        """Quantiles, (...,) for a single level, else (..., n_levels)."""
        levels = check_alpha(alpha, "Posterior.quantiles")
        found = member_quantiles(self.draws, self.weights, np.atleast_1d(levels))
        return found if levels.ndim else found[..., 0]

    def interval(self, coverage: float = 0.9) -> F64:
        """Central credible interval, (..., 2)."""
        return self.quantiles(interval_levels(check_coverage(coverage, "Posterior.interval")))

    def probability(self, holds: Callable[[F64], ArrayLike]) -> F64:
        """Probability that a statement holds; `holds` maps the draws to true or false.

        Examples
        --------
        >>> posterior = Posterior(np.array([-1.0, 2.0, 3.0]), np.array([0.5, 0.25, 0.25]))
        >>> float(posterior.probability(lambda t: t > 0))
        0.5
        """
        return np.asarray(np.tensordot(self.weights, np.asarray(holds(self.draws), bool), axes=1))

    def __repr__(self) -> str:
        if self.draws.ndim > 1:
            return f"<Posterior of shape {self.draws.shape[1:]} from {len(self.draws)} members>"
        low, high = self.interval()
        return f"<Posterior {float(self.mean):.6g}, 90 % in {low:.6g} to {high:.6g}>"


def posterior_functional(model: Any, fn: Callable[[Any], ArrayLike], X: Any = None) -> Posterior:
    """The posterior of a number, or an array of numbers, that a function computes from a member.

    Parameters
    ----------
    model : fitted bayeswood estimator
    fn : callable
        Without `X`: called with each member as a function, which takes a table and gives that
        member's predictions, (n_rows,) for a regressor of one response, (n_rows, n_outputs) or
        (n_rows, n_classes) else. With `X`: called with each member's predictions at `X`. Gives a
        number, or an array of the same shape for every member.
    X : table, default None
        Rows at which `fn` wants the predictions. It is encoded once, so that this way is the
        faster one.

    Returns
    -------
    Posterior
        Weighted by ``member_weights_``; has ``mean``, ``std``, ``interval``, ``quantiles`` and
        ``probability``. Members of weight 0 are asked too, and count for nothing.

    Notes
    -----
    T(f_m) for each member m, weighted by w_m, f_m as ``forest_.draws`` gives it: where an estimator
    corrects the members' average afterwards, the correction is no part of it. Members are taken a
    few at a time: besides the values of `fn`, about 24 MiB are used (or the predictions of one
    member, if those are more).

    Examples
    --------
    On how much of its range does a curve lie above 0.8? (In truth on 0.429 of it.)

    >>> import numpy as np
    >>> from bayeswood import BayesianForestRegressor, posterior_functional
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 3, size=(400, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=400)
    >>> forest = BayesianForestRegressor(min_samples_leaf=20, random_state=0).fit(X, y)
    >>> grid = np.linspace(0, 3, 301)
    >>> above = posterior_functional(forest, lambda f: np.mean(f > 0.8), grid[:, None])
    >>> above
    <Posterior 0.429003, 90 % in 0.378738 to 0.491694>
    """
    if not callable(fn):
        raise BayeswoodError(
            f"The 'fn' parameter of {_NAME} must be a function. Got {type(fn).__name__} instead."
        )
    members = Members(model, _NAME)
    values: list[F64] = []
    if X is None:
        for idx in range(len(members)):
            draws = members.some(slice(idx, idx + 1))
            _add(values, fn(lambda table, d=draws: d(members.encode(table))[0]))
    else:
        for _, block in members.stream(members.encode(X)):
            for draw in block:
                _add(values, fn(draw))
    return Posterior(np.stack(values), members.weights)


def _add(values: list[F64], value: ArrayLike) -> None:
    number = np.asarray(value, dtype=np.float64)
    if values and number.shape != values[0].shape:
        raise BayeswoodError(
            f"The 'fn' parameter of {_NAME} must give the same shape for every member. "
            f"Got {number.shape} after {values[0].shape} instead."
        )
    # A view of the draws would keep their whole block alive, and change if `fn` reuses it.
    values.append(number.copy())
