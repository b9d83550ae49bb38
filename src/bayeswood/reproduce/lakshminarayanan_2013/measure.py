"""What is measured: fits on the paper's splits, trees of the prior, evidence of few rows."""

import random
import time
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from sklearn.tree import DecisionTreeClassifier

from bayeswood.methods import MCMCTreeClassifier, SMCTreeClassifier
from bayeswood.reproduce.data import load, load_classes

F64 = NDArray[np.float64]

# Section 4.1.
PRIOR = {"concentration": 5.0, "alpha_split": 0.95, "beta_split": 0.5}
PARTICLES = {"n_islands": 1, "proposal": "prior", "resampling": "multinomial", "ess_threshold": 0.1}
TRAIN_SHARE = 0.7
# With it the authors' script shuffles the rows of magic-04.
_SHUFFLE_SEED = 123456789
# Of a long chain so many trees, evenly spaced, are as good as all.
_MOST_DRAWS = 2000


class Rows(NamedTuple):
    """Training and test rows; classes are 0, 1, ..."""

    X: F64
    y: NDArray[np.intp]
    X_test: F64
    y_test: NDArray[np.intp]


def rows_of(name: str) -> Rows:
    """The predefined parts of pendigits and madelon; of magic-04 the authors' draw of 70 %."""
    X, y = load_classes(name)
    split = load(name).split
    train = shuffled_part(len(y)) if split is None else np.asarray(split) == "train"
    return Rows(X[train], y[train], X[~train], y[~train])


def shuffled_part(n_rows: int) -> NDArray[np.bool_]:
    """Which rows are among the first 70 % after `random.shuffle` of Python 2, as in the script."""
    draw, order = random.Random(_SHUFFLE_SEED).random, list(range(n_rows))
    for i in reversed(range(1, n_rows)):
        j = int(draw() * (i + 1))
        order[i], order[j] = order[j], order[i]
    chosen = np.zeros(n_rows, dtype=np.bool_)
    chosen[order[: round(TRAIN_SHARE * n_rows)]] = True
    return chosen


def sizes(name: str) -> dict[str, int]:
    """Rows, complete rows, features and classes of a data set, and of its parts."""
    X, y = load_classes(name)
    found = {"N": len(X), "D": X.shape[1], "K": len(np.unique(y))}
    found["complete"] = int((~np.isnan(X).any(axis=1)).sum())
    rows = rows_of(name)
    return {**found, "train": len(rows.X), "test": len(rows.X_test)}


def particle_scores(
    name: str, options: dict[str, Any], n_repeats: int, seed: int
) -> dict[str, list[float]]:
    """Fits of particles; `options` differ from section 4.1. A number for each seed."""
    given = {**PRIOR, **PARTICLES, **options}
    return _scores(
        name, n_repeats, seed, lambda state: SMCTreeClassifier(**given, random_state=state)
    )


