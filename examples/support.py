"""A forest trained on [0, 1] and [3, 4], asked everywhere: its interval, and where it has data.

python examples/support.py [picture.png]
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import CalibratedForestRegressor

rng = np.random.default_rng(0)
x = rng.random(400) + 3 * (rng.random(400) < 0.5)
y = np.sin(2 * x) + 0.2 * rng.normal(size=400)
forest = CalibratedForestRegressor(random_state=0).fit(x[:, None], y)

asked = np.linspace(-1, 5, 601)[:, None]
low, high = forest.predict_interval(asked, coverage=0.9).T
support = forest.support(asked)

figure, (top, bottom) = plt.subplots(2, sharex=True, figsize=(7, 4.5), layout="constrained")
top.fill_between(asked[:, 0], low, high, color="0.8", label="90 % interval")
top.plot(x, y, ".", color="0.3", markersize=3, label="training rows")
top.plot(asked[:, 0], forest.predict(asked), color="C0", label="prediction")
top.set_ylabel("y")
top.legend(loc="lower right", fontsize="small")
bottom.semilogy(asked[:, 0], support, color="C3")
bottom.axhline(0.05, color="0.5", linestyle="--")
bottom.text(1.2, 0.06, "0.05: below, no data near", fontsize="small", va="bottom")
bottom.set_ylabel("support")
bottom.set_xlabel("x")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "support.png", dpi=90)
print(f"{np.mean(support < 0.05):.0%} of the places have no data near")
