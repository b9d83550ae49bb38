"""Where there are no data near: rows of which the model has seen nothing like."""

from dataclasses import dataclass

import numpy as np

from bayeswood.report.page.summary.rows import ReportRows
from bayeswood.uncertainty import NO_DATA_BELOW

_N_BARS = 20
_N_LEAST = 8


@dataclass(frozen=True)
class SupportSummary:
    """How well the rows are surrounded by training rows.

    Attributes
    ----------
    n_rows : int
    n_alone : int
        Rows with no data near.
    below : float
        Support below which no data are near; as many rows are usual.
    counts : tuple of int
        Rows in equally wide parts of [0, 1].
    least : tuple of (int, float)
        Numbers of the rows with the least support, and it.
    """

    n_rows: int
    n_alone: int
    below: float
    counts: tuple[int, ...]
    least: tuple[tuple[int, float], ...]


def summarize_support(rows: ReportRows) -> SupportSummary | None:
    """None if the model does not know where its data were."""
    support = rows.support
    if support is None:
        return None
    counts, _ = np.histogram(support, _N_BARS, (0, 1))
    return SupportSummary(
        n_rows=len(rows),
        n_alone=int(np.count_nonzero(support < NO_DATA_BELOW)),
        below=NO_DATA_BELOW,
        counts=tuple(int(n) for n in counts),
        least=tuple(
            (int(rows.number[i]), float(support[i])) for i in least_supported(rows, _N_LEAST)
        ),
    )


def least_supported(rows: ReportRows, n: int) -> list[int]:
    """The rows with no data near, the loneliest first; no more than n."""
    if rows.support is None:
        return []
    order = np.argsort(rows.support, kind="stable")[:n]
    return [int(i) for i in order if rows.support[i] < NO_DATA_BELOW]
