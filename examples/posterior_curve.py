"""Figure 1 of Taddy and others (2015) in our colours, on simulated crash-helmet data.

python examples/posterior_curve.py curve.png
"""

import sys

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bayeswood import BayesianForestRegressor
from bayeswood.plots import PosteriorCurveDisplay


def simulate(n_rows: int = 133, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Acceleration of a helmet over the milliseconds after an impact: calm, blow, rebound."""
    rng = np.random.default_rng(seed)
    time = np.sort(rng.uniform(2, 58, size=n_rows))
    blow = -110 * np.exp(-(((time - 22) / 6) ** 2)) + 45 * np.exp(-(((time - 34) / 6) ** 2))
    return time[:, None], blow + np.where(time > 14, 22, 2) * rng.normal(size=n_rows)


def main(path: str) -> None:
    """Fit, draw, save."""
    X, y = simulate()
    forest = BayesianForestRegressor(n_estimators=100, random_state=0).fit(X, y)
    figure = Figure(figsize=(8, 5), dpi=150, layout="constrained")
    ax = figure.add_subplot()
    PosteriorCurveDisplay.from_estimator(forest, X, y, ax=ax)
    ax.set(xlabel="milliseconds after the impact", ylabel="acceleration, g")
    figure.savefig(path)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "curve.png")
