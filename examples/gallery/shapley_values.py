"""
Which features moved a prediction
=================================

Shapley values of sums of trees are exact here, and have bands: members of the forest disagree about
them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from bayeswood import BayesianForestRegressor
from bayeswood.plots import ShapFeatureDisplay, ShapRowDisplay, ShapRowsDisplay

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
forest = BayesianForestRegressor(60, min_samples_leaf=5, random_state=0).fit(X, y)
values = forest.shap_values(X[:1])
print(values)

# %%
# One row: what each feature adds to the mean, and how sure that is.

ShapRowDisplay.from_estimator(forest, X[:1])
plt.show()

# %%
# Many rows, and one feature in all of them.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
ShapRowsDisplay.from_estimator(forest, X[:200], n_features=8, ax=left)
ShapFeatureDisplay.from_estimator(forest, X[:100], "bmi", ax=right)
plt.show()
