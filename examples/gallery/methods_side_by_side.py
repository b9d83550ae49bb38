"""
The methods side by side
========================

Six regressors on the same 150 rows: a jump, a slope and a calm stretch. The line is the prediction,
the band the 90 % interval of new values.
"""

import matplotlib.pyplot as plt
import numpy as np

import bayeswood

rng = np.random.default_rng(0)


def f(x):
    return np.where(x < 0.35, 0.0, np.where(x < 0.7, 2 - 4 * (x - 0.35), 0.6))


x = np.sort(rng.random(150))
y = f(x) + 0.25 * rng.standard_normal(150)
grid = np.linspace(0, 1, 300)
methods = {
    "calibrated forest": bayeswood.CalibratedForestRegressor(100, random_state=0),
    "Bayesian forest": bayeswood.BayesianForestRegressor(min_samples_leaf=10, random_state=0),
    "safe-Bayesian forest": bayeswood.SafeBayesForestRegressor(100, random_state=0),
    "one tree, by chains": bayeswood.MCMCTreeRegressor(
        4, n_burn_in=2000, n_draws=200, random_state=0
    ),
    "one tree, by particles": bayeswood.SMCTreeRegressor(500, proposal="optimal", random_state=0),
    "sums of trees (BART)": bayeswood.BARTRegressor(
        50, n_chains=2, n_draws=100, thin=2, random_state=0
    ),
}

# %%
figure, axes = plt.subplots(2, 3, figsize=(10, 5.5), sharex=True, sharey=True, layout="constrained")
for ax, (name, method) in zip(axes.flat, methods.items(), strict=True):
    method.fit(x[:, None], y)
    low, high = method.predict_interval(grid[:, None], coverage=0.9).T
    ax.plot(x, y, ".", color="0.6", markersize=3)
    ax.fill_between(grid, low, high, color="C0", alpha=0.2)
    ax.plot(grid, method.predict(grid[:, None]), color="C0")
    ax.plot(grid, f(grid), color="C3", linestyle=":")
    ax.set_title(name, fontsize="medium")
    error = np.sqrt(np.mean((method.predict(grid[:, None]) - f(grid)) ** 2))
    print(f"{name:22} error of the mean {error:.3f}")
plt.show()
