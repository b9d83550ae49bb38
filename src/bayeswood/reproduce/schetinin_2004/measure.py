"""What is measured: ensembles on parts of the paper's sizes, and what section 5.1 tells of them."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedShuffleSplit

from bayeswood.methods import (
    BayesianForestClassifier,
    MCMCTreeClassifier,
    RandomizedTreesClassifier,
)
from bayeswood.posterior import split_rhat, structure
from bayeswood.posterior.kept_draws import kept
from bayeswood.reproduce.data import load_classes
from bayeswood.theory import five_gaussians_posterior, sample_five_gaussians
from bayeswood.uncertainty import EnvelopeAssessment, UncertaintyEnvelope, mean_tree_size

F64 = NDArray[np.float64]

GAMMA0, N_REPEATS = 0.99, 5
SYNTHETIC = "synthetic"
N_TRAIN, N_TEST = 250, 1000
N_TREES = 200
# Every tenth iteration of a trace is kept, and a grid of so many points a side.
TRACE_STEP, N_GRID = 10, 120
N_TOP = 20

ENSEMBLES: dict[str, Callable[[int, int, int], Any]] = {
    "bayesian": lambda seed, p_min, n_chains: MCMCTreeClassifier.as_published(
        n_chains=n_chains, min_samples_leaf=p_min, random_state=seed
    ),
    "randomised": lambda seed, p_min, _: RandomizedTreesClassifier.as_published(
        min_samples_split=p_min, random_state=seed
    ),
    "randomised, leaves": lambda seed, p_min, _: RandomizedTreesClassifier.as_published(
        min_samples_leaf=p_min, min_samples_split=2, random_state=seed
    ),
    "Bayesian forest": lambda seed, p_min, _: BayesianForestClassifier(
        N_TREES, min_samples_leaf=p_min, random_state=seed
    ),
    "scikit-learn random forest": lambda seed, p_min, _: RandomForestClassifier(
        N_TREES, min_samples_leaf=p_min, random_state=seed
    ),
    "scikit-learn extra trees": lambda seed, p_min, _: ExtraTreesClassifier(
        N_TREES, min_samples_leaf=p_min, random_state=seed
    ),
}


class Rows(NamedTuple):
    """Training and test rows; classes are 0, 1, ..."""

    X: F64
    y: NDArray[np.intp]
    X_test: F64
    y_test: NDArray[np.intp]


def complete_rows(name: str) -> tuple[F64, NDArray[np.intp]]:
    """Rows without a missing value, as in the paper (683 of 699 in Wisconsin)."""
    X, y = load_classes(name)
    complete = ~np.isnan(X).any(axis=1)
    return X[complete], y[complete]


def rows_of(name: str, repeat: int, seed: int, n_train: int, n_test: int) -> Rows:
    """Parts of these sizes with the classes' shares kept; the five Gaussians are drawn anew."""
    if name == SYNTHETIC:
        X, y = sample_five_gaussians(n_train + n_test, rng=1000 * seed + repeat)
        return Rows(X[:n_train], y[:n_train] - 1, X[n_train:], y[n_train:] - 1)
    X, y = complete_rows(name)
    splits = StratifiedShuffleSplit(
        N_REPEATS, train_size=n_train, test_size=n_test, random_state=seed
    )
    train, test = list(splits.split(X, y))[repeat]
    return Rows(X[train], y[train], X[test], y[test])


def characteristics(name: str) -> dict[str, int]:
    """Classes, variables and complete rows of a data set."""
    X, y = complete_rows(name)
    return {"C": len(np.unique(y)), "M": X.shape[1], "rows": len(X)}


