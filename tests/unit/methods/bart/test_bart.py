"""What users of sums of trees may count on, besides what every estimator promises."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1

from bayeswood import BARTClassifier, BARTRegressor, BayeswoodError, load
from bayeswood.posterior import MonteCarloWarning, diagnose

X, Y = make_friedman1(n_samples=150, n_features=6, noise=1.0, random_state=0)
QUICK = {"n_chains": 2, "n_warm_up": 2, "n_burn_in": 20, "n_draws": 15, "thin": 2}
pytestmark = pytest.mark.filterwarnings("ignore::bayeswood.posterior.MonteCarloWarning")


def quick(n_trees=12, **more):
    return BARTRegressor(n_trees, random_state=0, **{**QUICK, **more})


@pytest.fixture(scope="module")
def fitted():
    with pytest.warns(MonteCarloWarning):
        return quick().fit(X, Y)


def test_the_prior_is_the_papers(fitted):
    low, high = Y.min(), Y.max()
    assert fitted.offset_ == pytest.approx((low + high) / 2)
    assert fitted.leaf_sd_ == pytest.approx((high - low) / (2 * 2 * np.sqrt(12)))
    assert fitted.noise_sd_.shape == (2, 15)
    assert quick(leaf_sd=0.3, noise_sd=0.7).fit(X, Y).leaf_sd_ == 0.3
    assert (quick(noise_sd=0.7).fit(X, Y).noise_sd_ == pytest.approx(0.7)) is True


def test_draws_add_up_to_predictions(fitted):
    draws = fitted.predict_draws(X[:9])
    assert draws.shape == (30, 9)
    np.testing.assert_allclose(draws.mean(axis=0), fitted.predict(X[:9]), rtol=1e-12)
    parts = fitted.uncertainty(X[:9])
    np.testing.assert_allclose(parts.knowledge, draws.var(axis=0), rtol=1e-9)
    np.testing.assert_allclose(parts.data, (fitted.noise_sd_**2).mean(), rtol=1e-12)


def test_intervals_of_new_responses_are_those_of_the_mixture(fitted):
    low, high = fitted.predict_interval(X[:5], coverage=0.8).T
    rng = np.random.default_rng(0)
    draws = np.repeat(fitted.predict_draws(X[:5]), 4000, axis=0)
    new = draws + np.repeat(fitted.noise_sd_.ravel(), 4000)[:, None] * rng.normal(size=draws.shape)
    # Of 120,000 draws, the share in the interval has a standard error of .0012.
    assert np.abs(((new > low) & (new < high)).mean(axis=0) - 0.8).max() < 0.006
    assert np.isinf(fitted.predict_quantiles(X[:2], [0.0, 1.0])).all()


def test_more_draws_are_those_of_a_longer_fit():
    for more in ({}, {"sparse": True}, {"variance_trees": 4}, {"sampler": "particle-gibbs"}):
        first = quick(n_draws=6, **more).fit(X, Y).more_draws(9)
        second = quick(**more).fit(X, Y)
        assert first.forest_.digest == second.forest_.digest
        np.testing.assert_array_equal(first.noise_sd_, second.noise_sd_)
        np.testing.assert_array_equal(first.predict_interval(X), second.predict_interval(X))


def test_more_draws_need_the_chains(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    for other in (load(tmp_path / "model"), pickle.loads(pickle.dumps(fitted))):
        np.testing.assert_array_equal(other.predict(X), fitted.predict(X))
        with pytest.raises(BayeswoodError, match="needs the chains"):
            other.more_draws(3)
    with pytest.raises(BayeswoodError, match="'n_draws' parameter"):
        fitted.more_draws(0)


@pytest.mark.parametrize("sampler", ["mh", "grow-from-root", "particle-gibbs"])
def test_threads_change_nothing(sampler):
    first = quick(sampler=sampler, n_jobs=1).fit(X, Y)
    second = quick(sampler=sampler, n_jobs=2).fit(X, Y)
    assert first.forest_.digest == second.forest_.digest


@pytest.mark.parametrize("more", [{}, {"sampler": "grow-from-root"}, {"variance_trees": 2}])
def test_threads_share_the_rows_of_one_chain(more):
    """Beyond 65,536 rows; threads that no chain needs help with the rows of a sweep."""
    rng = np.random.default_rng(5)
    rows = pd.DataFrame(rng.normal(size=(70_000, 3)), columns=list("abc"))
    rows["d"] = pd.Categorical(rng.choice(list("uvwx"), len(rows)))
    rows.iloc[::9, 1] = np.nan
    y = rows.a + (rows.d == "v") + rng.normal(size=len(rows))
    few = {"n_chains": 1, "n_warm_up": 1, "n_burn_in": 3, "n_draws": 2, "thin": 1, **more}
    fits = [
        BARTRegressor(6, random_state=0, n_jobs=n_jobs, **few).fit(rows, y, sample_weight=weight)
        for weight in (None, rng.uniform(0.5, 2, len(rows)))
        for n_jobs in (1, 2, 3)
    ]
    digests = [model.forest_.digest for model in fits]
    assert digests[0] == digests[1] == digests[2]
    assert digests[3] == digests[4] == digests[5]
    assert fits[0].noise_sd_.tobytes() == fits[1].noise_sd_.tobytes()


def test_a_file_keeps_everything(tmp_path):
    model = quick(sparse=True, variance_trees=3).fit(X, Y)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_interval(X), model.predict_interval(X))
    np.testing.assert_array_equal(again.feature_shares_, model.feature_shares_)
    np.testing.assert_array_equal(again.noise_sd_, model.noise_sd_)
    assert again.acceptance_ == model.acceptance_
    assert again.offset_ == model.offset_


def test_several_responses_have_sums_of_their_own():
    model = quick().fit(X, np.column_stack([Y, -3 * Y]))
    assert model.predict(X).shape == (150, 2)
    assert model.noise_sd_.shape == (2, 15, 2)
    assert model.predict_interval(X[:4]).shape == (4, 2, 2)
    np.testing.assert_allclose(model.leaf_sd_[1], 3 * model.leaf_sd_[0])
    assert np.corrcoef(model.predict(X).T)[0, 1] < -0.8


def test_categories_and_missing_values():
    rng = np.random.default_rng(3)
    level = rng.integers(0, 6, 300)
    number = rng.normal(size=300)
    y = np.where(np.isin(level, [1, 4]), 5.0, 0.0) + rng.normal(size=300)
    number[rng.random(300) < 0.3] = np.nan
    table = pd.DataFrame({"level": pd.Categorical.from_codes(level, list("abcdef")), "x": number})
    model = quick(n_burn_in=100).fit(table, y)
    each = table.iloc[:6].assign(level=pd.Categorical(list("abcdef"), list("abcdef")), x=np.nan)
    np.testing.assert_allclose(model.predict(each), [0, 5, 0, 0, 5, 0], atol=1.2)
    assert model.inclusion_probabilities_[0] == 1


def test_few_of_many_features_are_kept():
    wide, y = make_friedman1(n_samples=200, n_features=40, noise=1.0, random_state=1)
    settings = {"n_burn_in": 200, "n_draws": 40, "thin": 5}
    plain = quick(30, **settings).fit(wide, y)
    sparse = quick(30, sparse=True, **settings).fit(wide, y)
    assert sparse.feature_shares_.shape == (2, 40, 40)
    np.testing.assert_allclose(sparse.feature_shares_.sum(axis=2), 1)
    assert sparse.feature_shares_.mean(axis=(0, 1))[:5].sum() > 0.85
    used = [model.inclusion_probabilities_[5:].mean() for model in (sparse, plain)]
    assert used[0] < 0.5 * used[1]
    assert sparse.feature_importances_[:5].sum() > plain.feature_importances_[:5].sum()


def test_noise_that_varies_is_found():
    rng = np.random.default_rng(5)
    x = rng.uniform(size=(400, 2))
    sd = np.where(x[:, 0] < 0.5, 0.2, 2.0)
    y = 3 * x[:, 1] + sd * rng.normal(size=400)
    model = quick(30, variance_trees=10, n_burn_in=100, n_draws=50).fit(x, y)
    found = np.sqrt(model.uncertainty(np.array([[0.2, 0.5], [0.8, 0.5]])).data)
    np.testing.assert_allclose(found, [0.2, 2.0], rtol=0.25)


def test_weights_divide_the_noise():
    rng = np.random.default_rng(2)
    x = rng.uniform(size=(200, 1))
    right = np.where(x[:, 0] < 0.5, 0.0, 1.0)
    wrong = np.concatenate([right, 1 - right])
    weight = np.repeat([1000.0, 1.0], 200)
    model = quick(n_burn_in=100).fit(np.concatenate([x, x]), wrong, sample_weight=weight)
    np.testing.assert_allclose(model.predict([[0.2], [0.8]]), [0, 1], atol=0.05)


def test_classes_have_probabilities():
    flowers, kind = load_iris(return_X_y=True)
    for y in (kind, kind == 2):
        model = BARTClassifier(10, random_state=0, **QUICK).fit(flowers, y)
        found = model.predict_proba(flowers)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        assert (model.predict(flowers) == y).mean() > 0.93
        np.testing.assert_allclose(model.predict_draws(flowers).mean(axis=0), found, rtol=1e-9)
        ends = model.predict_interval(flowers)
        assert ((ends[..., 0] <= found) & (found <= ends[..., 1])).all()
        quantiles = model.predict_quantiles(flowers, [0.0, 1.0])
        np.testing.assert_array_equal(quantiles[..., 1], model.predict_draws(flowers).max(axis=0))
        assert model.offset_.shape == ((3,) if len(model.classes_) == 3 else (1,))


def test_one_class_is_sure():
    model = BARTClassifier(3, random_state=0, **QUICK).fit(X, ["yes"] * 150)
    assert (model.predict_proba(X[:3]) == 1).all()


def test_chains_are_diagnosed(fitted):
    found = diagnose(fitted, X[:2])
    assert [q.name for q in found.quantities] == ["noise_sd", "n_leaves", "row 0", "row 1"]
    error = fitted.monte_carlo_error(X[:7])
    assert error.shape == (7,)
    assert (error > 0).all()
    with pytest.raises(BayeswoodError, match="n_chains of 2"):
        quick(n_chains=1).fit(X, Y).monte_carlo_error(X)


def test_arviz_has_densities_of_rows(fitted):
    pytest.importorskip("arviz")
    found = fitted.to_arviz(X, Y)
    values = np.asarray(found["log_likelihood"]["y"])
    assert values.shape == (2, 15, 150)
    z = (Y[0] - fitted.predict_draws(X[:1])[0, 0]) / fitted.noise_sd_[0, 0]
    expected = -0.5 * z**2 - np.log(fitted.noise_sd_[0, 0] * np.sqrt(2 * np.pi))
    assert values[0, 0, 0] == pytest.approx(expected)


def test_arviz_of_classes_names_what_is_wrong():
    pytest.importorskip("arviz")
    flowers, kind = load_iris(return_X_y=True)
    model = BARTClassifier(5, random_state=0, **QUICK).fit(flowers, kind == 2)
    found = np.asarray(model.to_arviz(flowers[:4], kind[:4] == 2)["log_likelihood"]["y"])
    expected = np.log(model.predict_draws(flowers[:4])[:, :, 0])
    np.testing.assert_allclose(found.reshape(30, 4), expected, rtol=1e-9)
    with pytest.raises(BayeswoodError, match=r"does not know\. The classes are"):
        model.to_arviz(flowers, kind)


@pytest.mark.parametrize("sampler", ["mh", "grow-from-root", "particle-gibbs"])
def test_data_that_say_nothing_are_taken(sampler):
    constant = quick(5, sampler=sampler, sparse=True).fit(np.ones((30, 2)), Y[:30])
    np.testing.assert_array_equal(constant.forest_.n_leaves, 1)
    assert np.ptp(constant.predict([[1.0, 1.0], [7.0, 0.0]])) == 0
    one_row = quick(5, sampler=sampler).fit(X[:1], Y[:1])
    low, high = one_row.predict_interval(X[1:2])[0]
    assert low < Y[0] < high
    same = quick(5, sampler=sampler).fit(X, np.full(150, 3.0))
    np.testing.assert_allclose(same.predict(X), 3.0, atol=0.1)


@pytest.mark.parametrize(
    ("y", "weight", "words"),
    [
        (np.where(np.arange(150) == 3, np.nan, Y), None, "row 3"),
        (np.where(np.arange(150) == 4, np.inf, Y), None, "row 4"),
        (Y, np.zeros(150), "zero in every row"),
        (Y, -np.ones(150), "row 0"),
        (1e200 * Y, None, "Rescale y"),
    ],
)
def test_bad_data_are_named(y, weight, words):
    with pytest.raises(BayeswoodError, match=words):
        quick().fit(X, y, sample_weight=weight)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"noise_sd": 0}, "'noise_sd' parameter"),
        ({"n_chains": 0}, "'n_chains' parameter"),
        ({"prior_k": 0}, "'prior_k' parameter"),
        ({"sampler": "gibbs"}, "'sampler' parameter"),
        ({"n_particles": 1}, "'n_particles' parameter"),
        ({"move_probabilities": {"birth": 1}}, "'move_probabilities' parameter"),
        ({"variance_trees": 3, "noise_sd": 1.0}, "'variance_trees' parameter"),
        ({"variance_trees": 3, "prior_df": 2}, "'prior_df' parameter"),
        ({"leaf_sd": -1.0}, "'leaf_sd' parameter"),
        ({"max_cuts": 0}, "'max_cuts' parameter"),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(BayeswoodError, match=words):
        clone(quick(**parameters)).fit(X, Y)


SCRIPT = """
import os, signal, threading, time, warnings
from sklearn.datasets import make_friedman1
from bayeswood import BARTRegressor
X, y = make_friedman1(n_samples=300, random_state=0)
# Whoever started this may have Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
model = BARTRegressor(20, n_draws=10_000_000, random_state=0, on_interrupt={on_interrupt!r})
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.7, interrupt).start()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        assert not hasattr(model, "forest_")
        print("raised", time.monotonic() - sent[0])
    else:
        assert "was interrupted" in str(caught[0].message)
        assert model.forest_.n_members == model.trace_.n_chains * model.trace_.n_draws > 0
        assert model.predict(X).shape == (300,)
        print("kept")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
@pytest.mark.parametrize("on_interrupt", ["raise", "keep"])
def test_an_interrupted_fit_stops(on_interrupt):
    script = SCRIPT.format(on_interrupt=on_interrupt)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    if on_interrupt == "keep":
        assert done.stdout.strip() == "kept"
    else:
        # The core answers within 0.2 s; ten times that leaves room for a loaded machine.
        assert float(done.stdout.split()[1]) < 2.0


def test_chains_are_drawn(fitted):
    plt = pytest.importorskip("matplotlib.pyplot")
    from bayeswood.plots import trace

    axes = trace(fitted)
    assert [ax.get_ylabel() for ax in axes[:, 0]] == ["σ of the noise", "leaves"]
    assert axes[0, 0].get_xlim() == (0, 2 + 20 + 15 * 2)
    plt.close(axes[0, 0].figure)
