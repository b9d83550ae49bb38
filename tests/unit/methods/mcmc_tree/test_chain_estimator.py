"""Trees sampled by Markov chains: the estimators."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1

from bayeswood import (
    BayeswoodError,
    MCMCTreeClassifier,
    MCMCTreeRegressor,
    UncertaintyEnvelope,
    load,
)
from bayeswood.cli.app import app
from bayeswood.methods.mcmc_tree.trace import MOVES
from bayeswood.posterior import MonteCarloWarning

X, Y = load_iris(return_X_y=True)
Z, R = make_friedman1(n_samples=150, random_state=0)


def classifier(**parameters):
    short = {"n_chains": 1, "n_burn_in": 200, "n_draws": 100, "random_state": 3}
    return MCMCTreeClassifier(**{**short, **parameters})


def regressor(**parameters):
    short = {"n_chains": 1, "n_burn_in": 200, "n_draws": 100, "random_state": 3}
    return MCMCTreeRegressor(**{**short, **parameters})


KINDS = [
    (classifier(), X, Y),
    (classifier(prior="denison", min_samples_leaf=5, move_probabilities="chipman"), X, Y),
    (regressor(), Z, R),
    (regressor(prior="denison", max_leaves=8), Z, R),
]
IDS = ["chipman", "denison", "numbers", "numbers-denison"]


@pytest.fixture
def mixed(rng):
    """Numbers with holes, words, and a class that depends on both."""
    number = np.where(rng.uniform(size=200) < 0.15, np.nan, rng.normal(size=200))
    word = rng.choice(list("abcde"), size=200)
    y = np.where((word < "c") ^ (np.nan_to_num(number) > 0.3), "yes", "no")
    return pd.DataFrame({"number": number, "word": word}), y


@pytest.mark.parametrize(("model", "X", "y"), KINDS, ids=IDS)
def test_draws_trees_and_trace_fit_together(model, X, y):
    model = clone(model).set_params(n_draws=40, thin=3).fit(X, y)
    trace = model.trace_
    assert model.draw_tree_.shape == (1, 40)
    assert trace.log_posterior.shape == trace.n_leaves.shape == (1, 320)
    assert (trace.n_chains, trace.n_iterations, trace.n_draws) == (1, 320, 40)
    at_draws = trace.n_leaves[0, 200 + 2 :: 3]
    np.testing.assert_array_equal(model.forest_.n_leaves[model.draw_tree_[0]], at_draws)
    np.testing.assert_array_equal(
        model.forest_.depths[model.draw_tree_[0]], trace.depth[0, 200 + 2 :: 3]
    )
    shares = np.bincount(model.draw_tree_[0]) / 40
    np.testing.assert_allclose(model.member_weights_, shares, rtol=1e-12)
    assert model.forest_.n_trees == len(np.unique(model.draw_tree_))


def test_acceptance_is_that_of_the_trace():
    model = classifier(move_probabilities="schetinin").fit(X, Y)
    kept = model.trace_.move[:, 200:]
    assert sum(model.proposals_.values()) == kept.size
    for name, rate in model.acceptance_.items():
        mine = kept == MOVES.index(name)
        assert model.proposals_[name] == mine.sum()
        assert rate == pytest.approx(model.trace_.accepted[:, 200:][mine].mean())
    assert "swap" not in model.acceptance_


@pytest.mark.parametrize(("model", "X", "y"), KINDS, ids=IDS)
@pytest.mark.filterwarnings("ignore::bayeswood.posterior.MonteCarloWarning")
def test_any_number_of_threads_gives_the_same_bits(model, X, y):
    model = clone(model).set_params(n_chains=5)
    one = model.set_params(n_jobs=1).fit(X, y).forest_.to_arrays()
    other = model.set_params(n_jobs=3).fit(X, y).forest_.to_arrays()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])


@pytest.mark.parametrize(("model", "X", "y"), KINDS, ids=IDS)
def test_a_saved_model_is_the_same(model, X, y, tmp_path):
    model = clone(model).set_params(move_probabilities={"birth": 1, "death": 1, "swap": 0.5})
    model.fit(X, y).save(tmp_path / "m.bw")
    again = load(tmp_path / "m.bw")
    assert again.get_params()["move_probabilities"] == {"birth": 1, "death": 1, "swap": 0.5}
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_interval(X[:9]), model.predict_interval(X[:9]))
    np.testing.assert_array_equal(again.draw_tree_, model.draw_tree_)
    np.testing.assert_array_equal(again.chain_weights_, model.chain_weights_)
    for name in ("log_likelihood", "log_posterior", "n_leaves", "depth", "move", "accepted"):
        mine, theirs = getattr(model.trace_, name), getattr(again.trace_, name)
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    assert again.acceptance_ == model.acceptance_
    assert (again.trace_.n_burn_in, again.trace_.thin) == (200, 1)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda meta, arrays: meta.pop("trace"),
        lambda meta, arrays: meta["trace"].update(thin=0),
        lambda meta, arrays: meta["trace"].update(n_burn_in=300),
        lambda meta, arrays: arrays.pop("draw_tree"),
        lambda meta, arrays: arrays.update(draw_tree=arrays["draw_tree"] + 10_000),
        lambda meta, arrays: arrays.update(draw_tree=arrays["draw_tree"][:, 1:]),
        lambda meta, arrays: arrays.update(trace_move=arrays["trace_move"] + 7),
        lambda meta, arrays: arrays.update(trace_depth=arrays["trace_depth"][:, :5]),
        lambda meta, arrays: arrays.update(trace_depth=arrays["trace_depth"] * 0.5),
        lambda meta, arrays: arrays.update(chain_weights_=np.ones(3)),
        lambda meta, arrays: arrays.update(leaf_variance_=-arrays["leaf_variance_"]),
        lambda meta, arrays: arrays.update(leaf_variance_=arrays["leaf_variance_"][1:]),
    ],
)
def test_spoilt_files_are_refused(spoil):
    meta, arrays, forest = regressor().fit(Z, R)._state()
    meta, arrays = {**meta, "trace": dict(meta["trace"])}, dict(arrays)
    spoil(meta, arrays)
    with pytest.raises(BayeswoodError, match="The model file"):
        MCMCTreeRegressor._from_state(meta, arrays, forest)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_chains": 0}, "'n_chains' parameter of MCMCTreeClassifier must be an int >= 1"),
        ({"prior": "flat"}, "'prior' parameter .* one of 'chipman', 'denison'"),
        ({"alpha_split": 1.0}, "'alpha_split' parameter"),
        ({"power": -1.0}, "'power' parameter"),
        ({"dirichlet_alpha": 0.0}, "'dirichlet_alpha' parameter"),
        ({"move_probabilities": "fast"}, "one of 'schetinin', 'chipman', 'local' or a map"),
        ({"move_probabilities": {"birth": 1}}, "births and deaths > 0"),
        ({"move_probabilities": {"birth": 1, "death": 1, "leap": 1}}, "'move_probabilities'"),
        ({"move_probabilities": {"birth": 1, "death": -1}}, "'move_probabilities'"),
        ({"burn_in_growth_iterations": 5}, "needs 'burn_in_growth_leaves'"),
        (
            {"burn_in_growth_leaves": 4, "burn_in_growth_iterations": 201},
            "at most n_burn_in, 200. Got 201 instead",
        ),
        ({"rule_support": "leaf"}, "one of 'table', 'node'"),
        ({"rule_support": "node"}, "with prior='chipman', whose rules are those of the node"),
        ({"n_draws": "many"}, "an int >= 1 .*or 'auto'"),
        ({"on_interrupt": "cry"}, "'on_interrupt' parameter"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(BayeswoodError, match=message):
        classifier(**parameters).fit(X, Y)


def test_odd_weights_are_refused():
    with pytest.raises(BayeswoodError, match="counts rows in whole numbers"):
        classifier().fit(X, Y, sample_weight=np.full(len(Y), 0.5))


@pytest.mark.parametrize("model", [classifier(), regressor(chain_weights="stacking")])
def test_weights_are_copies(model, rng):
    weights = rng.integers(0, 4, len(Y))
    order = rng.permutation(np.repeat(np.arange(len(Y)), weights))
    one = clone(model).fit(X, Y, sample_weight=weights)
    other = clone(model).fit(X[order], Y[order])
    np.testing.assert_array_equal(one.draw_tree_, other.draw_tree_)
    np.testing.assert_array_equal(one.trace_.log_posterior, other.trace_.log_posterior)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_power_zero_ignores_the_classes(rng):
    first = classifier(power=0.0).fit(X, Y).forest_.to_arrays()
    second = classifier(power=0).fit(X, rng.permutation(Y)).forest_.to_arrays()
    for name in ("feature", "threshold", "n_nodes", "leaf_n_samples"):
        np.testing.assert_array_equal(first[name], second[name])


def test_the_growth_of_the_burn_in_is_restricted():
    model = classifier(burn_in_growth_leaves=2, power=0.0).fit(X, Y)
    leaves = model.trace_.n_leaves[0]
    assert leaves[:100].max() == 2
    assert leaves[100:].max() > 2
    none = classifier(burn_in_growth_leaves=2, burn_in_growth_iterations=0, power=0.0).fit(X, Y)
    assert none.trace_.n_leaves[0, :100].max() > 2


def test_categories_and_holes(mixed):
    frame, y = mixed
    model = classifier(n_burn_in=2000, n_draws=500).fit(frame, y)
    assert model.score(frame, y) > 0.9
    unseen = pd.DataFrame({"number": [np.nan, 0.1], "word": ["a", None]})
    assert np.isfinite(model.predict_proba(unseen)).all()


def test_uncertain_averages_are_told_of():
    with pytest.warns(MonteCarloWarning, match=r"uncertain by ±0\.\d\d, .*more or longer") as told:
        model = classifier(n_chains=4, n_burn_in=0, n_draws=50).fit(X, Y)
    assert told[0].filename == __file__
    assert f"±{model.monte_carlo_error_:.2f}" in str(told[0].message)
    assert "SMC" not in str(told[0].message)
    rng = np.random.default_rng(0)
    X_large = rng.normal(size=(10_001, 2))
    with pytest.warns(MonteCarloWarning, match="Predictions are uncertain by.*SMCTreeRegressor"):
        MCMCTreeRegressor(3, n_burn_in=0, n_draws=2, random_state=0).fit(X_large, X_large[:, 0])


def test_the_error_is_that_of_the_chains_averages():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MonteCarloWarning)
        for model, X_of, y in (KINDS[0], KINDS[2]):
            model = clone(model).set_params(n_chains=3, chain_weights="stacking").fit(X_of, y)
            drawn = model.predict_draws(X_of)
            means = np.stack([drawn[draws].mean(axis=0) for draws in model.draw_tree_])
            weight = model.chain_weights_.reshape(-1, *[1] * (means.ndim - 1))
            apart = means - (weight * means).sum(axis=0)
            expected = np.sqrt(1.5 * (weight**2 * apart**2).sum(axis=0))
            found = model.monte_carlo_error(X_of)
            np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=1e-7, atol=1e-12)


def test_the_published_chains():
    short = {"n_chains": 2, "n_burn_in": 100, "n_draws": 50, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MonteCarloWarning)
        model = MCMCTreeClassifier.as_published(**short).fit(X, Y)
    assert model.proposals_.keys() == {"birth", "death", "change_split", "change_rule"}
    assert model.forest_.to_arrays()["leaf_n_samples"].min() >= 5
    cuts = [
        (int(t.feature[0]), float(t.threshold[0]))
        for t in model.forest_.trees
        if len(t.feature) > 1
    ]
    assert all(cut in X[:, feature] for feature, cut in cuts)


def test_one_chain_has_no_error():
    model = classifier(n_chains=1).fit(X, Y)
    assert np.isnan(model.monte_carlo_error_)
    with pytest.raises(BayeswoodError, match="n_chains of 2 or more"):
        model.monte_carlo_error(X)


def test_chains_that_agree_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier(n_chains=4, n_draws=3000, max_leaves=2, prior="denison").fit([[0], [1]], [0, 1])


@pytest.mark.filterwarnings("ignore::bayeswood.posterior.MonteCarloWarning")
@pytest.mark.parametrize(("model", "X", "y"), [KINDS[0], KINDS[2]], ids=["classes", "numbers"])
@pytest.mark.parametrize("weights", ["equal", "evidence", "stacking"])
def test_chains_are_weighted(model, X, y, weights):
    model = clone(model).set_params(n_chains=4, chain_weights=weights).fit(X, y)
    assert model.chain_weights_.sum() == pytest.approx(1)
    shares = np.zeros(model.forest_.n_trees)
    for weight, draws in zip(model.chain_weights_, model.draw_tree_, strict=True):
        np.add.at(shares, draws, weight / len(draws))
    np.testing.assert_allclose(model.member_weights_, shares, atol=1e-12)
    assert (weights == "equal") == np.allclose(model.chain_weights_, 0.25)


def left_out(model, X, y, row):
    """Density of a row under each tree, its leaf without it, the plain way."""
    leaf = model.apply(X)
    density = []
    for tree in range(model.forest_.n_trees):
        mates = np.flatnonzero((leaf[:, tree] == leaf[row, tree]) & (np.arange(len(y)) != row))
        same = (y[mates] == y[row]).sum()
        density.append((same + 5 / 3) / (len(mates) + 5))
    return np.array(density)


@pytest.mark.filterwarnings("ignore::bayeswood.posterior.MonteCarloWarning")
def test_stacking_maximises_the_left_out_density():
    model = classifier(n_chains=3, chain_weights="stacking", n_burn_in=20, n_draws=15).fit(X, Y)
    density = np.empty((3, len(Y)))
    for row in range(len(Y)):
        per_tree = left_out(model, X, Y, row)
        for chain in range(3):
            density[chain, row] = 1 / np.mean(1 / per_tree[model.draw_tree_[chain]])
    best = np.log(model.chain_weights_ @ density).sum()
    for other in np.random.default_rng(0).dirichlet(np.ones(3), size=200):
        assert np.log(other @ density).sum() <= best + 1e-4


def test_the_regressor_is_a_mixture_of_students():
    from scipy import stats

    model = regressor().fit(Z, R)
    rows = Z[:3]
    leaf = model.forest_.apply(rows)
    first = np.cumsum(model.forest_.n_leaves) - model.forest_.n_leaves
    quantiles = model.predict_quantiles(rows, [0.05, 0.5, 0.9])
    for row in range(3):
        cdf = np.zeros(3)
        moments = []
        for t, tree in enumerate(model.forest_.trees):
            node = leaf[row, t]
            leaf_number = first[t] + (tree.feature[:node] < 0).sum()
            variance = model.leaf_variance_[leaf_number]
            freedom = 2 * model.prior_shape + tree.n_samples[node]
            mean = tree.value[node, 0]
            scale = np.sqrt(variance * (freedom - 2) / freedom)
            weight = model.member_weights_[t]
            cdf += weight * stats.t.cdf(quantiles[row], freedom, mean, scale)
            moments.append([weight, weight * mean, weight * (variance + mean**2)])
        np.testing.assert_allclose(cdf, [0.05, 0.5, 0.9], atol=1e-9)
        total, mean, square = np.sum(moments, axis=0)
        assert total == pytest.approx(1)
        assert model.predict(rows)[row] == pytest.approx(mean)
        assert model.uncertainty(rows).total[row] == pytest.approx(square - mean**2)
    split = model.uncertainty(rows)
    np.testing.assert_allclose(split.total, split.data + split.knowledge)
    assert (split.data > 0).all()
    assert np.isneginf(model.predict_quantiles(rows, 0.0)).all()


def test_a_leaf_s_variance_is_that_of_its_predictive():
    """Of a tree without a split: b_n (k + 1) / ((a_n - 1) k)."""
    model = regressor(max_leaves=1).fit(Z, R)
    kappa, a, b = model.prior_strength, model.prior_shape, model.prior_scale_
    n, k = len(R), model.prior_strength + len(R)
    b_n = b + n * R.var() / 2
    expected = b_n / (a + n / 2 - 1) * (k + 1) / k
    assert model.leaf_variance_ == pytest.approx(expected, rel=1e-5)
    assert kappa == 0.3


def test_the_envelope_takes_the_votes():
    model = classifier(n_draws=300).fit(X[::2], Y[::2])
    found = UncertaintyEnvelope(gamma0=0.9).assess(model, X[1::2], Y[1::2])
    parts = found.confident_correct + found.uncertain + found.confident_incorrect
    assert parts == pytest.approx(1)


def test_the_command_line_fits_and_predicts(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.array(["x", "y", "z"])[Y])
    frame.to_csv(tmp_path / "iris.csv", index=False)
    fit = ["fit", tmp_path / "iris.csv", "--target", "kind", "--method", "mcmc-tree"]
    fit += ["--out", tmp_path / "m.bw", "--param", "n_chains=1", "--param", "n_draws=50"]
    for words in (fit, ["info", tmp_path / "m.bw"], ["evaluate", tmp_path / "m.bw", fit[1]]):
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == 0, done.output
    assert load(tmp_path / "m.bw").draw_tree_.shape == (1, 50)


INTERRUPTED = """
import os, signal, threading, warnings
import numpy as np
from bayeswood import MCMCTreeClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(2_000, 5))
y = (X[:, 0] + rng.normal(size=2_000) > 0).astype(int)
for mode, n_chains, thin in (("raise", 2, 100), ("return", 3, 100), ("return", 2, 100_000_000)):
    model = MCMCTreeClassifier(n_chains, n_burn_in=10, n_draws=20_000_000, thin=thin,
                               max_leaves=3, on_interrupt=mode, n_jobs=2)
    threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model.fit(X, y)
    except KeyboardInterrupt:
        assert not hasattr(model, "forest_")
        print("raised")
        continue
    assert any("was interrupted" in str(warning.message) for warning in told)
    assert model.draw_tree_.shape[1] == model.trace_.n_draws > 0
    assert model.draw_tree_.max() == model.forest_.n_trees - 1
    assert np.isfinite(model.predict_proba(X[:5])).all()
    print("returned")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
def test_ctrl_c_raises_or_returns_what_there_is():
    """With nothing drawn yet, the last, there is nothing to return."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["raised", "returned", "raised"]


def test_arviz_has_densities_of_rows_left_out():
    """Against a refit of the leaves without the row, in the tree of one draw."""
    pytest.importorskip("arviz")
    X, y = np.arange(12.0)[:, None], np.array([0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1])
    model = MCMCTreeClassifier(1, n_burn_in=50, n_draws=20, concentration=3.0, random_state=0)
    found = model.fit(X, y).to_arviz(X, y)
    values = np.asarray(found["log_likelihood"]["y"])
    assert values.shape == (1, 20, 12)
    tree = model.forest_.select([model.draw_tree_[0, 7]])
    leaf = tree.apply(X)[:, 0]
    for row in range(12):
        others = (leaf == leaf[row]) & (np.arange(12) != row)
        same = (y[others] == y[row]).sum()
        assert values[0, 7, row] == pytest.approx(np.log((same + 1.5) / (others.sum() + 3.0)))
    with pytest.raises(BayeswoodError, match="needs X_reference"):
        model.to_arviz(None, y)
