"""The safe-Bayesian forest for classes."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammaln
from sklearn.base import clone
from sklearn.datasets import load_iris

from bayeswood import BayeswoodError, SafeBayesForestClassifier, load
from bayeswood.methods.safe_bayes.pool_classes import class_shares, evidence_pool

X, Y = load_iris(return_X_y=True)


def small(**parameters):
    return SafeBayesForestClassifier(**{"n_estimators": 30, "random_state": 1, **parameters})


KINDS = [
    small(),
    small(tree_prior="galton-watson"),
    small(tree_prior="rows"),
    small(pooling="power", prune_average=False, dirichlet_alpha=1.0),
    SafeBayesForestClassifier.as_published(n_estimators=60, random_state=1),
]


@pytest.fixture
def mixed(rng):
    """Numbers with holes, words, and a class that depends on both."""
    number = np.where(rng.uniform(size=200) < 0.15, np.nan, rng.normal(size=200))
    word = rng.choice(list("abcde"), size=200)
    y = np.where((word < "c") ^ (np.nan_to_num(number) > 0.3), "yes", "no")
    return pd.DataFrame({"number": number, "word": word}), y


def test_published_settings():
    forest = SafeBayesForestClassifier.as_published(power=0.5).fit(X, Y)
    assert forest.forest_.n_trees == 1000
    assert forest.power_ == 0.5
    assert forest.get_params()["dirichlet_alpha"] == 1.0
    np.testing.assert_allclose(forest.predict_proba(X), forest.forest_.predict(X), rtol=1e-12)


def test_evidence_is_the_product_over_leaves():
    forest = SafeBayesForestClassifier.as_published(n_estimators=20, random_state=0).fit(X, Y)
    leaf = forest.apply(X)
    for tree_idx in range(20):
        counts = pd.crosstab(leaf[:, tree_idx], Y).to_numpy()
        expected = (gammaln(3) - gammaln(counts.sum(1) + 3) + gammaln(counts + 1).sum(1)).sum()
        np.testing.assert_allclose(forest.log_evidence_[tree_idx], expected, rtol=1e-12)


def test_weights_are_powers_of_the_evidence():
    forest = small(effective_sample_size=10).fit(X, Y)
    assert forest.power_ == 10 / 150
    weights = np.exp(forest.power_ * (forest.log_evidence_ - forest.log_evidence_.max()))
    np.testing.assert_allclose(forest.member_weights_, weights / weights.sum(), rtol=1e-12)


def test_evidence_pooling_is_its_formula():
    forest = small().fit(X, Y)
    mean_log = np.einsum("k,knc->nc", forest.member_weights_, np.log(forest.predict_draws(X)))
    log_shares = np.log(class_shares(np.bincount(Y), np.full(3, 1 / 3)))
    expected = evidence_pool(mean_log, log_shares, forest.sharpness_)
    np.testing.assert_allclose(forest.predict_proba(X), expected, rtol=1e-9)


def test_shapes_depend_on_the_seed_alone(rng):
    first = SafeBayesForestClassifier.as_published(n_estimators=40, random_state=3).fit(X, Y)
    other = SafeBayesForestClassifier.as_published(n_estimators=40, random_state=3)
    other.fit(rng.normal(size=(30, 9)), rng.integers(0, 2, 30))
    np.testing.assert_array_equal(first.forest_.n_leaves, other.forest_.n_leaves)
    np.testing.assert_array_equal(first.forest_.depths, other.forest_.depths)


def test_trees_do_not_depend_on_the_classes(rng):
    first = small(tree_prior="galton-watson").fit(X, Y).forest_.to_arrays()
    second = small(tree_prior="galton-watson").fit(X, rng.permutation(Y)).forest_.to_arrays()
    for name in ("feature", "threshold", "n_nodes", "leaf_n_samples"):
        np.testing.assert_array_equal(first[name], second[name])


@pytest.mark.parametrize("forest", KINDS, ids=range(len(KINDS)))
def test_any_number_of_threads_gives_the_same_bits(forest):
    forest = clone(forest)
    one = forest.set_params(n_jobs=1).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(forest.set_params(n_jobs=3).fit(X, Y).predict_proba(X), one)


@pytest.mark.parametrize("forest", KINDS, ids=range(len(KINDS)))
def test_leave_one_out_is_a_refit_without_the_row(forest):
    forest = clone(forest).fit(X, Y)
    left = forest.loo_predict_proba()
    np.testing.assert_array_equal(forest.loo_predict_proba(X, Y), left)
    for row in (0, 60, 149):
        others = np.arange(150) != row
        refit = pickle.loads(pickle.dumps(forest))
        refit.set_params(pit_reference=X).fit(X[others], Y[others])
        # The sharpness is that of all rows.
        refit._posterior.__dict__["sharpness"] = forest.sharpness_
        np.testing.assert_allclose(refit.predict_proba(X[[row]])[0], left[row], atol=1e-9)


def test_leave_one_out_refuses_rows_never_seen():
    forest = small().fit(X, Y)
    with pytest.raises(BayeswoodError, match="never counted"):
        forest.loo_predict_proba(X[:1] + 100, Y[:1])


def test_leave_one_out_needs_rows():
    forest = small(reservoir_size=100).fit(X, Y)
    with pytest.raises(BayeswoodError, match="keeps 100 of the 150 rows"):
        forest.loo_predict_proba()
    assert forest.loo_predict_proba(X, Y).shape == (150, 3)


def test_mixed_tables(mixed, tmp_path):
    table, y = mixed
    forest = small(n_estimators=200).fit(table, y)
    assert forest.score(table, y) > 0.9
    strange = pd.DataFrame({"number": [np.nan, 9.9], "word": ["new", None]})
    assert forest.predict_proba(strange).shape == (2, 2)
    forest.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(table), forest.predict_proba(table))
    np.testing.assert_array_equal(again.predict_draws(strange), forest.predict_draws(strange))


@pytest.mark.parametrize("forest", KINDS, ids=range(len(KINDS)))
def test_a_saved_forest_learns_on(forest, tmp_path):
    forest = clone(forest).fit(X[:100], np.minimum(Y[:100], 1))
    forest.save(tmp_path / "model")
    again = load(tmp_path / "model")
    for one in (forest, again):
        one.partial_fit(X[:20], Y[:20]).forget(X[30:50], Y[30:50])
    np.testing.assert_array_equal(again.predict_proba(X), forest.predict_proba(X))
    assert again.sharpness_ == forest.sharpness_


@pytest.mark.parametrize("damage", ["counts", "edges", "reservoir_keys", "transform"])
def test_a_damaged_state_is_refused(damage):
    meta, arrays, forest = small().fit(X, Y)._state()
    arrays[damage] = -arrays[damage][::-1].astype(arrays[damage].dtype)
    with pytest.raises(BayeswoodError, match="model file"):
        SafeBayesForestClassifier._from_state(meta, arrays, forest)


def test_uncertainty_adds_up():
    split = small().fit(X, Y).uncertainty(X)
    np.testing.assert_allclose(split.total, split.data + split.knowledge)
    assert (split.data >= 0).all()
    assert (split.knowledge >= 0).all()


def test_importances_find_the_feature(rng):
    noise = rng.normal(size=(300, 4))
    forest = small(n_estimators=100).fit(noise, (noise[:, 2] > 0).astype(int))
    assert forest.feature_importances_.sum() == pytest.approx(1)
    assert np.argmax(forest.feature_importances_) == 2


@pytest.mark.parametrize("pooling", ["evidence", "power"])
def test_operating_curves(pooling):
    forest = small(pooling=pooling).fit(X, Y)
    curve = forest.operating_curve_
    np.testing.assert_allclose(curve.power, np.arange(1, 151) / 150)
    at_power = np.argmin(np.abs(curve.power - forest.power_))
    assert curve.accuracy[at_power] == pytest.approx(forest.score(X, Y))
    given = forest.operating_curve(X, Y, powers=[forest.power_])
    assert given.on == "given"
    own = forest.predict_proba(X)[np.arange(150), Y]
    assert given.log_probability[0] == pytest.approx(np.log(own).mean())
    left = forest.operating_curve(on="loo", powers=[0.1, 1.0])
    assert left.best_power("accuracy") in (0.1, 1.0)


@pytest.mark.parametrize("power", [1.0, 0.3])
@pytest.mark.parametrize("on", ["train", "loo"])
def test_an_operating_curve_is_that_of_forests_fitted_with_its_powers(power, on):
    curve = small().fit(X, Y).operating_curve(on=on, powers=[power])
    there = small(effective_sample_size=150 * power).fit(X, Y)  # β = 1 is power=1 alike
    proba = there.predict_proba(X) if on == "train" else there.loo_predict_proba()
    own = proba[np.arange(150), Y]
    assert curve.log_probability[0] == pytest.approx(np.log(own).mean())


def test_a_left_out_curve_is_the_left_out_prediction():
    forest = small(power=0.04).fit(X, Y)
    curve = forest.operating_curve(on="loo", powers=[0.04])
    own = forest.loo_predict_proba()[np.arange(150), Y]
    assert curve.log_probability[0] == pytest.approx(np.log(own).mean())


def test_random_ties_differ_and_cannot_stream():
    forest = small(ties="random").fit(X, Y)
    assert not np.array_equal(forest.predict_proba(X), small().fit(X, Y).predict_proba(X))
    with pytest.raises(BayeswoodError, match="ties"):
        small(ties="random").partial_fit(X, Y)
    with pytest.raises(BayeswoodError, match="ties"):
        forest.forget(X[:1], Y[:1])


def test_memory_is_as_stated():
    forest = small(depth=7).fit(X, Y)
    stated = 30 * 2**7 * (4 * 3 + 4) + 150 * (8 * 4 + 28)
    assert abs(forest.nbytes_ - stated) < 2000


def test_progress_and_interval_and_one_class(capsys):
    forest = small(verbose=1).fit(X, np.zeros(150))
    assert forest.predict_proba(X[:2]).tolist() == [[1.0], [1.0]]
    assert forest.predict_interval(X[:2]).shape == (2, 1, 2)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"power": 0.0}, r"\(0, 1\]"),
        ({"power": 1.5}, r"\(0, 1\]"),
        ({"depth": 25}, "<= 24"),
        ({"tree_prior": "chipman"}, "galton-watson"),
        ({"pooling": "mean"}, "'evidence', 'power'"),
        ({"dirichlet_alpha": 0.0}, "None"),
        ({"split_probability": 1.0}, r"\(0, 1\)"),
        ({"transform": "rank"}, "'pit', 'none'"),
        ({"effective_sample_size": 0}, "float"),
        ({"reservoir_size": -1}, ">= 0"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(BayeswoodError, match=words):
        small(**parameters).fit(X, Y)


def test_weights_must_be_whole():
    with pytest.raises(BayeswoodError, match="whole numbers"):
        small().fit(X, Y, np.full(150, 0.5))


def test_many_classes(rng):
    wide = rng.normal(size=(400, 3))
    labels = np.arange(400) % 200
    assert small(depth=3).fit(wide, labels).predict_proba(wide).shape == (400, 200)
