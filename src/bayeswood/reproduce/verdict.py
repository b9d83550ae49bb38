"""Does a number that came out here agree with the printed one? The rule, stated and tested.

Hypothesis: the printed number and ours are means of repeats of the same experiment. Then every
known spread estimates the same standard deviation, and the difference of the means, less what
rounding explains, is held against it by Student's two-sided test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtr

from bayeswood.errors import BayeswoodError

LEVEL = 0.01
AGREES, DIFFERS, NOT_RUN = "agrees", "differs", "not run"
BOTH_SPREADS, ONE_SPREAD, DIGITS = "both spreads", "one spread", "digits"

RULE = (
    "A printed cell **agrees** with ours unless Student's two-sided test at level "
    f"{LEVEL:g} says that they are not means of repeats of the same experiment: the difference of "
    "the means, less half a unit of the last printed digit, is divided by "
    "s √(1/n_printed + 1/n_ours), where s pools the printed spread and ours (n - 1 degrees of "
    "freedom each). Where no spread is printed s is ours alone, and the verdict says *one spread*; "
    "where neither has one, the printed digits must be met, and the verdict says *digits*. No "
    "correction for the number of cells is made: of cells that do agree one in a hundred will be "
    "called different. Behind our ± stands the standard deviation of one repeat, behind the "
    "printed one what its table says."
)

SpreadKind = Literal["sd", "two sd", "se"]
_SD_PER_SPREAD = {"sd": 1.0, "two sd": 0.5}


@dataclass(frozen=True)
class Reading:
    """How the numbers of a table are to be read.

    Attributes
    ----------
    unit : float
        Of the last printed digit.
    spread : {"sd", "two sd", "se"} or None
        What stands behind the ±; None if nothing does.
    n_repeats : int or None
        Repeats behind a printed mean; None if unknown, or if there are none.
    """

    unit: float
    spread: SpreadKind | None = None
    n_repeats: int | None = None

    def standard_deviation(self, spread: float | None) -> float | None:
        """The standard deviation of one repeat, of a printed spread."""
        if spread is None or self.spread is None:
            return None
        if self.n_repeats is None or self.n_repeats < 2:
            raise BayeswoodError("A printed spread needs the number of repeats behind it.")
        scale = np.sqrt(self.n_repeats) if self.spread == "se" else _SD_PER_SPREAD[self.spread]
        return float(scale * spread)


@dataclass(frozen=True)
class Verdict:
    """What the rule says about one cell.

    Attributes
    ----------
    word : {"agrees", "differs"}
    basis : {"both spreads", "one spread", "digits"}
    p : float or None
        Of the test; None where digits are compared.
    mean, sd : float
        Ours; `sd` is None for a single number.
    n_repeats : int
    """

    word: str
    basis: str
    p: float | None
    mean: float
    sd: float | None
    n_repeats: int


def judge(printed: float, spread: float | None, ours: Sequence[float], reading: Reading) -> Verdict:
    """Hold repeats of ours against a printed number.

    Parameters
    ----------
    printed, spread : float
        As printed; `spread` is None where none is.
    ours : sequence of float
        One number per repeat; a single one is taken to be exact.
    reading : Reading

    Examples
    --------
    >>> judge(0.156, None, [0.15625], Reading(unit=0.001)).word
    'agrees'
    >>> table = Reading(unit=0.1, spread="sd", n_repeats=5)
    >>> verdict = judge(87.4, 5.6, [78.0, 80.0, 76.0, 79.0, 77.0, 78.5, 79.5, 77.5], table)
    >>> verdict.word, round(verdict.p, 4)
    ('differs', 0.0008)
    """
    values = np.asarray(ours, dtype=np.float64)
    if values.size == 0 or not np.all(np.isfinite(values)):
        raise BayeswoodError("Repeats to be judged must be finite numbers, at least one.")
    mean, n_ours = float(values.mean()), len(values)
    sd = float(values.std(ddof=1)) if n_ours > 1 else None
    known = [
        (found, n)
        for found, n in ((reading.standard_deviation(spread), reading.n_repeats), (sd, n_ours))
        if found is not None and n is not None
    ]
    # Floating point must not turn half a unit into a little more.
    distance = max(abs(mean - printed) - 0.5 * reading.unit * (1 + 1e-9), 0.0)
    if not known:
        word = AGREES if distance == 0.0 else DIFFERS
        return Verdict(word, DIGITS, None, mean, sd, n_ours)
    sizes = [n for n in (reading.n_repeats, n_ours if sd is not None else None) if n is not None]
    p = _two_sided(distance, known, sizes)
    basis = BOTH_SPREADS if len(known) == 2 else ONE_SPREAD
    return Verdict(AGREES if p >= LEVEL else DIFFERS, basis, p, mean, sd, n_ours)


def _two_sided(distance: float, known: list[tuple[float, int]], sizes: list[int]) -> float:
    """P of Student's test; `known` pairs standard deviations with the repeats behind them."""
    freedom = sum(n - 1 for _, n in known)
    pooled = np.sqrt(sum((n - 1) * sd**2 for sd, n in known) / freedom)
    error = float(pooled * np.sqrt(sum(1 / n for n in sizes)))
    if error == 0.0:
        return 1.0 if distance == 0.0 else 0.0
    return float(2 * stdtr(freedom, -distance / error))


def short_p(p: float) -> str:
    """P of a test in few digits.

    Parameters
    ----------
    p : float

    Examples
    --------
    >>> short_p(0.0312), short_p(0.0004), short_p(1.0)
    ('.031', '<.001', '1')
    """
    return "<.001" if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 0.9995 else "1"
