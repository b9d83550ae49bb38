import numpy as np
import pandas as pd
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.theory import trunk_stability


@pytest.fixture
def steps():
    """A response with a large step in `a`, and within its right half a smaller one in `b`."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"b": rng.uniform(size=400), "a": rng.uniform(size=400)})
    y = 10.0 * (X["a"] > 0.5) + 3.0 * (X["a"] > 0.5) * (X["b"] > 0.4) + rng.normal(size=400)
    return X, y


def test_a_clear_tree_is_found_in_every_draw(steps):
    found = trunk_stability(*steps, 50, n_draws=200, max_depth=2, rng=0)
    root, right = found.sample_tree[0], found.sample_tree[-3]
    assert (root.path, root.feature) == ("", "a")
    assert (right.path, right.feature) == ("R", "b")
    assert root.threshold == pytest.approx(0.5, abs=0.02)
    assert root.share == 1.0
    assert len(root.thresholds) == 200
    assert right.share > 0.95
    assert found.prefix_shares[0] == 1.0
    assert found.n_draws == 200


def test_nodes_are_in_preorder_and_share_out_the_rows(steps):
    found = trunk_stability(*steps, 60, n_draws=20, rng=0)
    by_path = {node.path: node for node in found.sample_tree}
    assert list(by_path) == sorted(by_path)  # preorder is the order of the paths
    for path, node in by_path.items():
        if not node.is_leaf:
            children = [by_path[path + side] for side in "LR"]
            assert sum(child.n_samples for child in children) == node.n_samples
    features = tuple(n.feature for n in found.sample_tree if not n.is_leaf)
    assert found.sample_signature == features


def test_shares_add_up(steps):
    found = trunk_stability(*steps, 40, n_draws=300, rng=1)
    assert sum(s.share for s in found.sequences) == pytest.approx(1.0)
    shares = [s.share for s in found.sequences]
    assert shares == sorted(shares, reverse=True)
    own = [s.share for s in found.sequences if s.features == found.sample_signature]
    assert found.share == (own[0] if own else 0.0)
    assert (np.diff(found.prefix_shares) <= 0).all()
    # A longer sequence may go on beyond the sample's.
    assert found.prefix_shares[-1] >= found.share
    assert found.share_se == pytest.approx(np.sqrt(found.share * (1 - found.share) / 300))


def test_the_share_at_a_node_needs_agreement_above(steps):
    found = trunk_stability(*steps, 30, n_draws=100, rng=2)
    by_path = {node.path: node for node in found.sample_tree if not node.is_leaf}
    for path, node in by_path.items():
        if path:
            assert node.share <= by_path[path[:-1]].share


def test_same_seed_same_answer(steps):
    a, b = (trunk_stability(*steps, 40, n_draws=50, rng=7, n_jobs=n) for n in (1, 2))
    assert repr(a) == repr(b)
    assert a.sequences == b.sequences


def test_classes(steps):
    X, y = steps
    label = np.where(y > 5, "high", "low")
    found = trunk_stability(X, label, 50, n_draws=100, rng=0)
    assert found.class_names == ("high", "low")
    assert found.sample_tree[0].feature == "a"
    assert "high with probability 1.00" in repr(found)
    coded = trunk_stability(X, (y > 5).astype(int), 50, n_draws=100, criterion="gini", rng=0)
    assert coded.sample_signature == found.sample_signature
    assert coded.class_names == (0, 1)


def test_levels_and_missing():
    rng = np.random.default_rng(3)
    town = rng.choice(["ash", "elm", "oak", "yew"], size=300)
    size = np.where(rng.random(300) < 0.2, np.nan, rng.normal(size=300))
    y = 5.0 * np.isin(town, ["elm", "yew"]) + rng.normal(size=300)
    X = pd.DataFrame({"size": size, "town": town})
    found = trunk_stability(X, y, 60, n_draws=50, rng=0)
    root = found.sample_tree[0]
    assert root.feature == "town"
    assert root.threshold is None
    assert root.left_levels == ("ash", "oak")
    assert root.share == 1.0
    assert len(root.thresholds) == 0
    assert "town in {ash, oak}" in repr(found)


def test_a_trunk_that_cannot_be_split():
    found = trunk_stability(np.arange(10.0)[:, None], np.arange(10.0), 6, n_draws=5)
    assert found.sample_signature == ()
    assert found.share == 1.0
    assert "(no split)" in repr(found)


def test_repr(steps):
    text = repr(trunk_stability(*steps, 60, n_draws=100, max_depth=1, rng=0))
    assert text.startswith("TrunkStability: 100 draws, leaves of at least 60 rows")
    assert "a <= 0." in text
    assert "<- the sample tree" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_samples_leaf": 0}, "'min_samples_leaf' parameter of trunk_stability must be an int"),
        ({"n_draws": 0}, "'n_draws' .* int >= 1. Got 0"),
        ({"n_draws": 2.5}, "'n_draws'"),
        ({"max_depth": -1}, "'max_depth'"),
        ({"criterion": "mae"}, "'criterion' .* Got 'mae'"),
    ],
)
def test_refuses(options, message):
    settings = {"min_samples_leaf": 2, "n_draws": 5} | options
    with pytest.raises(BayeswoodError, match=message):
        trunk_stability(np.arange(10.0)[:, None], np.arange(10.0), **settings)


def test_refuses_other_lengths():
    with pytest.raises(BayeswoodError, match="X has 10 rows and y has 9"):
        trunk_stability(np.arange(10.0)[:, None], np.arange(9.0), 2)
