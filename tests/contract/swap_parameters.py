"""The rows of the table about parameters of the constructor."""

from typing import Any

import numpy as np
from sklearn.datasets import load_iris, make_classification, make_friedman1
from swap_table import Library, row

IRIS = load_iris(return_X_y=True)
RARE = make_classification(300, 5, n_informative=3, n_redundant=0, weights=[0.85], random_state=0)
CURVE = make_friedman1(150, random_state=0)
PARAMETERS = "Parameters"


def small(library: Library, **parameters: Any) -> Any:
    """Ten trees for iris."""
    return library.classifier(**{"n_estimators": 10, "random_state": 0, **parameters}).fit(*IRIS)


def curve(library: Library, **parameters: Any) -> Any:
    """Ten trees for numbers."""
    return library.regressor(**{"n_estimators": 10, "random_state": 0, **parameters}).fit(*CURVE)


def scored(library: Library, **parameters: Any) -> float:
    """Out-of-bag accuracy of 100 trees on iris."""
    return small(library, n_estimators=100, oob_score=True, **parameters).oob_score_


def explained(library: Library, **parameters: Any) -> float:
    """Out-of-bag R² of 100 trees that try the same features in both libraries."""
    settings = {"n_estimators": 100, "oob_score": True, "max_features": 0.5, **parameters}
    return curve(library, **settings).oob_score_


def share(library: Library, **parameters: Any) -> float:
    """Mean probability of a rare class, by 100 trees with large leaves."""
    forest = library.classifier(100, min_samples_leaf=20, random_state=0, **parameters)
    return forest.fit(*RARE).predict_proba(RARE[0])[:, 1].mean()


def leaf_sizes(library: Library, forest: Any) -> np.ndarray:
    """Rows in the leaves of all trees."""
    trees = forest.estimators_
    return np.concatenate([library.counts(t)[library.is_leaf(t)] for t in trees])


@row(PARAMETERS, "`n_estimators=10`, also by position", "ten trees")
def _(library):
    return len(small(library).estimators_), len(library.classifier(7).fit(*IRIS).estimators_)


@row(PARAMETERS, "`n_estimators=0`", "refused")
def _(library):
    return small(library, n_estimators=0)


@row(PARAMETERS, '`criterion="gini"`', "the default", "same law", within=0.02)
def _(library):
    return scored(library, criterion="gini")


@row(PARAMETERS, '`criterion="entropy"` or `"log_loss"`', "two names", "same law", within=0.02)
def _(library):
    return [scored(library, criterion=name) for name in ("entropy", "log_loss")]


@row(PARAMETERS, '`criterion="squared_error"`', "the default", "same law", within=0.04)
def _(library):
    return explained(library, criterion="squared_error")


@row(
    PARAMETERS,
    '`criterion="absolute_error"`',
    "splits by medians",
    "same law",
    within=0.06,
    needs="absolute_error",
)
def _(library):
    return explained(library, criterion="absolute_error")


@row(
    PARAMETERS,
    '`criterion="friedman_mse"`',
    "Friedman's gain",
    "same law",
    within=0.06,
    needs="friedman_mse",
)
def _(library):
    return explained(library, criterion="friedman_mse")


@row(
    PARAMETERS,
    '`criterion="poisson"`',
    "for counts",
    "same law",
    within=0.06,
    needs="poisson",
)
def _(library):
    return explained(library, criterion="poisson")


@row(PARAMETERS, '`criterion="poisson"` and negative y', "refused", needs="poisson")
def _(library):
    return library.regressor(5, criterion="poisson").fit(CURVE[0], CURVE[1] - 100)


@row(PARAMETERS, '`criterion="nonsense"`', "refused")
def _(library):
    return small(library, criterion="nonsense")


@row(PARAMETERS, "`max_depth=3`", "no tree is deeper")
def _(library):
    return max(tree.get_depth() for tree in small(library, max_depth=3).estimators_)


