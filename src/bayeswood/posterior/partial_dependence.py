"""Partial dependence with credible bands.

The partial dependence on feature j is the functional

    PD_j(v) = Σ_i f(x_i with x_ij := v) / n

of the fitted function f, over background rows i (J. H. Friedman, "Greedy function approximation",
Annals of Statistics 29, 2001, section 8.2). Its value for each member is a draw of its posterior.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.posterior.functional import Posterior
from bayeswood.posterior.members import Members, Rows, thin_rows
from bayeswood.uncertainty import check_coverage

F64 = NDArray[np.float64]

_NAME = "partial_dependence"
_CUT = (0.01, 0.99)


@dataclass(frozen=True, repr=False)
class PartialDependence:
    """The mean prediction over one feature.

    Attributes
    ----------
    feature : str
        Its name.
    is_category : bool
    grid : (n_grid,) ndarray
        Values of a numeric feature, or levels of a category.
    posterior : Posterior
        ``draws`` of shape (n_members, n_grid).
    mean, lower, upper : (n_grid,) ndarray
        Posterior mean and credible band (pointwise).
    coverage : float
        Of the band.
    values : ndarray
        The feature in the background rows, without missing ones: numbers, or level numbers.
    target : str
        The class or response; empty if there is but one response.
    """

    feature: str
    is_category: bool
    grid: NDArray[Any]
    posterior: Posterior
    mean: F64
    lower: F64
    upper: F64
    coverage: float
    values: F64
    target: str

    def __repr__(self) -> str:
        return f"<PartialDependence on {self.feature!r} at {len(self.grid)} values>"


def partial_dependence(
    model: Any,
    X: Any,
    feature: int | str,
    *,
    target: Any = None,
    grid: ArrayLike | None = None,
    n_grid: int = 40,
    coverage: float = 0.9,
    max_rows: int | None = 500,
    rng: Any = 0,
) -> PartialDependence:
    """Posterior of the mean prediction as a function of one feature.

    Parameters
    ----------
    model : fitted bayeswood estimator
    X : table
        Background rows.
    feature : int or str
        Number or name.
    target : class label or int, default None
        For a classifier the class whose probability is wanted (None: the second of two), for a
        regressor of several responses the number of one.
    grid : array-like, default None
        Values, or levels; None takes `n_grid` values between the 1 % and the 99 % quantile of the
        feature in `X`, or those that occur if they are fewer, and all levels of a category.
    n_grid : int, default 40
    coverage : float, default 0.9
        Of the band.
    max_rows : int or None, default 500
        A random sample of so many background rows is used.
    rng : int or numpy Generator, default 0
        Source of that sample.

    Returns
    -------
    PartialDependence

    Notes
    -----
    PD_j(v) = Σ_i f_m(x_i with x_ij := v) / n for each member m. The band is pointwise, and of
    the posterior of the mean. Where features go together, it asks about rows that do not occur.

    Examples
    --------
    >>> import numpy as np
    >>> from bayeswood import BayesianForestRegressor
    >>> from bayeswood.posterior import partial_dependence
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(400, 3))
    >>> forest = BayesianForestRegressor(random_state=0).fit(X, 10 * X[:, 1])
    >>> found = partial_dependence(forest, X, 1, grid=[0.25, 0.75])
    >>> found.mean.round(1)
    array([2.5, 7.5])
    """
    check_coverage(coverage, _NAME)
    members = Members(model, _NAME)
    column, output = members.column(feature, _NAME), members.output(target, _NAME)
    rows = members.encode(X)
    if not len(rows):
        raise BayeswoodError(f"The 'X' parameter of {_NAME} must have at least one row.")
    background = rows[thin_rows(rows, max_rows, rng)]
    shown, encoded = _grid(members, column, rows[:, column], grid, n_grid)
    posterior = Posterior(_draws(members, background, column, encoded, output), members.weights)
    ends = posterior.interval(coverage)
    values = rows[:, column].astype(np.float64)
    return PartialDependence(
        feature=members.schema.names[column],
        is_category=members.schema.columns[column].kind == "category",
        grid=shown,
        posterior=posterior,
        mean=posterior.mean,
        lower=ends[:, 0],
        upper=ends[:, 1],
        coverage=coverage,
        values=values[~np.isnan(values)],
        target=_target_name(members, output),
    )


def _target_name(members: Members, output: int) -> str:
    if members.is_classifier:
        return str(members.classes[output])
    return "" if members.forest.n_outputs == 1 else f"response {output}"


def _grid(
    members: Members, column: int, values: Rows, grid: ArrayLike | None, n_grid: int
) -> tuple[NDArray[Any], F64]:
    """The grid as the user sees it, and encoded."""
    described = members.schema.columns[column]
    if described.kind == "category":
        return _levels(described.levels, grid, described.name)
    if grid is not None:
        chosen = np.asarray(grid, dtype=np.float64)
        return chosen, chosen
    seen = np.unique(values[~np.isnan(values)]).astype(np.float64)
    if not seen.size:
        raise BayeswoodError(
            f"Column {described.name!r} of X holds missing values only. Give {_NAME} a 'grid'."
        )
    if len(seen) > n_grid:
        low, high = np.quantile(values[~np.isnan(values)], _CUT)
        seen = np.linspace(low, high, n_grid)
    return seen, seen


def _levels(levels: tuple[Any, ...], grid: ArrayLike | None, name: str) -> tuple[NDArray[Any], F64]:
    wanted = list(levels) if grid is None else list(np.asarray(grid, dtype=object))
    unknown = [level for level in wanted if level not in levels]
    if unknown:
        raise BayeswoodError(
            f"The 'grid' parameter of {_NAME} must hold levels of column {name!r}. "
            f"Got {unknown[0]!r} instead."
        )
    shown = np.empty(len(wanted), dtype=object)
    shown[:] = wanted
    return shown, np.array([levels.index(level) for level in wanted], dtype=np.float64)


def _draws(members: Members, background: Rows, column: int, encoded: F64, output: int) -> F64:
    """Mean prediction of each member at each value, one value at a time."""
    found = np.empty((len(members), len(encoded)))
    rows = np.array(background)
    for block in members.blocks(len(rows)):
        ask = members.some(block)
        for k, value in enumerate(encoded):
            rows[:, column] = value
            answers = ask(rows)
            found[block, k] = (answers if answers.ndim == 2 else answers[..., output]).mean(axis=1)
    return found
