"""
What a feature does, and how surely
===================================

Partial dependence of every member of a forest makes a band, and importances by permutation have
intervals too.
"""

import matplotlib.pyplot as plt

from bayeswood import BayesianForestRegressor
from bayeswood.datasets import load_wine_quality
from bayeswood.plots import PartialDependenceDisplay, PermutationImportanceDisplay

wine = load_wine_quality(as_frame=True)
X, y, X_new, y_new = wine.data[::4], wine.target[::4], wine.data[1::8], wine.target[1::8]
forest = BayesianForestRegressor(60, min_samples_leaf=5, random_state=0).fit(X, y)

# %%
PartialDependenceDisplay.from_estimator(
    forest, X_new, ["alcohol", "volatile_acidity", "color"], max_rows=100
)
plt.show()

# %%
PermutationImportanceDisplay.from_estimator(forest, X_new, y_new)
plt.show()
