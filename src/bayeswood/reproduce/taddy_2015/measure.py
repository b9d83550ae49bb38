"""Errors of the paper's trees and forests, by the names that the parts give them.

Footnote 7: at least 3 rows in a leaf, 100 trees; every feature is a candidate at every split. An
EBF has a trunk with leaves of so many rows. SSF: five parts, 100 trees in each, so that it costs
what the Bayesian forest costs. BCART: one chain of 7,000 iterations of which 2,000 are burn-in and
every second is kept, the defaults of the R package tgp. BART: 200 trees, rules at 100 even cuts of
a feature's range, one chain from trees of one leaf, the defaults of the R package BayesTree, of
which 200 sweeps are kept after 100. What is called "script" has the settings of the authors' public
scripts (github.com/TaddyLab/bayesian-forest), where they are not the text's.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.ensemble import RandomForestRegressor as SklearnForest
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.tree import DecisionTreeRegressor

from bayeswood.methods import (
    BARTRegressor,
    BayesianForestRegressor,
    EmpiricalBayesianForestRegressor,
    MCMCTreeRegressor,
    RandomForestRegressor,
    SubsampleForestRegressor,
)
from bayeswood.reproduce.data import load

F64 = NDArray[np.float64]

CALIFORNIA, WINE = "california_housing_raw", "wine_quality"
MIN_LEAF, N_TREES, N_PARTS, N_FOLDS = 3, 100, 5, 10
SCRIPT_MIN_LEAF, SCRIPT_MIN_WEIGHT = 2, 1e-4
EVEN_CUTS = 100
# KFold's random state in the authors' scripts, which makes the folds of California theirs.
_FOLDS_OF_SCRIPT = 5807


def friedman_errors(names: list[str], first: int, n_repeats: int, seed: int) -> dict[str, Any]:
    """Figure 2: RMSE against the true f(x) of eq. (5), 100 training rows, 1,000 test rows."""
    errors: dict[str, list[float]] = {name: [] for name in names}
    for repeat in range(first, first + n_repeats):
        rng = np.random.default_rng([seed, repeat])
        X, new = rng.uniform(size=(100, 10)), rng.uniform(size=(1000, 10))
        y = friedman(X) + rng.normal(size=100)
        for name in names:
            model = make_regressor(name, 1000 * seed + repeat).fit(X, y)
            errors[name].append(_rmse(model.predict(new), friedman(new)))
    return errors


def friedman(X: F64) -> F64:
    """f(x) of eq. (5); of ten features the last five are spurious."""
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return np.asarray(f + 10 * X[:, 3] + 5 * X[:, 4])


def fold_error(data: str, name: str, fold: int, seed: int) -> dict[str, float]:
    """RMSE of a model on one of ten folds, and the CPU seconds of its fit.

    `data` is ``"california"`` (in $1,000), ``"wine"`` or ``"white wine"``.
    """
    X, y = table(data)
    folds = KFold(N_FOLDS, shuffle=True, random_state=_FOLDS_OF_SCRIPT + seed)
    train, test = list(folds.split(X))[fold]
    model = make_regressor(name, 1000 * seed + fold)
    start = time.process_time()
    model.fit(X[train], y[train])
    seconds = time.process_time() - start
    return {"error": _rmse(model.predict(X[test]), y[test]), "seconds": seconds}


def table(data: str) -> tuple[F64, F64]:
    """Features and response; the colour of a wine is 1 for red."""
    if data == "california":
        found = load(CALIFORNIA)
        return np.asarray(found.features, dtype=float), np.asarray(found.target, dtype=float) / 1e3
    found = load(WINE)
    features = np.array(found.features, dtype=object)
    colour = found.feature_names.index("color")
    is_red = features[:, colour] == "red"
    features[:, colour] = is_red
    X, y = features.astype(float), np.asarray(found.target, dtype=float)
    return (X[~is_red], y[~is_red]) if data == "white wine" else (X, y)


def wine_sizes() -> dict[str, int]:
    """Rows of the wine data: all, and the white ones; columns that are not the colour."""
    X, _ = table("wine")
    return {"all": len(X), "white": len(table("white wine")[0]), "attributes": X.shape[1] - 1}


def _rmse(predicted: Any, truth: F64) -> float:
    return float(np.sqrt(np.mean((predicted - truth) ** 2)))


def make_regressor(name: str, seed: int) -> Any:
    """An unfitted regressor; ``"EBF 3000"`` and ``"trunk 3000"`` are of any size.

    Parameters
    ----------
    name : str
    seed : int
    """
    kind, _, size = name.partition(" ")
    if size.isdigit():
        return _SIZED[kind](int(size), seed)
    return _MODELS[name](seed)


def _grafted(leaf_size: int, seed: int) -> Any:
    return EmpiricalBayesianForestRegressor(
        N_TREES, trunk_min_samples_leaf=leaf_size, check_trunk=False, random_state=seed, **_USUAL
    )


def _trunk(leaf_size: int, seed: int) -> Any:
    return DecisionTreeRegressor(min_samples_leaf=leaf_size, random_state=seed)


def _chain(alpha: float, beta: float, min_leaf: int, seed: int) -> Any:
    return MCMCTreeRegressor(
        1, n_burn_in=2000, n_draws=2500, thin=2, alpha_split=alpha, beta_split=beta,
        min_samples_leaf=min_leaf, move_probabilities="chipman", random_state=seed,
    )  # fmt: skip


def _sums(n_trees: int, seed: int, n_burn_in: int = 100, **settings: Any) -> Any:
    """One chain from trees of one leaf."""
    return BARTRegressor(
        n_trees, n_chains=1, n_warm_up=0, n_burn_in=n_burn_in, n_draws=200, thin=1,
        random_state=seed, **settings,
    )  # fmt: skip


def _evenly_cut(model: Any) -> Any:
    """A model on the number of the interval, of so many as cuts make, that a value is in."""
    intervals = KBinsDiscretizer(
        EVEN_CUTS + 1, encode="ordinal", strategy="uniform", subsample=None
    )
    return make_pipeline(intervals, model)


class WeightedTrees:
    """Algorithm 1 out of scikit-learn's trees: what the Bayesian forest is held against.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def fit(self, X: F64, y: F64) -> "WeightedTrees":
        """Grow 100 trees, each on Exp(1) weights of its own."""
        self._trees = [
            DecisionTreeRegressor(min_samples_leaf=MIN_LEAF, random_state=tree).fit(
                X, y, sample_weight=self._rng.exponential(size=len(y))
            )
            for tree in range(N_TREES)
        ]
        return self

    def predict(self, X: F64) -> F64:
        """The mean of the trees."""
        return np.asarray(np.mean([tree.predict(X) for tree in self._trees], axis=0))


