"""Diagnostics of chains of trees, and the way to ArviZ: both of its shapes."""

import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    MCMCTreeClassifier,
    MCMCTreeRegressor,
)
from bayeswood.errors import BayeswoodError
from bayeswood.posterior import (
    MonteCarloWarning,
    bulk_ess,
    diagnose,
    split_rhat,
    tail_ess,
    to_arviz,
)
from bayeswood.posterior.kept_draws import QUANTITIES, by_draw, kept, tree_log_posterior

N_CHAINS, N_BURN_IN, N_DRAWS, THIN = 3, 50, 40, 2


def make_trace(rng, shift=0.0):
    """Noise in the kept draws, and values in the burn-in that must not be seen."""
    shape = (N_CHAINS, N_BURN_IN + N_DRAWS * THIN)

    def noise():
        values = rng.normal(size=shape) + shift * np.arange(N_CHAINS)[:, None]
        values[:, :N_BURN_IN] = 1e6
        return values

    whole = {name: noise() for name in QUANTITIES}
    return SimpleNamespace(**whole, n_burn_in=N_BURN_IN, thin=THIN)


def as_sampled(model, rng):
    """A fitted forest with the attributes of an MCMC estimator."""
    model.trace_ = make_trace(rng)
    model.draw_tree_ = rng.integers(0, model.forest_.n_trees, size=(N_CHAINS, N_DRAWS))
    return model


@pytest.fixture(scope="module")
def classifier():
    rng = np.random.default_rng(30)
    X = rng.normal(size=(90, 3))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    model = BayesianForestClassifier(12, min_samples_leaf=20, random_state=0).fit(X, y)
    return as_sampled(model, rng), X[:4]


@pytest.fixture(scope="module")
def regressor():
    rng = np.random.default_rng(31)
    X = rng.normal(size=(90, 3))
    model = BayesianForestRegressor(12, min_samples_leaf=20, random_state=0).fit(X, X[:, 0])
    return as_sampled(model, rng), X[:4]


def test_the_burn_in_is_left_out_and_draws_are_thinned(classifier):
    model, _ = classifier
    found = diagnose(model)
    assert (found.n_chains, found.n_draws) == (N_CHAINS, N_DRAWS)
    for name in QUANTITIES:
        draws = getattr(model.trace_, name)[:, N_BURN_IN + THIN - 1 :: THIN]
        assert found[name].mean == pytest.approx(draws.mean())
        assert found[name].rhat == split_rhat(draws)
        assert found[name].ess_bulk == bulk_ess(draws)
        assert found[name].ess_tail == tail_ess(draws)
    with pytest.raises(KeyError):
        found["height"]


def test_predictions_of_rows_of_reference(classifier, regressor):
    model, rows = classifier
    found = diagnose(model, rows)
    names = [q.name for q in found.quantities][4:]
    assert names == [f"P({c}) of row {i}" for i in range(4) for c in ("high", "low")]
    draws = model.predict_draws(rows)[model.draw_tree_][:, :, 2, 1]
    assert found["P(low) of row 2"].rhat == split_rhat(draws)
    model, rows = regressor
    found = diagnose(model, rows)
    draws = model.predict_draws(rows)[model.draw_tree_][:, :, 3]
    assert found["row 3"].std == pytest.approx(draws.std())


def test_the_table_has_a_line_for_each_quantity(classifier):
    model, rows = classifier
    lines = str(diagnose(model, rows)).splitlines()
    assert lines[0] == "3 chains of 40 draws"
    assert len(lines) == 2 + 4 + 8
    assert len(set(map(len, lines[1:]))) == 1


def test_other_estimators_are_refused():
    model = BayesianForestClassifier(2, random_state=0).fit([[0.0], [1.0]], [0, 1])
    for ask in (diagnose, to_arviz):
        with pytest.raises(BayeswoodError, match=rf"'estimator' parameter of {ask.__name__}"):
            ask(model)


