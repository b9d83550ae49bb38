"""One suite for all that fit an empirical Bayesian forest in pieces: the same forest, to the bit.

A forest that one process fits alone is what all others are compared with.
"""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from cluster_backends import DaskBackend, Embedded, SparkBackend
from file_tables import FEATURES, classifier, regressor, small_table

import bayeswood
from bayeswood import BayeswoodError
from bayeswood.distributed.pieces.trunk import fit_trunk
from bayeswood.distributed.tasks.memory import PROCESS_BYTES, RowCosts

pytestmark = [
    # Spark says of every pandas since 3.0 that it is too new; only Arrow is used here.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

BACKENDS = [Embedded, DaskBackend, SparkBackend]


@pytest.fixture(scope="module", params=BACKENDS, ids=lambda backend: backend.name)
def backend(request, tmp_path_factory):
    if request.param is SparkBackend:
        yield request.getfixturevalue("spark_backend")
        return
    opened = request.param(tmp_path_factory.mktemp(request.param.name))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def table():
    return small_table(900)


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr("bayeswood.distributed.files.file_plan.FRAGMENT_ROWS", 250)


def alone(estimator, table, target, features=FEATURES, weight=None, folder=None, **limits):
    """The same fit in this process, from one file of one row group."""
    path = folder / "alone.parquet"
    pa.parquet.write_table(table, path)
    return estimator.fit_parquet(path, target, features, weight, n_jobs=1, **limits)


# Numbers with gaps, text, truth values; all rows or a sample for the trunk; with and without what
# leaves remember; weights of which a quarter are zero.
CASES = {
    "numbers": (regressor, "y", None, {}),
    "numbers-weights-sample": (regressor, "y", "w", {"trunk_sample_size": 300}),
    "classes-weights": (classifier, "kind", "w", {"min_weight_fraction_leaf": 0.01}),
    "classes-sample": (classifier, "kind", None, {"trunk_sample_size": 200, "max_depth": 4}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_forest_is_that_of_one_process(backend, table, case, tmp_path):
    make, target, weight, parameters = CASES[case]
    expected = alone(make(**parameters), table, target, FEATURES, weight, tmp_path)
    found = backend.fit(make(**parameters), table, target, FEATURES, weight)
    assert found.forest_.digest == expected.forest_.digest
    assert found.trunk_.digest == expected.trunk_.digest
    assert found.schema_ == expected.schema_
    np.testing.assert_allclose(found.feature_importances_, expected.feature_importances_)
    if target == "y":
        rows = table.select(FEATURES).slice(0, 40)
        np.testing.assert_array_equal(found.predict_interval(rows), expected.predict_interval(rows))


def test_the_forest_does_not_depend_on_the_pieces(backend, table, tmp_path, monkeypatch):
    expected = alone(regressor(), table, "y", folder=tmp_path).forest_.digest
    monkeypatch.setattr("bayeswood.distributed.files.file_plan.FRAGMENT_ROWS", 70)
    how = {"n_partitions": 5} if backend.name == "spark" else {}
    found = backend.fit(regressor(), table, "y", FEATURES, group_rows=31, **how)
    assert found.forest_.digest == expected


def test_branches_of_one_row_and_of_one_class(backend, tmp_path):
    x = np.concatenate([np.zeros(200), [1.0], np.full(200, 2.0)])
    kind = np.where(x == 0, "a", np.where(np.arange(401) % 3 == 0, "b", "c"))
    kind[200] = "d"
    rows = pa.table({"x": x, "kind": kind})
    forest = classifier(min_samples_leaf=1, trunk_min_samples_leaf=1)
    expected = alone(forest, rows, "kind", ["x"], folder=tmp_path).forest_.digest
    found = backend.fit(classifier(min_samples_leaf=1, trunk_min_samples_leaf=1), rows, "kind")
    assert found.trunk_.n_leaves.tolist() == [3]
    assert found.forest_.digest == expected
    assert found.predict(pa.table({"x": [0.0, 1.0]})).tolist() == ["a", "d"]


def far_away(X, y, weight, **settings):
    """A trunk with a leaf for rows that do not exist."""
    far = np.full((60, X.shape[1]), 1e6, dtype=X.dtype)
    return fit_trunk(np.vstack([X, far]), np.vstack([y, np.full((60, 1), 1e3)]), None, **settings)


def test_a_branch_without_rows(backend, table, tmp_path, monkeypatch):
    monkeypatch.setattr("bayeswood.distributed.fit_in_pieces.fit_trunk", far_away)
    numbers = table.select(["x0", "x1", "y"])
    expected = alone(regressor(), numbers, "y", ["x0", "x1"], folder=tmp_path)
    found = backend.fit(regressor(), numbers, "y", ["x0", "x1"])
    assert found.predict(pa.table({"x0": [2e6], "x1": [2e6]})) == pytest.approx(1e3)
    assert found.forest_.digest == expected.forest_.digest


def test_the_model_is_a_local_one(backend, table, tmp_path):
    rows = table.select(["x0", "x1", "group"])
    found = backend.fit(classifier(), table, "kind", rows.column_names)
    again = pickle.loads(pickle.dumps(found))
    found.save(tmp_path / "model.bw")
    loaded = bayeswood.load(tmp_path / "model.bw")
    assert loaded.forest_.digest == again.forest_.digest == found.forest_.digest
    predicted = backend.predict(found, table)
    np.testing.assert_array_equal(predicted["y"], table["y"])
    assert predicted["predicted"].to_pylist() == found.predict(rows).tolist()
    np.testing.assert_array_equal(predicted["p_mid"], found.predict_proba(rows)[:, 1])


@pytest.mark.parametrize("kind", ["route", "fit"])
def test_a_killed_worker_changes_nothing(backend, table, kind, tmp_path, monkeypatch):
    expected = alone(regressor(), table, "y", FEATURES, "w", tmp_path).forest_.digest
    with backend.killing(kind, monkeypatch):
        found = backend.fit(regressor(), table, "y", FEATURES, "w")
    assert found.forest_.digest == expected


def costly_branch(costs, n_rows, n_threads=1):
    """What a branch takes if a row takes a megabyte; 80 of them fill the smallest limit."""
    return PROCESS_BYTES + 10**6 * n_rows


@pytest.fixture
def _costly_rows(monkeypatch):
    monkeypatch.setattr(RowCosts, "branch", costly_branch)


@pytest.mark.parametrize("sample", [None, 300])
@pytest.mark.usefixtures("_costly_rows")
def test_a_branch_that_would_not_fit_is_refused(backend, table, sample):
    words = r"largest of 5 branches has \d+ rows and needs .* at most 80 rows.*'split'"
    with pytest.raises(BayeswoodError, match=words):
        backend.fit(
            regressor(trunk_sample_size=sample), table, "y", limits={"memory_limit": "600MB"}
        )


@pytest.mark.usefixtures("_costly_rows")
def test_a_branch_that_would_not_fit_is_split(backend, table, tmp_path):
    limits = {"memory_limit": "600MB", "on_large_branch": "split"}
    forest = regressor(trunk_sample_size=300)
    expected = alone(forest, table, "y", folder=tmp_path, **limits)
    found = backend.fit(regressor(trunk_sample_size=300), table, "y", FEATURES, limits=limits)
    assert found.forest_.digest == expected.forest_.digest
    assert found.memory_plan_.largest_branch == expected.memory_plan_.largest_branch <= 80
    assert found.memory_plan_.n_branches > 12


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("y", None, "Input y contains NaN or None"),
        ("x", float("inf"), "Input X contains infinity: column 'x'"),
        ("w", -1.0, "negative weight"),
    ],
)
def test_bad_rows_are_refused(backend, name, value, words):
    columns = {name: [1.0, 2.0, 3.0, 4.0, 5.0] for name in ("x", "w", "y")}
    columns[name][3] = value
    with pytest.raises(BayeswoodError, match=words):
        backend.fit(regressor(), pa.table(columns), "y", ["x"], "w")


def test_weights_of_zero_everywhere_are_refused(backend):
    rows = pa.table({"x": [1.0, 2.0, 3.0], "w": [0.0, 0.0, 0.0], "y": [1.0, 2.0, 3.0]})
    with pytest.raises(BayeswoodError, match="'w' is zero in every row"):
        backend.fit(regressor(), rows, "y", ["x"], "w")


def test_a_missing_column_is_named(backend, table):
    with pytest.raises(BayeswoodError, match="finds no column 'height'"):
        backend.fit(regressor(), table, "y", ["x0", "height"])
