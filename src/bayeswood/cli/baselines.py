"""Other libraries' forests and boosted trees, to hold beside ours in ``bayeswood compare``.

Each is fitted at its own defaults. Categories are given as each library wants them: as categories
where it knows such, as level numbers where it does not (scikit-learn's random forest).
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.cli.tables.columns import Task
from bayeswood.report import (
    ClassifierScores,
    ClassPredictions,
    NumberPredictions,
    RegressorScores,
)
from bayeswood.report.score_sums import ClassSums, NumberSums
from bayeswood.table import fit_table, transform_table

F64 = NDArray[np.float64]

# scikit-learn's histograms have so many bins, and a category one for each level.
_MOST_LEVELS = 255


@dataclass(frozen=True)
class Setting:
    """What a baseline is told.

    Attributes
    ----------
    task : str
    seed : int
    n_jobs : int
        Threads.
    n_levels : (n_features,) ndarray of int
        Of each column; 0 for numbers.
    """

    task: Task
    seed: int
    n_jobs: int
    n_levels: NDArray[np.int32]

    @property
    def for_classes(self) -> bool:
        """Whether classes are to be predicted."""
        return self.task == "classification"


class _Plain:
    """An estimator that takes level numbers as they are; `options` are those of its `fit`."""

    def __init__(self, estimator: Any, **options: Any) -> None:
        self._estimator, self._options = estimator, options

    def fit(self, X: F64, y: NDArray[Any], weights: F64 | None) -> Any:
        """Fit; gives the estimator."""
        return self._estimator.fit(self.rows(X), y, sample_weight=weights, **self._options)

    def rows(self, X: F64) -> Any:
        """The rows in the form that the estimator predicts."""
        return X


class _CatBoost(_Plain):
    """CatBoost wants categories to be text or whole numbers, and none of them missing."""

    def rows(self, X: F64) -> Any:
        """Numbers, and whole numbers from -1 on for categories."""
        categories = self._options["cat_features"]
        if not categories:
            return X
        cells = X.astype(object)
        for column in categories:
            cells[:, column] = np.nan_to_num(X[:, column], nan=-1.0).astype(np.int64)
        return cells


def _random_forest(setting: Setting) -> _Plain:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    cls = RandomForestClassifier if setting.for_classes else RandomForestRegressor
    return _Plain(cls(n_jobs=setting.n_jobs, random_state=setting.seed))


def _boosting(setting: Setting) -> _Plain:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    cls = HistGradientBoostingClassifier if setting.for_classes else HistGradientBoostingRegressor
    is_category = (setting.n_levels > 0) & (setting.n_levels <= _MOST_LEVELS)
    given = {"categorical_features": is_category} if is_category.any() else {}
    return _Plain(cls(random_state=setting.seed, **given))


def _lightgbm(setting: Setting) -> _Plain:
    from lightgbm import LGBMClassifier, LGBMRegressor

    cls = LGBMClassifier if setting.for_classes else LGBMRegressor
    categories = np.flatnonzero(setting.n_levels).tolist()
    model = cls(random_state=setting.seed, n_jobs=setting.n_jobs, verbose=-1)
    return _Plain(model, **({"categorical_feature": categories} if categories else {}))


def _catboost(setting: Setting) -> _Plain:
    from catboost import CatBoostClassifier, CatBoostRegressor

    cls = CatBoostClassifier if setting.for_classes else CatBoostRegressor
    model = cls(
        random_seed=setting.seed,
        thread_count=setting.n_jobs,
        verbose=False,
        allow_writing_files=False,
    )
    return _CatBoost(model, cat_features=np.flatnonzero(setting.n_levels).tolist())


# By name: the package that is needed, and what makes the model.
_BASELINES: dict[str, tuple[str, Callable[[Setting], _Plain]]] = {
    "sklearn-random-forest": ("sklearn", _random_forest),
    "sklearn-boosting": ("sklearn", _boosting),
    "lightgbm": ("lightgbm", _lightgbm),
    "catboost": ("catboost", _catboost),
}
BASELINES = tuple(_BASELINES)


def installed_baselines() -> list[str]:
    """The baselines whose package is there."""
    return [name for name, (package, _) in _BASELINES.items() if find_spec(package) is not None]


def _threads(n_jobs: int) -> AbstractContextManager[Any]:
    """Limits models that ask OpenMP how many threads to take, such as scikit-learn's boosting."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(n_jobs, user_api="openmp")
    return limits


class FittedBaseline:
    """A baseline, fitted to a table.

    Parameters
    ----------
    name : str
        One of `BASELINES`.
    task : str
    seed, n_jobs : int
    table : pyarrow.Table
        Features.
    y : (n_rows,) ndarray
    weights : (n_rows,) ndarray or None
    categories : list of str
        Columns that are categories though they hold numbers.
    """

    def __init__(
        self,
        name: str,
        task: Task,
        seed: int,
        n_jobs: int,
        table: Any,
        y: NDArray[Any],
        weights: F64 | None,
        categories: list[str],
    ) -> None:
        forced: Any = categories or "from_dtype"
        X, self._schema = fit_table(table, categorical_features=forced, estimator_name=name)
        self._name, self._task = name, task
        self._model = _BASELINES[name][1](Setting(task, seed, n_jobs, self._schema.n_levels))
        self._labels, numbers = (
            np.unique(y, return_inverse=True) if task == "classification" else (y[:0], y)
        )
        self._n_jobs = n_jobs
        with _threads(n_jobs):
            self._estimator = self._model.fit(np.ascontiguousarray(X), numbers, weights)

    def score(self, table: Any, y: NDArray[Any]) -> ClassifierScores | RegressorScores:
        """Scores of rows; what a model without members does not know is NaN."""
        with _threads(self._n_jobs):
            return self._scores(table, y)

    def _scores(self, table: Any, y: NDArray[Any]) -> ClassifierScores | RegressorScores:
        X = transform_table(table, self._schema, estimator_name=self._name)
        rows, nan = self._model.rows(np.ascontiguousarray(X)), np.full(len(y), np.nan)
        if self._task == "regression":
            mean = np.asarray(self._estimator.predict(rows), dtype=np.float64)
            of_numbers = NumberSums()
            of_numbers.add(NumberPredictions(mean, nan, nan, np.nan), y)
            return replace(of_numbers.scores(), covered=np.nan)
        proba = np.asarray(self._estimator.predict_proba(rows), dtype=np.float64)
        guess = self._labels[np.argmax(proba, axis=1)]
        of_classes = ClassSums()
        of_classes.add(
            ClassPredictions(self._labels, guess, proba, None, None, nan, np.nan, np.nan), y
        )
        return replace(
            of_classes.scores(),
            confident_correct=np.nan,
            uncertain=np.nan,
            confident_incorrect=np.nan,
        )
