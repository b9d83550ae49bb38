"""The estimators of trees sampled by particles: parameters, hand-over, limits, odd data."""

import gc
import pickle
import resource
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.special import gammaln
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1
from sklearn.exceptions import ConvergenceWarning

from bayeswood import (
    BayeswoodError,
    SMCTreeClassifier,
    SMCTreeRegressor,
    UncertaintyEnvelope,
    load,
)
from bayeswood.cli.app import app
from bayeswood.posterior.islands import particle_draws

# With so few particles islands do disagree; what is said then is tested in test_trust.
pytestmark = pytest.mark.filterwarnings("ignore::bayeswood.posterior.IslandsDisagree")

X, Y = load_iris(return_X_y=True)
X_NUMBERS, Y_NUMBERS = make_friedman1(n_samples=120, random_state=0)

KINDS = [
    {},
    {"proposal": "empirical", "resampling": "systematic"},
    {"proposal": "optimal", "expansion": "layer"},
    {"proposal": "tempered", "tempering": 0.3, "node_order": "least-likely"},
    {"min_samples_leaf": 0.05, "max_leaves": 6, "power": 0.5, "island_weights": "evidence"},
    {"n_moves": 40},
    {"min_samples_leaf": 0.05, "max_leaves": 6, "power": 0.5, "n_moves": 40},
]


def classifier(**parameters):
    return SMCTreeClassifier(60, **{"n_islands": 3, "random_state": 1, **parameters})


def regressor(**parameters):
    return SMCTreeRegressor(60, **{"n_islands": 3, "random_state": 1, **parameters})


@pytest.fixture
def mixed(rng):
    """Numbers with holes, words, and a class that depends on both."""
    number = np.where(rng.uniform(size=200) < 0.15, np.nan, rng.normal(size=200))
    word = rng.choice(list("abcdefghijkl"), size=200)
    y = np.where((word < "f") ^ (np.nan_to_num(number) > 0.3), "yes", "no")
    return pd.DataFrame({"number": number, "word": word}), y


# --- what is fitted ------------------------------------------------------------------------------


def test_fitted_attributes():
    trees = SMCTreeClassifier(7, n_islands=3, random_state=0).fit(X, Y)
    assert trees.island_log_evidence_.shape == trees.island_weights_.shape == (3,)
    assert trees.ess_trace_.shape[0] == 3
    n_stages = (~np.isnan(trees.ess_trace_)).sum(axis=1)
    assert n_stages.max() == trees.ess_trace_.shape[1]
    sizes = np.array([3, 2, 2])
    assert (np.nanmax(trees.ess_trace_, axis=1) <= sizes * (1 + 1e-12)).all()
    expected = np.log((sizes * np.exp(trees.island_log_evidence_ + 60)).sum() / 7) - 60
    assert trees.log_evidence_ == pytest.approx(expected)
    np.testing.assert_allclose(trees.island_weights_, 1 / 3)
    assert trees.member_weights_.sum() == pytest.approx(1)


def test_islands_count_by_their_evidence_if_asked():
    trees = SMCTreeClassifier(10, n_islands=5, island_weights="evidence", random_state=0).fit(X, Y)
    shares = np.exp(trees.island_log_evidence_ - trees.island_log_evidence_.max())
    np.testing.assert_allclose(trees.island_weights_, shares / shares.sum())


@pytest.mark.parametrize("parameters", KINDS)
def test_leaves_hold_the_predictive_of_their_rows(parameters):
    trees = classifier(**parameters).fit(X, Y)
    leaf = trees.apply(X)
    for number, tree in enumerate(trees.forest_.trees):
        counts = pd.crosstab(leaf[:, number], Y)
        expected = (counts + 5 / 3).div(counts.sum(axis=1) + 5, axis=0)
        np.testing.assert_allclose(tree.value[counts.index], expected, rtol=1e-12)
        assert len(counts) == tree.n_leaves <= parameters.get("max_leaves", 10**6)
        if "min_samples_leaf" in parameters:
            assert counts.sum(axis=1).min() >= 8


