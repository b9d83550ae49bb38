"""Shapley values beside the package shap and LightGBM, on the same trees.

    python -m benchmarks.shap_speed

CPU seconds on one thread, in turn, the best of several; the values are compared. shap gets our own
trees in the form it takes; LightGBM's `pred_contrib` has its own forest of as many leaves.
"""

import argparse
import os
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray

from bayeswood import RandomForestClassifier, RandomForestRegressor
from benchmarks.machine import one_line
from benchmarks.measuring import timed
from benchmarks.problems import friedman_mean

N_TREES = 50


def problems(n_rows: int) -> dict[str, tuple[Any, NDArray, NDArray]]:
    """Estimators and data."""
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 10)).astype(np.float32).astype(float)
    y = friedman_mean(X) + rng.normal(size=n_rows)
    ranks = np.argsort(np.argsort(y))
    options = {"n_estimators": N_TREES, "random_state": 0}
    return {
        "numbers, leaves of one row": (RandomForestRegressor(**options), X, y),
        "numbers, leaves of five": (RandomForestRegressor(min_samples_leaf=5, **options), X, y),
        "numbers, depth 6": (RandomForestRegressor(max_depth=6, **options), X, y),
        "three classes": (RandomForestClassifier(**options), X, ranks * 3 // n_rows),
        "ten classes": (RandomForestClassifier(**options), X, ranks * 10 // n_rows),
    }


def as_shap_takes_it(forest: Any) -> dict[str, list[dict[str, NDArray]]]:
    """The trees of a forest, each a share of the mean."""
    trees = [
        {
            "children_left": tree.left,
            "children_right": tree.right,
            "children_default": tree.left,
            "features": tree.feature,
            "thresholds": np.nan_to_num(tree.threshold),
            "values": tree.value / forest.n_trees,
            "node_sample_weight": tree.weight.astype(float),
        }
        for tree in forest.trees
    ]
    return {"trees": trees}


def lightgbm_seconds(model: Any, X: NDArray, y: NDArray, rows: NDArray, repeats: int) -> float:
    """Of `pred_contrib` of a random forest with as many trees and about as many leaves."""
    try:
        import lightgbm
    except ImportError:
        return np.nan
    leaves = int(np.mean(model.forest_.n_leaves))
    settings = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6, "verbose": -1}
    kind = lightgbm.LGBMClassifier if hasattr(model, "classes_") else lightgbm.LGBMRegressor
    theirs = kind(
        n_estimators=N_TREES, min_child_samples=1, num_leaves=max(2, leaves), n_jobs=1, **settings
    )
    theirs.fit(X, y)
    return min(timed(lambda: theirs.predict(rows, pred_contrib=True))[1] for _ in range(repeats))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=3000, help="to fit")
    parser.add_argument("--explained", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    import shap

    print(one_line())
    print(f"{'forest':28} {'ours':>7} {'shap':>8} {'LightGBM':>9} {'largest difference':>19}")
    for name, (estimator, X, y) in problems(options.rows).items():
        model = estimator.fit(X, y)
        rows = X[: options.explained]
        explainer = shap.TreeExplainer(as_shap_takes_it(model.forest_))
        ours, theirs = [], []
        for _ in range(options.repeats):
            found, seconds, _ = timed(lambda model=model, rows=rows: model.shap_values(rows).values)
            ours.append(seconds)
            expected, seconds, _ = timed(
                lambda explainer=explainer, rows=rows: explainer.shap_values(
                    rows, check_additivity=False
                )
            )
            theirs.append(seconds)
        other = lightgbm_seconds(model, X, y, rows, options.repeats)
        apart = np.abs(found - expected).max()
        words = f"{min(ours):7.3f} {min(theirs):8.3f} {other:9.3f} {apart:19.1e}"
        print(f"{name:28} {words}", flush=True)


if __name__ == "__main__":
    main()
