"""The parameters of a trunk, resolved for the size of a table."""

import numpy as np
import pytest

from bayeswood import EmpiricalBayesianForestRegressor
from bayeswood.errors import BayeswoodError
from bayeswood.forest import RowWeights
from bayeswood.methods.base.training_data import TableShape
from bayeswood.methods.bayesian_forest.trunk_plan import plan_trunk
from bayeswood.methods.cart.cart_forest import plan_cart

SHAPE = TableShape(1000, np.array([0, 3], dtype=np.int32))


def planned(**parameters):
    forest = EmpiricalBayesianForestRegressor(**parameters)
    return plan_trunk(forest, plan_cart(forest, (1000, 2), RowWeights("exponential", 1)), SHAPE)


def test_the_number_of_leaves_decides():
    trunk = planned(trunk_max_leaves=4)
    assert (trunk.max_leaves, trunk.leaf_size) == (4, 25)


def test_the_size_of_leaves_decides():
    assert planned(trunk_min_samples_leaf=0.2).leaf_size == 200
    trunk = planned(trunk_min_samples_leaf=30, trunk_max_leaves=None)
    assert (trunk.max_leaves, trunk.leaf_size) == (None, 30)


def test_no_leaf_is_smaller_than_one_of_the_forest():
    assert planned(trunk_min_samples_leaf=5, min_samples_leaf=50).leaf_size == 50


def test_a_sample_has_smaller_leaves():
    trunk = planned(trunk_min_samples_leaf=25, max_depth=6)
    assert [trunk.leaf_size_of(n) for n in (1000, 100, 1)] == [25, 3, 1]
    settings = trunk.settings(100)
    assert settings["min_samples_leaf"] == 3
    assert settings["max_depth"] == 6
    assert settings["n_levels"] is SHAPE.n_levels


def test_a_trunk_without_any_limit_is_refused():
    with pytest.raises(
        BayeswoodError, match=r"'trunk_max_leaves' parameter of Empirical.* Got None"
    ):
        planned(trunk_max_leaves=None)
