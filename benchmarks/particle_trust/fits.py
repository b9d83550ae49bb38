"""Data sets, and one fit of particles with what it says of itself and of new rows."""

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import t as student

from bayeswood import SMCTreeClassifier, SMCTreeRegressor, datasets
from bayeswood.posterior import IslandsDisagree
from bayeswood.theory import sample_five_gaussians

F64 = NDArray[np.float64]

CLASSES = (
    "iris", "wine", "heart_statlog", "pima_diabetes", "breast_cancer_wisconsin", "vehicle",
    "sonar", "ionosphere", "german_numer", "australian", "svmguide2", "house_votes_84",
    "ripley_synth", "image_segmentation", "pendigits",
)  # fmt: skip
NUMBERS = (
    "mcycle", "clothing_sales", "griliches", "galton_height", "quakes_magnitude", "budget_uk",
    "nlschools", "working_hours", "males_wage", "wine_quality",
)  # fmt: skip
GENERATED = "generated"
TRAIN_SHARE = 0.7


@dataclass(frozen=True)
class Split:
    """Training and test rows."""

    name: str
    X: Any
    y: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]


@dataclass(frozen=True)
class Fit:
    """What one fit came to. `p`: probabilities of the test rows, or predicted numbers."""

    cpu_seconds: float
    log_evidence: float
    log_evidence_se: float
    island_sd: float
    warned: bool
    log_p: float  # mean over test rows
    p: F64
    n_root_cuts: int
    effective_root_cuts: float


def load(name: str) -> Split:
    """A data set with its own split, or 70 % of its rows and the rest, always the same."""
    if name == GENERATED:
        X, y = sample_five_gaussians(300, rng=0)
        return Split(name, X[:100], y[:100], X[100:], y[100:])
    table = datasets.load(name, as_frame=True)
    X, y = table.features, np.asarray(table.target)
    if table.split is not None:
        train = np.asarray(table.split) == "train"
    else:
        order = np.random.default_rng(20130616).permutation(len(y))
        train = np.zeros(len(y), dtype=bool)
        train[order[: round(TRAIN_SHARE * len(y))]] = True
    return Split(name, X[train], y[train], X[~train], y[~train])


def fit(split: Split, seed: int, settings: Mapping[str, Any]) -> Fit:
    """Fit particles; CPU time is that of the fit alone, on one thread."""
    kind = SMCTreeRegressor if split.name in NUMBERS else SMCTreeClassifier
    model = kind(random_state=seed, n_jobs=1, **settings)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IslandsDisagree)
        start = time.process_time()
        model.fit(split.X, split.y)
        spent = time.process_time() - start
    log_p, p = (_numbers if kind is SMCTreeRegressor else _classes)(model, split)
    return Fit(
        cpu_seconds=spent,
        log_evidence=model.log_evidence_,
        log_evidence_se=model.log_evidence_se_,
        island_sd=float(np.std(model.island_log_evidence_, ddof=1)),
        warned=any(issubclass(w.category, IslandsDisagree) for w in caught),
        log_p=float(log_p.mean()),
        p=p,
        n_root_cuts=model.n_root_cuts_,
        effective_root_cuts=model.effective_root_cuts_,
    )


def _classes(model: SMCTreeClassifier, split: Split) -> tuple[F64, F64]:
    proba = model.predict_proba(split.X_test)
    code = np.searchsorted(model.classes_, split.y_test)
    return np.log(proba[np.arange(len(code)), code]), proba


def _numbers(model: SMCTreeRegressor, split: Split) -> tuple[F64, F64]:
    """Log density of the mixture of the leaves' Student distributions."""
    arrays = model.forest_.core.to_arrays()
    first = np.cumsum(arrays["n_nodes"]) - arrays["n_nodes"]
    leaf = (np.cumsum(arrays["feature"] < 0) - 1)[model.apply(split.X_test) + first]
    freedom = 2 * model.prior_shape + arrays["leaf_n_samples"][leaf]
    scale = np.sqrt(model.leaf_variance_[leaf] * (freedom - 2) / freedom)
    mean = arrays["leaf_value"][leaf]
    log_density = student.logpdf(split.y_test[:, None], freedom, mean, scale)
    mixture = logsumexp(log_density, b=model.member_weights_, axis=1)
    return np.asarray(mixture), model.predict(split.X_test)
