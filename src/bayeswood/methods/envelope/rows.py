"""Taking rows out of a table, whatever kind it is of."""

from typing import Any

from sklearn.utils import _safe_indexing


def take_rows(table: Any, rows: Any) -> Any:
    """Some rows of a table or of a column, by their numbers.

    Examples
    --------
    >>> take_rows([["a", 1], ["b", 2], ["c", 3]], [0, 2])
    [['a', 1], ['c', 3]]
    """
    if type(table).__module__.startswith("pyarrow"):  # of which scikit-learn 1.6 takes columns
        return table.take(rows)
    return _safe_indexing(table, rows)
