"""The forests of section 4 and the experiments that compare them.

EBF: a trunk of the leaf size in the middle of Table 2; "EBF n" another leaf size. SSF: five parts,
as many trees in each as the others have, so that both cost what the Bayesian forest costs or less.
DT is the paper's tree on California; on the wine data its figure shows the trunk alone.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.tree import DecisionTreeRegressor

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
    RandomForestRegressor,
    SubsampleForestClassifier,
    SubsampleForestRegressor,
)

# Footnote 7: at least 3 samples per leaf, 100 trees; every feature is a candidate at every split.
MIN_LEAF, N_TREES = 3, 100
Models = dict[str, Callable[[int], Any]]


def regressors(trunks: dict[str, int]) -> Models:
    """BF, RF, one EBF per leaf size of the trunk, and SSF."""
    usual = {"min_samples_leaf": MIN_LEAF, "max_features": None, "n_jobs": -1}

    def grafted(leaf_size: int) -> Callable[[int], Any]:
        return lambda seed: EmpiricalBayesianForestRegressor(
            N_TREES, trunk_min_samples_leaf=leaf_size, check_trunk=False, random_state=seed, **usual
        )

    return {
        "BF": lambda seed: BayesianForestRegressor(N_TREES, random_state=seed, **usual),
        "RF": lambda seed: RandomForestRegressor(N_TREES, random_state=seed, **usual),
        **{name: grafted(leaf_size) for name, leaf_size in trunks.items()},
        "SSF": lambda seed: SubsampleForestRegressor(N_TREES, random_state=seed, **usual),
    }


def california_models() -> Models:
    return {
        **regressors({"EBF 6000": 6000, "EBF": 3000, "EBF 1500": 1500}),
        "ET": lambda seed: ExtraTreesRegressor(
            N_TREES, min_samples_leaf=MIN_LEAF, random_state=seed, n_jobs=-1
        ),
        "DT": lambda seed: DecisionTreeRegressor(min_samples_leaf=MIN_LEAF, random_state=seed),
    }


def wine_models() -> Models:
    return regressors({"EBF 2000": 2000, "EBF": 1000, "EBF 500": 500})


def rmse(model: Any, train: tuple[Any, Any], test: tuple[Any, Any]) -> float:
    predicted = model.fit(*train).predict(test[0])
    return float(np.sqrt(np.mean((predicted - test[1]) ** 2)))


def cross_validated(models: Models, X: Any, y: np.ndarray) -> pd.DataFrame:
    """Root mean squared error of each model in each of ten folds."""
    table = pd.DataFrame(X)
    rows = []
    for fold, (train, test) in enumerate(KFold(10, shuffle=True, random_state=0).split(table)):
        parts = (table.iloc[train], y[train]), (table.iloc[test], y[test])
        rows.append({name: rmse(make(fold), *parts) for name, make in models.items()})
    return pd.DataFrame(rows)


def classifiers(n_rows: int) -> Models:
    """Leaf sizes of the trunk are the shares of the rows that Table 2's are of the beer data."""

    def grafted(share: float) -> Callable[[int], Any]:
        return lambda seed: EmpiricalBayesianForestClassifier(
            N_TREES,
            trunk_min_samples_leaf=round(share * n_rows),
            check_trunk=False,
            random_state=seed,
            n_jobs=-1,
        )

    return {
        "BF": lambda seed: BayesianForestClassifier(N_TREES, random_state=seed, n_jobs=-1),
        "EBF 30 %": grafted(0.30),
        "EBF": grafted(0.15),
        "EBF 7.5 %": grafted(0.075),
        "SSF": lambda seed: SubsampleForestClassifier(N_TREES, random_state=seed, n_jobs=-1),
    }


def covertype_errors(
    X: np.ndarray, y: np.ndarray, n_rows: int = 150_000, n_splits: int = 2
) -> pd.DataFrame:
    """Percentage misclassified of a fifth of so many rows, drawn anew for each split."""
    X = X.astype(np.float32)
    rows = []
    splits = ShuffleSplit(
        n_splits, train_size=4 * n_rows // 5, test_size=n_rows // 5, random_state=0
    )
    for seed, (train, test) in enumerate(splits.split(X)):
        parts = (X[train], y[train]), (X[test], y[test])
        models = classifiers(len(train))
        rows.append({name: misclassified(make(seed), *parts) for name, make in models.items()})
    return pd.DataFrame(rows)


def misclassified(model: Any, train: tuple[Any, Any], test: tuple[Any, Any]) -> float:
    """In per cent."""
    return 100 * float(np.mean(model.fit(*train).predict(test[0]) != test[1]))