def test_leaves_of_numbers_hold_the_predictive_of_their_rows():
    trees = regressor(proposal="optimal").fit(X_NUMBERS, Y_NUMBERS)
    leaf = trees.apply(X_NUMBERS)[:, 0]
    mean, variance = [], []
    for rows in (Y_NUMBERS[leaf == k] - Y_NUMBERS.mean() for k in np.unique(leaf)):
        k, a = 0.3 + len(rows), 2.0 + len(rows) / 2
        b = 0.5 * Y_NUMBERS.var() + len(rows) * rows.var() / 2
        b += 0.3 * len(rows) * rows.mean() ** 2 / (2 * k)
        mean.append(Y_NUMBERS.mean() + rows.sum() / k)
        variance.append(b / (a - 1) * (k + 1) / k)
    n_leaves = trees.forest_.trees[0].n_leaves
    np.testing.assert_allclose(trees.leaf_variance_[:n_leaves], variance, rtol=1e-5)
    np.testing.assert_allclose(trees.forest_.trees[0].value[np.unique(leaf), 0], mean, rtol=1e-5)


def test_the_evidence_of_one_leaf():
    trees = classifier(max_leaves=1, alpha_split=0.5).fit(X, Y)
    one_leaf = gammaln(5) - gammaln(155) + 3 * (gammaln(50 + 5 / 3) - gammaln(5 / 3))
    assert trees.log_evidence_ == pytest.approx(one_leaf + np.log(0.5), rel=1e-12)


@pytest.mark.parametrize("parameters", KINDS)
def test_the_same_bits_for_any_number_of_threads(parameters):
    for make, table, y in [(classifier, X, Y), (regressor, X_NUMBERS, Y_NUMBERS)]:
        one = make(n_jobs=1, **parameters).fit(table, y)
        three = make(n_jobs=3, **parameters).fit(table, y)
        np.testing.assert_array_equal(one.predict_draws(table), three.predict_draws(table))
        np.testing.assert_array_equal(one.member_weights_, three.member_weights_)
        np.testing.assert_array_equal(one.ess_trace_, three.ess_trace_)


def test_another_seed_is_another_fit():
    assert (
        classifier().fit(X, Y).log_evidence_ != classifier(random_state=2).fit(X, Y).log_evidence_
    )


@pytest.mark.parametrize("n_moves", [0, 25])
@pytest.mark.parametrize("proposal", ["prior", "empirical", "optimal"])
def test_a_weight_of_k_is_k_copies(proposal, n_moves, rng):
    times = rng.integers(0, 4, len(Y))
    shared = {"proposal": proposal, "min_samples_leaf": 2, "n_moves": n_moves}
    weighted = classifier(**shared).fit(X, Y, sample_weight=times)
    copied = classifier(**shared)
    copied.fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    assert weighted.log_evidence_ == pytest.approx(copied.log_evidence_, rel=1e-12)
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("n_moves", [0, 25])
def test_the_order_of_rows_does_not_matter(n_moves, rng):
    order = rng.permutation(len(Y))
    make = partial(classifier, n_moves=n_moves)
    one, other = make().fit(X, Y), make().fit(X[order], Y[order])
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


# --- what is asked of it -------------------------------------------------------------------------


def test_mixed_tables(mixed):
    table, y = mixed
    for proposal in ("prior", "empirical", "optimal", "tempered"):
        trees = SMCTreeClassifier(500, proposal=proposal, concentration=1.0, random_state=0)
        trees.fit(table, y)
        assert trees.score(table, y) > 0.85
        holes = pd.DataFrame({"number": [np.nan, 1.0], "word": [None, "never seen"]})
        assert np.isfinite(trees.predict_proba(holes)).all()


def test_intervals_are_those_of_the_mixture():
    trees = regressor(proposal="optimal").fit(X_NUMBERS, Y_NUMBERS)
    rows = X_NUMBERS[:3]
    low, high = trees.predict_interval(rows, 0.8).T
    arrays = trees.forest_.core.to_arrays()
    leaf_of_node = np.cumsum(arrays["feature"] < 0) - 1
    first = np.cumsum(arrays["n_nodes"]) - arrays["n_nodes"]
    leaf = leaf_of_node[trees.apply(rows) + first]
    freedom = 2 * 2.0 + arrays["leaf_n_samples"][leaf]
    scale = np.sqrt(trees.leaf_variance_[leaf] * (freedom - 2) / freedom)
    for ends, level in ((low, 0.1), (high, 0.9)):
        below = student.cdf((ends[:, None] - arrays["leaf_value"][leaf]) / scale, freedom)
        np.testing.assert_allclose(below @ trees.member_weights_, level, rtol=1e-8)
    parts = trees.uncertainty(rows)
    np.testing.assert_allclose(parts.total, parts.data + parts.knowledge)
    np.testing.assert_allclose(parts.data, trees.leaf_variance_[leaf] @ trees.member_weights_)