def rates(assessed: EnvelopeAssessment) -> dict[str, float]:
    """Accuracy and the three rates, and errors in that half on which members agree most, in %."""
    order = np.argsort(-assessed.consistency, kind="stable")[: assessed.n_rows // 2]
    return {
        "accuracy": 100 * assessed.accuracy,
        "correct": 100 * assessed.confident_correct,
        "uncertain": 100 * assessed.uncertain,
        "incorrect": 100 * assessed.confident_incorrect,
        "half": 100 * float(np.mean(~assessed.is_correct[order])),
    }


def envelope(
    kind: str, name: str, repeat: int, seed: int, sizes: list[int], p_min: int, n_chains: int
) -> dict[str, float]:
    """Size of trees, accuracy and envelope of an ensemble on one part of a data set."""
    rows = rows_of(name, repeat, seed, *sizes)
    model = ENSEMBLES[kind](1000 * seed + repeat, p_min, n_chains).fit(rows.X, rows.y)
    assessed = UncertaintyEnvelope(GAMMA0).assess(model, rows.X_test, rows.y_test)
    found = {"size": mean_tree_size(model), **rates(assessed)}
    if kind == "randomised":
        found |= _best_trees(model, rows)
    return found


def _best_trees(model: RandomizedTreesClassifier, rows: Rows) -> dict[str, float]:
    """Accuracy of the best tree where it was chosen, and chosen on the other half of the rows."""
    halves = [(rows.X_test[at::2], rows.y_test[at::2]) for at in (0, 1)]
    scores = [model.member_scores(*half) for half in halves]
    elsewhere = [scores[1 - at][int(np.argmax(scores[at]))] for at in (0, 1)]
    return {
        "best tree": 100 * float(model.member_scores(rows.X_test, rows.y_test).max()),
        "best tree elsewhere": 100 * float(np.mean(elsewhere)),
    }


def bayesian_trees(repeat: int, seed: int, n_chains: int) -> dict[str, Any]:
    """What section 5.1.1 tells, of the valid sampler."""
    rows = rows_of(SYNTHETIC, repeat, seed, N_TRAIN, N_TEST)
    model = MCMCTreeClassifier.as_published(n_chains=n_chains, random_state=1000 * seed + repeat)
    model.fit(rows.X, rows.y)
    trace, found = model.trace_, structure(model, n_top=N_TOP)
    n_splits = np.asarray(trace.n_leaves) - 1
    assessed = UncertaintyEnvelope(GAMMA0).assess(model, rows.X_test, rows.y_test)
    by_size = np.argsort(found.distinct_n_leaves, kind="stable")
    return {
        **rates(assessed),
        **chain_numbers(trace.log_likelihood, n_splits, trace.accepted, trace.n_burn_in),
        "acceptance by move": model.acceptance_,
        "R-hat": float(split_rhat(kept(trace, "log_likelihood"))),
        "chain accuracy": _chain_accuracy(model, rows),
        "distinct": found.n_distinct,
        "distinct sizes": (found.distinct_n_leaves[by_size] - 1).tolist(),
        "distinct masses": found.distinct_mass[by_size].tolist(),
        "top": [[_path(tree.path), tree.mass] for tree in found.top],
    }


def chain_numbers(log_likelihood: Any, n_splits: Any, accepted: Any, n_burn_in: int) -> Any:
    """Means over the draws after the burn-in, and a thin trace."""
    after = n_splits[:, n_burn_in:]
    return {
        "log likelihood": float(log_likelihood[:, n_burn_in:].mean()),
        "acceptance in burn-in": float(accepted[:, :n_burn_in].mean()),
        "acceptance": float(accepted[:, n_burn_in:].mean()),
        "size": float(after.mean()),
        "size variance": float(after.var()),
        "smallest": int(after.min()),
        "largest": int(after.max()),
        "size counts": np.bincount(after.ravel()).tolist(),
        "trace": {
            "log_likelihood": np.round(log_likelihood[:, ::TRACE_STEP], 1).tolist(),
            "n_splits": n_splits[:, ::TRACE_STEP].tolist(),
            "n_burn_in": n_burn_in // TRACE_STEP,
        },
    }


def _path(path: tuple[str, ...]) -> str:
    """Features from 1, as the paper counts them."""
    return "".join(str(int(name.removeprefix("x")) + 1) for name in path)


def _chain_accuracy(model: MCMCTreeClassifier, rows: Rows) -> float:
    """Of the vote of one chain, in the mean over the chains, %."""
    found = []
    for drawn in model.draw_tree_:
        weights = np.bincount(drawn, minlength=model.forest_.n_trees)
        assessed = UncertaintyEnvelope(GAMMA0).assess(
            model, rows.X_test, rows.y_test, member_weights=weights
        )
        found.append(assessed.accuracy)
    return 100 * float(np.mean(found))


def boundary(seed: int, n_chains: int) -> dict[str, Any]:
    """Figure 2: rows, and P(class 1) of the averaged trees and of the Bayes rule on a grid."""
    rows = rows_of(SYNTHETIC, 0, seed, N_TRAIN, N_TEST)
    model = MCMCTreeClassifier.as_published(n_chains=n_chains, random_state=1000 * seed)
    model.fit(rows.X, rows.y)
    low, high = rows.X.min(axis=0) - 0.1, rows.X.max(axis=0) + 0.1
    across, along = (np.linspace(low[axis], high[axis], N_GRID) for axis in (0, 1))
    grid = np.stack(np.meshgrid(across, along), axis=-1).reshape(-1, 2)
    return {
        "X": rows.X.round(4).tolist(),
        "y": rows.y.tolist(),
        "across": across.tolist(),
        "along": along.tolist(),
        "trees": model.predict_proba(grid)[:, 0].round(4).tolist(),
        "Bayes rule": five_gaussians_posterior(grid)[:, 0].round(4).tolist(),
    }


def bayes_error(repeat: int, seed: int) -> float:
    """Of the Bayes rule on the test rows, %."""
    rows = rows_of(SYNTHETIC, repeat, seed, N_TRAIN, N_TEST)
    best = five_gaussians_posterior(rows.X_test).argmax(axis=1)
    return 100 * float(np.mean(best != rows.y_test))


def randomised_trees(repeat: int, seed: int) -> dict[str, Any]:
    """What section 5.1.2 tells, and accuracy by the number of trees (Figures 5 and 6)."""
    rows = rows_of(SYNTHETIC, repeat, seed, N_TRAIN, N_TEST)
    model = RandomizedTreesClassifier.as_published(random_state=1000 * seed + repeat)
    model.fit(rows.X, rows.y)
    n_splits = np.asarray(model.forest_.n_leaves) - 1
    assessed = UncertaintyEnvelope(GAMMA0).assess(model, rows.X_test, rows.y_test)
    return {
        **rates(assessed),
        "size": float(n_splits.mean()),
        "size sd": float(n_splits.std(ddof=1)),
        "sizes": n_splits.tolist(),
        "ensemble": (100 * model.staged_score(rows.X_test, rows.y_test)).tolist(),
        "single": (100 * model.member_scores(rows.X_test, rows.y_test)).tolist(),
    }


def pruned_trees(repeat: int, seed: int, p_min: int) -> dict[str, float]:
    """Section 3 on the five Gaussians: size and accuracy at a pruning factor."""
    rows = rows_of(SYNTHETIC, repeat, seed, N_TRAIN, N_TEST)
    model = ENSEMBLES["randomised, leaves"](1000 * seed + repeat, p_min, 0).fit(rows.X, rows.y)
    accuracy = 100 * float(model.score(rows.X_test, rows.y_test))
    return {"size": mean_tree_size(model), "accuracy": accuracy}


def growing_rows(n_rows: int, seed: int) -> dict[str, list[float]]:
    """Envelopes of votes and of probabilities of a Bayesian forest whose leaves grow with the rows.

    Rates are correct, uncertain and incorrect, in %, on 20,000 test rows, for four training sets.
    """
    test = sample_five_gaussians(20_000, rng=10**6)
    leaf = round(n_rows ** (2 / 3) / 4)
    found: dict[Literal["votes", "probability"], list[list[float]]]
    found = {"votes": [], "probability": []}
    for repeat in range(4):
        forest = BayesianForestClassifier(
            100, min_samples_leaf=leaf, max_features=None, random_state=1000 * seed + repeat
        ).fit(*sample_five_gaussians(n_rows, rng=1000 * (4 * seed + repeat) + n_rows))
        for measure, each in found.items():
            told = rates(UncertaintyEnvelope(GAMMA0, measure).assess(forest, *test))
            each.append([told[column] for column in ("correct", "uncertain", "incorrect")])
    means = {str(measure): np.mean(each, axis=0).tolist() for measure, each in found.items()}
    return {"leaf": [float(leaf)], **means}
