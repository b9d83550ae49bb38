"""Names and lists of names in little room."""

from collections.abc import Iterable
from typing import Any

_NAME_CELLS = 30


def shorten(name: str, n_cells: int = _NAME_CELLS) -> str:
    """Cut the middle out of a long name, for the ends tell features apart.

    Examples
    --------
    >>> shorten("mean_temperature_of_the_last_thirty_days", 20)
    'mean_tempe…irty_days'
    """
    if len(name) <= n_cells:
        return name
    n_tail = (n_cells - 1) // 2
    return name[: n_cells - 1 - n_tail] + "…" + name[-n_tail:]


def listing(values: Iterable[Any], n_shown: int = 6) -> str:
    """The first few values, and how many more.

    Examples
    --------
    >>> listing("abcde", 2)
    'a, b and 3 more'
    """
    texts = [shorten(str(value), 24) for value in values]
    if len(texts) <= n_shown + 1:
        return ", ".join(texts)
    return ", ".join(texts[:n_shown]) + f" and {len(texts) - n_shown} more"


def percent(share: float) -> str:
    """A share that a user chose, with as many digits as it has.

    Examples
    --------
    >>> percent(0.9), percent(0.995), percent(0.07)
    ('90%', '99.5%', '7%')
    """
    return f"{100 * share:.6g}%"
