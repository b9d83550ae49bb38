"""How do two rows differ, and how sure is that?

The posterior of f(b) − f(a). Members err alike at both rows, so that the difference is often much
surer than the two intervals side by side suggest.
"""

from typing import Any

from bayeswood.errors import BayeswoodError
from bayeswood.posterior.functional import Posterior
from bayeswood.posterior.members import Members, as_rows

_NAME = "contrast"


def contrast(model: Any, a: Any, b: Any) -> Posterior:
    """The posterior of the difference of the fitted function between rows, f(b) − f(a).

    Parameters
    ----------
    model : fitted bayeswood estimator
    a, b : one row each, or tables of equally many rows
        A row is a flat sequence, a pandas Series, or a table of one row.

    Returns
    -------
    Posterior
        ``draws`` of shape (n_members,) for one row of a regressor with one response; (n_members,
        n_outputs) or (n_members, n_classes) else; with an axis of rows after the first one where
        there are several rows.

    Notes
    -----
    Differences f_m(b) − f_m(a) of each member m, weighted by w_m. ``probability(lambda d: d > 0)``
    is the posterior probability that b lies higher. About the mean, not about single responses:
    see docs/uncertainty.md.

    Examples
    --------
    >>> import numpy as np
    >>> from bayeswood import BayesianForestRegressor
    >>> from bayeswood.posterior import contrast
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 2))
    >>> forest = BayesianForestRegressor(random_state=0).fit(X, X[:, 0] + X[:, 1])
    >>> difference = contrast(forest, [0.2, 0.5], [0.8, 0.5])
    >>> bool(difference.probability(lambda d: d > 0) > 0.99)
    True
    """
    members = Members(model, _NAME)
    first, second = members.encode(as_rows(a)), members.encode(as_rows(b))
    if len(first) != len(second):
        raise BayeswoodError(
            f"The rows 'a' and 'b' of {_NAME} must be equally many. "
            f"Got {len(first)} and {len(second)} instead."
        )
    draws = members.some(slice(0, len(members)))
    difference = draws(second) - draws(first)
    return Posterior(difference[:, 0] if len(first) == 1 else difference, members.weights)
