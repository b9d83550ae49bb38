"""Categories that another library numbered in an order of its own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.table.schema import MAX_LEVELS, Level


@dataclass(frozen=True, eq=False)
class CodedLevels:
    """One column: its levels, and where they are by the codes of another library.

    Attributes
    ----------
    held : tuple
        The levels, ascending; none for numbers.
    number : mapping of int to int
        By code, the place of a level.
    """

    held: tuple[Level, ...]
    number: Mapping[int, int]

    def numbers(self, codes: Iterable[int]) -> NDArray[np.int64]:
        """The places of some codes; a code that no level has stands for nothing.

        Examples
        --------
        >>> CodedLevels(("a", "b", "c"), {0: 2, 1: 0, 2: 1}).numbers([0, 1, 7])
        array([0, 2])
        """
        return np.array(sorted(self.number[code] for code in codes if code in self.number), int)


def coded_levels(
    columns: Sequence[Mapping[int, Any]], refusal: Callable[[str], Exception]
) -> list[CodedLevels]:
    """Of each column what its codes stand for.

    Parameters
    ----------
    columns : sequence of mappings of int to level
        Empty for numbers.
    refusal : callable
        Makes an error of what is not possible.

    Examples
    --------
    >>> coded_levels([{}, {0: "z", 1: "a"}], ValueError)[1]
    CodedLevels(held=('a', 'z'), number={1: 0, 0: 1})
    """
    for levels in columns:
        kinds = {type(level) for level in levels.values()}
        if len(kinds) > 1 or not kinds <= {str, bool, int, float}:
            raise refusal("categories that are neither all words nor all numbers")
        if len(levels) > MAX_LEVELS:
            raise refusal(f"a category of {len(levels)} levels, more than {MAX_LEVELS}")
    ordered = [sorted(levels, key=levels.__getitem__) for levels in columns]
    return [
        CodedLevels(
            tuple(levels[code] for code in order), {code: i for i, code in enumerate(order)}
        )
        for levels, order in zip(columns, ordered, strict=True)
    ]
