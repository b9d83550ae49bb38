"""Between an estimator and those who fit it elsewhere."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayeswood import EmpiricalBayesianForestClassifier, EmpiricalBayesianForestRegressor
from bayeswood.distributed import graft, graft_importances
from bayeswood.distributed.files.column_roles import choose_roles
from bayeswood.distributed.files.encoding import Encoding, Rows, Totals
from bayeswood.distributed.files_request import FilesFit
from bayeswood.distributed.pieces.branch import fit_branch
from bayeswood.distributed.pieces.route import branch_rows, route
from bayeswood.distributed.pieces.trunk import branch_depths, fit_trunk
from bayeswood.errors import BayeswoodError
from bayeswood.methods.bayesian_forest.files_fitter import FilesFitter, predicted_columns
from bayeswood.table import fit_table

N_ROWS = 800


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 2))
    return Rows(X, np.sin(3 * X[:, :1]) + 0.1 * rng.normal(size=(N_ROWS, 1)), None)


def encoding_of(rows, classes=None):
    roles = choose_roles(["x0", "x1", "y"], "y", None, None, "from_dtype", "the test")
    schema = fit_table(rows.X, categorical_features=None, estimator_name="the test")[1]
    return Encoding(roles, schema, (False, False), classes, False, 0, "the test")


def fit_elsewhere(rows, fitter, seed, classes=None):
    """What a fit in pieces ends in, by hand."""
    encoding, totals = encoding_of(rows, classes), Totals(len(rows.X), float(len(rows.X)))
    growth = fitter.growth(encoding, totals, len(rows.X), seed)
    trunk = fit_trunk(rows.X, rows.y, None, **growth.trunk)
    branch = route(trunk, rows.X)
    numbers = branch_rows(branch, int(trunk.n_leaves[0]))
    fitted = [
        fit_branch(
            *(rows.X[own], rows.y[own], None, growth.branches, number),
            n_levels=encoding.schema.n_levels,
            depth=int(branch_depths(trunk)[number]),
        )
        for number, own in enumerate(numbers)
    ]
    keeps = growth.branches.keep_rows
    forest = graft(trunk, [part.forest for part in fitted], numbers if keeps else None)
    importances = graft_importances(trunk, fitted, growth.branches.criterion)
    kept = (rows.y, None, branch) if keeps else ()
    return FilesFit(
        *(forest, trunk, importances, encoding, totals, growth.branches, None, rows), *kept
    )


@pytest.mark.parametrize("keep", [True, False])
def test_a_forest_grown_elsewhere_is_that_of_fit(rows, keep):
    here = EmpiricalBayesianForestRegressor(6, keep_responses=keep, random_state=3)
    here.fit(rows.X, rows.y[:, 0])
    there = EmpiricalBayesianForestRegressor(6, keep_responses=keep, random_state=3)
    fitter = FilesFitter(there, "the test")
    assert fitter.adopt(fit_elsewhere(rows, fitter, here.seed_)) is there
    assert there.forest_.digest == here.forest_.digest
    assert there.trunk_.digest == here.trunk_.digest
    assert there.seed_ == here.seed_
    assert there.min_samples_leaf_ == here.min_samples_leaf_
    assert repr(there.trunk_stability_) == repr(here.trunk_stability_)
    np.testing.assert_array_equal(there.feature_importances_, here.feature_importances_)
    np.testing.assert_array_equal(there.predict(rows.X), here.predict(rows.X))
    if keep:
        np.testing.assert_array_equal(
            there.predict_interval(rows.X[:20]), here.predict_interval(rows.X[:20])
        )


def test_classes_and_their_columns(rows):
    labels = np.array(["no", "yes"], dtype=object)
    codes = (rows.y[:, 0] > 0).astype(np.int32)
    here = EmpiricalBayesianForestClassifier(6, random_state=3).fit(rows.X, labels[codes])
    there = EmpiricalBayesianForestClassifier(6, random_state=3)
    fitter = FilesFitter(there, "the test")
    assert fitter.is_classifier
    coded = Rows(rows.X, codes, None)
    fitter.adopt(fit_elsewhere(coded, fitter, here.seed_, labels))
    assert there.forest_.digest == here.forest_.digest
    found = predicted_columns(there, rows.X[:5])
    assert list(found) == ["predicted", "p_no", "p_yes"]
    np.testing.assert_array_equal(found["p_yes"], here.predict_proba(rows.X[:5])[:, 1])
    np.testing.assert_array_equal(found["predicted"], here.predict(rows.X[:5]))


def test_several_responses_have_numbered_columns():
    model = EmpiricalBayesianForestRegressor(2, random_state=0)
    X = np.arange(40.0)[:, None]
    model.fit(X, np.hstack([X, -X]))
    found = predicted_columns(model, X[:3])
    assert list(found) == ["predicted_0", "predicted_1"]


def test_the_seed_of_the_fit_counts_and_no_other_is_drawn(rows):
    generator = np.random.default_rng(5)
    fitter = FilesFitter(EmpiricalBayesianForestRegressor(random_state=generator), "the test")
    before = generator.bit_generator.state
    totals = Totals(N_ROWS, float(N_ROWS))
    growth = fitter.growth(encoding_of(rows), totals, N_ROWS, 11)
    assert growth.branches.seed == 11
    assert generator.bit_generator.state == before


def test_leaf_sizes_are_those_of_the_whole_table(rows):
    forest = EmpiricalBayesianForestRegressor(min_samples_leaf=0.01, trunk_min_samples_leaf=0.25)
    totals = Totals(10_000, 2.5)
    growth = FilesFitter(forest, "the test").growth(encoding_of(rows), totals, 1000, 0)
    assert growth.branches.min_samples_leaf == 100
    assert growth.branches.total_weight == 2.5
    assert growth.trunk["min_samples_leaf"] == 250
    assert growth.trunk["max_leaves"] is None


def test_an_estimator_that_is_refit_forgets(rows):
    forest = EmpiricalBayesianForestRegressor(4, random_state=1)
    forest.fit(rows.X, rows.y[:, 0])
    forest.set_params(check_trunk=False)
    fitter = FilesFitter(forest, "the test")
    fitter.adopt(fit_elsewhere(rows, fitter, 1))
    assert not hasattr(forest, "trunk_stability_")
    assert not hasattr(forest, "memory_plan_")


@pytest.mark.parametrize(
    ("parameters", "given", "message"),
    [
        ({"n_estimators": 0}, {}, "'n_estimators' parameter of EmpiricalBayesianForestRegressor"),
        ({}, {"batch_rows": 0}, r"'batch_rows' parameter of a\.call must be an int >= 1"),
        ({}, {"on_large_branch": "x"}, "'on_large_branch' parameter"),
        ({}, {"memory_limit": "5MB"}, r"'memory_limit' parameter of a\.call must be at least"),
        ({"oob_score": True, "weight_threshold": 0.3}, {}, "must be False for call, which"),
    ],
)
def test_parameters_are_checked_before_anything_is_read(parameters, given, message):
    fitter = FilesFitter(EmpiricalBayesianForestRegressor(**parameters), "a.call")
    with pytest.raises(BayeswoodError, match=message):
        fitter.check(**{"memory_limit": "1GB", **given})


def test_the_limit_is_given_in_bytes_and_one_class_column_is_enough():
    fitter = FilesFitter(EmpiricalBayesianForestClassifier(), "a.call")
    assert fitter.check("1GB", on_large_branch="split") == 10**9
    fitter.check_targets(["y"])
    with pytest.raises(BayeswoodError, match=r"a\.call predicts one target\. Got \['y', 'z'\]"):
        fitter.check_targets(["y", "z"])
    FilesFitter(EmpiricalBayesianForestRegressor(), "a.call").check_targets(["y", "z"])


def test_a_request_says_what_the_model_depends_on():
    forest = EmpiricalBayesianForestRegressor(7, trunk_sample_size=9, random_state=3, n_jobs=1)
    fitter = FilesFitter(forest, "a.call")
    source = SimpleNamespace()
    request = fitter.request(source, 10**9, 1, on_large_branch="raise", batch_rows=5)
    assert request.parameters["n_estimators"] == 7
    assert request.parameters["memory_limit"] == 10**9
    assert "n_jobs" not in request.parameters
    assert (request.sample_size, request.keep_rows, request.batch_rows) == (9, True, 5)
    assert request.owner == "EmpiricalBayesianForestRegressor"
    again = fitter.request(source, 10**9, 2, on_large_branch="raise")
    assert again.parameters == request.parameters
    assert again.seed == request.seed
