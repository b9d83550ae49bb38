"""
Sums of trees: BART
===================

Draws of functions from the posterior over sums of small trees, and a check that chains have
arrived.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import BARTRegressor
from bayeswood.plots import PosteriorCurveDisplay, TraceDisplay

rng = np.random.default_rng(0)
x = np.sort(rng.random(200))[:, None]
y = np.sin(8 * x[:, 0]) + 0.3 * rng.standard_normal(200)
bart = BARTRegressor(50, n_chains=2, n_burn_in=100, n_draws=200, thin=1, random_state=0).fit(x, y)
print(f"noise: {bart.noise_sd_.mean():.2f} (true: 0.3)")

# %%
ax = PosteriorCurveDisplay.from_estimator(bart, x, y).ax_
ax.plot(x, np.sin(8 * x), color="k", linestyle="--", label="truth")
plt.show()

# %%
TraceDisplay.from_estimator(bart)
plt.show()