def chain_scores(
    name: str, n_iterations: int, options: dict[str, Any], n_repeats: int, seed: int
) -> dict[str, list[float]]:
    """Section 4.2: one chain, averaged from its first iteration on, the four moves alike."""
    thin = -(-n_iterations // _MOST_DRAWS)
    given = {**PRIOR, **options, "n_burn_in": 0, "n_draws": n_iterations // thin, "thin": thin}
    return _scores(
        name, n_repeats, seed,
        lambda state: MCMCTreeClassifier(
            **given, n_chains=1, move_probabilities="chipman", random_state=state
        ),
    )  # fmt: skip


def cart_scores(
    name: str, criterion: str, leaf: int, concentration: float, n_repeats: int, seed: int
) -> dict[str, list[float]]:
    """Section 4.3 and footnote 4: scikit-learn's tree, smoothed by α."""
    return _scores(
        name, n_repeats, seed, lambda state: SmoothedCART(criterion, leaf, concentration, state)
    )


class SmoothedCART:
    """scikit-learn's tree with leaves of so many rows at least, its shares smoothed by α."""

    def __init__(self, criterion: str, leaf: int, concentration: float, seed: int) -> None:
        self.tree = DecisionTreeClassifier(
            criterion=criterion, min_samples_leaf=leaf, random_state=seed
        )
        self.concentration = concentration

    def fit(self, X: F64, y: NDArray[np.intp]) -> "SmoothedCART":
        """Grow, and count the classes 0, 1, ... in the leaves."""
        self.tree.fit(X, y)
        n_classes = int(y.max()) + 1
        counts = np.zeros((self.tree.tree_.node_count, n_classes))
        np.add.at(counts, (self.tree.apply(X), y), 1)
        self.probability = (counts + self.concentration / n_classes) / (
            counts.sum(axis=1, keepdims=True) + self.concentration
        )
        return self

    def predict_proba(self, X: F64) -> F64:
        """Of the leaf."""
        found: F64 = self.probability[self.tree.apply(X)]
        return found


def _scores(name: str, n_repeats: int, seed: int, make: Any) -> dict[str, list[float]]:
    rows = rows_of(name)
    runs = [_score(make(1000 * seed + repeat), rows) for repeat in range(n_repeats)]
    return {key: [run[key] for run in runs] for key in runs[0]}


def _score(model: Any, rows: Rows) -> dict[str, float]:
    """The time is that of the fit alone, as in the paper, on one thread."""
    start = time.process_time()
    model.fit(rows.X, rows.y)
    seconds = time.process_time() - start
    p = np.asarray(model.predict_proba(rows.X_test))
    chosen = p[np.arange(len(p)), rows.y_test]
    return {
        "seconds": seconds,
        "accuracy": 100 * float(np.mean(p.argmax(axis=1) == rows.y_test)),
        "log p": float(np.log(chosen).mean()),
        **_size(model),
    }


def _size(model: Any) -> Mapping[str, float]:
    if isinstance(model, SmoothedCART):
        return {"leaves": float(model.tree.get_n_leaves())}
    found = {"leaves": float(model.member_weights_ @ model.forest_.n_leaves)}
    if isinstance(model, SMCTreeClassifier):
        found |= {"log evidence": model.log_evidence_, "stages": model.ess_trace_.shape[1]}
    return found


def prior_trees(n_rows: int, n_draws: int, seed: int) -> dict[str, float]:
    """Trees that the filter draws without a likelihood, on uniform rows of 16 features."""
    rng = np.random.default_rng([seed, n_rows])
    X, y = rng.uniform(size=(n_rows, 16)), np.arange(n_rows) % 2
    given: dict[str, Any] = {**PRIOR, **PARTICLES, "n_particles": n_draws, "power": 0.0}
    model = SMCTreeClassifier(**given, random_state=seed).fit(X, y)
    weights, forest = model.member_weights_, model.forest_
    nodes = 2 * forest.n_leaves - 1
    mean = float(weights @ nodes)
    return {
        "depth": float(weights @ forest.depths),
        "nodes": mean,
        "nodes sd": float(np.sqrt(weights @ (nodes - mean) ** 2)),
    }


def evidence_ratios(
    options: dict[str, Any], n_rows: int, n_repeats: int, seed: int
) -> dict[str, float]:
    """Mean and standard error of Ẑ/p(Y | X) on a few rows, over filters of ten particles."""
    rng = np.random.default_rng([seed, n_rows])
    X, y = rng.normal(size=(n_rows, 2)).round(1), rng.integers(0, 2, n_rows)
    y[:2] = 0, 1
    given = {**PRIOR, **PARTICLES, "n_particles": 10, "ess_threshold": 0.5, **options}
    logs = [
        SMCTreeClassifier(**given, random_state=1000 * seed + repeat).fit(X, y).log_evidence_
        for repeat in range(n_repeats)
    ]
    ratios = np.exp(np.array(logs) - exact_log_evidence(X, y))
    error = float(ratios.std(ddof=1) / np.sqrt(n_repeats))
    return {"mean": float(ratios.mean()), "error": error}


def exact_log_evidence(X: F64, y: NDArray[np.intp], depth: int = 0) -> float:
    """The logarithm of p(Y | X), the sum over all trees, by the recursion that eqs 2 to 5 are.

    Z(node) = (1 - p) l(node) + p / |D| Σ_d Σ_gaps (gap / extent) Z(left) Z(right).
    """
    stop = _leaf(np.bincount(y, minlength=2))
    varying = np.flatnonzero(np.ptp(X, axis=0) > 0)
    if len(varying) == 0:
        return stop
    p = PRIOR["alpha_split"] / (1 + depth) ** PRIOR["beta_split"]
    terms = [np.log1p(-p) + stop]
    for d in varying:
        values = np.unique(X[:, d])
        for low, high in pairwise(values):
            left = X[:, d] <= low
            share = (high - low) / (values[-1] - values[0])
            parts = [exact_log_evidence(X[side], y[side], depth + 1) for side in (left, ~left)]
            terms.append(np.log(p * share / len(varying)) + sum(parts))
    return float(np.logaddexp.reduce(terms))


def _leaf(counts: NDArray[Any]) -> float:
    """Eq. 3, of two classes."""
    alpha = PRIOR["concentration"]
    inside = gammaln(counts + alpha / 2).sum() - 2 * gammaln(alpha / 2)
    return float(gammaln(alpha) - gammaln(counts.sum() + alpha) + inside)
