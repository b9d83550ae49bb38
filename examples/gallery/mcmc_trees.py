"""
The posterior over one tree, by Markov chains
=============================================

Chains over trees: which features and how many leaves the data ask for, and whether the chains
agree.
"""

import matplotlib.pyplot as plt

from bayeswood import MCMCTreeClassifier
from bayeswood.datasets import load_iris
from bayeswood.plots import StructureDisplay, TraceDisplay

iris = load_iris(as_frame=True)
trees = MCMCTreeClassifier(4, n_burn_in=4000, n_draws=500, thin=20, random_state=0)
trees.fit(iris.data, iris.target)
print(f"another seed would move probabilities by {trees.monte_carlo_error_:.4f} in the mean")

# %%
StructureDisplay.from_estimator(trees)
plt.show()

# %%
TraceDisplay.from_estimator(trees)
plt.show()
