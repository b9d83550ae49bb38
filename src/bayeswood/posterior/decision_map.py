"""What a classifier decides over two features, and how consistently its members do.

At each point of a grid over two features, with the other features held at typical values,

    γ = max_c Σ_m w_m 1[member m votes for c]

is the members' consistency (Schetinin and others 2004, section 4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.posterior.members import Members, Rows

F64 = NDArray[np.float64]

_NAME = "decision_map"
_MARGIN = 0.04


@dataclass(frozen=True, repr=False)
class DecisionMap:
    """Decisions on a grid.

    Attributes
    ----------
    x, y : (n_grid,) ndarray
        Values of the two features.
    majority : (n_grid, n_grid) ndarray of int
        Number of the class most members vote for; rows are values of ``y``.
    consistency : (n_grid, n_grid) ndarray
        γ: the share of the members that do, by weight.
    classes : (n_classes,) ndarray
    names : tuple of two str
        Of the features.
    held : dict
        The other features' names and the values they are held at.
    """

    x: F64
    y: F64
    majority: NDArray[np.intp]
    consistency: F64
    classes: NDArray[Any]
    names: tuple[str, str]
    held: dict[str, Any]

    def __repr__(self) -> str:
        return f"<DecisionMap of {len(self.classes)} classes over {' and '.join(self.names)}>"


def decision_map(
    model: Any, X: Any, features: Sequence[int | str] = (0, 1), *, n_grid: int = 100
) -> DecisionMap:
    """Decisions of a classifier over two numeric features.

    Parameters
    ----------
    model : fitted bayeswood classifier
    X : table
        Rows that span the map, and give the values at which other features are held: medians, or
        the commonest level.
    features : two of int or str, default (0, 1)
        Numbers or names, horizontal first.
    n_grid : int, default 100
        Points in each direction.

    Returns
    -------
    DecisionMap

    Examples
    --------
    >>> from bayeswood import BayesianForestClassifier
    >>> from bayeswood.datasets import load_iris
    >>> from bayeswood.posterior import decision_map
    >>> iris = load_iris(as_frame=True)
    >>> X = iris.data[["petal_length", "petal_width"]]
    >>> forest = BayesianForestClassifier(random_state=0).fit(X, iris.target)
    >>> decision_map(forest, X, n_grid=50)
    <DecisionMap of 3 classes over petal_length and petal_width>
    """
    members = Members(model, _NAME)
    if not members.is_classifier:
        raise BayeswoodError(
            f"The 'model' parameter of {_NAME} must be a classifier. "
            f"Got {type(model).__name__} instead."
        )
    across, up = _two_columns(members, features)
    rows = members.encode(X)
    typical = [_typical(members, rows[:, j], j) for j in range(rows.shape[1])]
    x, y = _axis(rows[:, across], n_grid), _axis(rows[:, up], n_grid)
    points = np.tile(np.array(typical, dtype=np.float64), (n_grid * n_grid, 1))
    points[:, across], points[:, up] = np.tile(x, n_grid), np.repeat(y, n_grid)
    votes = members.forest.votes(points, members.n_jobs)
    names = members.schema.names
    return DecisionMap(
        x=x,
        y=y,
        majority=votes.argmax(axis=1).reshape(n_grid, n_grid),
        consistency=np.minimum(np.round(votes.max(axis=1), 12), 1.0).reshape(n_grid, n_grid),
        classes=members.classes,
        names=(names[across], names[up]),
        held={
            names[j]: _shown(members, j, typical[j])
            for j in range(len(names))
            if j not in (across, up)
        },
    )


def _two_columns(members: Members, features: Sequence[int | str]) -> tuple[int, int]:
    columns = [members.column(feature, _NAME) for feature in features]
    numeric = [members.schema.columns[j].kind == "numeric" for j in columns]
    if len(set(columns)) != 2 or len(columns) != 2 or not all(numeric):
        raise BayeswoodError(
            f"The 'features' parameter of {_NAME} must be two different numeric columns. "
            f"Got {features!r} instead."
        )
    return columns[0], columns[1]


def _typical(members: Members, values: Rows, column: int) -> float:
    """Median of a numeric column, commonest level of a category; NaN if all are missing."""
    seen = values[~np.isnan(values)]
    if not seen.size:
        return float("nan")
    if members.schema.columns[column].kind == "category":
        return float(np.bincount(seen.astype(np.intp)).argmax())
    return float(np.median(seen))


def _shown(members: Members, column: int, value: float) -> Any:
    described = members.schema.columns[column]
    is_level = described.kind == "category" and not np.isnan(value)
    return described.levels[int(value)] if is_level else value


def _axis(values: Rows, n_grid: int) -> F64:
    seen = values[~np.isnan(values)].astype(np.float64)
    low, high = (seen.min(), seen.max()) if seen.size else (0.0, 1.0)
    margin = _MARGIN * (high - low) if high > low else 0.5
    return np.linspace(low - margin, high + margin, n_grid)