def test_what_every_estimator_offers():
    trees = classifier().fit(X, Y)
    assert trees.predict_interval(X[:4]).shape == (4, 3, 2)
    parts = trees.uncertainty(X)
    np.testing.assert_allclose(parts.total, parts.data + parts.knowledge)
    assert trees.feature_importances_.sum() == pytest.approx(1)
    assert UncertaintyEnvelope().assess(trees, X, Y).accuracy > 0.9


@pytest.mark.parametrize("make", [classifier, regressor])
@pytest.mark.parametrize("parameters", KINDS)
def test_files_and_pickles_and_clones(make, parameters, tmp_path):
    table, y = (X, Y) if make is classifier else (X_NUMBERS, Y_NUMBERS)
    trees = make(**parameters).fit(table, y)
    trees.save(tmp_path / "trees.bw")
    for other in (load(tmp_path / "trees.bw"), pickle.loads(pickle.dumps(trees))):
        np.testing.assert_array_equal(other.predict_interval(table), trees.predict_interval(table))
        np.testing.assert_array_equal(other.ess_trace_, trees.ess_trace_)
        np.testing.assert_array_equal(other.island_log_evidence_, trees.island_log_evidence_)
        assert other.log_evidence_ == trees.log_evidence_
        assert other.min_samples_leaf_ == trees.min_samples_leaf_
    np.testing.assert_array_equal(clone(trees).fit(table, y).predict(table), trees.predict(table))


def test_the_command_line(tmp_path):
    table = pd.DataFrame(X, columns=list("abcd")).assign(kind=Y.astype(str))
    table.to_csv(tmp_path / "iris.csv", index=False)
    model, rows = str(tmp_path / "m.bw"), str(tmp_path / "iris.csv")
    fit = ["fit", rows, "--target", "kind", "--method", "smc-tree", "--out", model]
    result = CliRunner().invoke(app, [*fit, "--param", "n_particles=50"])
    assert result.exit_code == 0, result.output
    assert load(model).n_particles == 50
    for verb in (["info", model], ["evaluate", model, rows]):
        result = CliRunner().invoke(app, verb)
        assert result.exit_code == 0, result.output


