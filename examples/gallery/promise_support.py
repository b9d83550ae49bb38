"""
No promise where there are no data
==================================

Trained on [0, 1] and [3, 4] and asked everywhere: between them and beyond, the interval is as calm
as at the nearest leaf. `support` says where it means nothing.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import CalibratedForestRegressor


def f(x):
    return np.sin(2 * x)


rng = np.random.default_rng(0)
x = rng.random(400) + 3 * (rng.random(400) < 0.5)
y = f(x) + 0.2 * rng.normal(size=400)
forest = CalibratedForestRegressor(random_state=0).fit(x[:, None], y)

asked = np.linspace(-1, 5, 601)[:, None]
low, high = forest.predict_interval(asked, coverage=0.9).T
support = forest.support(asked)
is_far = support < 0.05

# %%
# What new values would do, if the function went on as it does:

new = f(asked[:, 0]) + 0.2 * rng.normal(size=(200, len(asked)))
covered = np.mean((low <= new) & (new <= high), axis=0)
print(
    f"covered: {covered[~is_far].mean():.2f} near data, {covered[is_far].mean():.2f} far from them"
)

# %%
figure, (top, bottom) = plt.subplots(2, sharex=True, figsize=(7, 4.8), layout="constrained")
top.fill_between(asked[:, 0], low, high, color="C0", alpha=0.2, label="90 % interval")
top.plot(x, y, ".", color="0.4", markersize=3, label="training rows")
top.plot(asked[:, 0], forest.predict(asked), color="C0", label="prediction")
top.plot(asked[:, 0], f(asked[:, 0]), color="C3", linestyle=":", label="the truth")
top.set(ylabel="y", title="Kept near the data, broken elsewhere, and said so")
top.legend(loc="lower right", fontsize="small", ncols=2)
bottom.semilogy(asked[:, 0], support, color="C3")
bottom.axhline(0.05, color="0.4", linestyle="--")
bottom.text(1.15, 0.06, "below 0.05: no data near", fontsize="small", va="bottom")
bottom.set(ylabel="support", xlabel="x")
plt.show()
