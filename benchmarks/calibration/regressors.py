"""90 % intervals: ours and others', one function each. All use one thread."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.metrics import COVERAGE, LEVELS, OUTER
from benchmarks.calibration.models import F64, Model, Predict, registrar
from benchmarks.calibration.recalibration import fit_scale, order_statistics

OURS = "calibrated forest"
RIVAL = "random forest, recalibrated"
RAW = "random forest, tree quantiles"
REGRESSORS: dict[str, Model] = {}
_register = registrar(REGRESSORS, "regression")


@registrar(REGRESSORS, "regression", with_categories=True)(OURS)
def calibrated_forest(X: Any, y: NDArray, n_trees: int, seed: int) -> Predict:
    """bayeswood's `CalibratedForestRegressor`, defaults."""
    from bayeswood import CalibratedForestRegressor

    model = CalibratedForestRegressor(n_estimators=n_trees, random_state=seed, n_jobs=1).fit(X, y)
    return lambda X: _joined(model.predict(X), model.predict_quantiles(X, np.r_[OUTER, LEVELS]))


@_register(RIVAL)
def recalibrated_forest(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """scikit-learn's random forest with our interval made from its own out-of-bag residuals."""
    forest = _random_forest(X, y, n_trees, seed)
    mean, variance, seen = _out_of_bag(forest, X)
    residual = (y - mean)[seen]
    u, v = fit_scale(residual, variance[seen])
    z = order_statistics(residual / np.sqrt(u + v * variance[seen]), COVERAGE)

    def predict(X: F64) -> F64:
        members = _members(forest, X)
        scale = np.sqrt(u + v * members.var(axis=0))
        return _joined(members.mean(axis=0), members.mean(axis=0)[:, None] + np.outer(scale, z))

    return predict


@_register("random forest, symmetric")
def symmetric(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """scikit-learn's random forest ± one quantile of its absolute out-of-bag residuals."""
    forest = _random_forest(X, y, n_trees, seed, oob_score=True)
    residual = np.sort(np.abs(y - forest.oob_prediction_))
    half = residual[min(int(np.ceil((len(y) + 1) * COVERAGE)), len(y)) - 1]

    def predict(X: F64) -> F64:
        mean = forest.predict(X)
        return np.column_stack([mean, mean - half, mean + half])

    return predict


@_register(RAW)
def tree_quantiles(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """scikit-learn's random forest and the 5 % and 95 % quantiles of its trees' predictions.

    With leaves of one row these are quantile-forest's intervals.
    """
    forest = _random_forest(X, y, n_trees, seed)

    def predict(X: F64) -> F64:
        members = _members(forest, X)
        return _joined(members.mean(axis=0), np.quantile(members, np.r_[OUTER, LEVELS], axis=0).T)

    return predict


@_register("quantile-forest")
def quantile_forest(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """quantile-forest's `RandomForestQuantileRegressor`, leaves of 5 rows or more, all kept."""
    from quantile_forest import RandomForestQuantileRegressor

    model = RandomForestQuantileRegressor(
        n_trees, min_samples_leaf=5, max_samples_leaf=None, random_state=seed, n_jobs=1
    ).fit(X, y)
    return lambda X: _joined(
        np.ravel(model.predict(X, quantiles="mean")),
        model.predict(X, quantiles=[*OUTER, *LEVELS]),
    )


@_register("MAPIE CV+")
def mapie(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """MAPIE's `CrossConformalRegressor` (CV+, 5 folds) around scikit-learn's random forest."""
    from mapie.regression import CrossConformalRegressor
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(n_trees, random_state=seed, n_jobs=1)
    model = CrossConformalRegressor(forest, confidence_level=COVERAGE, cv=5, random_state=seed)
    model.fit_conformalize(X, y)

    def predict(X: F64) -> F64:
        mean, interval = model.predict_interval(X)
        return _joined(mean, interval[:, :, 0])

    return predict


@_register("crepes, normalised")
def crepes(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """crepes around scikit-learn's random forest: out-of-bag, difficulty = variance of trees."""
    from crepes import WrapRegressor
    from crepes.extras import DifficultyEstimator

    forest = _random_forest(X, y, n_trees, seed, oob_score=True)
    difficulty = DifficultyEstimator().fit(X=X, learner=forest, scaler=True, oob=True)
    model = WrapRegressor(forest).calibrate(X, y, de=difficulty, oob=True, seed=seed)
    return lambda X: _joined(forest.predict(X), model.predict_int(X, confidence=COVERAGE))


@_register("HistGradientBoosting")
def boosting(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """scikit-learn's `HistGradientBoostingRegressor` for the mean and for either quantile."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    losses: list[dict[str, Any]] = [{}, *({"loss": "quantile", "quantile": q} for q in OUTER)]
    models = [HistGradientBoostingRegressor(**loss, random_state=seed).fit(X, y) for loss in losses]

    def predict(X: F64) -> F64:
        mean, low, high = (model.predict(X) for model in models)
        return np.column_stack([mean, np.minimum(low, high), np.maximum(low, high)])

    return predict


@_register("Bayesian forest")
def bayesian_forest(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """bayeswood's `BayesianForestRegressor`, defaults: quantiles of the leaves' responses."""
    from bayeswood import BayesianForestRegressor

    model = BayesianForestRegressor(n_estimators=n_trees, random_state=seed, n_jobs=1).fit(X, y)
    return lambda X: _joined(model.predict(X), model.predict_quantiles(X, np.r_[OUTER, LEVELS]))


def tree_spread(X: F64, y: NDArray, X_test: F64, seed: int, n_trees: int = 100) -> F64:
    """The yardstick for thirds: standard deviation over the trees of a random forest."""
    return _members(_random_forest(X, y, n_trees, seed), X_test).std(axis=0)


def _random_forest(X: F64, y: NDArray, n_trees: int, seed: int, **options: Any) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(n_trees, random_state=seed, n_jobs=1, **options).fit(X, y)


def _members(forest: Any, X: F64) -> F64:
    single = np.asarray(X, dtype=np.float32)  # what trees ask for: converted once, not per tree
    return np.stack([tree.predict(single) for tree in forest.estimators_])


def _out_of_bag(forest: Any, X: F64) -> tuple[F64, F64, NDArray[np.bool_]]:
    """Mean and variance over the trees that did not see a row; only where there are two."""
    members = _members(forest, X)
    for member, rows in zip(members, forest.estimators_samples_, strict=True):
        member[rows] = np.nan
    n_out = np.isfinite(members).sum(axis=0)
    filled = np.where(np.isfinite(members), members, 0.0)
    mean = filled.sum(axis=0) / np.maximum(n_out, 1)
    squares = (np.where(np.isfinite(members), members - mean, 0.0) ** 2).sum(axis=0)
    return mean, squares / np.maximum(n_out, 1), n_out >= 2


def _joined(mean: F64, interval: F64) -> F64:
    return np.column_stack([mean, interval])
