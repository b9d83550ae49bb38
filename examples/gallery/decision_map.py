"""
Where classes meet
==================

Two features, the class that the trees choose, and how many of them do.
"""

import matplotlib.pyplot as plt

from bayeswood import BayesianForestClassifier
from bayeswood.datasets import load_iris
from bayeswood.plots import DecisionMapDisplay, TreeDisplay

iris = load_iris(as_frame=True)
petals = iris.data[["petal_length", "petal_width"]]
flowers = BayesianForestClassifier(min_samples_leaf=3, random_state=0).fit(petals, iris.target)
DecisionMapDisplay.from_estimator(flowers, petals, iris.target)
plt.show()

# %%
# One tree of the forest.

TreeDisplay.from_estimator(flowers, member=0)
plt.show()
