"""How good sums of trees are for classes: beside stochtree's probit and a calibrated forest.

Mean log probability of the class that came (natural logarithms), and accuracy, at the defaults of
all but for stochtree's draws: 1,000 after 10 sweeps from the root, one chain. stochtree takes two
classes only. At most 2,000 training rows, as many new ones at most; several splits, the same for
all, and paired differences with their standard errors. For all, categories are numbers and missing
values medians: stochtree takes neither.
"""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from sklearn.model_selection import train_test_split

from bayeswood import BARTClassifier, CalibratedForestClassifier, datasets
from benchmarks.bart.fits import installed
from benchmarks.bart.quality import as_numbers, paired

F64 = NDArray[np.float64]
TWO = (
    "adult",
    "australian",
    "breast_cancer_wisconsin",
    "german_numer",
    "heart_statlog",
    "house_votes_84",
    "ionosphere",
    "magic04",
    "pima_diabetes",
    "ripley_synth",
    "sonar",
)
MORE = ("iris", "svmguide2", "vehicle", "wine")
MOST_ROWS = 2_000


def split_of(name: str, number: int) -> tuple[F64, NDArray[np.int64], F64, NDArray[np.int64]]:
    """Training rows and their classes, new rows and theirs."""
    data = datasets.load(name)
    X = as_numbers(data.features)
    X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    y = np.unique(np.asarray(data.target), return_inverse=True)[1]
    keep = np.random.default_rng(number).permutation(len(y))[: 2 * MOST_ROWS]
    X, X_new, y, y_new = train_test_split(
        X[keep], y[keep], test_size=0.5 if len(keep) == 2 * MOST_ROWS else 0.25,
        random_state=number, stratify=y[keep],
    )  # fmt: skip
    return X, y, X_new, y_new


def ours(X: F64, y: Any, X_new: F64, seed: int) -> F64:
    """Probabilities by sums of trees."""
    return BARTClassifier(random_state=seed, n_jobs=1).fit(X, y).predict_proba(X_new)


def forest(X: F64, y: Any, X_new: F64, seed: int) -> F64:
    """Probabilities by a calibrated forest."""
    return CalibratedForestClassifier(random_state=seed, n_jobs=1).fit(X, y).predict_proba(X_new)


def stochtree(X: F64, y: Any, X_new: F64, seed: int) -> F64:
    """Probabilities by stochtree's probit sums, averaged over the draws."""
    from stochtree import BARTModel, OutcomeModel

    model = BARTModel()
    outcome = OutcomeModel(outcome="binary", link="probit")
    model.sample(
        X_train=X, y_train=y.astype(float), num_gfr=10, num_burnin=0, num_mcmc=1000,
        general_params={"random_seed": seed, "num_threads": 1, "outcome_model": outcome,
                        "sample_sigma2_global": False},
    )  # fmt: skip
    p = ndtr(np.asarray(model.predict(X_new, terms="y_hat", scale="linear"))).mean(axis=1)
    return np.column_stack([1 - p, p])


def judged(p: F64, y: NDArray[np.int64]) -> tuple[float, float]:
    """Mean log probability of the classes, and accuracy.

    Examples
    --------
    >>> judged(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([0, 1]))
    (-0.34657359027997264, 1.0)
    """
    right = np.maximum(p[np.arange(len(y)), y], 1e-15)
    return float(np.log(right).mean()), float((p.argmax(axis=1) == y).mean())


def show_classes(names: list[str], n_splits: int) -> None:
    """Prints a table: means, and the differences of sums less the others'."""
    has_peer = bool(installed("stochtree"))
    print(f"{'':24} {'log p: sums':>11} {'other':>8} {'apart':>16}   accuracy, CPU s")
    for name in [n for n in (*TWO, *MORE) if not names or n in names]:
        splits = [split_of(name, number) for number in range(n_splits)]
        contenders: dict[str, Any] = {"sums": ours, "forest": forest}
        if has_peer and splits[0][1].max() == 1:
            contenders["stochtree"] = stochtree
        found = {who: np.array([_run(fit, split, i) for i, split in enumerate(splits)])
                 for who, fit in contenders.items()}  # fmt: skip
        for who in list(found)[1:]:
            _show_row(f"{name}, {who}", found["sums"], found[who])


def _run(fit: Any, split: Any, seed: int) -> tuple[float, float, float]:
    X, y, X_new, y_new = split
    begun = time.process_time()
    p = fit(X, y, X_new, seed)
    return (*judged(p, y_new), time.process_time() - begun)


def _show_row(title: str, first: F64, second: F64) -> None:
    one, two = first.mean(axis=0), second.mean(axis=0)
    apart, error = paired(first[:, 0], second[:, 0])
    right, spread = paired(first[:, 1], second[:, 1])
    print(
        f"{title:34} {one[0]:8.4f} {two[0]:8.4f} {apart:+8.4f} ± {error:.4f}   "
        f"{one[1]:.3f} {two[1]:.3f} {right:+.3f} ± {spread:.3f}   {one[2]:5.1f} {two[2]:5.1f}",
        flush=True,
    )
