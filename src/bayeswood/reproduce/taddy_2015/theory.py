"""Section 3.1: how often a draw has the sample's split, and the bounds on it."""

import numpy as np
from numpy.typing import NDArray

from bayeswood.reproduce.finding import Finding, Listing
from bayeswood.reproduce.paper import Found, Plan
from bayeswood.reproduce.taddy_2015.runs import SPLIT_ROWS

F64 = NDArray[np.float64]

# Standard errors by which a bound must be exceeded: of 120 sets none by chance (.004).
EXCESS = 4.0


def column(found: Found, n_rows: int, kind: str) -> F64:
    """One quantity of `first_splits` over the data sets of a size."""
    return np.array([each[kind] for each in found[f"splits/{n_rows}"]])


def too_high(found: Found, n_rows: int, bound: F64) -> int:
    """In how many data sets something called a lower bound is above the truth."""
    limit = column(found, n_rows, "match") + EXCESS * column(found, n_rows, "error")
    return int(np.sum(bound > limit))


def equation_1(n_rows: int, n_splits: F64) -> F64:
    """1 - p e^{-n} / √n."""
    return np.asarray(1 - n_splits * np.exp(-float(n_rows)) / np.sqrt(n_rows))


def find_equation_11(found: Found, plan: Plan) -> Finding:
    """The bounds beside the truth, by the size of the node."""
    rows = []
    for n_rows in SPLIT_ROWS:
        bound, normal, match = (
            column(found, n_rows, kind) for kind in ("bound", "normal", "match")
        )
        first = equation_1(n_rows, column(found, n_rows, "splits"))
        rows.append(
            (
                str(n_rows),
                f"{np.median(match):.3f}",
                f"{np.median(normal):.3f}",
                f"{np.median(bound):.3f}",
                f"{np.median(first):.3f}",
                f"{too_high(found, n_rows, bound)} of {len(bound)}",
                f"{too_high(found, n_rows, first)} of {len(bound)}",
            )
        )
    header = (
        "rows", "draws with the sample's split", "1 - Σ Φ(-√n z_j)", "eq. (11)", "eq. (1)",
        "eq. (11) above the truth", "eq. (1) above the truth",
    )  # fmt: skip
    words = (
        f"Medians over {len(column(found, SPLIT_ROWS[0], 'match'))} data sets of ten binary "
        "features, effects 1, .5 and eight times 0, noise of variance 1; the truth is the share of "
        f"2,000 draws of Exp(1) weights. Above the truth: by more than {EXCESS:g} of its standard "
        "errors."
    )
    return Finding(listings=(Listing(header, tuple(rows), words=words),))


def find_first_split(found: Found, plan: Plan) -> Finding:
    """The same on California, where the features are not binary."""
    match = found["first split"]
    row = (
        f"{match['splits']:,}",
        f"{match['match']:.3f} ± {match['error']:.3f}",
        f"{match['normal']:.0f}",
        f"{match['bound']:.0f}",
    )
    header = ("possible splits", "draws with the very same split", "1 - Σ Φ(-√n z_j)", "eq. (11)")
    words = (
        "Neighbouring cuts of income are all but equal, so that a draw seldom has the very same "
        "one, and eq. (11), far below 0, says nothing. The bound is about a few distinct splits; "
        "what is stable is the feature, and the cut within a range (section 3.2)."
    )
    return Finding(listings=(Listing(header, (row,), words=words),))
