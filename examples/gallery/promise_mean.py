"""
A promise to read with care: the interval of the mean
=====================================================

``kind="mean"`` says how far the fit would move with another sample of as many rows. It does not say
where the truth is: bias is no spread.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import CalibratedForestRegressor

rng = np.random.default_rng(0)


def f(x):
    return 2 * np.exp(-(((x - 0.5) / 0.06) ** 2)) + x


def draw(n):
    x = rng.random(n)
    return x[:, None], f(x) + 0.4 * rng.standard_normal(n)


grid = np.linspace(0, 1, 201)
fits = [CalibratedForestRegressor(60, random_state=i).fit(*draw(300)) for i in range(15)]
means = np.array([fit.predict(grid[:, None]) for fit in fits])
low, high = fits[0].predict_interval(grid[:, None], coverage=0.9, kind="mean").T

# %%
# Kept: the fits to fifteen samples spread about as widely as one of them says. Broken, if it is
# read as "the truth is in here": at the peak all fits are too low.

said = np.mean([np.diff(fit.predict_interval(grid[:, None], kind="mean")) for fit in fits])
true = np.mean(2 * 1.645 * means.std(axis=0, ddof=1))
holds = np.mean(
    [
        (lo <= f(grid)) & (f(grid) <= hi)
        for lo, hi in (fit.predict_interval(grid[:, None], kind="mean").T for fit in fits)
    ],
    axis=0,
)
near_peak = abs(grid - 0.5) < 0.06
print(f"mean width said {said:.2f}, of the fits {true:.2f}")
at_peak, elsewhere = holds[near_peak].mean(), holds[~near_peak].mean()
print(f"holds f(x): {at_peak:.2f} at the peak, {elsewhere:.2f} elsewhere")

# %%
figure, (top, bottom) = plt.subplots(
    2, figsize=(7, 5), sharex=True, height_ratios=(2, 1), layout="constrained"
)
top.plot(grid, means.T, color="0.7", linewidth=0.7)
top.plot([], [], color="0.7", label="fits to other samples")
top.fill_between(grid, low, high, color="C0", alpha=0.3, label="90 % interval of the mean")
top.plot(grid, f(grid), color="C3", label="the truth f(x)")
top.legend(loc="upper left", fontsize="small")
top.set(ylabel="y", title="Kept for the fit, broken for the truth where it bends")
bottom.plot(grid, holds, color="C0")
bottom.axhline(0.9, color="0.3", linestyle="--")
bottom.set(xlabel="x", ylabel="holds f(x)", ylim=(0, 1.05))
plt.show()
