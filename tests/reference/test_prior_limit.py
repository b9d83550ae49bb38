"""Many trees of the prior reach the limit in closed form: the twin, and the library's forest.

The forest weighs 20,000 trees: the standard error is below .001, so .005 has a false-alarm rate
below 1e-5 a number. The twin, which is slow, weighs every fifth of them, within .011.
"""

import numpy as np
import pytest
from safe_bayes_truth import LIMIT_DATA, LIMITS
from safe_bayes_twin import DirichletMultinomial, Grown, draw_shape, fill_rules, power_weights

from bayeswood import Forest
from bayeswood.forest import weigh_trees

N_TREES = 20_000
EACH = 5

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=[0.3, 0.475, 0.5])
def split_probability(request):
    return request.param


@pytest.fixture(scope="module")
def trees(split_probability):
    """20,000 trees of the prior; they serve all tests."""
    rng = np.random.default_rng(20_000)
    return [
        fill_rules(draw_shape(split_probability, rng, max_leaves=1000), 1, rng)
        for _ in range(N_TREES)
    ]


@pytest.fixture(scope="module")
def twin_answers(trees):
    """Evidence and predictions of some of the trees."""
    model, rows = DirichletMultinomial.symmetric(2, 1.0), np.arange(4)
    log_evidences, draws = [], []
    for tree in trees[::EACH]:
        grown = Grown(tree, LIMIT_DATA["X"], LIMIT_DATA["y"], model, False, rows)
        log_evidences.append(grown.log_evidence())
        draws.append([grown.predictive(x) for x in LIMIT_DATA["X_test"]])
    return np.array(log_evidences), np.array(draws)


@pytest.fixture(scope="module")
def shapes(trees):
    return Forest.from_nested(trees, n_features=1, n_classes=0)


def assert_limit(found, evidences, split_probability, power, of_sample=1.0):
    mean_power, predictive = LIMITS[split_probability, power]
    np.testing.assert_allclose(found, predictive, rtol=0, atol=0.005 * of_sample)
    assert evidences.mean() == pytest.approx(mean_power, rel=0.02 * of_sample)


@pytest.mark.parametrize("power", [0.25, 1.0])
def test_the_twin_reaches_the_limit(twin_answers, split_probability, power):
    log_evidences, draws = twin_answers
    found = np.einsum("k,knc->nc", power_weights(log_evidences, power), draws)
    evidences = np.exp(power * log_evidences)
    assert_limit(found, evidences, split_probability, power, of_sample=EACH**0.5)


@pytest.mark.parametrize("power", [0.25, 1.0])
def test_the_forest_reaches_the_limit(shapes, split_probability, power):
    forest = weigh_trees(shapes, LIMIT_DATA["X"], LIMIT_DATA["y"], power=power)
    found = forest.predict(LIMIT_DATA["X_test"])
    assert_limit(found, np.exp(forest.log_weights), split_probability, power)
