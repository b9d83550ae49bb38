"""Look at a model from every side: the pictures of docs/looking.md.

python examples/looking.py [folder]
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
from sklearn.datasets import load_diabetes

mpl.use("Agg")

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    MCMCTreeClassifier,
    calibration_report,
    coverage_report,
    explain,
    plots,
)
from bayeswood.datasets import load_breast_cancer_wisconsin, load_iris, load_wine_quality

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
folder.mkdir(parents=True, exist_ok=True)


def keep(name: str, display: Any) -> None:
    """Write a picture."""
    display.figure_.savefig(folder / f"{name}.png", dpi=90)


cancer = load_breast_cancer_wisconsin(as_frame=True)
X, y = cancer.data, cancer.target
forest = BayesianForestClassifier(min_samples_leaf=3, random_state=0).fit(X[::2], y[::2])
X_new, y_new = X[1::2], y[1::2]

iris = load_iris(as_frame=True)
petals = iris.data[["petal_length", "petal_width"]]
flowers = BayesianForestClassifier(min_samples_leaf=3, random_state=0).fit(petals, iris.target)

chains: dict[str, Any] = {
    "n_burn_in": 5000,
    "n_draws": 2000,
    "thin": 100,
    "move_probabilities": "schetinin",
}
petal_trees = MCMCTreeClassifier(4, **chains, random_state=0)
petal_trees.fit(petals, iris.target)

wine = load_wine_quality(as_frame=True)
tasters = BayesianForestRegressor(min_samples_leaf=5, random_state=0)
tasters.fit(wine.data[::2], wine.target[::2])
wine_new, quality_new = wine.data[1::2], wine.target[1::2]
trunk = BayesianForestRegressor(min_samples_leaf=400, random_state=0)
trunk.fit(wine.data, wine.target)

X, y = load_diabetes(return_X_y=True, as_frame=True)
doctors = BayesianForestRegressor(min_samples_leaf=5, random_state=0).fit(X[::2], y[::2])
patients_new = X[1::2], y[1::2]

hardest = int(forest.uncertainty(X_new).knowledge.argmax())
print(explain(forest, X_new.iloc[hardest]))
print()
print(calibration_report(forest, X_new, y_new))
print()
print(coverage_report(tasters, wine_new, quality_new, groups=wine_new["color"]))

keep("looking-reliability", plots.ReliabilityDisplay.from_estimator(forest, X_new, y_new))
keep("looking-envelope", plots.EnvelopeDisplay.from_estimator(forest, X_new, y_new))
keep(
    "looking-importance",
    plots.PermutationImportanceDisplay.from_estimator(forest, X_new, y_new, score="brier"),
)
keep("looking-map", plots.DecisionMapDisplay.from_estimator(flowers, petals, iris.target))
keep("looking-tree", plots.TreeDisplay.from_estimator(flowers))
keep("looking-trunk", plots.TrunkDisplay.from_estimator(trunk))
keep(
    "looking-dependence",
    plots.PartialDependenceDisplay.from_estimator(
        tasters, wine_new, ["alcohol", "volatile_acidity", "color"], max_rows=300
    ),
)
keep("looking-intervals", plots.IntervalDisplay.from_estimator(doctors, *patients_new))
keep("looking-structure", plots.StructureDisplay.from_estimator(petal_trees))
keep("looking-trace", plots.TraceDisplay.from_estimator(petal_trees))
print("\nPictures are in", folder)
