"""Names and lists of names in little room."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
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


def shorten_all(names: Sequence[str], n_cells: int = _NAME_CELLS) -> list[str]:
    """Cut long names so that different ones stay different.

    Names that would look the same show the part in which they differ, or else their number.

    Examples
    --------
    >>> shorten_all(["mean_of_the_first_one_here", "mean_of_the_other_one_here", "age"], 18)
    ['mean_…first…_here', 'mean_…other…_here', 'age']
    """
    short = [shorten(name, n_cells) for name in names]
    groups: dict[str, list[int]] = {}
    for idx, cut in enumerate(short):
        groups.setdefault(cut, []).append(idx)
    for alike in groups.values():
        if len(alike) > 1:
            for idx, cut in zip(alike, _apart([names[i] for i in alike], n_cells), strict=True):
                short[idx] = cut
    counts = Counter(short)
    return [
        f"{shorten(name, max(n_cells - 5, 3))} #{idx}" if counts[cut] > 1 else cut
        for idx, (name, cut) in enumerate(zip(names, short, strict=True))
    ]


def _apart(names: Sequence[str], n_cells: int) -> list[str]:
    """Both ends of names, and between them the part in which they differ."""
    n_head = _n_shared(names)
    n_tail = _n_shared([name[n_head:][::-1] for name in names])
    middles = [shorten(name[n_head : len(name) - n_tail], max(n_cells - 8, 3)) for name in names]
    n_end = max(2, (n_cells - 2 - max(map(len, middles))) // 2)
    return [
        f"{name[:n_end]}…{middle}…{name[-n_end:]}"
        for name, middle in zip(names, middles, strict=True)
    ]


def _n_shared(names: Sequence[str]) -> int:
    """Length of the beginning that all names share."""
    letters = zip(*names, strict=False)  # as long as the shortest
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, letters))


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


@dataclass(frozen=True)
class MemberWords:
    """What the members of a forest are: trees, or sums of trees.

    Attributes
    ----------
    counted : str
        With their number.
    plural : str
    """

    counted: str
    plural: str


def member_words(n_members: int, trees_per_member: int) -> MemberWords:
    """Words for so many members of so many trees.

    Examples
    --------
    >>> member_words(300, 1).counted
    '300 trees'
    >>> member_words(4000, 200)
    MemberWords(counted='4,000 sums of 200 trees', plural='sums of trees')
    """
    if trees_per_member == 1:
        return MemberWords(f"{n_members:,} trees", "trees")
    return MemberWords(f"{n_members:,} sums of {trees_per_member} trees", "sums of trees")
