"""
A promise broken, and mended: groups
====================================

Ten rows of every patient, and new rows from new patients. Each row has relatives in the trees that
should not know it: out-of-bag errors are too small, and so are the intervals.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import CalibratedForestRegressor

rng = np.random.default_rng(0)


def patients(n):
    who = np.repeat(np.arange(n), 10)
    X = rng.random((n, 5))[who] + 0.01 * rng.standard_normal((10 * n, 5))
    own = rng.standard_normal(n)[who]  # what makes a patient differ from others
    return X, 3 * X[:, 0] + own + 0.3 * rng.standard_normal(10 * n), who


X, y, who = patients(300)
X_new, y_new, _ = patients(500)

# %%
# `oob_groups` says who belongs together; a tree then leaves out whole patients.

intervals = {}
for name, groups in (("rows as if unrelated", None), ("oob_groups=patient", who)):
    forest = CalibratedForestRegressor(100, random_state=0).fit(X, y, oob_groups=groups)
    intervals[name] = forest.predict_interval(X_new, coverage=0.9)

# %%
figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), sharey=True, layout="constrained")
for ax, (name, interval) in zip(axes, intervals.items(), strict=True):
    low, high = interval.T
    is_inside = (low <= y_new) & (y_new <= high)
    for i, row in enumerate(range(0, len(y_new), 70)):
        colour = "C0" if is_inside[row] else "C3"
        ax.plot([i, i], [low[row], high[row]], color=colour, alpha=0.4, linewidth=2)
        ax.plot(i, y_new[row], "o", color=colour, markersize=3)
    verdict = "broken" if is_inside.mean() < 0.8 else "kept"
    ax.set(title=f"{name}\n{verdict}: {is_inside.mean():.0%} of 90 %", xlabel="new patients")
    print(f"{name}: covers {is_inside.mean():.2f}")
axes[0].set_ylabel("interval, and what came")
plt.show()
