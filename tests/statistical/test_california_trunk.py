"""The trunk of the Bayesian-forest paper, section 3.2: exactly, and its stability."""

import pandas as pd
import pytest

from bayeswood import EmpiricalBayesianForestRegressor
from bayeswood.theory import trunk_stability


@pytest.fixture(scope="module")
def trunk(california):
    names, X, y = california
    return trunk_stability(pd.DataFrame(X, columns=names), y, 3500, n_draws=1000, rng=1)


def test_the_sample_tree(trunk):
    splits = [(n.path, n.feature, n.threshold) for n in trunk.sample_tree if not n.is_leaf]
    assert [(path, feature) for path, feature, _ in splits] == [
        ("", "medianIncome"),
        ("L", "medianIncome"),
        ("LL", "latitude"),
        ("LR", "housingMedianAge"),
    ]
    thresholds = [threshold for *_, threshold in splits]
    assert thresholds == pytest.approx([5.03515, 3.0743, 34.455, 26.5], rel=1e-12)
    leaves = [node for node in trunk.sample_tree if node.is_leaf]
    assert [node.n_samples for node in leaves] == [3804, 4056, 3686, 4709, 4385]
    assert [float(node.value[0]) for node in leaves] == pytest.approx(
        [
            157462.49421661408,
            115275.96449704142,
            187292.73901247967,
            225765.56317689532,
            330551.04857468646,
        ],
        rel=1e-12,
    )


def test_the_trunk_of_the_empirical_bayesian_forest(california):
    names, X, y = california
    forest = EmpiricalBayesianForestRegressor(1, trunk_min_samples_leaf=3500, random_state=0)
    trunk = forest.fit(pd.DataFrame(X, columns=names), y).trunk_.trees[0]
    inner = trunk.feature >= 0
    assert [names[feature] for feature in trunk.feature[inner]] == [
        "medianIncome",
        "medianIncome",
        "latitude",
        "housingMedianAge",
    ]
    assert trunk.threshold[inner] == pytest.approx([5.03515, 3.0743, 34.455, 26.5], rel=1e-12)
    assert trunk.n_samples[~inner].tolist() == [4385, 3804, 4056, 3686, 4709]
    assert forest.trunk_stability_.prefix_shares[1] == 1.0


def test_shares_of_the_trees(trunk):
    """.05 and .04 are 3.4 and 3.2 standard errors of 1,000 draws: false alarm .001 each."""
    income, age = "medianIncome", "housingMedianAge"
    assert trunk.sample_signature == (income, income, "latitude", age)
    assert trunk.share == pytest.approx(0.69, abs=0.05)
    second = trunk.sequences[1]
    assert second.features == (income, income, "latitude", income)
    assert second.share == pytest.approx(0.19, abs=0.04)
    assert trunk.prefix_shares[1] >= 0.99
    assert trunk.prefix_shares[2] == pytest.approx(0.88, abs=0.04)


def test_where_the_first_two_splits_are_cut(trunk):
    """Means and spreads of an independent run of 1,000 draws; 5 standard errors of the mean."""
    first, second = (trunk.sample_tree[k].thresholds for k in (0, 1))
    assert first.mean() == pytest.approx(5.056, abs=5 * 0.1223 * (2 / 1000) ** 0.5)
    assert second.mean() == pytest.approx(3.0725, abs=5 * 0.0874 * (2 / 1000) ** 0.5)
    assert first.std() == pytest.approx(0.1223, rel=0.25)
    assert second.std() == pytest.approx(0.0874, rel=0.25)


def test_the_report(trunk):
    text = repr(trunk)
    assert "medianIncome <= 5.03515" in text
    assert "<- the sample tree" in text
