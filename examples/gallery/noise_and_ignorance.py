"""
Noise and ignorance
===================

`uncertainty` splits the variance of a new value: *data* is noise, which stays however many rows are
added, *knowledge* is what more rows would take away.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import CalibratedForestRegressor

rng = np.random.default_rng(0)
grid = np.linspace(0, 1, 200)[:, None]


def draw(n):
    x = rng.random(n)
    return x[:, None], np.sin(8 * x) + np.where(x < 0.5, 0.1, 0.6) * rng.standard_normal(n)


# %%
# The noise is 0.1 on the left and 0.6 on the right. With fifty times the rows, the noise said is
# still that; what is left of ignorance is little.

figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), sharey=True, layout="constrained")
for ax, n in zip(axes, (100, 5000), strict=True):
    forest = CalibratedForestRegressor(100, random_state=0).fit(*draw(n))
    parts = forest.uncertainty(grid)
    ax.plot(grid, np.where(grid < 0.5, 0.1, 0.6), color="0.3", linestyle="--", label="true noise")
    ax.plot(grid, parts.data**0.5, color="C0", label="data")
    ax.plot(grid, parts.knowledge**0.5, color="C3", label="knowledge")
    ax.set(title=f"{n:,} rows", xlabel="x")
    print(f"{n:5} rows: mean sd of knowledge {np.mean(parts.knowledge**0.5):.3f}")
axes[0].set_ylabel("standard deviation")
axes[0].legend(fontsize="small")
plt.show()