@row(
    PARAMETERS,
    "`min_samples_split=40`",
    "smaller nodes stay leaves; rows of a tree count once",
    needs="min_samples_split",
)
def _(library):
    trees = curve(library, min_samples_split=40).estimators_
    return min(library.counts(t)[~library.is_leaf(t)].min() for t in trees) >= 40


@row(PARAMETERS, "`min_samples_leaf=5`, or a share `0.1`", "no leaf has fewer rows")
def _(library):
    found = [leaf_sizes(library, small(library, min_samples_leaf=m)).min() for m in (5, 0.1)]
    return found[0] >= 5, found[1] >= 15


@row(PARAMETERS, "`min_weight_fraction_leaf=0.2`", "at most five leaves")
def _(library):
    trees = small(library, min_weight_fraction_leaf=0.2).estimators_
    return max(tree.get_n_leaves() for tree in trees) <= 5


@row(PARAMETERS, '`max_features="sqrt"`, `"log2"`, `None`, `3`, `0.5`', "features tried")
def _(library):
    settings = ("sqrt", "log2", None, 3, 0.5)
    forests = [curve(library, n_estimators=1, max_features=m) for m in settings]
    return [int(library.tried_features(forest)) for forest in forests]


@row(
    PARAMETERS,
    "`max_features=11` of 10",
    "all ten",
    "refused",
    words="a slip that would go unseen; use None",
)
def _(library):
    return curve(library, max_features=11)


@row(
    PARAMETERS,
    "`RandomForestRegressor()`'s `max_features`",
    "all features",
    "differs",
    words="a third, as Breiman suggests; `max_features=1.0` tries all",
)
def _(library):
    return int(library.tried_features(curve(library)))


@row(PARAMETERS, "`max_leaf_nodes=7`", "the best leaves first", needs="max_leaf_nodes")
def _(library):
    trees = curve(library, max_leaf_nodes=7).estimators_
    return max(tree.get_n_leaves() for tree in trees)


@row(
    PARAMETERS,
    "`min_impurity_decrease=0.5`",
    "fewer leaves",
    "same law",
    within=1.5,
    needs="min_impurity_decrease",
)
def _(library):
    trees = curve(library, n_estimators=50, min_impurity_decrease=0.5, max_features=0.5).estimators_
    return np.mean([tree.get_n_leaves() for tree in trees])


@row(PARAMETERS, "`bootstrap=False`", "every tree has all rows")
def _(library):
    forest = small(library, bootstrap=False)
    return forest.score(*IRIS), {int(library.counts(t)[0]) for t in forest.estimators_}


@row(PARAMETERS, "`oob_score=True`, for classes", "accuracy", "same law", within=0.02)
def _(library):
    return scored(library)


@row(PARAMETERS, "`oob_score=True`, for numbers", "R²", "same law", within=0.04)
def _(library):
    return explained(library)


@row(PARAMETERS, "`oob_score=metric`", "the metric's value")
def _(library):
    return small(
        library, n_estimators=60, oob_score=lambda truth, found: float(len(truth))
    ).oob_score_


@row(PARAMETERS, "`oob_score=True, bootstrap=False`", "refused")
def _(library):
    return small(library, oob_score=True, bootstrap=False)


@row(PARAMETERS, "`n_jobs=2`", "the same forest")
def _(library):
    pair = [small(library, n_jobs=n).predict_proba(IRIS[0]) for n in (1, 2)]
    return np.array_equal(*pair)


@row(PARAMETERS, "`random_state=3`", "the same forest twice")
def _(library):
    pair = [small(library, random_state=3).predict_proba(IRIS[0]) for _ in range(2)]
    return np.array_equal(*pair)


@row(PARAMETERS, "`random_state=RandomState(3)`", "drawn from: the second forest differs")
def _(library):
    stream = np.random.RandomState(3)
    pair = [small(library, random_state=stream).predict_proba(IRIS[0]) for _ in range(2)]
    return np.array_equal(*pair)


@row(
    PARAMETERS,
    "`random_state=0`, in both libraries",
    "its own random numbers",
    "differs",
    words="the forests are two draws of one law",
)
def _(library):
    return small(library).predict_proba(IRIS[0]).tolist()


