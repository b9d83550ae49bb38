"""Fit, predict with intervals, ask how sure the forest is, draw it, save it.

python examples/quickstart.py
"""

import tempfile
from pathlib import Path

from sklearn.model_selection import train_test_split

import bayeswood
from bayeswood.datasets import load_breast_cancer_wisconsin
from bayeswood.plots import plot_overview
from bayeswood.report import predict_rows, score_predictions, summarize_importances

cancer = load_breast_cancer_wisconsin(as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(
    cancer.data, cancer.target, test_size=0.25, stratify=cancer.target, random_state=0
)
forest = bayeswood.CalibratedForestClassifier(min_samples_leaf=3, random_state=0)
forest.fit(X_train, y_train)
print("accuracy", forest.score(X_test, y_test))

# Is 80 % 80 %? Judged by the rows that trees left out.
print(forest.out_of_bag_report())

# How sure is each tree? The quantiles over the trees.
print("p(malignant) of the first case", forest.predict_proba(X_test)[0, 1].round(3))
print("and its 90 % interval         ", forest.predict_interval(X_test)[0, 1].round(3))

# Where do the trees disagree, and what is just noise?
uncertainty = forest.uncertainty(X_test)
print("least known case: row", uncertainty.knowledge.argmax())

# What the command line reports, as plain data.
predictions = predict_rows(forest, X_test, coverage=0.9, gamma0=0.9)
print(score_predictions(predictions, y_test))

folder = Path(tempfile.mkdtemp())
figure = plot_overview(predictions, y_test, summarize_importances(forest), title="Biopsies")
figure.savefig(folder / "biopsies.png")
forest.save(folder / "biopsies.bayeswood")
same = bayeswood.load(folder / "biopsies.bayeswood")
print("wrote to", folder, "and read back:", (same.predict(X_test) == forest.predict(X_test)).all())
