"""What several tests of the calibrated forest look at."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_friedman1

from bayeswood import CalibratedForestClassifier, CalibratedForestRegressor


@pytest.fixture(scope="module")
def irises():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(n_samples=200, noise=1.0, random_state=3)


@pytest.fixture(scope="module")
def classifier(irises):
    return CalibratedForestClassifier(n_estimators=60, random_state=0).fit(*irises)


@pytest.fixture(scope="module")
def regressor(friedman):
    return CalibratedForestRegressor(n_estimators=60, random_state=0).fit(*friedman)