@row(PARAMETERS, "`verbose=-1`", "refused")
def _(library):
    return small(library, verbose=-1)


@row(PARAMETERS, "`warm_start=True` and more trees", "the old trees stay, new ones follow")
def _(library):
    forest = small(library, warm_start=True)
    before = forest.estimators_[3].predict_proba(IRIS[0])
    forest.set_params(n_estimators=15).fit(*IRIS)
    kept = np.array_equal(before, forest.estimators_[3].predict_proba(IRIS[0]))
    whole = small(library, n_estimators=15)
    return (
        len(forest.estimators_),
        kept,
        np.array_equal(forest.apply(IRIS[0]), whole.apply(IRIS[0])),
    )


@row(PARAMETERS, "`warm_start=True` and fewer trees", "refused")
def _(library):
    return small(library, warm_start=True).set_params(n_estimators=5).fit(*IRIS)


@row(
    PARAMETERS,
    "`warm_start=True` and other rows",
    "trees of both tables",
    "refused",
    words="out-of-bag rows and intervals would be of neither table; fit a clone",
)
def _(library):
    forest = small(library, warm_start=True).set_params(n_estimators=15)
    return len(forest.fit(IRIS[0][::2], IRIS[1][::2]).estimators_)


@row(
    PARAMETERS,
    "`class_weight={0: 1, 1: 8}`",
    "weights of classes; rows are drawn in proportion (since 1.9)",
    "same law",
    words="here weights multiply the counts of the draw",
    within=0.08,
)
def _(library):
    return share(library, class_weight={0: 1, 1: 8})


@row(PARAMETERS, '`class_weight="balanced"`', "equal classes", "same law", within=0.04)
def _(library):
    return share(library, class_weight="balanced")


@row(
    PARAMETERS,
    '`class_weight="balanced_subsample"`',
    "equal in each tree's draw",
    "same law",
    within=0.04,
)
def _(library):
    return share(library, class_weight="balanced_subsample")


@row(PARAMETERS, '`class_weight="nonsense"`', "refused")
def _(library):
    return small(library, class_weight="nonsense")


@row(PARAMETERS, "`class_weight={7: 1.0}`, no class of y", "refused")
def _(library):
    return small(library, class_weight={7: 1.0})


@row(PARAMETERS, "`ccp_alpha=0.5`", "pruned trees", "same law", within=1.5, needs="ccp_alpha")
def _(library):
    trees = curve(library, n_estimators=50, ccp_alpha=0.5, max_features=0.5).estimators_
    return np.mean([tree.get_n_leaves() for tree in trees])


@row(PARAMETERS, "`max_samples=0.5`, or `60`", "so many rows for each tree")
def _(library):
    forests = [small(library, max_samples=m) for m in (0.5, 60)]
    return [len(rows) for forest in forests for rows in forest.estimators_samples_]


@row(PARAMETERS, "`max_samples=0.001`", "one row")
def _(library):
    return {tree.get_n_leaves() for tree in small(library, max_samples=0.001).estimators_}


@row(PARAMETERS, "`max_samples=0.5, bootstrap=False`", "refused")
def _(library):
    return small(library, max_samples=0.5, bootstrap=False)


@row(
    PARAMETERS,
    "`max_samples` above the number of rows",
    "more draws than rows",
    "refused",
    words="a sample has at most as many draws as there are rows; use None",
)
def _(library):
    return len(small(library, max_samples=500).estimators_samples_[0])


@row(
    PARAMETERS,
    "`monotonic_cst=[1, ...]`",
    "predictions never fall along the column",
    needs="monotonic_cst",
)
def _(library):
    forest = curve(library, monotonic_cst=[1] + [0] * 9)
    grid = np.repeat(CURVE[0][:20], 30, axis=0)
    grid[:, 0] = np.tile(np.linspace(0, 1, 30), 20)
    return bool((np.diff(forest.predict(grid).reshape(20, 30), axis=1) >= 0).all())
