"""
A promise kept: nine new values in ten
======================================

The 90 % interval of a calibrated forest is about new values: nine in ten fall into it, in the mean
over new rows like the old ones. Here the truth is known: noise grows from left to right.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import CalibratedForestRegressor

rng = np.random.default_rng(0)


def draw(n):
    x = np.sort(rng.random(n))
    return x[:, None], np.sin(6 * x) + (0.1 + 0.9 * x) * rng.standard_normal(n)


X, y = draw(1000)
forest = CalibratedForestRegressor(random_state=0).fit(X, y)

# %%
# No rows were held out. Each row was predicted by the trees that left it out, and the sizes of
# these errors set the width, region by region. On rows that nobody has seen:

X_new, y_new = draw(5000)
low, high = forest.predict_interval(X_new, coverage=0.9).T
is_inside = (low <= y_new) & (y_new <= high)
thirds = np.array_split(np.arange(len(y_new)), 3)  # rows lie from left to right
covered = [is_inside[rows].mean() for rows in thirds]
print(f"covered {is_inside.mean():.3f}; from left to right", *(f"{c:.3f}" for c in covered))

# %%
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.fill_between(X_new[:, 0], low, high, color="C0", alpha=0.2, label="90 % interval")
ax.plot(X_new[:, 0], forest.predict(X_new), color="C0", label="prediction")
some = np.arange(0, len(y_new), 8)
for inside, colour in ((True, "0.5"), (False, "C3")):
    rows = some[is_inside[some] == inside]
    label = "new values inside" if inside else "outside"
    ax.plot(X_new[rows, 0], y_new[rows], ".", color=colour, markersize=4, label=label)
for place, share in zip((1 / 6, 1 / 2, 5 / 6), covered, strict=True):
    ax.text(place, 3.4, f"covers {share:.1%}", ha="center")
ax.set(xlabel="x", ylabel="y", ylim=(-4.2, 4.2), title="Kept: 90 % asked, region by region")
ax.legend(loc="lower left", ncols=2, fontsize="small")
plt.show()
