"""The ``oob_groups`` of a fit: rows that belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.table.vector import one_column, open_columns


def check_groups(
    groups: Any, n_rows: int, estimator_name: str, what: str = "oob_groups"
) -> NDArray[np.int32] | None:
    """Number the groups of the training rows.

    Parameters
    ----------
    groups : array-like or series of shape (n_rows,), or None
        Labels: strings, booleans or numbers. All present.
    n_rows : int
        How many rows the table has.
    estimator_name : str
        Who reads them, for the errors.
    what : str, default="oob_groups"
        How to call them in an error.

    Returns
    -------
    ndarray of int32 of shape (n_rows,), or None
        Numbers 0, 1, ... in the order of the labels; None if there are none.

    Examples
    --------
    >>> check_groups(["b", "a", "b"], 3, "Forest")
    array([1, 0, 1], dtype=int32)
    """
    if groups is None:
        return None
    cells = one_column(*open_columns(groups, what, estimator_name), what)
    if len(cells.values) != n_rows:
        raise BayeswoodError(
            f"{what} must have one label per row of X, {n_rows}. {estimator_name} got "
            f"{len(cells.values)}."
        )
    missing = cells.is_missing()
    if missing.any():
        raise BayeswoodError(
            f"Input {what} contains NaN or None: row {int(np.argmax(missing))}. {estimator_name} "
            "needs the group of every row; give rows that stand alone a label of their own."
        )
    labels = cells.values
    if cells.family == "string":  # words come in no particular order
        labels = np.array(cells.words, dtype=object)[cells.values].astype(str)
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)
