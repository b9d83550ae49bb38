"""Category columns that name the row: nearly as many levels as values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import warn_user
from bayeswood.table.schema import Schema

#: Levels per value from which a column counts as an identifier.
IDENTIFIER_SHARE = 0.9

#: A shorter column says too little: ten rows of ten towns are no identifiers.
_FEWEST_LEVELS = 50


def identifiers(matrix: NDArray[Any], schema: Schema) -> dict[str, tuple[int, int]]:
    """Find the categories nearly every row of which has a level of its own.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_features)
        The encoded training table.
    schema : Schema
        Its columns.

    Returns
    -------
    dict
        Numbers of levels and of values that are not missing, by name of column.

    Examples
    --------
    >>> from bayeswood.table import fit_table
    >>> table = [[f"row {i}", "ab"[i % 2]] for i in range(100)]
    >>> identifiers(*fit_table(table, estimator_name="Forest"))
    {'x0': (100, 100)}
    """
    found = {}
    for j, column in enumerate(schema.columns):
        if len(column.levels) < _FEWEST_LEVELS:
            continue
        n_values = int(np.count_nonzero(~np.isnan(matrix[:, j])))
        if len(column.levels) >= IDENTIFIER_SHARE * n_values:
            found[column.name] = (len(column.levels), n_values)
    return found


def warn_of_identifiers(matrix: NDArray[Any], schema: Schema, estimator_name: str) -> None:
    """Name in one warning all columns that look like identifiers, and say what to do.

    They are kept: the user's columns stay in place, and the growers hardly split on levels that do
    not return. But nothing can be learnt from them.
    """
    found = identifiers(matrix, schema)
    if not found:
        return
    listed = ", ".join(
        f"{name!r} ({levels} levels in {values} values)" for name, (levels, values) in found.items()
    )
    warn_user(
        f"X has categories that nearly name the row: {listed}. {estimator_name} keeps them, but "
        "levels that do not return teach nothing. Drop such a column; or, if it holds numbers or "
        "dates written as text, turn it into numbers."
    )