class ForestsOfPieces:
    """A random forest (not a Bayesian one) on each piece of the rows, as the authors' script has.

    Parameters
    ----------
    trunk_leaf : int or None
        Rows in a leaf of the trunk that makes the pieces; None for five random pieces.
    seed : int
    """

    def __init__(self, trunk_leaf: int | None, seed: int) -> None:
        self._trunk = None if trunk_leaf is None else _trunk(trunk_leaf, seed)
        self._seed = seed

    def fit(self, X: F64, y: F64) -> "ForestsOfPieces":
        """Grow a forest on each piece."""
        if self._trunk is None:
            piece = np.random.default_rng(self._seed).integers(N_PARTS, size=len(y))
        else:
            piece = self._trunk.fit(X, y).apply(X)
        self._forests = {
            int(k): RandomForestRegressor(N_TREES, random_state=self._seed, **_USUAL).fit(
                X[piece == k], y[piece == k]
            )
            for k in np.unique(piece)
        }
        return self

    def predict(self, X: F64) -> F64:
        """That of the row's own forest, or the mean of all."""
        answers = {k: forest.predict(X) for k, forest in self._forests.items()}
        if self._trunk is None:
            return np.asarray(np.mean(list(answers.values()), axis=0))
        return np.array([answers[k][row] for row, k in enumerate(self._trunk.apply(X))])


_USUAL: dict[str, Any] = {"min_samples_leaf": MIN_LEAF, "max_features": None}
_SIZED: dict[str, Callable[[int, int], Any]] = {"EBF": _grafted, "trunk": _trunk}
_MODELS: dict[str, Callable[[int], Any]] = {
    "BF": lambda seed: BayesianForestRegressor(N_TREES, random_state=seed, **_USUAL),
    "RF": lambda seed: RandomForestRegressor(N_TREES, random_state=seed, **_USUAL),
    "SSF": lambda seed: SubsampleForestRegressor(
        N_TREES, n_subsamples=N_PARTS, random_state=seed, **_USUAL
    ),
    "ET": lambda seed: ExtraTreesRegressor(N_TREES, min_samples_leaf=MIN_LEAF, random_state=seed),
    "DT": lambda seed: DecisionTreeRegressor(min_samples_leaf=MIN_LEAF, random_state=seed),
    "BCART": lambda seed: _chain(0.5, 2.0, 10, seed),
    "BART": lambda seed: _evenly_cut(_sums(200, seed)),
    "BART, cuts at quantiles": lambda seed: _sums(200, seed, max_cuts=EVEN_CUTS),
    "BART, burn-in of 1,000": lambda seed: _evenly_cut(_sums(200, seed, 1000)),
    "BART, defaults": lambda seed: BARTRegressor(random_state=seed),
    "BF of scikit-learn's trees": WeightedTrees,
    "RF of scikit-learn": lambda seed: SklearnForest(
        N_TREES, min_samples_leaf=MIN_LEAF, random_state=seed
    ),
    "BF, script": lambda seed: BayesianForestRegressor(
        N_TREES, min_weight_fraction_leaf=SCRIPT_MIN_WEIGHT, max_features=None, random_state=seed
    ),
    "RF, script": lambda seed: RandomForestRegressor(
        N_TREES, min_samples_leaf=SCRIPT_MIN_LEAF, max_features=None, random_state=seed
    ),
    "ET, script": lambda seed: ExtraTreesRegressor(
        N_TREES, min_samples_leaf=SCRIPT_MIN_LEAF, random_state=seed
    ),
    "DT, script": lambda seed: DecisionTreeRegressor(
        min_samples_leaf=SCRIPT_MIN_LEAF, random_state=seed
    ),
    "EBF, script": lambda seed: ForestsOfPieces(3000, seed),
    "SSF, script": lambda seed: ForestsOfPieces(None, seed),
    "BCART, script": lambda seed: _chain(0.99, 0.1, 2, seed),
    "BART, script": lambda seed: _evenly_cut(_sums(100, seed)),
}
