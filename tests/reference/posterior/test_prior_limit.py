"""Many trees of the prior reach the limit in closed form: the twin, and the library's forest.

The forest weighs 20,000 trees: the standard error is below .001, so .005 has a false-alarm rate
below 1e-5 a number. The twin, which is slow, weighs every fifth of them, within .011.
"""

import numpy as np
import pytest
from safe_bayes_truth import LIMIT_DATA, LIMITS
from safe_bayes_twin import DirichletMultinomial, Grown, draw_shape, power_weights, with_rules

from bayeswood import Forest
from bayeswood.forest import weigh_trees

N_TREES = 20_000
EACH = 5

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=[0.3, 0.475, 0.5])
def split_probability(request):
    return request.param


@pytest.fixture(scope="module")
def codes(split_probability):
    """Shapes of 20,000 trees of the prior; they serve all tests."""
    rng = np.random.default_rng(20_000)
    return [draw_shape(split_probability, rng, max_leaves=1000) for _ in range(N_TREES)]


@pytest.fixture(scope="module")
def cuts(codes):
    """The cut of each split of each tree."""
    rng = np.random.default_rng(20_001)
    return [rng.random(sum(code)) for code in codes]


@pytest.fixture(scope="module")
def twin_trees(codes, cuts):
    """Some of the trees."""
    return [
        with_rules(code, np.zeros(len(own), dtype=int), own)
        for code, own in zip(codes[::EACH], cuts[::EACH], strict=True)
    ]


@pytest.fixture(scope="module")
def twin_answers(twin_trees):
    """Evidence and predictions of some of the trees."""
    model, rows = DirichletMultinomial.symmetric(2, 1.0), np.arange(4)
    log_evidences, draws = [], []
    for tree in twin_trees:
        grown = Grown(tree, LIMIT_DATA["X"], LIMIT_DATA["y"], model, False, rows)
        log_evidences.append(grown.log_evidence())
        draws.append([grown.predictive(x) for x in LIMIT_DATA["X_test"]])
    return np.array(log_evidences), np.array(draws)


def level_by_level(is_split, tree):
    """The order of a forest's nodes, for nodes depth first. The left child comes next. Then as many
    subtrees are open as before when the right child is reached, and before that more."""
    n_open = np.cumsum(np.where(is_split, 1, -1)) - np.where(is_split, 1, -1)
    alike = np.lexsort((n_open, tree))
    right = np.empty(len(tree), dtype=int)
    right[alike[:-1]] = alike[1:]
    nodes = np.flatnonzero(np.diff(tree, prepend=-1))
    levels = []
    while len(nodes):
        levels.append(nodes)
        inner = nodes[is_split[nodes]]
        nodes = np.column_stack([inner + 1, right[inner]]).ravel()
    found = np.concatenate(levels)
    return found[np.argsort(tree[found], kind="stable")]


def flat_forest(codes, cuts):
    """The trees, without rows."""
    splits = np.concatenate(codes).astype(bool)
    thresholds = np.full(len(splits), np.nan)
    thresholds[splits] = np.concatenate(cuts)
    order = level_by_level(splits, np.repeat(np.arange(len(codes)), [len(code) for code in codes]))
    n_leaves = np.count_nonzero(~splits)
    return Forest.from_arrays(
        {
            "n_features": 1,
            "n_outputs": 1,
            "is_classifier": False,
            "n_levels": np.zeros(1, dtype=np.int32),
            "n_nodes": np.array([len(code) for code in codes]),
            "feature": np.where(splits[order], 0, -1).astype(np.int32),
            "threshold": thresholds[order],
            "missing_left": np.zeros(len(splits), dtype=np.uint8),
            "category_words": np.empty(0, dtype=np.uint64),
            "leaf_n_samples": np.zeros(n_leaves, dtype=np.int32),
            "leaf_weight": np.zeros(n_leaves, dtype=np.float32),
            "leaf_n_entries": np.empty(0, dtype=np.int32),
            "leaf_class": np.empty(0, dtype=np.int32),
            "leaf_value": np.zeros(n_leaves),
            "leaf_rows": np.empty(0, dtype=np.int32),
        }
    )


@pytest.fixture(scope="module")
def shapes(codes, cuts):
    return flat_forest(codes, cuts)


def test_the_forest_holds_the_trees_of_the_twin(twin_trees, codes, cuts):
    some = slice(0, 200)
    nested = Forest.from_nested(twin_trees[some], n_features=1, n_classes=0)
    assert flat_forest(codes[::EACH][some], cuts[::EACH][some]).digest == nested.digest


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
