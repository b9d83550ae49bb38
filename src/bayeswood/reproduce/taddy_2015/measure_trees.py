"""What is measured of the trees themselves: trunks, first splits, and what figures show."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bayeswood.datasets import DataSet
from bayeswood.methods import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    EmpiricalBayesianForestClassifier,
    SubsampleForestClassifier,
)
from bayeswood.reproduce.data import load
from bayeswood.theory import split_match_bound, trunk_stability

F64 = NDArray[np.float64]

CALIFORNIA, COVERTYPE, MOTORCYCLE = "california_housing_raw", "covertype", "mcycle"
TRUNK_LEAF, N_TREES, N_PARTS, N_FOLDS = 3500, 100, 5, 10
_MOTORCYCLE_LEAF = 5  # as in the authors' script; the text says nothing


def trunk(n_draws: int, seed: int) -> dict[str, Any]:
    """Section 3.2: the sample tree of California, and how often draws have its split features."""
    found, X, y = _california()
    stability = trunk_stability(X, y, TRUNK_LEAF, n_draws, rng=seed + 1)
    names = {f"x{j}": name for j, name in enumerate(found.feature_names)}
    return {
        "nodes": [
            {
                "path": node.path,
                "feature": None if node.feature is None else names[node.feature],
                "threshold": node.threshold,
                "rows": node.n_samples,
                "mean": float(node.value[0]),
                "share": node.share,
            }
            for node in stability.sample_tree
        ],
        "cuts": [node.thresholds.tolist() for node in stability.sample_tree[:2]],
        "sequences": [
            {"features": [names[name] for name in each.features], "share": each.share}
            for each in stability.sequences
        ],
        "share": stability.share,
        "prefixes": stability.prefix_shares.tolist(),
        "income": X[:, found.feature_names.index("medianIncome")].tolist(),
    }


def trunk_shares(leaf_sizes: list[int], n_draws: int, seed: int) -> list[dict[str, float]]:
    """For each leaf size of a trunk, its leaves and the share of draws with its split features."""
    _, X, y = _california()
    found = []
    for size in leaf_sizes:
        stability = trunk_stability(X, y, size, n_draws, rng=seed + 1)
        leaves = sum(node.is_leaf for node in stability.sample_tree)
        found.append({"leaf": size, "leaves": leaves, "share": stability.share})
    return found


def first_splits(n_rows: int, n_sets: int, n_draws: int, seed: int) -> list[dict[str, float]]:
    """Section 3.1 on ten binary features, the first of effect 1, the second .5: a set each.

    Eq. (11), the line before it, and how often draws have the sample's split.
    """
    found = []
    for each in range(n_sets):
        rng = np.random.default_rng([seed, n_rows, each])
        X = rng.integers(2, size=(n_rows, 10)).astype(float)
        y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n_rows)
        found.append(_match(X, y, n_draws, rng))
    return found


def california_first_split(n_draws: int, seed: int) -> dict[str, float]:
    """The same for the first of the trunk's splits, one of all cuts of all features."""
    _, X, y = _california()
    return _match(X, y, n_draws, np.random.default_rng(seed), min_samples_leaf=TRUNK_LEAF)


def _match(X: F64, y: F64, n_draws: int, rng: Any, min_samples_leaf: int = 1) -> dict[str, float]:
    match = split_match_bound(X, y, min_samples_leaf=min_samples_leaf, n_draws=n_draws, rng=rng)
    return {
        "bound": match.bound, "normal": match.normal_bound, "match": match.p_match,
        "error": match.p_match_se, "splits": len(match.z),
    }  # fmt: skip


def motorcycle(seed: int) -> dict[str, Any]:
    """Figure 1: CART on the rows, CART on rows of Exp(1) weights, and the Bayesian forest."""
    found = load(MOTORCYCLE)
    X, y = np.asarray(found.features, dtype=float), np.asarray(found.target, dtype=float)
    weights = np.random.default_rng(seed).exponential(size=len(y))
    grid = np.linspace(X.min(), X.max(), 400)[:, None]
    usual: dict[str, Any] = {"min_samples_leaf": _MOTORCYCLE_LEAF, "random_state": seed}
    fits = {
        "sample CART": DecisionTreeRegressor(**usual).fit(X, y),
        "one draw": DecisionTreeRegressor(**usual).fit(X, y, sample_weight=weights),
        "Bayesian forest": BayesianForestRegressor(N_TREES, **usual).fit(X, y),
    }
    return {
        "x": X[:, 0].tolist(), "y": y.tolist(), "weights": weights.tolist(),
        "grid": grid[:, 0].tolist(),
        "fits": {name: fit.predict(grid).tolist() for name, fit in fits.items()},
    }  # fmt: skip


def response() -> dict[str, Any]:
    """Figure 3, left: the response of California in $100,000."""
    _, X, y = _california()
    density, edges = np.histogram(y / 100, bins=10, density=True)
    return {
        "rows": len(y), "features": X.shape[1], "largest": float(y.max()),
        "share of largest": float(np.mean(y == y.max())),
        "density": density.tolist(), "edges": edges.tolist(),
    }  # fmt: skip


def stand_in_errors(leaf_sizes: list[int], fold: int, n_rows: int, seed: int) -> dict[str, Any]:
    """Misclassified % of one of ten folds of the cover types, of so many random rows."""
    found = load(COVERTYPE)
    rows = np.random.default_rng(seed).permutation(len(found.target))[:n_rows]
    X, y = np.asarray(found.features[rows], dtype=np.float32), np.asarray(found.target)[rows]
    train, test = list(KFold(N_FOLDS).split(X))[fold]
    state = 1000 * seed + fold
    models = {
        "BF": BayesianForestClassifier(N_TREES, random_state=state),
        **{f"EBF {size}": _grafted_classes(size, state) for size in leaf_sizes},
        "SSF": SubsampleForestClassifier(N_TREES, n_subsamples=N_PARTS, random_state=state),
        "DT": DecisionTreeClassifier(min_samples_leaf=leaf_sizes[1], random_state=state),
    }
    return {
        name: 100 * float(np.mean(model.fit(X[train], y[train]).predict(X[test]) != y[test]))
        for name, model in models.items()
    }


def _grafted_classes(leaf_size: int, state: int) -> EmpiricalBayesianForestClassifier:
    return EmpiricalBayesianForestClassifier(
        N_TREES, trunk_min_samples_leaf=leaf_size, check_trunk=False, random_state=state
    )


def _california() -> tuple[DataSet, F64, F64]:
    """The set, its features, and the response in $1,000."""
    found = load(CALIFORNIA)
    return found, np.asarray(found.features, dtype=float), np.asarray(found.target) / 1e3
