"""
Why forests average, and why features are drawn
===============================================

The variance of a mean of B trees is σ²/B + (B − 1)/B ρσ²: more trees lower the first term, trees
that are less alike the second. Both numbers can be measured on a fitted forest.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

from bayeswood import RandomForestRegressor
from bayeswood.theory import ensemble_variance, estimate_tree_correlation

n_trees = np.arange(1, 101)
X_new, _ = make_friedman1(n_samples=300, random_state=99)


def predictions_of_trees(n_features, seed):
    """What 30 trees say of new rows, fitted to a sample of their own."""
    X, y = make_friedman1(n_samples=200, noise=1.0, random_state=seed)
    forest = RandomForestRegressor(30, max_features=n_features, random_state=seed).fit(X, y)
    return forest.predict_draws(X_new)


# %%
# Ten training sets tell how trees of one forest vary together.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for n_features in (2, 5, 10):
    trees = np.array([predictions_of_trees(n_features, seed) for seed in range(10)])
    found = estimate_tree_correlation(trees)
    variance = [ensemble_variance(found.variance, found.correlation, int(b)) for b in n_trees]
    ax.plot(n_trees, variance, label=f"{n_features} of 10 features: ρ = {found.correlation:.2f}")
ax.set(xlabel="trees", ylabel="variance of the forest's prediction", ylim=(0, None))
ax.legend()
plt.show()