# --- what is refused and warned of ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_islands": 61}, "'n_islands' parameter of SMCTreeClassifier must be at most"),
        ({"proposal": "best"}, "'proposal' parameter of SMCTreeClassifier must be one of"),
        ({"tempering": 1.5}, "'tempering' parameter"),
        ({"expansion": "tree"}, "'expansion' parameter"),
        ({"resampling": "none"}, "'resampling' parameter"),
        ({"alpha_split": 1.0}, "'alpha_split' parameter"),
        ({"power": -1.0}, "'power' parameter"),
        ({"ess_threshold": "never"}, "'ess_threshold' parameter"),
        ({"n_moves": -1}, "'n_moves' parameter"),
        ({"n_moved": 0}, "'n_moved' parameter"),
        ({"n_moves": 5, "max_stages": 9}, "'n_moves' parameter .* only finished trees"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(BayeswoodError, match=message):
        classifier(**parameters).fit(X, Y)


def test_weights_that_are_no_numbers_of_copies():
    with pytest.raises(BayeswoodError, match="whole numbers"):
        classifier().fit(X, Y, sample_weight=np.full(len(Y), 0.5))


def test_unfinished_trees_are_told_of():
    with pytest.warns(ConvergenceWarning, match="max_stages=3 stages with 60 of 60 trees"):
        trees = classifier(max_stages=3, proposal="optimal").fit(X, Y)
    assert trees.ess_trace_.shape == (3, 3)
    assert np.isfinite(trees.predict_proba(X)).all()


def test_the_evidence_of_unfinished_trees_is_not_known(tmp_path):
    with pytest.warns(ConvergenceWarning, match=r"log_evidence_ is NaN; log_target_"):
        trees = classifier(max_stages=3, proposal="optimal").fit(X, Y)
    trees.save(tmp_path / "trees")
    for one in (trees, load(tmp_path / "trees")):
        assert np.isnan(one.log_evidence_)
        assert np.isfinite(one.log_target_)
    whole = classifier(proposal="optimal").fit(X, Y)
    assert whole.max_stages is None
    assert whole.log_target_ == whole.log_evidence_ != trees.log_target_


def test_more_stages_than_were_the_limit_once_are_gone_through(rng):
    """A tree of single rows has as many decisions as nodes."""
    x = rng.random((2800, 1))
    trees = SMCTreeClassifier(
        1, n_islands=1, alpha_split=0.999999, beta_split=0, power=0, random_state=0
    ).fit(x, np.arange(2800) % 2)
    assert trees.ess_trace_.shape[1] > 5000
    assert np.isfinite(trees.log_evidence_)


def test_an_order_of_nodes_is_refused_where_it_means_nothing():
    with pytest.raises(BayeswoodError, match=r"'node_order' parameter .* expansion='layer'"):
        classifier(expansion="layer", node_order="least-likely").fit(X, Y)


@pytest.mark.parametrize(
    "name", ["ess_trace_", "island_weights_", "island_log_evidence_", "leaf_variance_"]
)
def test_a_damaged_file_is_refused(name):
    meta, arrays, forest = regressor().fit(X_NUMBERS, Y_NUMBERS)._state()
    assert SMCTreeRegressor._from_state(meta, dict(arrays), forest)
    for broken in (None, np.zeros((2, 7, 3))):
        damaged = {n: a for n, a in {**arrays, name: broken}.items() if a is not None}
        with pytest.raises(BayeswoodError, match="The model file"):
            SMCTreeRegressor._from_state(meta, damaged, forest)


# --- odd data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("proposal", ["prior", "empirical", "optimal", "tempered"])
def test_odd_tables(proposal, rng):
    shared = {"proposal": proposal, "random_state": 0}
    one_class = SMCTreeClassifier(50, **shared).fit(X, np.zeros(len(Y)))
    np.testing.assert_array_equal(one_class.predict_proba(X), 1.0)
    constant = SMCTreeClassifier(50, **shared).fit(np.ones((40, 3)), np.arange(40) % 2)
    assert constant.forest_.n_trees == 1
    np.testing.assert_allclose(constant.predict_proba(np.ones((1, 3))), 0.5)
    twice = SMCTreeClassifier(50, **shared).fit(np.repeat(X, 5, axis=0), np.repeat(Y, 5))
    assert np.isfinite(twice.log_evidence_)
    extreme = np.array([[-1.7e308], [0.0], [1.7e308], [5e-324]])
    trees = SMCTreeClassifier(50, **shared).fit(extreme, [0, 1, 0, 1])
    assert np.isfinite(trees.predict_proba(extreme)).all()
    only_holes = np.column_stack([np.full(30, np.nan), rng.normal(size=30)])
    trees = SMCTreeRegressor(50, **shared).fit(only_holes, rng.normal(size=30))
    assert np.isfinite(trees.predict_interval(only_holes)).all()
    same = SMCTreeRegressor(50, **shared).fit(X, np.full(len(Y), 3.0))
    np.testing.assert_allclose(same.predict(X), 3.0)
    single = SMCTreeRegressor(10, **shared).fit([[1.0]], [2.0])
    assert single.predict([[5.0]]) == pytest.approx(2.0)


def most_memory():
    """MiB held by the process so far, at its height."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        2**20 if sys.platform == "darwin" else 2**10
    )


def test_a_hundred_thousand_rows(rng):
    table = rng.normal(size=(100_000, 4))
    y = (table[:, 0] + (table[:, 1] > 0.5) > 0).astype(int)
    gc.collect()
    before = most_memory()
    prior = SMCTreeClassifier(20, n_islands=2, random_state=0).fit(table, y)
    optimal = SMCTreeClassifier(4, n_islands=2, proposal="optimal", random_state=0).fit(table, y)
    assert optimal.score(table[:5000], y[:5000]) > 0.9
    assert np.isfinite(prior.log_evidence_)
    # 5 MiB of ranks and salts, and rows of 4 bytes each for 10 particles at a time.
    assert most_memory() - before < 200


def test_trees_of_ten_thousand_leaves(rng):
    """Without a likelihood and with a prior that nearly always splits."""
    table = rng.normal(size=(20_000, 2))
    gc.collect()
    before = most_memory()
    trees = SMCTreeClassifier(
        4, n_islands=2, alpha_split=0.999, beta_split=0, power=0, max_stages=10**6, random_state=0
    ).fit(table, np.arange(20_000) % 3)
    assert trees.forest_.n_leaves.min() > 10_000
    assert np.isfinite(trees.predict_proba(table[:100])).all()
    assert most_memory() - before < 200


def test_arviz_has_densities_of_rows_left_out():
    """Against leaves filled again without the row, in the tree of one draw."""
    pytest.importorskip("arviz")
    X, y = np.arange(12.0)[:, None], np.array([0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1])
    model = SMCTreeClassifier(40, proposal="optimal", concentration=3.0, random_state=0).fit(X, y)
    values = np.asarray(model.to_arviz(X, y)["log_likelihood"]["y"])
    assert values.shape == (1, 1000, 12)
    leaf = model.forest_.select([particle_draws(model)[7]]).apply(X)[:, 0]
    for row in range(12):
        others = (leaf == leaf[row]) & (np.arange(12) != row)
        same = (y[others] == y[row]).sum()
        assert values[0, 7, row] == pytest.approx(np.log((same + 1.5) / (others.sum() + 3.0)))
    with pytest.raises(BayeswoodError, match="needs X_reference"):
        model.to_arviz(None, y)
    with pytest.raises(ValueError, match="inconsistent"):
        model.to_arviz(X, y[:5])
    with pytest.raises(BayeswoodError, match=r"does not know\. The classes are \[0, 1\]"):
        model.to_arviz(X, y + 5)


def test_arviz_leaves_numbers_out(tmp_path):
    """A leaf's Student distribution by the responses of its other rows; also from a file."""
    pytest.importorskip("arviz")
    X, y = X_NUMBERS[:20], Y_NUMBERS[:20]
    model = SMCTreeRegressor(40, proposal="optimal", random_state=0).fit(X, y)
    model.save(tmp_path / "model")
    values = [np.asarray(m.to_arviz(X, y)["log_likelihood"]["y"])[0, 5]
              for m in (model, load(tmp_path / "model"))]  # fmt: skip
    np.testing.assert_array_equal(*values)
    leaf = model.forest_.select([particle_draws(model)[5]]).apply(X)[:, 0]
    strength, shape = model.prior_strength, model.prior_shape
    for row in range(20):
        others = y[(leaf == leaf[row]) & (np.arange(20) != row)]
        n, center = len(others), model.response_center_
        k, a = strength + n, shape + n / 2
        mean = (strength * center + others.sum()) / k
        b = model.prior_scale_ + 0.5 * ((others**2).sum() + strength * center**2 - k * mean**2)
        scale = np.sqrt(b * (k + 1) / (a * k))
        assert values[0][row] == pytest.approx(student.logpdf(y[row], 2 * a, mean, scale), rel=1e-6)


@pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto:UserWarning")
def test_arviz_leaves_one_out_as_refits_do():
    """The log density of rows by PSIS, against fits without each of them.

    2,000 particles by the optimal proposal know either to about .01 here. Many draws tie, of which
    ArviZ by itself makes NaN.
    """
    arviz = pytest.importorskip("arviz")
    X, y = np.arange(12.0)[:, None], np.array([0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1])
    make = partial(SMCTreeClassifier, 2000, n_islands=1, proposal="optimal", random_state=0)
    found = arviz.loo(make().fit(X, y).to_arviz(X, y), pointwise=True)
    by_row = np.asarray(found.loo_i if hasattr(found, "loo_i") else found.elpd_i)
    assert np.isfinite(by_row).all()
    for row in (0, 2, 5, 8):
        others = np.arange(12) != row
        refit = make().fit(X[others], y[others])
        # Prior cuts depend on the table: the row left out moves them a little.
        expected = np.log(refit.predict_proba(X[[row]])[0, y[row]])
        assert by_row[row] == pytest.approx(expected, abs=0.15)
