"""The rows of the table about attributes, methods, and the data that a forest is given."""

import copy
import pickle

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from swap_parameters import CURVE, IRIS, RARE, curve, small
from swap_table import Library, row

ATTRIBUTES, METHODS, DATA = "Attributes", "Methods", "Data"
LABELS = np.column_stack([IRIS[1] > 0, IRIS[1] > 1]).astype(int)
KINDS = np.column_stack([IRIS[1], 2 - IRIS[1]])


def labelled(library: Library, y=LABELS, **parameters):
    """Twenty trees for several labels of iris."""
    return library.classifier(20, **{"random_state": 0, **parameters}).fit(IRIS[0], y)


# --- attributes -----------------------------------------------------------------------------------


@row(ATTRIBUTES, "`estimators_`", "a list of fitted trees")
def _(library):
    trees = small(library).estimators_
    mean = np.mean([tree.predict_proba(IRIS[0]) for tree in trees], axis=0)
    return len(trees), np.allclose(mean, small(library).predict_proba(IRIS[0]))


@row(
    ATTRIBUTES,
    "`estimators_[0].predict(X)`",
    "numbers of the classes",
    "differs",
    words="the classes themselves; `.tree` has a tree's arrays and text, not `.tree_`",
)
def _(library):
    names = np.array(["a", "b", "c"])[IRIS[1]]
    forest = library.classifier(3, random_state=0).fit(IRIS[0], names)
    return str(forest.estimators_[0].predict(IRIS[0][:1])[0])


@row(
    ATTRIBUTES,
    "`estimator_`, `estimator`, `estimator_params`, `estimators_[0].tree_`",
    "the unfitted tree that is copied, and its settings",
    "refused",
    words="there is no such tree: parameters are the forest's",
)
def _(library):
    forest = small(library)
    return str(forest.estimator_), str(forest.estimator), forest.estimator_params


@row(ATTRIBUTES, "`classes_`, `n_classes_`", "sorted labels and their number")
def _(library):
    forest = small(library)
    return forest.classes_, forest.n_classes_


@row(ATTRIBUTES, "`n_features_in_`, `n_outputs_`", "numbers")
def _(library):
    return [(f.n_features_in_, f.n_outputs_) for f in (small(library), curve(library))]


@row(ATTRIBUTES, "`feature_names_in_`", "names of a data frame's columns")
def _(library):
    frame = pd.DataFrame(IRIS[0], columns=["a", "b", "c", "d"])
    return list(library.classifier(3).fit(frame, IRIS[1]).feature_names_in_)


@row(
    ATTRIBUTES, "`feature_importances_`", "shares of the impurity decrease", "same law", within=0.06
)
def _(library):
    return small(library, n_estimators=300).feature_importances_


@row(ATTRIBUTES, "`feature_importances_` of a constant y", "zeros")
def _(library):
    return library.regressor(3).fit(CURVE[0], np.ones(150)).feature_importances_


@row(ATTRIBUTES, "`oob_score_`, `oob_decision_function_`", "with `oob_score` alone")
def _(library):
    found = small(library, n_estimators=60, oob_score=True)
    names = ("oob_score_", "oob_decision_function_")
    return found.oob_decision_function_.shape, [hasattr(small(library), name) for name in names]


@row(ATTRIBUTES, "`oob_prediction_`", "for numbers, with `oob_score` alone")
def _(library):
    forest = curve(library, n_estimators=60, oob_score=True)
    return forest.oob_prediction_.shape, hasattr(curve(library), "oob_prediction_")


@row(
    ATTRIBUTES,
    "`oob_decision_function_` of a row that every tree saw",
    "0, and a warning",
    "differs",
    words="NaN, and a warning",
)
def _(library):
    return int(
        np.isnan(small(library, n_estimators=1, oob_score=True).oob_decision_function_).sum()
    )


@row(ATTRIBUTES, "`estimators_samples_`", "rows of each tree, with repeats")
def _(library):
    forest = small(library)
    same = np.array_equal(forest.estimators_samples_[2], forest.estimators_samples_[2])
    return [len(rows) for rows in forest.estimators_samples_], same


# --- methods --------------------------------------------------------------------------------------


@row(METHODS, "`fit(X, y)`", "the forest")
def _(library):
    forest = library.classifier(3)
    return forest.fit(*IRIS) is forest


@row(METHODS, "`predict(X)` before `fit`", "NotFittedError")
def _(library):
    try:
        return library.classifier().predict(IRIS[0])
    except NotFittedError:
        return "not fitted"


@row(METHODS, "`predict(X)`, for classes", "labels in the type of y")
def _(library):
    found = small(library, n_estimators=50).predict(IRIS[0])
    return found.shape, found.dtype.kind, float(np.mean(found == IRIS[1])) > 0.98