def test_without_arviz_one_line_says_what_to_do(classifier, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(BayeswoodError, match=r"bayeswood\[arviz\]"):
        to_arviz(classifier[0])


def keyword_shape(posterior=None, sample_stats=None, coords=None, dims=None):
    return {"posterior": posterior, "sample_stats": sample_stats}, coords, dims


def mapping_shape(data, *, coords=None, dims=None):
    return data, coords, dims


@pytest.mark.parametrize("from_dict", [keyword_shape, mapping_shape])
def test_both_shapes_of_from_dict(from_dict, classifier, regressor, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", SimpleNamespace(from_dict=from_dict))
    model, rows = classifier
    data, coords, dims = to_arviz(model, rows)
    assert set(data) == {"posterior", "sample_stats"}
    assert data["posterior"]["prediction"].shape == (N_CHAINS, N_DRAWS, 4, 3)
    assert list(coords["class"]) == ["high", "low", "middle"]
    assert dims == {"prediction": ["row", "class"]}
    np.testing.assert_array_equal(data["sample_stats"]["lp"], data["posterior"]["log_posterior"])
    model, rows = regressor
    data, coords, dims = to_arviz(model, rows)
    assert data["posterior"]["prediction"].shape == (N_CHAINS, N_DRAWS, 4)
    assert dims == {"prediction": ["row"]}
    assert list(to_arviz(model)[0]["posterior"]) == list(QUANTITIES)


@pytest.fixture(scope="module", params=[MCMCTreeClassifier, MCMCTreeRegressor])
def sampled(request):
    """Short chains that need not agree."""
    rng = np.random.default_rng(36)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    if request.param is MCMCTreeClassifier:
        y = y > 0
    model = request.param(3, n_burn_in=20, n_draws=30, thin=4, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MonteCarloWarning)
        return model.fit(X, y), X[:2]


def test_kept_draws_are_those_of_the_stored_trees(sampled):
    model, _ = sampled
    for name, per_tree in (("n_leaves", model.forest_.n_leaves), ("depth", model.forest_.depths)):
        np.testing.assert_array_equal(by_draw(model, per_tree), kept(model.trace_, name))
    # The same tree has the same log posterior whenever it is drawn.
    np.testing.assert_allclose(
        by_draw(model, tree_log_posterior(model)), kept(model.trace_, "log_posterior"), atol=1e-6
    )


def test_predictions_average_to_the_estimators(sampled):
    model, rows = sampled
    found = [q.mean for q in diagnose(model, rows).quantities[4:]]
    expected = model.predict(rows) if model.forest_.n_outputs == 1 else model.predict_proba(rows)
    expected = expected if expected.ndim == 1 else expected[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_arviz_takes_sampled_trees(arviz, sampled):
    model, rows = sampled
    posterior = model.to_arviz(rows)["posterior"]
    np.testing.assert_array_equal(posterior["n_leaves"], kept(model.trace_, "n_leaves"))
    assert posterior["prediction"].shape[:3] == (3, 30, 2)


@pytest.fixture
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return pytest.importorskip("arviz")


def test_arviz_finds_the_same(arviz, classifier):
    model, rows = classifier
    data = to_arviz(model, rows)
    found = diagnose(model, rows)
    is_old = int(arviz.__version__.split(".")[0]) == 0
    tails = {} if is_old else {"prob": (0.05, 0.95)}
    rhat, bulk = arviz.rhat(data), arviz.ess(data, method="bulk")
    tail = arviz.ess(data, method="tail", **tails)
    rhat, bulk, tail = (
        found if "log_posterior" in getattr(found, "data_vars", ()) else found["posterior"]
        for found in (rhat, bulk, tail)
    )
    for name in QUANTITIES:
        expected = float(rhat[name]), float(bulk[name]), float(tail[name])
        quantity = found[name]
        assert (quantity.rhat, quantity.ess_bulk, quantity.ess_tail) == pytest.approx(expected)
    at = {"row": 2, "class": "low"}
    quantity = found["P(low) of row 2"]
    assert quantity.rhat == pytest.approx(float(rhat["prediction"].sel(at)))
    assert quantity.ess_bulk == pytest.approx(float(bulk["prediction"].sel(at)))


def test_arviz_keeps_the_draws(arviz, classifier):
    model, rows = classifier
    posterior = to_arviz(model, rows)["posterior"]
    assert posterior["prediction"].dims == ("chain", "draw", "row", "class")
    np.testing.assert_array_equal(
        posterior["prediction"].sel({"class": "middle"}),
        model.predict_draws(rows)[model.draw_tree_][..., 2],
    )
