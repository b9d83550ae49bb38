"""Bad input, each with its clear error."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    BayeswoodError,
    CalibratedForestClassifier,
    CalibratedForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

X = np.arange(24.0).reshape(8, 3)
Y = np.arange(8.0)
LABELS = np.array(list("aabbaabb"))
FRAME = pd.DataFrame(X, columns=["age", "height", "weight"])


def with_value(value, row=2, column=1):
    """The rows with one cell exchanged."""
    changed = X.copy()
    changed[row, column] = value
    return changed


def frame_with(**columns):
    """The frame with columns added or exchanged."""
    return FRAME.assign(**columns)


def weights_with(value):
    """Unit weights, but for row 3."""
    return np.where(np.arange(8) == 3, value, 1.0)


# Parameters: (estimator, message).
BAD_PARAMETERS = {
    "no trees": (
        {"n_estimators": 0},
        r"'n_estimators' .* an int >= 1 and <= 1000000. Got 0 instead",
    ),
    "negative trees": ({"n_estimators": -3}, "Got -3 instead"),
    "absurdly many trees": ({"n_estimators": 10**9}, "Got 1000000000 instead"),
    "trees as a float": ({"n_estimators": 10.0}, "Got 10.0 instead"),
    "trees as text": ({"n_estimators": "100"}, "Got '100' instead"),
    "trees as a bool": ({"n_estimators": True}, "Got True instead"),
    "depth zero": ({"max_depth": 0}, "'max_depth' .* an int >= 1 or None. Got 0"),
    "depth NaN": ({"max_depth": np.nan}, "Got nan instead"),
    "leaf of no rows": ({"min_samples_leaf": 0}, "'min_samples_leaf' .* Got 0"),
    "leaf of all rows": ({"min_samples_leaf": 1.0}, r"float in the range \(0, 1\). Got 1.0"),
    "negative leaf weight": ({"min_weight_fraction_leaf": -0.1}, r"range \[0, 0.5\]. Got -0.1"),
    "leaf weight past half": ({"min_weight_fraction_leaf": 0.6}, "Got 0.6"),
    "unknown max_features": ({"max_features": "auto"}, "'sqrt', 'log2' or None. Got 'auto'"),
    "no features": ({"max_features": 0}, "'max_features' .* Got 0"),
    "features past all": ({"max_features": 1.5}, r"range \(0, 1\]"),
    "more features than there are": (
        {"max_features": 4},
        "'max_features' .* at most the number of features, 3. Got 4",
    ),
    "no jobs": ({"n_jobs": 0}, "'n_jobs' .* an int other than 0 or None. Got 0"),
    "jobs as text": ({"n_jobs": "all"}, "Got 'all'"),
    "negative seed": ({"random_state": -1}, "'random_state' .* Got -1"),
    "seed as text": ({"random_state": "seed"}, "Got 'seed'"),
    "negative verbosity": ({"verbose": -1}, "'verbose' .* Got -1"),
    "unknown criterion": ({"criterion": "mae"}, "'criterion' .* Got 'mae'"),
    "categories by an unknown name": ({"categorical_features": ["city"]}, "'categorical_features'"),
    "categories past the columns": ({"categorical_features": [7]}, "position 7 for 3 columns"),
    "categories by a short mask": ({"categorical_features": [True]}, "mask of length 1"),
}


@pytest.mark.parametrize(
    "cls",
    [
        BayesianForestClassifier,
        BayesianForestRegressor,
        CalibratedForestClassifier,
        CalibratedForestRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    ],
)
@pytest.mark.parametrize("case", BAD_PARAMETERS)
def test_bad_parameters(cls, case):
    parameters, message = BAD_PARAMETERS[case]
    model = cls(**parameters)
    with pytest.raises(BayeswoodError, match=message) as caught:
        model.fit(X, LABELS if "Classifier" in cls.__name__ else Y)
    assert f"parameter of {cls.__name__} must be" in str(caught.value)
    assert not hasattr(model, "forest_")


OWN_PARAMETERS = {
    "unknown voting": (RandomForestClassifier(voting="loud"), "'soft', 'hard'. Got 'loud'"),
    "oob_score as text": (
        RandomForestClassifier(oob_score="yes"),
        "a bool or a callable. Got 'yes'",
    ),
    "responses maybe": (BayesianForestRegressor(keep_responses="maybe"), "a bool. Got 'maybe'"),
    "negative threshold": (
        CalibratedForestRegressor(weight_threshold=-0.1),
        r"'auto' or a float in the range \[0, 3\]. Got -0.1",
    ),
    "threshold that leaves nothing": (CalibratedForestRegressor(weight_threshold=9), "Got 9"),
    "threshold as text": (CalibratedForestClassifier(weight_threshold="high"), "Got 'high'"),
    "threshold NaN": (CalibratedForestClassifier(weight_threshold=np.nan), "Got nan"),
    "more random trees than trees": (
        CalibratedForestClassifier(randomized_fraction=1.5),
        r"'randomized_fraction' .* range \[0, 1\]. Got 1.5",
    ),
    "unknown calibration": (
        CalibratedForestClassifier(calibration="isotonic"),
        "'calibration' .* 'oob' or None. Got 'isotonic'",
    ),
    "unknown interval": (
        CalibratedForestRegressor(interval="normal"),
        "'interval' .* 'affine', 'leaves'. Got 'normal'",
    ),
    "class criterion": (RandomForestRegressor(criterion="gini"), "'poisson'. Got 'gini'"),
}


@pytest.mark.parametrize("case", OWN_PARAMETERS)
def test_bad_parameters_of_one_method(case):
    model, message = OWN_PARAMETERS[case]
    with pytest.raises(BayeswoodError, match=message):
        model.fit(X, Y)


# Training data: (X, y, sample_weight, message), given to a regressor.
BAD_TRAINING = {
    "one-dimensional X": (X[:, 0], Y, None, "Expected 2D array, got 1D array"),
    "three-dimensional X": (X[:, :, None], Y, None, "Found array with dim 3"),
    "no rows": (X[:0], Y[:0], None, r"0 sample\(s\)"),
    "no columns": (X[:, :0], Y, None, r"0 feature\(s\)"),
    "empty frame": (FRAME.iloc[:0], Y[:0], None, r"0 sample\(s\)"),
    "frame without columns": (FRAME[[]], Y, None, r"0 feature\(s\)"),
    "X is None": (None, Y, None, "Expected 2D array, got scalar array"),
    "X is a scalar": (3.0, Y, None, "Expected 2D array, got scalar array"),
    "ragged lists": ([[1, 2], [3]], [0, 1], None, "rows differ in length"),
    "infinity in an array": (with_value(np.inf), Y, None, r"infinity: column 'x1', row 2"),
    "minus infinity in a frame": (
        frame_with(height=with_value(-np.inf)[:, 1]),
        Y,
        None,
        "infinity: column 'height', row 2",
    ),
    "complex numbers": (X + 1j, Y, None, "Complex data not supported"),
    "sparse matrix": (scipy.sparse.csr_matrix(X), Y, None, "Sparse data was passed"),
    "periods": (frame_with(born=pd.Period("2000")), Y, None, "Column 'born' of X holds"),
    "dates beside words": (
        frame_with(when=np.array([datetime.date(2000, 1, 1), "a"] * 4, dtype=object)),
        Y,
        None,
        "Column 'when' of X holds values of mixed types",
    ),
    "mixed objects": (
        frame_with(mixed=np.array([1, "a", None, 2.0, "b", 3, 4, 5], dtype=object)),
        Y,
        None,
        "Column 'mixed' of X holds values of mixed types",
    ),
    "lists in cells": (pl.DataFrame({"many": [[1, 2]] * 8}), Y, None, "Column 'many' of X holds"),
    "a lazy frame": (pl.DataFrame({"a": Y}).lazy(), Y, None, "lazy frame"),
    "column names twice": (
        pd.DataFrame(X, columns=["a", "b", "a"]),
        Y,
        None,
        "must be distinct",
    ),
    "names of two types": (pd.DataFrame(X, columns=["a", 1, "c"]), Y, None, "string names"),
    "fewer responses": (X, Y[:5], None, r"inconsistent numbers of samples: \[8, 5\]"),
    "more responses": (X, np.arange(9.0), None, r"inconsistent numbers of samples: \[8, 9\]"),
    "no response": (X, None, None, "requires y to be passed"),
    "NaN in y": (X, weights_with(np.nan), None, "y contains NaN or None: row 3"),
    "None in y": (X, [1.0, None, *range(6)], None, "y contains NaN or None: row 1"),
    "infinity in y": (X, weights_with(np.inf), None, "y contains infinity: row 3"),
    "y too large to square": (X, Y * 1e200, None, r"y is 7e\+200 in size"),
    "y too small to square": (X, Y * 1e-200, None, "y is 7e-200 in size"),
    "strings in y": (X, LABELS, None, "y holds strings"),
    "three-dimensional y": (X, np.zeros((8, 1, 1)), None, "Found array with dim 3"),
    "y without columns": (X, np.zeros((8, 0)), None, "y has no column"),
    "negative weight": (X, Y, weights_with(-1.0), "negative weight: row 3"),
    "NaN weight": (X, Y, weights_with(np.nan), "sample_weight contains NaN: row 3"),
    "infinite weight": (X, Y, weights_with(np.inf), "sample_weight contains infinity: row 3"),
    "all weights zero": (X, Y, np.zeros(8), "zero in every row"),
    "fewer weights": (X, Y, np.ones(5), "one weight per row of X, 8"),
    "two-dimensional weights": (X, Y, np.ones((8, 2)), "1D array"),
    "weights of strings": (X, Y, list("abcdefgh"), "sample_weight holds strings"),
}


@pytest.mark.parametrize("cls", [BayesianForestRegressor, RandomForestRegressor])
@pytest.mark.parametrize("case", BAD_TRAINING)
def test_bad_training_data(cls, case):
    rows, y, weight, message = BAD_TRAINING[case]
    model = cls(n_estimators=2)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(rows, y, weight)
    assert not hasattr(model, "forest_")


BAD_CLASSES = {
    "continuous labels": (Y / 3, "Unknown label type"),
    "missing label": (["a", None, *"aabbab"], "row 1"),
    "NaN label": (weights_with(np.nan), "row 3"),
    "two columns, one continuous": (np.c_[Y / 3, Y], "Unknown label type"),
    "no labels": ([], r"0 sample\(s\) .* y is empty"),
    "mixed labels": (
        np.array(["a", 1, *"aabbab"], dtype=object),
        r"y holds values of mixed types \(int, str\)",
    ),
}


@pytest.mark.parametrize("cls", [BayesianForestClassifier, RandomForestClassifier])
@pytest.mark.parametrize("case", BAD_CLASSES)
def test_bad_classes(cls, case):
    labels, message = BAD_CLASSES[case]
    with pytest.raises((ValueError, TypeError), match=message):
        cls(n_estimators=2).fit(X, labels)


WORDS = pd.DataFrame({"city": list("aabbaabb"), "age": Y})

# Rows to predict: (fitted on, rows, message).
BAD_ROWS = {
    "fewer features": (X, X[:, :2], "X has 2 features, but BayesianForestRegressor is expecting 3"),
    "more features": (X, np.c_[X, X], "X has 6 features"),
    "one-dimensional rows": (X, X[0], "Expected 2D array, got 1D array"),
    "no rows": (X, X[:0], r"0 sample\(s\)"),
    "infinity": (X, with_value(np.inf), "infinity: column 'x1', row 2"),
    "missing column": (FRAME, FRAME[["age", "height"]], "yet now missing:\n- weight"),
    "unknown column": (FRAME, frame_with(size=1.0), "unseen at fit time:\n- size"),
    "columns in another order": (FRAME, FRAME[["height", "age", "weight"]], "in the same order"),
    "words where numbers were": (WORDS, WORDS.assign(age="old"), "'age' of X held numbers"),
    "numbers where words were": (WORDS, WORDS.assign(city=1.5), "'city' of X held strings"),
    "sparse rows": (X, scipy.sparse.csr_matrix(X), "Sparse data was passed"),
}


@pytest.mark.parametrize("method", ["predict", "predict_interval", "uncertainty", "apply"])
@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_rows(case, method):
    table, rows, message = BAD_ROWS[case]
    model = BayesianForestRegressor(n_estimators=2).fit(table, Y)
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(model, method)(rows)


BAD_QUESTIONS = {
    "no coverage": ("predict_interval", {"coverage": 0.0}, r"\(0, 1\). Got 0.0 instead"),
    "full coverage": ("predict_interval", {"coverage": 1}, "Got 1 instead"),
    "coverage in percent": ("predict_interval", {"coverage": 90}, "Got 90 instead"),
    "coverage as text": ("predict_interval", {"coverage": "90%"}, "Got '90%' instead"),
    "unknown kind": ("predict_interval", {"kind": "median"}, "'prediction', 'mean'. Got 'median'"),
    "negative level": ("predict_quantiles", {"alpha": -0.5}, "Got -0.5 instead"),
    "level in percent": ("predict_quantiles", {"alpha": [0.5, 50]}, "'alpha' parameter"),
    "no levels": ("predict_quantiles", {"alpha": []}, "non-empty"),
    "level as text": ("predict_quantiles", {"alpha": "median"}, "Got 'median'"),
    "level NaN": ("predict_quantiles", {"alpha": np.nan}, "Got nan"),
}


@pytest.mark.parametrize("cls", [BayesianForestRegressor, RandomForestClassifier])
@pytest.mark.parametrize("case", BAD_QUESTIONS)
def test_bad_questions(cls, case):
    method, arguments, message = BAD_QUESTIONS[case]
    model = cls(n_estimators=2).fit(X, Y)
    with pytest.raises(BayeswoodError, match=message) as caught:
        getattr(model, method)(X, **arguments)
    assert f"{cls.__name__}.{method}" in str(caught.value)


def test_unknown_kinds_of_variance_are_refused():
    model = BayesianForestRegressor(n_estimators=2).fit(X, Y)
    with pytest.raises(BayeswoodError, match=r"Regressor\.predict_var must be one of"):
        model.predict_var(X, kind="sd")


def test_bad_input_leaves_the_callers_data_alone():
    rows, weight = with_value(np.inf), weights_with(-1.0)
    before = rows.copy(), weight.copy()
    with pytest.raises(BayeswoodError):
        BayesianForestRegressor().fit(rows, Y, weight)
    np.testing.assert_array_equal(rows, before[0])
    np.testing.assert_array_equal(weight, before[1])


def test_a_refused_refit_keeps_the_fitted_forest():
    model = BayesianForestRegressor(n_estimators=2, random_state=0).fit(X, Y)
    expected = model.predict(X)
    with pytest.raises(BayeswoodError, match="infinity"):
        model.fit(with_value(np.inf), Y)
    np.testing.assert_array_equal(model.predict(X), expected)