@row(METHODS, "`predict(X)`, for numbers", "means", "same law", within=1.5)
def _(library):
    return curve(library, n_estimators=300, max_features=0.5).predict(CURVE[0])


@row(METHODS, "`predict_proba(X)`", "means of the leaves' shares", "same law", within=0.25)
def _(library):
    return small(library, n_estimators=300).predict_proba(IRIS[0])


@row(METHODS, "`predict_log_proba(X)`", "their logarithms")
def _(library):
    forest = small(library)
    with np.errstate(divide="ignore"):
        return np.allclose(forest.predict_log_proba(IRIS[0]), np.log(forest.predict_proba(IRIS[0])))


@row(METHODS, "`score(X, y)`", "accuracy, or R²")
def _(library):
    return small(library).score(*IRIS) > 0.95, curve(library).score(*CURVE) > 0.8


@row(
    METHODS,
    "`apply(X)`",
    "numbers of leaves, depth first",
    "differs",
    words="nodes are numbered breadth first; the shape is the same",
)
def _(library):
    return small(library).apply(IRIS[0]).tolist()


@row(METHODS, "`decision_path(X)`", "sparse indicator of nodes, and where trees begin")
def _(library):
    forest = small(library)
    indicator, starts = forest.decision_path(IRIS[0])
    ends = starts[:-1] + forest.apply(IRIS[0])
    at_leaf = indicator[np.arange(150)[:, None], ends].toarray()
    return indicator.shape[1] == starts[-1], len(starts), at_leaf.min(), type(indicator).__name__


@row(METHODS, "`get_params()`, `set_params()`, `clone`", "parameters as given")
def _(library):
    forest = clone(library.classifier(5, max_depth=2)).set_params(max_depth=3)
    return forest.get_params()["n_estimators"], forest.get_params()["max_depth"]


@row(
    METHODS,
    "`get_metadata_routing()`, `set_fit_request`, `set_score_request`",
    "who gets `sample_weight`",
)
def _(library):
    forest = library.classifier()
    return [callable(getattr(forest, n)) for n in ("get_metadata_routing", "set_fit_request")], (
        "sample_weight" in forest.get_metadata_routing().score.requests,
        callable(forest.set_score_request),
    )


@row(
    METHODS,
    "`len(forest)`, `forest[0]`",
    "of its trees",
    "refused",
    words="`len(forest.estimators_)`, `forest.estimators_[0]`",
)
def _(library):
    return len(small(library))


@row(METHODS, "`GridSearchCV`, `cross_val_score`", "work")
def _(library):
    search = GridSearchCV(library.classifier(5, random_state=0), {"max_depth": [1, 4]}, cv=3)
    scores = cross_val_score(library.classifier(5, random_state=0), *IRIS, cv=3)
    return search.fit(*IRIS).best_params_, scores.shape, bool(scores.min() > 0.85)


@row(METHODS, "`pickle`, `copy`", "the same predictions")
def _(library):
    forest = small(library)
    others = pickle.loads(pickle.dumps(forest)), copy.deepcopy(forest)
    proba = forest.predict_proba(IRIS[0])
    return [np.array_equal(other.predict_proba(IRIS[0]), proba) for other in others]


# --- data -----------------------------------------------------------------------------------------


@row(DATA, "the same X in other layouts: Fortran, strided, float32, lists", "the same forest")
def _(library):
    X = IRIS[0].astype(np.float32).astype(float)
    given = (
        X,
        np.asfortranarray(X),
        np.repeat(X, 2, axis=0)[::2],
        X.astype(np.float32),
        X.tolist(),
    )
    found = [library.classifier(3, random_state=0).fit(g, IRIS[1]).apply(X) for g in given]
    return [np.array_equal(leaves, found[0]) for leaves in found]


@row(DATA, "NaN in X", "goes the better way at each split")
def _(library):
    X = RARE[0].copy()
    X[RARE[1] == 1, 0] = np.nan
    return library.classifier(30, random_state=0).fit(X, RARE[1]).score(X, RARE[1]) > 0.97


@row(DATA, "infinity in X", "refused")
def _(library):
    X = IRIS[0].copy()
    X[0, 0] = np.inf
    return library.classifier(3).fit(X, IRIS[1])


@row(
    DATA,
    "strings in X",
    "refused",
    "differs",
    words="strings, categoricals and bools are categories, split as such",
)
def _(library):
    words = np.array([["red"], ["blue"], ["green"]], dtype=object)[IRIS[1]]
    return library.classifier(3).fit(words, IRIS[1]).n_features_in_


@row(
    DATA,
    "sparse X",
    "converted column by column",
    "refused",
    words="`X.toarray()` first; see [below](#sparse-tables)",
)
def _(library):
    return library.classifier(3).fit(csr_matrix(IRIS[0]), IRIS[1]).n_features_in_


