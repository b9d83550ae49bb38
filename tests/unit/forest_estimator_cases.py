"""The forests that share their tests, and small data for them."""

import numpy as np
from sklearn.datasets import load_iris, make_friedman1

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    CalibratedForestClassifier,
    CalibratedForestRegressor,
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

CLASSIFIERS = [
    BayesianForestClassifier,
    RandomForestClassifier,
    CalibratedForestClassifier,
    EmpiricalBayesianForestClassifier,
]
REGRESSORS = [
    BayesianForestRegressor,
    RandomForestRegressor,
    CalibratedForestRegressor,
    EmpiricalBayesianForestRegressor,
]
ALL = CLASSIFIERS + REGRESSORS
TRUNKED = [EmpiricalBayesianForestClassifier, EmpiricalBayesianForestRegressor]


# What makes a calibrated forest speak as its members do.
UNCALIBRATED = {
    CalibratedForestClassifier: {"calibration": None},
    CalibratedForestRegressor: {"interval": "leaves"},
}


def n_members(cls, n_estimators):
    """Members of a small forest: trees, or bags of two."""
    return n_estimators // 2 if cls is CalibratedForestRegressor else n_estimators


def data_for(cls):
    """Rows and response for an estimator class."""
    if cls in CLASSIFIERS:
        X, y = load_iris(return_X_y=True)
        return X, np.array(["setosa", "versicolor", "virginica"])[y]
    return make_friedman1(n_samples=120, random_state=3)


def assert_same_trees(first, second):
    """Every array of the two forests is equal, to the bit."""
    arrays, others = first.forest_.to_arrays(), second.forest_.to_arrays()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, others[name])


def fitted(cls, **parameters):
    """A small fitted estimator and its data."""
    X, y = data_for(cls)
    return cls(**{"n_estimators": 12, "random_state": 1, **parameters}).fit(X, y), X, y
