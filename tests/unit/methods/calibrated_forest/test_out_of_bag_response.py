"""What bags say of the rows they left out."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

from bayeswood.methods.calibrated_forest.out_of_bag_response import r_squared


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_r_squared_is_that_of_scikit_learn(n_outputs, weighted, rng):
    for n_rows in (2, 7, 300):
        y = rng.normal(size=(n_rows, n_outputs)) * 10.0 ** rng.integers(-5, 5)
        said = y + rng.normal(size=y.shape)
        weights = rng.random(n_rows) if weighted else None
        assert r_squared(y, said, weights) == r2_score(y, said, sample_weight=weights)


def test_constant_responses_count_as_in_scikit_learn(rng):
    y = np.column_stack([np.ones(5), np.ones(5), np.arange(5.0)])
    said = np.column_stack([np.ones(5), np.zeros(5), np.arange(5.0) + rng.normal(size=5)])
    for k in ([0], [1], [0, 1, 2]):
        assert r_squared(y[:, k], said[:, k], None) == r2_score(y[:, k], said[:, k])