@row(DATA, "X of one dimension", "refused")
def _(library):
    return library.classifier(3).fit(np.arange(150.0), IRIS[1])


@row(DATA, "X of another number of columns in `predict`", "refused")
def _(library):
    return small(library).predict(IRIS[0][:, :2])


@row(DATA, "y of strings", "strings come back")
def _(library):
    names = np.array(["a", "b", "c"])[IRIS[1]]
    return library.classifier(5, random_state=0).fit(IRIS[0], names).predict(IRIS[0][:2])


@row(DATA, "y of continuous numbers for a classifier", "refused")
def _(library):
    return library.classifier(3).fit(*CURVE)


@row(DATA, "y of shape (n, 1)", "ravelled, with a DataConversionWarning")
def _(library):
    import warnings

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = library.classifier(3).fit(IRIS[0], IRIS[1][:, None]).predict(IRIS[0])
    return found.shape, [w.category.__name__ for w in seen]


@row(DATA, "one class in y", "always that class")
def _(library):
    return library.classifier(3).fit(IRIS[0], np.ones(150, int)).predict_proba(IRIS[0]).mean()


@row(DATA, "several numbers in y", "one column each")
def _(library):
    y = np.column_stack([CURVE[1], -CURVE[1]])
    forest = library.regressor(5, random_state=0).fit(CURVE[0], y)
    return forest.predict(CURVE[0]).shape, forest.n_outputs_, forest.score(CURVE[0], y) > 0.8


@row(DATA, "several labels in y (an indicator matrix)", "one column of 0 and 1 each")
def _(library):
    forest = labelled(library)
    proba = forest.predict_proba(IRIS[0])
    return (
        forest.predict(IRIS[0]).shape,
        [block.shape for block in proba],
        [classes.tolist() for classes in forest.classes_],
        list(forest.n_classes_),
        forest.n_outputs_,
        forest.score(IRIS[0], LABELS) > 0.97,
    )


@row(DATA, "several classes in y (`multiclass-multioutput`)", "one column each")
def _(library):
    forest = labelled(library, KINDS)
    logs = forest.predict_log_proba(IRIS[0])
    return [len(forest.classes_[0]), len(logs)], np.mean(forest.predict(IRIS[0]) == KINDS) > 0.97


@row(DATA, "several labels: their probabilities", "joint trees", "same law", within=0.25)
def _(library):
    forest = library.classifier(200, random_state=0).fit(IRIS[0], LABELS)
    return np.stack([block[:, 1] for block in forest.predict_proba(IRIS[0])])


@row(
    DATA,
    "several labels and `class_weight`: a dict for each, or `balanced`",
    "weights multiply",
    "same law",
    within=1e-9,
)
def _(library):
    weights = ([{0: 1, 1: 4}, {0: 1, 1: 2}], "balanced")
    settings = {"min_samples_leaf": 30, "bootstrap": False, "max_features": None}
    forests = [labelled(library, class_weight=w, **settings) for w in weights]
    return [f.predict_proba(IRIS[0])[0][:, 1].mean() for f in forests]


@row(DATA, "several labels and `oob_score=True`", "share of rows that are right in all")
def _(library):
    forest = library.classifier(100, oob_score=True, random_state=0).fit(IRIS[0], LABELS)
    return forest.oob_decision_function_.shape, 0.9 < forest.oob_score_ < 1.0


@row(DATA, "sparse y", "refused")
def _(library):
    return labelled(library, csr_matrix(LABELS))


@row(DATA, "`sample_weight` of ones", "as without")
def _(library):
    pair = [library.classifier(3, random_state=0, bootstrap=False) for _ in range(2)]
    pair[0].fit(*IRIS)
    pair[1].fit(*IRIS, sample_weight=np.ones(150))
    return np.array_equal(pair[0].apply(IRIS[0]), pair[1].apply(IRIS[0]))


@row(
    DATA,
    "`sample_weight`, with `bootstrap=True`",
    "rows are drawn in proportion (since 1.9)",
    "same law",
    within=0.05,
    words="here they multiply the counts of the draw",
)
def _(library):
    weight = np.where(RARE[1] == 1, 5.0, 1.0)
    forest = library.classifier(200, min_samples_leaf=20, random_state=0)
    return forest.fit(*RARE, sample_weight=weight).predict_proba(RARE[0])[:, 1].mean()


@row(DATA, "negative `sample_weight`", "taken", "refused", words="weights are shares of rows: >= 0")
def _(library):
    weight = np.where(np.arange(150) == 0, -0.1, 1.0)
    forest = library.regressor(2, bootstrap=False)
    return len(forest.fit(*CURVE, sample_weight=weight).estimators_)
