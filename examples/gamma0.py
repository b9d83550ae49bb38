"""How many votes make a case confident? The table behind the default γ₀ = 0.9.

For each data set, five-fold cross-validation of a Bayesian forest; then, for several thresholds
γ₀ on the share of trees that vote for the predicted class: the share of cases that are confident,
the error among them, and the share of all errors that are called uncertain.

    python examples/gamma0.py                          the bundled data sets
    python examples/gamma0.py sonar vehicle            others that `datasets.load` knows
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from bayeswood import BayesianForestClassifier, datasets
from bayeswood.report import ClassPredictions, predict_rows

THRESHOLDS = (0.7, 0.8, 0.9, 0.95, 0.99)
BUNDLED = ("breast_cancer_wisconsin", "iris", "wine")


def cross_validate(X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Agreement of the trees, and whether the prediction is right, for every row."""
    agreement, is_right = np.zeros(len(y)), np.zeros(len(y), dtype=bool)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in folds.split(X, y):
        forest = BayesianForestClassifier(random_state=0).fit(X[train], y[train])
        predictions = predict_rows(forest, X[test])
        assert isinstance(predictions, ClassPredictions)
        agreement[test] = predictions.agreement
        is_right[test] = predictions.predicted == y[test]
    return agreement, is_right


def describe(agreement: NDArray[np.float64], is_right: NDArray[np.bool_], gamma0: float) -> str:
    """The three shares for one threshold."""
    confident = agreement >= gamma0
    error = 1 - is_right[confident].mean() if confident.any() else 0.0
    caught = np.mean(~confident[~is_right]) if not is_right.all() else 1.0
    return f"{confident.mean():4.0%} {error:5.1%} {caught:4.0%}"


def main(names: Sequence[str]) -> None:
    """Print one line per data set."""
    print("confident, wrong among them, errors called uncertain\n")
    header = "  ".join(f"{gamma0:^15}" for gamma0 in THRESHOLDS)
    print(f"{'':24} accuracy  {header}")
    for name in names:
        data = datasets.load(name)
        agreement, is_right = cross_validate(data.features, data.target)
        cells = "  ".join(f"{describe(agreement, is_right, g):15}" for g in THRESHOLDS)
        print(f"{name:24} {is_right.mean():8.1%}  {cells}")


if __name__ == "__main__":
    with datasets.exit_without_data():
        main(sys.argv[1:] or BUNDLED)
