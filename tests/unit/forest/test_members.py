"""Members that are sums of trees: prediction, draws, votes, selection, text and files."""

import pickle

import numpy as np
import pytest

from bayeswood import BayesianForestRegressor, Forest
from bayeswood.errors import BayeswoodError
from bayeswood.forest.leaf_values import with_leaf_values
from bayeswood.modelfile import read_model, write_model
from bayeswood.posterior import structure, trunk_posterior

SIZE = 3
N_MEMBERS = 4


def grown(n_outputs):
    """Trees over numbers with missing values, and rows to ask them about."""
    rng = np.random.default_rng(n_outputs)
    X = rng.normal(size=(60, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.normal(size=(60, n_outputs)) + np.nan_to_num(X[:, :1])
    trees = BayesianForestRegressor(N_MEMBERS * SIZE, random_state=0, keep_responses=False)
    return trees.fit(X, y.squeeze()).forest_, X


@pytest.fixture(params=[1, 3])
def sums(request):
    forest, X = grown(request.param)
    log_weights = np.log([0.1, 0.2, 0.3, 0.4])
    return Forest(forest.core, log_weights, forest.labels, SIZE), X


def slow_draws(forest, X):
    """What every member says, tree by tree: the obvious twin."""
    single = Forest(forest.core)
    by_tree = [single.select([t]).predict(X) for t in range(single.n_trees)]
    members = np.split(np.stack(by_tree), forest.n_members)
    return np.stack([member.sum(axis=0) for member in members])


def test_a_member_says_the_sum_of_its_trees(sums):
    forest, X = sums
    assert (forest.n_members, forest.n_trees) == (N_MEMBERS, N_MEMBERS * SIZE)
    np.testing.assert_allclose(forest.draws(X), slow_draws(forest, X), rtol=1e-12)
    np.testing.assert_array_equal(forest.draws(X), forest.draws(X, n_jobs=2))


def test_the_mean_is_the_weighted_mean_of_members(sums):
    forest, X = sums
    expected = np.tensordot([0.1, 0.2, 0.3, 0.4], slow_draws(forest, X), axes=1)
    np.testing.assert_allclose(forest.predict(X), expected, rtol=1e-12)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_rows_get_the_same_bits_of_shared_shapes_alone_and_among_many(rng, n_outputs):
    forest, X = grown(n_outputs)
    n_leaves = int(forest.n_leaves.sum())
    alike = [with_leaf_values(forest, rng.normal(size=(n_leaves, n_outputs))) for _ in range(5)]
    members = Forest(Forest.concatenate(alike).core, None, forest.labels, SIZE)
    many = members.predict(X)
    for n in (1, 3, 15, 16):
        parts = [members.predict(X[i : i + n]) for i in range(0, len(X), n)]
        np.testing.assert_array_equal(np.concatenate(parts), many)


def test_members_vote_for_their_largest_sum(sums):
    forest, X = sums
    preferred = np.argmax(slow_draws(forest, X), axis=2)
    expected = np.zeros((len(X), forest.n_outputs))
    for member, weight in enumerate([0.1, 0.2, 0.3, 0.4]):
        expected[np.arange(len(X)), preferred[member]] += weight
    np.testing.assert_allclose(forest.votes(X), expected, rtol=1e-12)
    counts = forest.votes(X, weights=np.ones(N_MEMBERS))
    np.testing.assert_array_equal(counts.sum(axis=1), N_MEMBERS)


def test_selected_members_keep_their_trees_and_weights(sums):
    forest, X = sums
    chosen = forest.select([3, 1])
    np.testing.assert_array_equal(chosen.draws(X), forest.draws(X)[[3, 1]])
    np.testing.assert_array_equal(chosen.log_weights, forest.log_weights[[3, 1]])
    alone = forest.unweighted(slice(1, 3))
    np.testing.assert_array_equal(alone.draws(X), forest.draws(X)[1:3])
    np.testing.assert_array_equal(alone.weights, [0.5, 0.5])


def test_forests_of_sums_are_joined_member_by_member(sums):
    forest, X = sums
    both = Forest.concatenate([forest, forest.select([0])])
    assert both.n_members == N_MEMBERS + 1
    np.testing.assert_array_equal(both.draws(X)[-1], forest.draws(X)[0])
    with pytest.raises(BayeswoodError, match="same trees_per_member"):
        Forest.concatenate([forest, forest.apart()])


def test_trees_apart_share_the_weight_of_their_member(sums):
    forest, _ = sums
    apart = forest.apart()
    assert apart.n_members == forest.n_trees
    np.testing.assert_allclose(apart.weights, np.repeat(forest.weights, SIZE) / SIZE)
    assert apart.apart() is apart
    assert structure(forest).n_trees == forest.n_trees
    assert trunk_posterior(forest, max_depth=1).places[0].choices


def test_the_size_of_members_is_part_of_the_digest(sums):
    forest, _ = sums
    again = Forest.from_arrays(forest.to_arrays(), forest.labels)
    assert again.digest == forest.digest
    assert pickle.loads(pickle.dumps(forest)).digest == forest.digest
    others = Forest(forest.core, np.zeros(2), forest.labels, 2 * SIZE)
    assert others.digest != Forest(forest.core, np.zeros(N_MEMBERS), trees_per_member=SIZE).digest


def test_the_text_of_a_member_has_all_its_trees(sums):
    forest, _ = sums
    lines = forest.to_text(2).splitlines()
    assert lines[:2] == ["the sum of 3 trees", "tree 1"]
    assert forest.trees[2 * SIZE + 1].to_text() in forest.to_text(2)
    assert forest.apart().to_text(5) == forest.trees[5].to_text()
    assert repr(forest) == "<Forest of 4 sums of 3 trees over 3 features>"


def test_files_of_sums_come_back_to_the_bit(sums, tmp_path):
    forest, X = sums
    write_model(tmp_path / "sums", "Sums", {}, {}, forest)
    again = read_model(tmp_path / "sums")[3]
    assert again.trees_per_member == SIZE
    assert again.digest == forest.digest
    np.testing.assert_array_equal(again.draws(X), forest.draws(X))


def test_only_files_of_sums_need_the_second_version(sums, tmp_path):
    forest, _ = sums
    write_model(tmp_path / "sums", "Sums", {}, {}, forest)
    write_model(tmp_path / "single", "Single", {}, {}, forest.apart())
    versions = [(tmp_path / name).read_bytes()[8] for name in ("single", "sums")]
    assert versions == [1, 2]


@pytest.mark.parametrize("size", [0, -1, 5])
def test_members_share_out_the_trees(size):
    forest, _ = grown(1)
    with pytest.raises(BayeswoodError, match="must divide the 12 trees"):
        Forest(forest.core, trees_per_member=size)


def test_class_probabilities_do_not_add_up():
    stump = (0, 0.5, {"counts": [3, 1]}, {"counts": [0, 4]})
    with pytest.raises(BayeswoodError, match="do not add up"):
        Forest.from_nested([stump, stump], trees_per_member=2)
