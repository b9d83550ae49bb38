"""A trunk, a Bayesian forest in each of its leaves, and one ordinary forest of both."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
from forest_estimator_cases import assert_same_trees
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    BayeswoodError,
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
    UncertaintyEnvelope,
    _core,
    load,
)
from bayeswood.distributed import branch_rows, route

QUIET = {"check_trunk": False, "random_state": 0}


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(n_samples=600, noise=1.0, random_state=1)


@pytest.fixture(scope="module")
def model(friedman):
    return EmpiricalBayesianForestRegressor(15, **QUIET).fit(*friedman)


def test_a_trunk_of_one_leaf_gives_the_bayesian_forest(friedman):
    X, y = friedman
    whole = BayesianForestRegressor(8, random_state=3).fit(X, y)
    grafted = EmpiricalBayesianForestRegressor(8, trunk_max_leaves=1, random_state=3).fit(X, y)
    assert_same_trees(whole, grafted)
    np.testing.assert_allclose(grafted.feature_importances_, whole.feature_importances_)
    np.testing.assert_array_equal(grafted.predict_interval(X), whole.predict_interval(X))
    np.testing.assert_array_equal(grafted.uncertainty(X).data, whole.uncertainty(X).data)


def test_every_tree_starts_with_the_trunk(model, friedman):
    trunk = model.trunk_.trees[0]
    assert trunk.n_leaves == 5
    for tree in model.forest_.trees:
        waiting = [(0, 0)]
        while waiting:
            own, node = waiting.pop()
            if trunk.feature[own] < 0:
                continue
            assert tree.feature[node] == trunk.feature[own]
            assert tree.threshold[node] == trunk.threshold[own]
            assert tree.n_samples[node] == trunk.n_samples[own]
            waiting.append((int(trunk.left[own]), int(tree.left[node])))
            waiting.append((int(trunk.right[own]), int(tree.right[node])))


def test_a_branch_is_the_bayesian_forest_of_its_rows(model, friedman):
    X, y = friedman
    branch = route(model.trunk_, X)
    rows = branch_rows(branch, 5)[2]
    alone, _ = _core.grow_forest(
        _core.EncodedMatrix(X[rows], np.zeros(10, dtype=np.int32)),
        y[rows, None],
        None,
        criterion="squared_error",
        scheme="exponential",
        seed=_core.part_seed(model.seed_, 2),
        n_trees=15,
        max_features=10,
        min_samples_leaf=3,
    )
    np.testing.assert_array_equal(
        model.predict_draws(X[rows]), alone.predict_draws(X[rows])[..., 0]
    )


def test_the_result_is_the_same_for_any_number_of_jobs(model, friedman):
    for n_jobs in (2, 3):
        other = clone(model).set_params(n_jobs=n_jobs).fit(*friedman)
        assert_same_trees(other, model)
        np.testing.assert_array_equal(other._importances, model._importances)


def test_weights_are_drawn_anew_in_each_branch(model, friedman):
    """Leaf means and quantiles by hand, from the weights that `draw_weights` repeats."""
    X, y = friedman
    branch = route(model.trunk_, X)
    leaves = model.apply(X)
    for t in (0, 7):
        weight = _core.draw_weights("exponential", model.seed_, t, len(X), row_parts=branch)
        for number, rows in enumerate(branch_rows(branch, 5)):
            own = _core.draw_weights(
                "exponential", _core.part_seed(model.seed_, number), t, len(rows)
            )
            np.testing.assert_array_equal(weight[rows], own)
        mates = leaves[:, t] == leaves[5, t]
        mean = weight[mates] @ y[mates] / weight[mates].sum()
        np.testing.assert_allclose(model.predict_draws(X[[5]])[t, 0], mean, rtol=1e-6)
        np.testing.assert_allclose(model.predictive_.responses.tree_weights(t), weight)


def test_quantiles_weigh_responses_as_the_branches_did(model, friedman):
    X, y = friedman
    branch = route(model.trunk_, X)
    leaves, total = model.apply(X), np.zeros(len(X))
    for t in range(15):
        weight = _core.draw_weights("exponential", model.seed_, t, len(X), row_parts=branch)
        weight *= leaves[:, t] == leaves[9, t]
        total += weight / weight.sum() / 15
    order = np.argsort(y)
    reached = np.cumsum(total[order])
    wanted = [y[order][np.searchsorted(reached, level)] for level in (0.2, 0.5, 0.8)]
    np.testing.assert_allclose(model.predict_quantiles(X[[9]], [0.2, 0.5, 0.8])[0], wanted)
    within = total @ (y - total @ y) ** 2
    np.testing.assert_allclose(model.uncertainty(X[[9]]).total, within, rtol=1e-6)


def test_a_threshold_leaves_rows_out_in_each_branch(friedman):
    X, y = friedman
    forest = EmpiricalBayesianForestRegressor(
        60, weight_threshold=0.3, oob_score=True, **QUIET
    ).fit(X, y)
    branch = route(forest.trunk_, X)
    sums, counts, leaves = np.zeros(len(X)), np.zeros(len(X)), forest.predict_draws(X)
    for t in range(60):
        weight = _core.draw_weights("exponential", forest.seed_, t, len(X), 0.3, row_parts=branch)
        assert forest.forest_.trees[t].n_samples[0] == np.count_nonzero(weight)
        out = weight == 0
        sums[out] += leaves[t, out]
        counts[out] += 1
    np.testing.assert_allclose(forest.oob_prediction_, sums / counts)
    # The share left out is 1 - exp(-.3) = .259 of 36,000 draws: five standard deviations are .012.
    assert abs(counts.mean() / 60 - 0.259) < 0.012


def test_parts_left_without_rows_keep_one():
    parts = np.array([0, 1, 1, 2, 2, 2], dtype=np.int32)
    weight = _core.draw_weights("exponential", 5, 0, 6, 100.0, row_parts=parts)
    np.testing.assert_array_equal(np.bincount(parts, weight > 0), [1, 1, 1])


@pytest.mark.parametrize(
    "given",
    [
        {"scheme": "bootstrap"},
        {"row_parts": np.array([0, 0], dtype=np.int32)},
        {"row_parts": np.array([0, -1, 0], dtype=np.int32)},
        {"row_parts": np.array([0, 3, 0], dtype=np.int32)},
        {"weight_threshold": 0.1, "row_groups": np.array([0, 1, 0], dtype=np.int32)},
    ],
)
def test_parts_that_cannot_be_are_refused(given):
    usual = {"scheme": "exponential", "row_parts": np.array([0, 1, 0], dtype=np.int32)}
    with pytest.raises(ValueError, match="row_parts"):
        _core.draw_weights(seed=0, tree=0, n_rows=3, **(usual | given))


# --- the trunk ----------------------------------------------------------------------------------


def test_the_size_of_leaves_decides_where_it_is_given(friedman):
    forest = EmpiricalBayesianForestRegressor(2, trunk_min_samples_leaf=60, **QUIET)
    forest.fit(*friedman)
    trunk = forest.trunk_.trees[0]
    sizes = trunk.n_samples[trunk.feature < 0]
    assert sizes.min() >= 60
    assert sizes.max() < 120
    assert len(sizes) > 5
    share = clone(forest).set_params(trunk_min_samples_leaf=0.1).fit(*friedman)
    assert_same_trees(share, forest)


def test_no_trunk_leaf_is_far_below_its_share(rng):
    X = rng.normal(size=(1000, 2))
    y = np.where(np.arange(1000) < 4, 1e6, X[:, 0])
    forest = EmpiricalBayesianForestRegressor(2, trunk_max_leaves=5, **QUIET).fit(X, y)
    trunk = forest.trunk_.trees[0]
    assert trunk.n_samples[trunk.feature < 0].min() >= 20


def test_a_trunk_may_come_from_a_sample(friedman):
    X, y = friedman
    forest = EmpiricalBayesianForestRegressor(2, trunk_sample_size=200, **QUIET).fit(X, y)
    again = clone(forest).set_params(n_jobs=2).fit(X, y)
    assert_same_trees(forest, again)
    trunk = forest.trunk_.trees[0]
    assert trunk.n_samples[0] == 200
    assert forest.forest_.trees[0].n_samples[0] == 600
    other = clone(forest).set_params(random_state=1).fit(X, y)
    assert other.trunk_.trees[0].to_text() != trunk.to_text()
    everything = clone(forest).set_params(trunk_sample_size=10_000).fit(X, y)
    assert everything.trunk_.trees[0].n_samples[0] == 600


def test_the_sizes_of_leaves_scale_with_the_sample(friedman):
    forest = EmpiricalBayesianForestRegressor(
        2, trunk_sample_size=300, trunk_min_samples_leaf=100, **QUIET
    ).fit(*friedman)
    trunk = forest.trunk_.trees[0]
    sizes = trunk.n_samples[trunk.feature < 0]
    assert sizes.min() >= 50
    assert sizes.max() < 100


def test_the_trunk_sees_the_users_weights(rng):
    X = rng.uniform(size=(400, 2))
    y = np.where(rng.uniform(size=400) < 0.5, X[:, 0] > 0.5, X[:, 1] > 0.5).astype(float)
    for feature in (0, 1):
        weight = np.where(y == (X[:, feature] > 0.5), 1.0, 0.01)
        forest = EmpiricalBayesianForestRegressor(2, trunk_max_leaves=2, **QUIET)
        forest.fit(X, y, weight)
        assert forest.trunk_.trees[0].feature[0] == feature


def test_the_trunk_holds_to_the_depth(friedman):
    forest = EmpiricalBayesianForestRegressor(3, max_depth=2, trunk_max_leaves=8, **QUIET)
    forest.fit(*friedman)
    assert forest.trunk_.depths[0] == 2
    np.testing.assert_array_equal(forest.forest_.depths, 2)


def test_a_trunk_needs_a_limit(friedman):
    forest = EmpiricalBayesianForestRegressor(trunk_max_leaves=None)
    with pytest.raises(BayeswoodError, match="The 'trunk_max_leaves' parameter of Empirical"):
        forest.fit(*friedman)


@pytest.mark.parametrize(
    "given",
    [
        {"trunk_min_samples_leaf": 0},
        {"trunk_min_samples_leaf": 1.5},
        {"trunk_max_leaves": 0},
        {"trunk_sample_size": 0},
        {"trunk_sample_size": "all"},
        {"check_trunk": "yes"},
    ],
)
def test_bad_trunk_parameters_are_named(friedman, given):
    (name,) = given
    with pytest.raises(BayeswoodError, match=f"The '{name}' parameter of Empirical"):
        EmpiricalBayesianForestRegressor(**given).fit(*friedman)


# --- odd branches -------------------------------------------------------------------------------


def test_branches_of_one_class_know_the_others():
    X = np.arange(90.0)[:, None]
    y = np.repeat(["a", "b", "c"], 30)
    forest = EmpiricalBayesianForestClassifier(3, trunk_max_leaves=3, **QUIET).fit(X, y)
    np.testing.assert_array_equal(forest.predict(X), y)
    assert forest.predict_proba(X).shape == (90, 3)
    assert (forest.forest_.n_leaves == 3).all()


def test_a_branch_of_one_row():
    X = np.array([[0.0], [1.0], [2.0], [50.0]])
    y = np.array([0.0, 0.1, 0.2, 9.0])
    forest = EmpiricalBayesianForestRegressor(
        4, trunk_max_leaves=2, min_samples_leaf=1, **QUIET
    ).fit(X, y)
    assert forest.trunk_.trees[0].n_samples.tolist() == [4, 3, 1]
    np.testing.assert_array_equal(forest.predict_draws([[60.0]]), 9.0)
    np.testing.assert_array_equal(forest.predict_interval([[60.0]]), [[9.0, 9.0]])


def test_categories_and_missing_values(rng):
    table = pd.DataFrame({"city": rng.choice(list("abcdef"), 500), "age": rng.normal(size=500)})
    table.loc[::7, "city"] = None
    table.loc[::5, "age"] = np.nan
    y = table["city"].isin(["a", "b"]) * 4.0 + table["age"].isna() * 2.0 + rng.normal(size=500)
    forest = EmpiricalBayesianForestRegressor(10, trunk_max_leaves=4, **QUIET).fit(table, y)
    assert "city in {" in forest.trunk_.trees[0].to_text()
    assert forest.score(table, y) > 0.7
    strange = pd.DataFrame({"city": ["nowhere"], "age": [np.nan]})
    assert np.isfinite(forest.predict(strange)).all()


def test_several_responses(friedman):
    X, y = friedman
    forest = EmpiricalBayesianForestRegressor(5, **QUIET).fit(X, np.c_[y, -2 * y])
    assert forest.predict(X[:3]).shape == (3, 2)
    assert forest.predict_interval(X[:3]).shape == (3, 2, 2)
    np.testing.assert_allclose(forest.feature_importances_.sum(), 1.0)


def test_importances_are_the_decreases_of_the_whole_tree(rng):
    """With pure leaves the decreases of a tree add up to the impurity of its rows."""
    X = rng.normal(size=(300, 3))
    y = rng.normal(size=300)
    forest = EmpiricalBayesianForestRegressor(6, min_samples_leaf=1, **QUIET).fit(X, y)
    np.testing.assert_allclose(forest._importances.sum(axis=1), 1.0)
    labels = rng.integers(3, size=300)
    classes = EmpiricalBayesianForestClassifier(6, **QUIET).fit(X, labels)
    np.testing.assert_allclose(classes._importances.sum(axis=1), 1.0)


def test_importances_come_near_those_of_the_bayesian_forest(friedman):
    whole = BayesianForestRegressor(30, random_state=0).fit(*friedman)
    grafted = EmpiricalBayesianForestRegressor(30, **QUIET).fit(*friedman)
    # Over seeds the largest difference is .024 ± .006: six standard deviations more are .06.
    np.testing.assert_allclose(grafted.feature_importances_, whole.feature_importances_, atol=0.06)


# --- what takes a forest ------------------------------------------------------------------------


def test_envelopes_take_it():
    X, y = make_classification(n_samples=300, random_state=0)
    forest = EmpiricalBayesianForestClassifier(20, **QUIET).fit(X[:200], y[:200])
    found = UncertaintyEnvelope(gamma0=0.9).assess(forest, X[200:], y[200:])
    total = found.confident_correct + found.uncertain + found.confident_incorrect
    np.testing.assert_allclose(total, 1.0)


def test_the_trunk_survives_the_file(model, friedman, tmp_path):
    model.save(tmp_path / "model.bw")
    again = load(tmp_path / "model.bw")
    assert again.trunk_.trees[0].to_text() == model.trunk_.trees[0].to_text()
    np.testing.assert_array_equal(
        again.predict_interval(friedman[0]), model.predict_interval(friedman[0])
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trunk_feature", None),
        ("trunk_feature", np.full(9, -1, dtype=np.int32)),
        ("trunk_n_levels", np.ones(10, dtype=np.int32)),
        ("trunk_threshold", np.zeros(8)),
        ("row_parts", np.full(600, 600, dtype=np.int32)),
        ("row_parts", np.zeros(3, dtype=np.int32)),
    ],
)
def test_damaged_trunks_are_refused(model, name, value):
    meta, arrays, forest = copy.deepcopy(model._state())
    arrays[name] = value
    if value is None:
        del arrays[name]
    with pytest.raises(BayeswoodError, match="model file"):
        EmpiricalBayesianForestRegressor._from_state(meta, arrays, forest)


# --- how sure the trunk is ----------------------------------------------------------------------


@pytest.fixture
def doubtful(rng):
    """A good split, and below it nothing but chance among many features."""
    X = rng.normal(size=(700, 30))
    return X, 10.0 * (X[:, 3] > 0) + rng.normal(size=700)


@pytest.fixture
def sure(rng):
    X = rng.normal(size=(700, 2))
    return X, 10.0 * (X[:, 0] > 0) + rng.normal(size=700)


def test_a_doubtful_split_is_told(doubtful):
    X, y = doubtful
    with pytest.warns(
        UserWarning, match=r"leave open \d of the 4 splits of the trunk of Emp"
    ) as told:
        forest = EmpiricalBayesianForestRegressor(2, random_state=0).fit(X, y)
    assert "at depth 1, whose feature " in str(told[0].message)
    assert "at the root" not in str(told[0].message)
    assert forest.trunk_stability_.n_draws == 30
    assert forest.trunk_stability_.sample_tree[0].share == 1.0


def test_a_sure_split_is_not(sure):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest = EmpiricalBayesianForestRegressor(2, trunk_max_leaves=2, random_state=0).fit(*sure)
    assert forest.trunk_stability_.share == 1.0
    assert forest.trunk_stability_.sample_signature == ("x0",)


def test_the_check_can_be_turned_off_and_changes_no_tree(sure):
    loud = EmpiricalBayesianForestRegressor(2, trunk_max_leaves=2, random_state=0).fit(*sure)
    quiet = clone(loud).set_params(check_trunk=False).fit(*sure)
    assert_same_trees(loud, quiet)
    assert not hasattr(quiet, "trunk_stability_")


def test_small_tables_are_not_checked(doubtful):
    X, y = doubtful
    forest = EmpiricalBayesianForestClassifier(2, random_state=0).fit(X[:400], y[:400] > 1)
    assert not hasattr(forest, "trunk_stability_")


def test_classes_of_the_whole_forest_agree_with_the_bayesian_one():
    X, y = make_classification(n_samples=2000, n_informative=4, random_state=2)
    train, test = slice(0, 1500), slice(1500, None)
    scores = [
        cls(60, random_state=0, **own).fit(X[train], y[train]).score(X[test], y[test])
        for cls, own in (
            (BayesianForestClassifier, {}),
            (EmpiricalBayesianForestClassifier, {"check_trunk": False}),
        )
    ]
    # Over seeds the difference is .015 ± .013: six standard deviations are .095.
    assert abs(scores[0] - scores[1]) < 0.095
