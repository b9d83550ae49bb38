"""From a fitted model and its predictions to the plain data that text and plots are made of."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.report.predictions import ClassPredictions, NumberPredictions
from bayeswood.report.score_sums import ClassSums, NumberSums
from bayeswood.report.scores import ClassifierScores, RegressorScores
from bayeswood.uncertainty import sort_outcomes

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Importances:
    """Feature importances, largest first.

    Attributes
    ----------
    names : tuple of str
    mean : (n_features,) ndarray
        They sum to 1 unless no tree splits.
    spread : (n_features,) ndarray
        Standard deviation over the members.
    """

    names: tuple[str, ...]
    mean: F64
    spread: F64

    def to_json(self) -> list[dict[str, Any]]:
        """A record per feature: ``feature``, ``mean`` and ``spread``."""
        return [
            {"feature": name, "mean": mean, "spread": spread}
            for name, mean, spread in zip(self.names, self.mean, self.spread, strict=True)
        ]


@dataclass(frozen=True)
class ModelSummary:
    """What a fitted model is, whatever the method.

    Attributes
    ----------
    estimator : str
        Class name.
    task : str
        ``"classification"`` or ``"regression"``.
    n_trees : int
    trees_per_member : int
        More than 1 where members are sums of trees.
    mean_leaves, mean_depth : float
        Per tree.
    feature_names : tuple of str
    categories : dict
        Levels of each category column.
    classes : tuple
        Empty for a regressor.
    parameters : dict
    importances : Importances
    target : str or None
        Name of the column that is predicted, where it is known.
    """

    estimator: str
    task: str
    n_trees: int
    trees_per_member: int
    mean_leaves: float
    mean_depth: float
    feature_names: tuple[str, ...]
    categories: dict[str, tuple[Any, ...]]
    classes: tuple[Any, ...]
    parameters: dict[str, Any]
    importances: Importances
    target: str | None = None


def classify_outcomes(predictions: ClassPredictions, y: NDArray[Any]) -> NDArray[np.int8]:
    """The `Outcome` of each row.

    Parameters
    ----------
    predictions : ClassPredictions
    y : (n_rows,) ndarray
        True classes.

    Returns
    -------
    (n_rows,) ndarray of int8

    Examples
    --------
    >>> from bayeswood.report import ClassPredictions, Outcome, classify_outcomes
    >>> p = np.array([[0.9, 0.1], [0.6, 0.4]])
    >>> agreement = np.array([0.97, 0.6])
    >>> predictions = ClassPredictions(
    ...     np.array(["no", "yes"]), np.array(["no", "no"]), p, p, p, agreement, 0.9, 0.9
    ... )
    >>> [Outcome(o).name for o in classify_outcomes(predictions, np.array(["yes", "no"]))]
    ['CONFIDENT_INCORRECT', 'UNCERTAIN']
    """
    return sort_outcomes(predictions.is_confident, np.asarray(predictions.predicted == y))


def score_predictions(
    predictions: ClassPredictions | NumberPredictions, y: ArrayLike
) -> ClassifierScores | RegressorScores:
    """Compare predictions with the truth.

    Parameters
    ----------
    predictions : ClassPredictions or NumberPredictions
    y : array-like, (n_rows,)
        True classes or numbers. A class that the model never saw counts as probability 0.

    Returns
    -------
    ClassifierScores or RegressorScores

    Examples
    --------
    >>> from bayeswood.report import NumberPredictions, score_predictions
    >>> y = np.array([1.0, 2.0, 3.0, 5.0])
    >>> scores = score_predictions(NumberPredictions(y - 0.5, y - 1, y + 1, 0.9), y)
    >>> scores.rmse, scores.covered, scores.mean_width
    (0.5, 1.0, 2.0)
    """
    if isinstance(predictions, ClassPredictions):
        of_classes = ClassSums()
        of_classes.add(predictions, np.asarray(y))
        return of_classes.scores()
    of_numbers = NumberSums()
    of_numbers.add(predictions, np.asarray(y, dtype=np.float64))
    return of_numbers.scores()


def summarize_importances(estimator: Any) -> Importances:
    """Feature importances of a fitted estimator, sorted, with their spread over the members.

    Parameters
    ----------
    estimator : fitted bayeswood estimator

    Returns
    -------
    Importances

    Examples
    --------
    >>> from bayeswood import BayesianForestRegressor
    >>> from bayeswood.report import summarize_importances
    >>> X, y = np.arange(40.0)[:, None], np.arange(40.0)
    >>> forest = BayesianForestRegressor(n_estimators=10, random_state=0).fit(X, y)
    >>> summarize_importances(forest).names
    ('x0',)
    """
    mean = np.asarray(estimator.feature_importances_, dtype=np.float64)
    spread = np.asarray(estimator.feature_importances_std_, dtype=np.float64)
    order = np.argsort(-mean, kind="stable")
    names = feature_names(estimator)
    return Importances(tuple(names[idx] for idx in order), mean[order], spread[order])


def feature_names(estimator: Any) -> tuple[str, ...]:
    """Names of the columns that trees split on: those seen at fit, or x0, x1, ...

    Parameters
    ----------
    estimator : fitted estimator

    Returns
    -------
    tuple of str
    """
    if hasattr(estimator, "schema_"):
        return tuple(estimator.schema_.names)
    named = getattr(estimator, "feature_names_in_", None)
    if named is None:
        return tuple(f"x{idx}" for idx in range(estimator.n_features_in_))
    return tuple(str(name) for name in named)


def summarize_model(estimator: Any) -> ModelSummary:
    """Describe a fitted estimator.

    Parameters
    ----------
    estimator : fitted bayeswood estimator

    Returns
    -------
    ModelSummary

    Examples
    --------
    >>> from bayeswood import BayesianForestRegressor
    >>> from bayeswood.report import summarize_model
    >>> X, y = np.arange(40.0)[:, None], np.arange(40.0)
    >>> forest = BayesianForestRegressor(n_estimators=10, random_state=0).fit(X, y)
    >>> summary = summarize_model(forest)
    >>> summary.estimator, summary.n_trees, summary.feature_names
    ('BayesianForestRegressor', 10, ('x0',))
    """
    trees = estimator.forest_.trees
    categories = {
        c.name: tuple(c.levels) for c in estimator.schema_.columns if c.kind == "category"
    }
    return ModelSummary(
        estimator=type(estimator).__name__,
        task="classification" if hasattr(estimator, "classes_") else "regression",
        n_trees=len(trees),
        trees_per_member=estimator.forest_.trees_per_member,
        mean_leaves=float(np.mean([tree.n_leaves for tree in trees])),
        mean_depth=float(np.mean([tree.depth for tree in trees])),
        feature_names=feature_names(estimator),
        categories=categories,
        classes=tuple(np.asarray(getattr(estimator, "classes_", ())).tolist()),
        parameters=dict(estimator.get_params(deep=False)),
        importances=summarize_importances(estimator),
        target=estimator.schema_.reading.target,
    )


def to_plain(value: Any) -> Any:
    """Dataclasses, arrays and NumPy scalars as what JSON knows; NaN and infinities as None.

    Parameters
    ----------
    value : object

    Returns
    -------
    object

    Examples
    --------
    >>> to_plain({"a": np.array([1.0, np.nan])})
    {'a': [1.0, None]}
    """
    if hasattr(value, "__dataclass_fields__"):
        return to_plain(asdict(value))
    if isinstance(value, np.ndarray | np.generic):
        return to_plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
