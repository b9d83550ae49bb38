"""Every estimator says where it has no data near."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from bayeswood import (
    BayesianForestRegressor,
    EmpiricalBayesianForestRegressor,
    SafeBayesForestClassifier,
    load,
)
from bayeswood.errors import BayeswoodError
from bayeswood.methods.registry import ESTIMATORS
from bayeswood.modelfile import read_model, write_model

SMALL = {
    "MCMC": {"n_chains": 1, "n_burn_in": 50, "n_draws": 50},
    "SMCT": {"n_particles": 50, "n_islands": 1},
}
# Left island, gap, right island, beyond; nine rows each.
_CENTRES = np.repeat([0.5, 2.0, 3.5, 9.0], 9)
ASKED = np.column_stack([_CENTRES, np.linspace(0.1, 0.9, 9)[np.arange(36) % 9]])
ASKED[:, 0] += np.linspace(-0.3, 0.3, 9)[np.arange(36) * 4 % 9]


def islands(n_rows=300):
    """Rows in [0, 1] and [3, 4], and a column that does not matter."""
    rng = np.random.default_rng(5)
    return np.column_stack([rng.random(n_rows) + 3 * (np.arange(n_rows) % 2), rng.random(n_rows)])


def places_without_data(model):
    """Whether most rows of each place have no data near."""
    return (np.median(model.support(ASKED).reshape(4, 9), axis=1) < 0.05).tolist()


def fitted(cls, X=None, **parameters):
    X = islands() if X is None else X
    model = cls(random_state=0, **SMALL.get(cls.__name__[:4], {"n_estimators": 6}), **parameters)
    return model.fit(X, X[:, 0] > 2 if is_classifier(model) else X[:, 0])


@pytest.mark.parametrize("cls", ESTIMATORS.values(), ids=ESTIMATORS)
def test_gaps_have_no_support_and_files_keep_it(cls, tmp_path):
    model = fitted(cls)
    support = model.support(ASKED)
    assert places_without_data(model) == [False, True, False, True]
    assert (support.reshape(4, 9)[[1, 3]] < 0.05).all()
    model.save(tmp_path / "model.bw")
    for again in (load(tmp_path / "model.bw"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.support(ASKED), support)
    with pytest.raises(NotFittedError):
        clone(model).support(ASKED)


@pytest.mark.parametrize("cls", ESTIMATORS.values(), ids=ESTIMATORS)
def test_threads_do_not_matter(cls):
    one, many = (fitted(cls, n_jobs=n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.support(islands()), many.support(islands()))


def test_an_older_file_says_what_to_do(tmp_path):
    fitted(BayesianForestRegressor).save(tmp_path / "model.bw")
    name, meta, arrays, forest = read_model(tmp_path / "model.bw")
    arrays.pop("sample_rows")
    meta.pop("n_rows_sampled")
    write_model(tmp_path / "older.bw", name, meta, arrays, forest)
    older = load(tmp_path / "older.bw")
    assert older.predict(ASKED).shape == (36,)
    with pytest.raises(BayeswoodError, match="which a model saved by an earlier version"):
        older.support(ASKED)


@pytest.mark.parametrize(
    "rows",
    [np.ones((3, 5)), np.ones(3), np.full((3, 2), np.inf), np.ones((3, 2), dtype=np.float32)],
)
def test_an_unlawful_sample_is_refused(rows, tmp_path):
    fitted(BayesianForestRegressor).save(tmp_path / "model.bw")
    name, meta, arrays, forest = read_model(tmp_path / "model.bw")
    write_model(tmp_path / "bad.bw", name, meta, {**arrays, "sample_rows": rows}, forest)
    with pytest.raises(BayeswoodError, match="unusable sample of training rows"):
        load(tmp_path / "bad.bw")


def test_one_row_is_too_few():
    model = BayesianForestRegressor(n_estimators=2).fit([[1.0]], [1.0])
    with pytest.raises(BayeswoodError, match="at least two training rows"):
        model.support([[1.0]])


def test_rows_of_no_weight_do_not_count():
    X = np.concatenate([islands(), np.full((20, 2), 2.0)])
    weight = np.repeat([1.0, 0.0], [300, 20])
    model = BayesianForestRegressor(n_estimators=6, random_state=0).fit(X, X[:, 0], weight)
    np.testing.assert_array_equal(
        model.support(ASKED), fitted(BayesianForestRegressor).support(ASKED)
    )


def test_an_unseen_level_is_not_a_missing_one():
    rng = np.random.default_rng(6)
    level = rng.choice(np.array(["a", "b", None], dtype=object), 200)
    X = pd.DataFrame({"level": level, "x": rng.random(200)})
    model = BayesianForestRegressor(n_estimators=6, random_state=0).fit(X, X["x"])
    asked = pd.DataFrame(
        {"level": np.repeat(["a", None, "c"], 9), "x": np.tile(np.arange(9) / 9, 3)}
    )
    support = np.median(model.support(asked).reshape(3, 9), axis=1)
    assert (support < 0.05).tolist() == [False, False, True]


def test_support_does_not_change_the_estimator():
    model = fitted(BayesianForestRegressor)
    before = dict(vars(model))
    model.support(ASKED)
    assert vars(model) == before


def test_chunks_are_sampled_together():
    X = islands(600)
    model = SafeBayesForestClassifier(n_estimators=6, random_state=0)
    for rows in (X[X[:, 0] < 2], X[X[:, 0] > 2]):
        model.partial_fit(rows, rows[:, 1] > 0.5, classes=[False, True])
    assert places_without_data(model) == [False, True, False, True]
    right = X[X[:, 0] > 2]
    model.forget(right, right[:, 1] > 0.5)
    assert places_without_data(model) == [False, True, True, True]


def test_merged_forests_know_the_rows_of_both():
    X = islands(600)
    parts = [
        SafeBayesForestClassifier(n_estimators=6, random_state=0, pit_reference=X).fit(
            rows, rows[:, 1] > 0.5
        )
        for rows in (X[X[:, 0] < 2], X[X[:, 0] > 2])
    ]
    assert places_without_data(parts[0]) == [False, True, True, True]
    assert places_without_data(parts[0].merge(parts[1])) == [False, True, False, True]


def test_files_give_the_support_of_memory(tmp_path):
    X = islands()
    table = pd.DataFrame(X, columns=["a", "b"]).assign(y=X[:, 0])
    table.to_parquet(tmp_path / "rows.parquet")
    model = EmpiricalBayesianForestRegressor(n_estimators=6, random_state=0)
    of_files = clone(model).fit_parquet(tmp_path / "rows.parquet", "y")
    in_memory = clone(model).fit(table[["a", "b"]], table["y"])
    asked = pd.DataFrame(ASKED, columns=["a", "b"])
    np.testing.assert_array_equal(of_files.support(asked), in_memory.support(asked))
