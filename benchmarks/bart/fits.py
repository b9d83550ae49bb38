"""Fits of sums of trees, by this library and by others, as draws of f at new rows.

stochtree and bartz are left out, with a line, where they are not installed.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import BARTRegressor

F64 = NDArray[np.float64]
N_TREES = 200


@dataclass(frozen=True)
class Fitted:
    """Draws of f at new rows, (n_draws, n_rows), draws of σ, CPU seconds of the fit, the model."""

    f: F64
    sigma: F64
    seconds: float
    model: Any


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and its CPU seconds."""
    begun = time.process_time()
    found = fit()
    return found, time.process_time() - begun


def ours(X: F64, y: F64, X_new: F64, seed: int, **settings: Any) -> Fitted:
    """A fit by this library."""
    model = BARTRegressor(N_TREES, random_state=seed, n_jobs=1, **settings)
    fitted, seconds = timed(lambda: model.fit(X, y))
    return Fitted(fitted.predict_draws(X_new), fitted.noise_sd_.ravel(), seconds, model)


def stochtree(X: F64, y: F64, X_new: F64, seed: int, n_warm: int, n_burn_in: int, n_draws: int,
              n_chains: int) -> Fitted:  # fmt: skip
    """A fit by stochtree."""
    from stochtree import BARTModel

    model = BARTModel()
    _, seconds = timed(
        lambda: model.sample(
            X_train=X, y_train=y, num_gfr=n_warm, num_burnin=n_burn_in, num_mcmc=n_draws,
            mean_forest_params={"num_trees": N_TREES},
            general_params={"random_seed": seed, "num_chains": n_chains, "num_threads": 1},
        )
    )  # fmt: skip
    f = np.asarray(model.predict(X_new, terms="y_hat")).T
    return Fitted(f, np.sqrt(np.asarray(model.global_var_samples)), seconds, model)


def bartz(X: F64, y: F64, X_new: F64, seed: int, n_burn_in: int, n_draws: int) -> Fitted:
    """A fit of one chain by bartz, on one thread; the first of its size compiles."""
    os.environ.setdefault(
        "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    )
    from bartz import Bart

    def fit() -> Any:
        model = Bart(
            X.T, y.astype(np.float32), num_trees=N_TREES, n_burn=n_burn_in, n_save=n_draws,
            num_chains=1, seed=seed, printevery=None,
        )  # fmt: skip
        np.asarray(model.get_error_sdev())  # computations are asynchronous
        return model

    model, seconds = timed(fit)
    f = np.asarray(model.predict(X_new.T, kind="mean_samples"), dtype=np.float64)
    sigma = np.asarray(model.get_error_sdev()).ravel()
    return Fitted(f.reshape(n_draws, -1), sigma, seconds, model)


# The same sweeps, half of them draws, from trees of one leaf: (X, y, X_new, seed, half).
CONTENDERS: dict[str, Callable[[F64, F64, F64, int, int], Fitted]] = {
    "bayeswood": lambda X, y, X_new, seed, half: ours(
        X, y, X_new, seed, n_chains=1, n_warm_up=0, n_burn_in=half, n_draws=half, thin=1
    ),
    "stochtree": lambda X, y, X_new, seed, half: stochtree(X, y, X_new, seed, 0, half, half, 1),
    "bartz": lambda X, y, X_new, seed, half: bartz(X, y, X_new, seed, half, half),
}


def installed(*names: str) -> list[str]:
    """Those that are; a line for each that is not."""
    here = [name for name in names if find_spec(name) is not None]
    for name in names:
        if name not in here:
            print(f"{name} is not installed and left out")
    return here
