"""
Columns that may only raise the answer
======================================

Where it is known that a prediction never falls along a column, saying so removes wiggles and helps.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import CalibratedForestRegressor

rng = np.random.default_rng(0)
X = rng.random((150, 2))
y = np.log1p(9 * X[:, 0]) + 0.5 * rng.standard_normal(150)
grid = np.column_stack([np.linspace(0, 1, 300), np.full(300, 0.5)])
truth = np.log1p(9 * grid[:, 0])

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(X[:, 0], y, ".", color="0.7")
ax.plot(grid[:, 0], truth, color="0.2", linestyle="--", label="truth")
for name, rule in (("free", None), ("never falling", [1, 0])):
    forest = CalibratedForestRegressor(200, monotonic_cst=rule, random_state=0).fit(X, y)
    fit = forest.predict(grid)
    error = np.sqrt(np.mean((fit - truth) ** 2))
    ax.plot(grid[:, 0], fit, label=f"{name}: error {error:.2f}")
    print(f"{name}: falls {np.sum(np.diff(fit) < 0)} times, error {error:.3f}")
ax.set(xlabel="x", ylabel="y")
ax.legend()
plt.show()
