"""Who runs: our estimators and the libraries beside them, one function each.

A contender takes (problem, n_trees, n_jobs, seed), imports its library, and returns a `Fitted`
timed over nothing but the fit. All get the same C-contiguous float32 matrix unless their library
asks for another type, and obey the problem's `min_samples_leaf` and `max_features` with no limit
on depth. An ImportError or `UnavailableError` leaves the contender out with a note.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.measuring import Fitted, UnavailableError, timed
from benchmarks.peers import ranger, ydf_forest
from benchmarks.problems import Problem, feature_share

Contender = Callable[[Problem, int, int, int], Fitted]
OURS: dict[str, Contender] = {}
RANDOM_CUTS: dict[str, Contender] = {}
PEERS: dict[str, Contender] = {"ranger": ranger.fit, "YDF": ydf_forest.fit}


def _register(names: dict[str, Contender], name: str) -> Callable[[Contender], Contender]:
    def add(contender: Contender) -> Contender:
        names[name] = contender
        return contender

    return add


@_register(OURS, "Bayesian forest")
def bayesian_forest(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    from bayeswood import BayesianForestClassifier, BayesianForestRegressor

    kind = _by_task(problem, BayesianForestRegressor, BayesianForestClassifier)
    return _fit(kind(**_our_parameters(problem, n_trees, n_jobs, seed)), problem)


@_register(OURS, "random forest")
def random_forest(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    from bayeswood import RandomForestClassifier, RandomForestRegressor

    kind = _by_task(problem, RandomForestRegressor, RandomForestClassifier)
    return _fit(kind(**_our_parameters(problem, n_trees, n_jobs, seed)), problem)


@_register(RANDOM_CUTS, "random cuts")
def random_cuts(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    """Extremely randomised trees, on all rows.

    No estimator grows these alone: they are half of the calibrated forest of classes.
    """
    from bayeswood import RandomForestClassifier, RandomForestRegressor

    kind = _by_task(problem, RandomForestRegressor, RandomForestClassifier)
    parameters = _our_parameters(problem, n_trees, n_jobs, seed) | {"bootstrap": False}
    model = kind(**parameters)
    plan = model._plan
    model._plan = lambda data: replace(plan(data), splitter="random")
    return _fit(model, problem)


@_register(PEERS, "scikit-learn")
def scikit_learn(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = _by_task(problem, RandomForestRegressor, RandomForestClassifier)
    return _fit(kind(**_forest_parameters(problem, n_trees, n_jobs, seed)), problem)


@_register(PEERS, "scikit-learn, Exp(1) weights")
def scikit_learn_weighted(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    """Algorithm 1 of the Bayesian-forest paper on scikit-learn's trees: every row takes part."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = _by_task(problem, DecisionTreeRegressor, DecisionTreeClassifier)
    parameters = _forest_parameters(problem, n_trees, n_jobs, seed)
    del parameters["n_estimators"], parameters["n_jobs"]
    rng = np.random.default_rng(seed)
    trees = [kind(**parameters | {"random_state": seed + i}) for i in range(n_trees)]

    def fit() -> None:
        for tree in trees:
            weights = rng.standard_exponential(len(problem.y))
            tree.fit(problem.X, problem.y, sample_weight=weights)

    def predict(X: np.ndarray) -> np.ndarray:
        name = _by_task(problem, "predict", "predict_proba")
        return np.mean([getattr(tree, name)(X) for tree in trees], axis=0)

    _, cpu, wall = timed(fit)
    return Fitted(trees, predict, cpu, wall)


