"""
How sure is the first split?
============================

The first splits of a tree are made from many rows and hardly differ between the members of a
Bayesian forest. That is why they may be fixed, as the empirical Bayesian forest does.
"""

import matplotlib.pyplot as plt

from bayeswood import BayesianForestRegressor, EmpiricalBayesianForestRegressor
from bayeswood.datasets import load_wine_quality
from bayeswood.plots import TrunkDisplay

wine = load_wine_quality(as_frame=True)
forest = BayesianForestRegressor(min_samples_leaf=400, random_state=0).fit(wine.data, wine.target)
TrunkDisplay.from_estimator(forest)
plt.show()

# %%
# The same question in numbers, from a forest whose trunk is fixed.

pieces = EmpiricalBayesianForestRegressor(20, trunk_min_samples_leaf=1000, random_state=0)
print(pieces.fit(wine.data, wine.target).trunk_stability_)
