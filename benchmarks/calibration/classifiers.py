"""Class probabilities: ours and others', one function each. All use one thread."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.models import F64, Model, Predict, registrar
from benchmarks.calibration.recalibration import (
    fit_slopes,
    fit_temperature,
    recalibrated,
    smoothed_log,
)

OURS = "calibrated forest"
RIVAL = "random forest, recalibrated"
RIVAL_BY_CLASS = "random forest, recalibrated by class"
RAW = "random forest"
CLASSIFIERS: dict[str, Model] = {}
_register = registrar(CLASSIFIERS, "classification")


@registrar(CLASSIFIERS, "classification", with_categories=True)(OURS)
def calibrated_forest(X: Any, y: NDArray, n_trees: int, seed: int) -> Predict:
    """bayeswood's `CalibratedForestClassifier`, defaults."""
    from bayeswood import CalibratedForestClassifier

    model = CalibratedForestClassifier(n_estimators=n_trees, random_state=seed, n_jobs=1)
    return model.fit(X, y).predict_proba


@_register(RIVAL)
def recalibrated_forest(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """scikit-learn's random forest, its out-of-bag rows recalibrated by one γ and offsets."""
    forest, log_p, codes = _out_of_bag_forest(X, y, n_trees, seed)
    gamma, offsets = fit_temperature(log_p, codes)
    return lambda X: recalibrated(smoothed_log(forest.predict_proba(X), n_trees), gamma, offsets)


@_register(RIVAL_BY_CLASS)
def forest_recalibrated_by_class(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """The same with a slope for each of three classes or more, as ours has."""
    forest, log_p, codes = _out_of_bag_forest(X, y, n_trees, seed)
    shift = np.log(log_p.shape[1])
    powers, offsets = fit_slopes(log_p + shift, codes)
    return lambda X: recalibrated(
        smoothed_log(forest.predict_proba(X), n_trees) + shift, powers, offsets
    )


def _out_of_bag_forest(
    X: F64, y: NDArray, n_trees: int, seed: int
) -> tuple[Any, F64, NDArray[np.intp]]:
    """A random forest, log p̃ of the rows that some tree left out, and their classes."""
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_trees, oob_score=True, random_state=seed, n_jobs=1).fit(X, y)
    n_out = np.zeros(len(y))
    for rows in forest.estimators_samples_:
        n_out += np.bincount(rows, minlength=len(y)) == 0
    seen = n_out > 0
    log_p = smoothed_log(forest.oob_decision_function_[seen], n_out[seen])
    return forest, log_p, np.searchsorted(forest.classes_, y[seen])


@_register(RAW)
def random_forest(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """scikit-learn's `RandomForestClassifier` as it is."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_trees, random_state=seed, n_jobs=1).fit(X, y).predict_proba


@_register("random forest, sigmoid")
def sigmoid(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """`CalibratedClassifierCV` around the random forest: sigmoid, 5 folds, so five forests."""
    return _cross_calibrated("sigmoid", X, y, n_trees, seed)


@_register("random forest, isotonic")
def isotonic(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """`CalibratedClassifierCV` around the random forest: isotonic, 5 folds, so five forests."""
    return _cross_calibrated("isotonic", X, y, n_trees, seed)


@_register("ExtraTrees")
def extra_trees(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """scikit-learn's `ExtraTreesClassifier`, uncalibrated."""
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(n_trees, random_state=seed, n_jobs=1).fit(X, y).predict_proba


@_register("HistGradientBoosting")
def boosting(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """scikit-learn's `HistGradientBoostingClassifier`, defaults (100 rounds), uncalibrated."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed).fit(X, y).predict_proba


@_register("Bayesian forest")
def bayesian_forest(X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    """bayeswood's `BayesianForestClassifier`, defaults, uncalibrated."""
    from bayeswood import BayesianForestClassifier

    model = BayesianForestClassifier(n_estimators=n_trees, random_state=seed, n_jobs=1)
    return model.fit(X, y).predict_proba


def _cross_calibrated(method: str, X: F64, y: NDArray, n_trees: int, seed: int) -> Predict:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_trees, random_state=seed, n_jobs=1)
    return CalibratedClassifierCV(forest, method=method, cv=5).fit(X, y).predict_proba
