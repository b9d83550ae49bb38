"""Experiments on real forests that the lecture's formulas and remarks are held against."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification, make_friedman1
from sklearn.tree import DecisionTreeClassifier

from bayeswood.methods import RandomForestClassifier, RandomForestRegressor
from bayeswood.theory import ensemble_variance, estimate_tree_correlation

F64 = NDArray[np.float64]

VOTE_SIZES = (1, 3, 11, 51, 101)
# Features tried at each node, and what they are called.
FEATURES: dict[str, Any] = {"one": 1, "third": 1 / 3, "sqrt": "sqrt", "all": None}
LABELS = {"one": "1", "third": "d/3", "sqrt": "√d", "all": "all"}
SMALL, LARGE = 5, 50


def vote_errors(features: str, seed: int) -> dict[str, list[float]]:
    """Errors of trees and of votes: 1,000 training and 2,000 test rows, 20 features, two classes.

    The first trees of a forest are a smaller forest.
    """
    X, y = make_classification(
        3000, 20, n_informative=8, flip_y=0.0, class_sep=0.8, random_state=seed
    )
    forest = RandomForestClassifier(
        max(VOTE_SIZES), max_features=FEATURES[features], voting="hard", random_state=seed
    ).fit(X[:1000], y[:1000])
    wrong = forest.predict_draws(X[1000:]).argmax(axis=2) != y[1000:]
    return {
        "tree": [float(wrong[:size].mean()) for size in VOTE_SIZES],
        "vote": [float((wrong[:size].mean(axis=0) > 0.5).mean()) for size in VOTE_SIZES],
    }


def tie_shares(seed: int, n_classes: int) -> dict[str, float]:
    """Share of 1,000 test rows on which two classes or more have the most votes, by trees."""
    X, y = make_classification(
        2000, 20, n_informative=8, n_classes=n_classes, class_sep=0.8, random_state=seed
    )
    forest = RandomForestClassifier(101, voting="hard", random_state=seed).fit(X[:1000], y[:1000])
    chosen = forest.predict_draws(X[1000:]).argmax(axis=2)
    found = {}
    for size in (2, 3, 10, 11, 100, 101):
        counts = np.sort((chosen[:size, :, None] == np.arange(n_classes)).sum(axis=0), axis=1)
        found[str(size)] = float(np.mean(counts[:, -1] == counts[:, -2]))
    return found


def forest_variance(features: str, n_forests: int, seed: int) -> dict[str, float]:
    """σ² and ρ of trees in small forests, and the variance of larger forests.

    Each forest has a training set of its own: Friedman's function with noise, 100 rows. The 50
    test rows are always the same.
    """
    small = _tree_draws(features, n_forests, SMALL, 2 * seed)
    large = _tree_draws(features, n_forests, LARGE, 2 * seed + 1)
    found = estimate_tree_correlation(small)
    _, truth = _test_rows()
    return {
        "variance": found.variance,
        "correlation": found.correlation,
        "formula": float(ensemble_variance(found.variance, found.correlation, LARGE)),
        "measured": float(large.mean(axis=1).var(axis=0, ddof=1).mean()),
        "tree bias": float((small.mean(axis=(0, 1)) - truth).mean()),
        "forest bias": float((large.mean(axis=(0, 1)) - truth).mean()),
    }


def _test_rows() -> tuple[F64, F64]:
    X, y = make_friedman1(50, noise=0.0, random_state=10_000)
    return X, y


def _tree_draws(features: str, n_forests: int, n_trees: int, seed: int) -> F64:
    """(n_forests, n_trees, n_rows)."""
    new, _ = _test_rows()
    draws = []
    for training_set in range(n_forests):
        state = 1_000_000 + 10_000 * seed + training_set  # no training set is used twice
        X, y = make_friedman1(100, noise=1.0, random_state=state)
        forest = RandomForestRegressor(
            n_trees, max_features=FEATURES[features], min_samples_leaf=3, random_state=state
        )
        draws.append(forest.fit(X, y).predict_draws(new))
    return np.array(draws)


def same_rows(seed: int) -> dict[str, float]:
    """How far trees of the same rows and all features agree when ties are broken differently."""
    X, y = make_classification(2000, 20, n_informative=8, class_sep=0.8, random_state=seed)
    one, two = (
        DecisionTreeClassifier(random_state=state).fit(X[:1000], y[:1000]).predict(X[1000:])
        for state in (2 * seed, 2 * seed + 1)
    )
    return {"unlike": float(np.mean(one != two))}


def many_features(seed: int, n_features: int) -> dict[str, float]:
    """Accuracy on 500 test rows where ten features of thousands matter; 500 training rows."""
    X, y = make_classification(
        1000, n_features, n_informative=10, n_redundant=0, class_sep=1.5, random_state=seed
    )
    forest = RandomForestClassifier(301, random_state=seed).fit(X[:500], y[:500])
    return {
        "accuracy": float(forest.score(X[500:], y[500:])),
        "larger class": float(max(np.mean(y[500:]), 1 - np.mean(y[500:]))),
    }


def fit_seconds(seed: int, n_rows: int) -> dict[str, float]:
    """CPU seconds of a forest of 20 trees."""
    X, y = make_classification(n_rows, 20, n_informative=8, class_sep=0.8, random_state=seed)
    forest = RandomForestClassifier(20, random_state=seed)
    start = time.process_time()
    forest.fit(X, y)
    return {"seconds": time.process_time() - start}
