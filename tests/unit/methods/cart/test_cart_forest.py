"""Parameters resolved by the shape of a table alone."""

import numpy as np
import pytest

from bayeswood import BayesianForestClassifier, BayesianForestRegressor
from bayeswood.errors import BayeswoodError
from bayeswood.forest import RowWeights
from bayeswood.methods.base.training_data import read_class_target, read_training_data
from bayeswood.methods.cart.cart_forest import keeps_rows, plan_cart

SHAPE = (500, 9)
LAW = RowWeights("exponential", 4, threshold=0.2)


def test_shares_and_names_are_resolved():
    plan = plan_cart(BayesianForestClassifier(30, min_samples_leaf=0.02), SHAPE, LAW)
    assert (plan.n_trees, plan.min_samples_leaf, plan.max_features) == (30, 10, 3)
    assert plan.row_weights is LAW
    assert plan.seed == 4
    assert plan.title == "BayesianForestClassifier"


def test_more_features_than_there_are():
    with pytest.raises(BayeswoodError, match="at most the number of features, 9"):
        plan_cart(BayesianForestRegressor(max_features=10), SHAPE, LAW)


def test_who_keeps_rows():
    assert keeps_rows(BayesianForestRegressor())
    assert not keeps_rows(BayesianForestRegressor(keep_responses=False))
    assert not keeps_rows(BayesianForestClassifier())


def test_training_data_have_a_shape_and_a_weight():
    X, y = np.arange(8.0).reshape(4, 2), read_class_target(list("abab"), "the test")
    how = {"categorical_features": "from_dtype", "owner": "the test"}
    data = read_training_data(X, y, [1, 2, 0, 4], **how)
    assert (data.shape.n_rows, len(data.shape.n_levels), data.shape.n_classes) == (3, 2, 2)
    assert data.total_weight == 7
    assert read_training_data(X, y, None, **how).total_weight == 4
