"""What each feature is worth on the rows that trees did without.

    I_j = L(out-of-bag predictions with column j shuffled) − L(out-of-bag predictions),

L the mean squared error, or for classes the Brier score Σ_c (p_c − 1[y = c])². Every row is judged
by the trees that did not see it, so that a feature that only splits noise is worth nothing, however
many values it has. Reference: L. Breiman, "Random forests", Machine Learning 45, 2001, section 10.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parameters import parameter_error
from bayeswood.report.summarize import Importances

F64 = NDArray[np.float64]


def out_of_bag_importances(
    estimator: Any, X: Any, truth: F64, *, n_repeats: int = 5, rng: Any = 0
) -> Importances:
    """Rise of the out-of-bag loss when a feature is shuffled, largest first.

    Parameters
    ----------
    estimator : fitted forest of CART trees
        As it was fitted, not loaded: a model file does not say which rows trees did without.
    X : table
        The training rows.
    truth : ndarray, (n_rows, n_outputs)
        Responses, or a column of 0 and 1 for each class.
    n_repeats : int, default=5
        Shuffles.
    rng : int or numpy Generator, default=0
        Source of the shuffles.
    """
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, int) or n_repeats < 1:
        caller = f"{estimator._name}.oob_importances"
        raise parameter_error("n_repeats", caller, "an int >= 1", n_repeats)
    loss, rows = _loss_of_rows(estimator, X, truth)
    generator = np.random.default_rng(rng)
    orders = [generator.permutation(len(rows)) for _ in range(n_repeats)]
    base = loss(rows)
    rises = np.array([_rises(loss, rows, j, orders, base) for j in range(rows.shape[1])])
    mean, names = rises.mean(axis=1), estimator.schema_.names
    order = np.argsort(-mean, kind="stable")
    spread = rises.std(axis=1, ddof=1 if n_repeats > 1 else 0)
    return Importances(tuple(names[j] for j in order), mean[order], spread[order])


def _rises(
    loss: Callable[[NDArray[Any]], float],
    rows: NDArray[Any],
    feature: int,
    orders: list[NDArray[np.int64]],
    base: float,
) -> list[float]:
    shuffled = np.array(rows, order="F")
    found = []
    for order in orders:
        shuffled[:, feature] = rows[order, feature]
        found.append(loss(shuffled) - base)
    return found


def _loss_of_rows(
    estimator: Any, X: Any, truth: F64
) -> tuple[Callable[[NDArray[Any]], float], NDArray[Any]]:
    """The out-of-bag loss of tables like the training rows, and these."""
    if "_row_law" not in vars(estimator):
        raise BayeswoodError(
            f"{estimator._name}.oob_importances needs the fit itself: which rows trees did without "
            "is not known of a loaded model. bayeswood.posterior.permutation_importance takes new "
            "rows."
        )
    law, taking_part = estimator._row_law
    rows = estimator._encode(X)
    if len(rows) != len(taking_part) or len(truth) != len(rows):
        raise BayeswoodError(
            f"{estimator._name}.oob_importances needs the {len(taking_part)} training rows and "
            f"their responses. Got {len(rows)} rows and {len(truth)} responses."
        )
    rows, own = rows[taking_part], truth[taking_part]
    threads = estimator._threads()

    def loss(table: NDArray[Any]) -> float:
        sums, counts = estimator.forest_.core.predict_oob(
            table, hard=False, n_jobs=threads, **law.arguments()
        )
        seen = counts > 0
        if not seen.any():
            raise BayeswoodError(
                f"{estimator._name}.oob_importances: every row took part in every tree. Use "
                "bootstrap samples, or a weight_threshold above 0."
            )
        errors = sums[seen] / counts[seen, None] - own[seen]
        return float((errors**2).sum(axis=1).mean())

    return loss, rows
