"""Sums of trees (BART) on the paper's splits.

The paper runs the R package BayesTree and names no settings; its defaults are 200 trees with the
prior of Chipman, George and McCulloch (2010), rules at 100 even cuts of a feature (quantiles, where
features are ranks), and one chain from trees of one leaf, of which 1,000 sweeps are kept after 100.
It has two classes, linked by a probit.
"""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.methods import BARTClassifier
from bayeswood.reproduce.quadrianto_2015.measure import (
    Fold,
    accuracy,
    log_probability,
    make_fold,
)

F64 = NDArray[np.float64]

N_CUTS, N_BURN_IN = 100, 100


def short_chain(seed: int, n_draws: int) -> BARTClassifier:
    """The chain of BayesTree's defaults; the prior is that of ours."""
    return BARTClassifier(
        n_chains=1, n_warm_up=0, n_burn_in=N_BURN_IN, n_draws=n_draws, thin=1, max_cuts=N_CUTS,
        random_state=seed,
    )  # fmt: skip


def score_sums(data: str, seed: int, n_draws: int) -> dict[str, float]:
    """Accuracy (%) and mean log probability on test rows, and CPU seconds of the fit."""
    return _scored(short_chain(seed, n_draws), make_fold(data, seed))[0]


def compare_chains(data: str, seed: int, n_short: int, n_long: int) -> dict[str, Any]:
    """The short chain beside four long ones, the defaults, with `n_long` draws each.

    Also how far the long chains' probabilities are uncertain, and the mean distance of the short
    chain's from them.
    """
    fold = make_fold(data, seed)
    short, p_short = _scored(short_chain(seed, n_short), fold)
    model = BARTClassifier(n_draws=n_long, random_state=seed)
    long, p_long = _scored(model, fold)
    return {
        "short": short,
        "long": long,
        "error": float(model.monte_carlo_error(fold.X_test).max(axis=1).mean()),
        "distance": float(np.abs(p_short - p_long).max(axis=1).mean()),
    }


def _scored(model: BARTClassifier, fold: Fold) -> tuple[dict[str, float], F64]:
    start = time.process_time()
    model.fit(fold.X_train, fold.y_train)
    seconds = time.process_time() - start
    p = np.asarray(model.predict_proba(fold.X_test))
    scores = {
        "accuracy": accuracy(p, fold.y_test),
        "log p": log_probability(p, fold.y_test),
        "seconds": seconds,
    }
    return scores, p