@_register(PEERS, "scikit-learn-intelex")
def scikit_learn_intelex(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    """oneDAL's forest, which finds cuts among 256 quantiles of a column, in single precision."""
    from sklearnex.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = _by_task(problem, RandomForestRegressor, RandomForestClassifier)
    return _fit(kind(**_forest_parameters(problem, n_trees, n_jobs, seed)), problem)


@_register(PEERS, "scikit-learn ExtraTrees")
def extra_trees(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    kind = _by_task(problem, ExtraTreesRegressor, ExtraTreesClassifier)
    return _fit(kind(**_forest_parameters(problem, n_trees, n_jobs, seed)), problem)


@_register(PEERS, "biosphere")
def biosphere(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    """A Rust random forest: regression only, in double precision."""
    from biosphere import RandomForest

    if problem.task != "regression":
        raise UnavailableError("regression only")
    parameters = _forest_parameters(problem, n_trees, n_jobs, seed) | {"max_depth": None}
    model = RandomForest(**parameters)
    X, y = problem.X.astype(np.float64), problem.y.astype(np.float64)
    _, cpu, wall = timed(lambda: model.fit(X, y))
    return Fitted(model, lambda X: model.predict(X.astype(np.float64)), cpu, wall)


@_register(PEERS, "LightGBM rf")
def lightgbm(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    """LightGBM in random-forest mode; a bootstrap becomes a 63.2 % subsample.

    It sets up memory per leaf allowed, so no more are allowed than the rows can fill. Of categories
    its own limits stay (`min_data_per_group`, `cat_smooth`), with which leaves are larger than
    asked: see docs/categories.md.
    """
    from lightgbm import LGBMClassifier, LGBMRegressor

    n_leaves = max(2, min(131_072, len(problem.y) // problem.min_samples_leaf))
    model = _by_task(problem, LGBMRegressor, LGBMClassifier)(
        boosting_type="rf", n_estimators=n_trees, num_leaves=n_leaves, max_depth=-1,
        min_child_samples=problem.min_samples_leaf, min_child_weight=0.0,
        subsample=0.632, subsample_freq=1, n_jobs=n_jobs, random_state=seed, verbose=-1,
        feature_fraction_bynode=feature_share(problem),
    )  # fmt: skip
    return _fit(model, problem, categorical_feature=list(problem.categories))


@_register(PEERS, "XGBoost rf")
def xgboost(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    """XGBoost in random-forest mode; its leaf limit is on weight, not on rows."""
    from xgboost import XGBRFClassifier, XGBRFRegressor

    model = _by_task(problem, XGBRFRegressor, XGBRFClassifier)(
        n_estimators=n_trees, max_depth=0, tree_method="hist", subsample=0.632,
        colsample_bynode=feature_share(problem), reg_lambda=0.0, n_jobs=n_jobs,
        min_child_weight=float(problem.min_samples_leaf) if problem.task == "regression" else 0.0,
        random_state=seed,
    )  # fmt: skip
    return _fit(model, problem)


@_register(PEERS, "quantile-forest")
def quantile_forest(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    """scikit-learn's forest with the training rows of each leaf kept for quantiles."""
    from quantile_forest import RandomForestQuantileRegressor

    if problem.task != "regression":
        raise UnavailableError("regression only")
    parameters = _forest_parameters(problem, n_trees, n_jobs, seed)
    model = RandomForestQuantileRegressor(**parameters, max_samples_leaf=None)
    fitted = _fit(model, problem)
    return Fitted(model, lambda X: model.predict(X, quantiles="mean"),
                  fitted.cpu_seconds, fitted.wall_seconds)  # fmt: skip


def _by_task(problem: Problem, regression: Any, classification: Any) -> Any:
    return regression if problem.task == "regression" else classification


def _forest_parameters(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> dict[str, Any]:
    return {
        "n_estimators": n_trees,
        "min_samples_leaf": problem.min_samples_leaf,
        "max_features": problem.max_features,
        "n_jobs": n_jobs,
        "random_state": seed,
    }


def _our_parameters(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> dict[str, Any]:
    columns = list(problem.categories) or None
    parameters = _forest_parameters(problem, n_trees, n_jobs, seed)
    return parameters | {"categorical_features": columns}


def _fit(model: Any, problem: Problem, **how: Any) -> Fitted:
    _, cpu, wall = timed(lambda: model.fit(problem.X, problem.y, **how))
    predict = _by_task(problem, "predict", "predict_proba")
    return Fitted(model, getattr(model, predict), cpu, wall)
