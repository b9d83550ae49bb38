"""Intervals and sets with a promise: by whom it is made, what it holds, how it is kept in files."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bayeswood import BayeswoodError, CalibratedForestClassifier, CalibratedForestRegressor, load
from bayeswood.forest import RowWeights
from bayeswood.methods.base.sklearn_callbacks import FitTasks
from bayeswood.methods.base.training_data import read_training_data
from bayeswood.methods.calibrated_forest.class_guarantee import (
    ClassGuarantee,
    make_class_guarantee,
    tree_votes,
)
from bayeswood.methods.calibrated_forest.guarantee_rows import (
    MOST_ROWS,
    find_guarantee,
    rows_that_count,
)
from bayeswood.methods.calibrated_forest.number_guarantee import (
    NumberGuarantee,
    choose_bags,
    without_strange_levels,
)
from bayeswood.methods.cart.grow_cart import grow_cart
from bayeswood.modelfile import read_model, write_model


@pytest.fixture(scope="module")
def classes(friedman):
    X, y = friedman
    return X, np.array(["low", "middle", "high"])[np.digitize(y, [11, 18])]


@pytest.fixture(scope="module")
def classifier(classes):
    return CalibratedForestClassifier(n_estimators=80, random_state=0).fit(*classes)


def promise_of(model):
    kind = NumberGuarantee if isinstance(model, CalibratedForestRegressor) else ClassGuarantee
    return find_guarantee(model._parts, kind, "the test")


def rows_that_judge(model, n, groups=None):
    """Training rows that the bags of a promise left out."""
    threshold = model.weight_threshold_
    law = RowWeights("subsample", model.seed_, threshold=threshold, groups=groups)
    left_out = np.stack([law.draw(bag, n) == 0 for bag in range(model.forest_.n_members)])
    units = left_out if groups is None else left_out[:, np.unique(groups, return_index=True)[1]]
    return left_out[choose_bags(units, 1 - np.exp(-threshold))].all(axis=0)


def test_interval_is_the_formula(regressor, friedman):
    X, y = friedman
    part = promise_of(regressor)
    judges = rows_that_judge(regressor, len(y))
    mean = part.mean.predict(X)
    n = (~judges).sum()
    spread = (n * np.maximum(part.spread.predict(X), 0) + 100 * part.mean_size) / (n + 100)
    scores = np.sort((np.abs(y[:, None] - mean) / spread)[judges, 0])
    reach = scores[int(np.ceil(0.8 * (len(scores) + 1))) - 1]
    found = regressor.predict_interval(X, 0.8, guarantee=True)
    predicted = regressor.predict(X)
    np.testing.assert_allclose(found[:, 0], np.minimum((mean - reach * spread)[:, 0], predicted))
    np.testing.assert_allclose(found[:, 1], np.maximum((mean + reach * spread)[:, 0], predicted))


@pytest.mark.parametrize("n_boosting_stages", [0, 30, "auto"])
def test_rows_that_judge_play_no_part_in_what_is_judged(friedman, n_boosting_stages, rng):
    """Whatever they are, mean and spread stay the same, but for rounding."""
    X, y = friedman
    model = CalibratedForestRegressor(
        60, n_boosting_stages=n_boosting_stages, random_state=0, max_features=3
    ).fit(X, y)
    judges = rows_that_judge(model, len(y))
    other_X, other_y = X.copy(), y.copy()
    other_X[judges] = rng.random((judges.sum(), X.shape[1]))
    other_y[judges] = 100 * rng.standard_normal(judges.sum())
    other = clone(model).fit(other_X, other_y)
    assert np.abs(model.predict(X) - other.predict(X)).max() > 1
    first, second = promise_of(model), promise_of(other)
    np.testing.assert_allclose(first.mean.predict(X), second.mean.predict(X), rtol=1e-8)
    np.testing.assert_allclose(first.spread.predict(X), second.spread.predict(X), rtol=1e-8)
    np.testing.assert_allclose(first.mean_size, second.mean_size)
    assert (first.scores != second.scores).any()


@pytest.mark.parametrize("size", [1, 4])
def test_trees_that_count_have_not_seen_the_row(classes, size):
    """Trees by themselves, or in bags that share their rows."""
    X, y = classes
    plain = CalibratedForestClassifier(80, calibration=None, random_state=0)
    data = read_training_data(
        X, plain._read_target(y), None, None, categorical_features=None, owner="the test"
    )
    plan = plain._plan(data)
    plan = replace(plan, row_weights=replace(plan.row_weights, trees_per_draw=size))
    tasks = FitTasks(plain, X, y, sample_weight=None, oob_groups=None)
    grown = grow_cart(plan, data, tasks, lambda grown: {})
    (part,) = make_class_guarantee(data, grown, np.arange(80, dtype=np.int32) % 2, 1)
    bits = np.unpackbits(part.left_out.view(np.uint8), axis=1, bitorder="little")[:, :80]
    law = grown.row_weights
    left_out = np.stack([law.draw(tree, len(y)) == 0 for tree in range(80)], axis=1)
    assert not (bits.astype(bool) & ~left_out).any()
    assert bits.sum() > 0.4 * left_out.sum()
    together = bits.reshape(len(y), -1, size)
    assert (together == together[:, :, :1]).all()
    np.testing.assert_array_equal(data.target.classes[part.label], y)


def test_leaves_vote_as_they_were_grown(classes):
    plain = CalibratedForestClassifier(20, leaf_shrinkage=0, random_state=0).fit(*classes)
    shrunk = CalibratedForestClassifier(20, leaf_shrinkage=50.0, random_state=0).fit(*classes)
    X = classes[0]
    votes = [
        tree_votes(model.forest_.core, promise_of(model).node_class, X, 1)
        for model in (plain, shrunk)
    ]
    np.testing.assert_array_equal(*votes)
    grown = plain.forest_.draws(X).argmax(axis=2).T
    np.testing.assert_array_equal(votes[0], grown)


@pytest.mark.parametrize("coverage", [0.3, 0.9])
def test_interval_holds_the_prediction(regressor, friedman, coverage):
    low, high = regressor.predict_interval(friedman[0], coverage, guarantee=True).T
    mean = regressor.predict(friedman[0])
    assert ((low <= mean) & (mean <= high)).all()


@pytest.mark.parametrize("conditional", [False, True])
def test_set_holds_the_prediction(classifier, classes, conditional):
    X = classes[0]
    for coverage in (0.1, 0.9):
        sets = classifier.predict_set(X, coverage, conditional)
        assert sets.shape == (200, 3)
        place = np.searchsorted(classifier.classes_, classifier.predict(X))
        assert sets[np.arange(200), place].all()
    smaller = classifier.predict_set(X, 0.5, conditional)
    assert not (smaller & ~sets).any()


def test_a_class_of_few_rows_is_in_every_conditional_set(classes):
    X, y = classes
    rare = np.where(np.arange(len(y)) < 8, "few", y)
    model = CalibratedForestClassifier(40, random_state=0).fit(X, rare)
    sets = model.predict_set(X, 0.9, conditional=True)
    assert sets[:, list(model.classes_).index("few")].all()
    assert not model.predict_set(X, 0.8, conditional=True)[:, 0].all()


def test_several_responses_have_intervals_of_their_own(friedman):
    X, y = friedman
    both = np.column_stack([y, -3 * y])
    model = CalibratedForestRegressor(40, random_state=0).fit(X, both)
    found = model.predict_interval(X, guarantee=True)
    assert found.shape == (200, 2, 2)
    np.testing.assert_allclose(found[:, 1], -3 * found[:, 0, ::-1])


@pytest.mark.parametrize("name", ["regressor", "classifier"])
def test_files_and_threads_change_nothing(name, friedman, classes, tmp_path, request):
    model = request.getfixturevalue(name)
    data = friedman if name == "regressor" else classes
    model.save(tmp_path / "model")
    ask = promised if name == "regressor" else promised_sets
    for other in (load(tmp_path / "model"), clone(model).set_params(n_jobs=3).fit(*data)):
        np.testing.assert_array_equal(ask(other, data[0]), ask(model, data[0]))


def promised(model, X):
    return model.predict_interval(X, guarantee=True)


def promised_sets(model, X):
    return np.stack([model.predict_set(X), model.predict_set(X, conditional=True)])


@pytest.mark.parametrize("name", ["regressor", "classifier"])
def test_files_from_before_promises_say_so(name, friedman, tmp_path, request):
    model = request.getfixturevalue(name)
    rewrite(
        model, tmp_path / "model", lambda arrays: [arrays.pop(n) for n in promise_names(arrays)]
    )
    old = load(tmp_path / "model")
    np.testing.assert_array_equal(old.predict(friedman[0]), model.predict(friedman[0]))
    with pytest.raises(BayeswoodError, match="saved by an earlier version"):
        (promised if name == "regressor" else promised_sets)(old, friedman[0])


def promise_names(arrays):
    return [name for name in arrays if name.startswith("promise_")]


def rewrite(model, path, change):
    model.save(path)
    class_name, meta, arrays, forest = read_model(path)
    change(arrays)
    write_model(path, class_name, meta, arrays, forest)


@pytest.mark.parametrize(
    ("name", "array", "broken"),
    [
        ("regressor", "promise_scores", lambda a: -a - 1),
        ("regressor", "promise_least", lambda a: 0 * a),
        ("regressor", "promise_groups", lambda a: a + len(a)),
        ("regressor", "promise_local", lambda a: a + 1),
        ("classifier", "promise_votes", lambda a: a + 3),
        ("classifier", "promise_left_out", lambda a: a[:, :1]),
        ("classifier", "promise_labels", lambda a: a - 1),
        ("classifier", "promise_margins", lambda a: a[1:]),
        ("classifier", "promise_mishap", lambda a: a - 1),
    ],
)
def test_broken_promises_are_not_loaded(name, array, broken, tmp_path, request):
    model = request.getfixturevalue(name)

    def change(arrays):
        arrays[array] = np.ascontiguousarray(broken(arrays[array]))

    rewrite(model, tmp_path / "model", change)
    with pytest.raises(BayeswoodError, match="model file"):
        load(tmp_path / "model")


def test_groups_are_left_out_together(friedman):
    X, y = friedman
    who = np.repeat(np.arange(50), 4)
    model = CalibratedForestRegressor(40, random_state=0).fit(X, y, oob_groups=who)
    judges = rows_that_judge(model, 200, who.astype(np.int32))
    part = promise_of(model)
    assert len(part.groups) == judges.sum()
    assert len(np.unique(part.groups)) * 4 == len(part.groups)
    with pytest.raises(BayeswoodError, match=r"cannot promise a coverage of 0.99 by \d\d rows"):
        model.predict_interval(X, 0.99, guarantee=True)


def test_what_cannot_be_promised_is_refused(regressor, classifier, friedman):
    X = friedman[0]
    with pytest.raises(BayeswoodError, match="cannot promise a coverage"):
        regressor.predict_interval(X, 0.999, guarantee=True)
    with pytest.raises(BayeswoodError, match="cannot promise a coverage"):
        classifier.predict_set(X, 0.999)
    assert classifier.predict_set(X, 0.999, conditional=True).all()
    with pytest.raises(BayeswoodError, match="'kind' parameter"):
        regressor.predict_interval(X, kind="mean", guarantee=True)
    with pytest.raises(BayeswoodError, match="'coverage' parameter"):
        classifier.predict_set(X, 1.0)
    model = CalibratedForestClassifier(5, weight_threshold=0.0, calibration=None).fit(
        X, X[:, 0] > 0.5
    )
    with pytest.raises(BayeswoodError, match="no row was left out"):
        model.predict_set(X)


def test_levels_that_no_bag_has_met_are_missing(friedman):
    X, y = friedman
    table = pd.DataFrame(X[:, :3], columns=list("abc"))
    table["place"] = np.where(np.arange(200) % 3, "here", "there")
    model = CalibratedForestRegressor(40, random_state=0)
    judges = rows_that_judge(clone(model).fit(table, y), 200)
    table.loc[np.flatnonzero(judges)[0], "place"] = "elsewhere"
    fitted = model.fit(table, y)
    part = promise_of(fitted)
    assert part.met.tolist() == [0, 1, 1]  # elsewhere, here, there
    rows = np.array([[0.1, 0.2, 0.3, 0.0], [0.1, 0.2, 0.3, 2.0], [0.1, 0.2, 0.3, np.nan]])
    found = without_strange_levels(rows, fitted.forest_.core.n_levels, part.met)
    np.testing.assert_array_equal(found[:, 3], [np.nan, 2.0, np.nan])
    new = pd.concat([table.head(2)] * 2, ignore_index=True)
    new["place"] = ["elsewhere", "here", "nowhere", "here"]
    ends = fitted.predict_interval(new, guarantee=True)
    assert np.isfinite(ends).all()


def test_many_rows_are_asked_in_part():
    groups = np.arange(3 * MOST_ROWS, dtype=np.int32)
    every = np.ones(len(groups), dtype=bool)
    assert len(rows_that_count(groups, every, 0)) == MOST_ROWS
    by_two = rows_that_count(groups // (MOST_ROWS // 2), every, 0)
    counts = np.bincount(groups[by_two] // (MOST_ROWS // 2))
    np.testing.assert_array_equal(counts, MOST_ROWS // 6)
    assert not len(rows_that_count(groups, ~every, 0))


def test_more_rows_let_more_bags_speak_together(rng):
    left_out = rng.random((20, 100_000)) < 1 / 3
    assert len(choose_bags(left_out[:, :300], 1 / 3)) == 1
    assert len(choose_bags(left_out[:, :5000], 1 / 3)) == 2
    chosen = choose_bags(left_out, 1 / 3)
    assert len(chosen) == len(set(chosen)) == 4
    assert left_out[chosen].all(axis=0).sum() > 1000


def test_empty_tables_have_no_intervals(regressor, classifier, friedman):
    none = friedman[0][:0]
    with pytest.raises(ValueError, match="0 sample"):
        classifier.predict_set(none)
    with pytest.raises(ValueError, match="0 sample"):
        promised(regressor, none)


def test_weights_shape_the_trees_alone(friedman):
    """A promise by rows of weight 2 is that by rows of weight 1."""
    X, y = friedman
    model = CalibratedForestRegressor(40, random_state=0)
    plain = promised(clone(model).fit(X, y), X)
    doubled = promised(clone(model).fit(X, y, sample_weight=np.full(200, 2.0)), X)
    np.testing.assert_allclose(plain, doubled)
    weighted = clone(model).fit(X, y, sample_weight=np.where(np.arange(200) % 2, 0.0, 1.0))
    assert promise_of(weighted).scores.shape[0] < 60


def test_a_constant_response_has_intervals_of_no_width():
    X = np.arange(60.0)[:, None]
    model = CalibratedForestRegressor(40, random_state=0).fit(X, np.full(60, 3.0))
    np.testing.assert_allclose(promised(model, X), 3.0)
