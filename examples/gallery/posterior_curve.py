"""
A posterior over curves
=======================

Figure 1 of Taddy and others (2015) in our colours, on simulated crash-helmet data: every tree of a
Bayesian forest is a draw, and their spread is how sure the data make us of the tree.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import BayesianForestRegressor
from bayeswood.plots import PosteriorCurveDisplay

# %%
# Acceleration of a helmet over the milliseconds after an impact: calm, blow, rebound.

rng = np.random.default_rng(0)
time = np.sort(rng.uniform(2, 58, size=133))
blow = -110 * np.exp(-(((time - 22) / 6) ** 2)) + 45 * np.exp(-(((time - 34) / 6) ** 2))
acceleration = blow + np.where(time > 14, 22, 2) * rng.normal(size=133)

forest = BayesianForestRegressor(random_state=0).fit(time[:, None], acceleration)
ax = PosteriorCurveDisplay.from_estimator(forest, time[:, None], acceleration).ax_
ax.set(xlabel="milliseconds after the impact", ylabel="acceleration, g")
plt.show()
