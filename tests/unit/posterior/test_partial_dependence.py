"""Partial dependence against a loop over values, rows and members."""

import numpy as np
import pandas as pd
import pytest

from bayeswood import BayesianForestClassifier, BayesianForestRegressor
from bayeswood.errors import BayeswoodError
from bayeswood.posterior import members, partial_dependence


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "height": rng.normal(size=120),
            "colour": rng.choice(["red", "green", "blue"], size=120),
            "size": rng.integers(0, 4, size=120).astype(float),
        }
    )


@pytest.fixture(scope="module")
def regressor(frame):
    y = frame["height"] + 2 * (frame["colour"] == "red") + frame["size"]
    return BayesianForestRegressor(9, min_samples_leaf=3, random_state=0).fit(frame, y)


@pytest.fixture(scope="module")
def classifier(frame):
    y = np.digitize(frame["height"], [-0.5, 0.5])
    return BayesianForestClassifier(9, min_samples_leaf=3, random_state=0).fit(frame, y)


def by_hand(model, frame, name, grid, pick=lambda draws: draws):
    """(n_members, n_grid): change the user's own table, predict, average."""
    columns = [
        pick(model.predict_draws(frame.assign(**{name: value}))).mean(axis=1) for value in grid
    ]
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("feature", ["height", "colour", "size"])
def test_draws_by_brute_force(feature, regressor, frame):
    found = partial_dependence(regressor, frame, feature, n_grid=7)
    expected = by_hand(regressor, frame, feature, found.grid)
    np.testing.assert_allclose(found.posterior.draws, expected, rtol=1e-12)
    np.testing.assert_allclose(found.mean, regressor.member_weights_ @ expected)
    assert np.all(found.lower <= found.upper)
    assert found.target == ""


def test_classes_by_brute_force(classifier, frame):
    found = partial_dependence(classifier, frame, "height", target=2, n_grid=5)
    expected = by_hand(classifier, frame, "height", found.grid, lambda draws: draws[..., 2])
    np.testing.assert_allclose(found.posterior.draws, expected, rtol=1e-12)
    assert found.target == "2"


def test_members_in_blocks_give_the_same(regressor, frame, monkeypatch):
    whole = partial_dependence(regressor, frame, 0)
    monkeypatch.setattr(members, "BLOCK_BYTES", 8 * len(frame) * 4)
    np.testing.assert_array_equal(
        partial_dependence(regressor, frame, 0).posterior.draws, whole.posterior.draws
    )


def test_grids(regressor, frame):
    assert partial_dependence(regressor, frame, "colour").grid.tolist() == ["blue", "green", "red"]
    assert partial_dependence(regressor, frame, "size").grid.tolist() == [0, 1, 2, 3]
    grid = partial_dependence(regressor, frame, "height", n_grid=11).grid
    assert (len(grid), grid[0]) == (11, pytest.approx(frame["height"].quantile(0.01)))
    chosen = partial_dependence(regressor, frame, "colour", grid=["red"])
    assert chosen.grid.tolist() == ["red"]
    assert chosen.is_category


def test_the_users_table_is_left_alone(regressor, frame):
    before = frame.copy()
    partial_dependence(regressor, frame, 0)
    pd.testing.assert_frame_equal(frame, before)
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = BayesianForestRegressor(3, random_state=0).fit(X, X[:, 0])
    kept = X.copy()
    partial_dependence(model, X, 0)
    np.testing.assert_array_equal(X, kept)


def test_a_sample_of_the_rows(regressor, frame):
    few = partial_dependence(regressor, frame, "size", max_rows=10, rng=3)
    rows = np.sort(np.random.default_rng(3).choice(120, 10, replace=False))
    again = partial_dependence(regressor, frame.iloc[rows], "size", grid=[0, 1, 2, 3])
    np.testing.assert_allclose(few.posterior.draws, again.posterior.draws)


def test_missing_values_stay_out_of_the_grid():
    X = np.array([[np.nan], [1.0], [2.0], [3.0], [4.0], [np.nan]])
    model = BayesianForestRegressor(3, min_samples_leaf=1, random_state=0).fit(X, np.arange(6.0))
    found = partial_dependence(model, X, 0)
    assert found.grid.tolist() == [1, 2, 3, 4]
    assert found.values.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"feature": "weight"}, "'feature' parameter of partial_dependence"),
        ({"feature": 3}, "a number below 3"),
        ({"feature": "colour", "grid": ["pink"]}, "levels of column 'colour'"),
        ({"target": "x"}, "'target' parameter of partial_dependence"),
        ({"coverage": 2}, "'coverage' parameter of partial_dependence"),
    ],
)
def test_bad_input(change, message, classifier, frame):
    with pytest.raises(BayeswoodError, match=message):
        partial_dependence(classifier, frame, **{"feature": 0, "target": 0, **change})


def test_several_classes_need_a_target(classifier, frame):
    with pytest.raises(BayeswoodError, match="must be one of the classes 0, 1, 2"):
        partial_dependence(classifier, frame, 0)
