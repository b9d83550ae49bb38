"""``python tests/contract/swap_page.py`` writes docs/from-scikit-learn.md from the table."""

from collections.abc import Iterator
from pathlib import Path

import swap_cases  # noqa: F401  (these fill the table)
import swap_parameters  # noqa: F401
from swap_table import ROWS

PAGE = Path(__file__).parents[2] / "docs" / "from-scikit-learn.md"

_HEAD = """
# From scikit-learn's random forest

<!-- Written by python tests/contract/swap_page.py from the table in tests/contract. -->

Every parameter, attribute and method of scikit-learn's `RandomForestClassifier` and
`RandomForestRegressor`, and the cases that its own tests of forests try, put to both libraries by
`tests/contract/test_swap.py`. *Same* is the same answer and *same law* the same up to chance, for
the random numbers differ; what *differs* or is *refused* says why, and what to do.

`BayesianForest*` and `CalibratedForest*` take the same parameters. Their trees weigh all rows:
`bootstrap` must be True and `max_samples` None, and `weight_threshold=-log(share)` leaves all but a
share of the rows out. A calibrated forest is one fit, `warm_start` must be False; it always scores
itself, whatever `oob_score` says, and grows its trees out: `max_leaf_nodes`, `min_samples_split`,
`min_impurity_decrease` and `ccp_alpha` must be at their defaults. With
`class_weight` its probabilities are calibrated for a world with such shares of classes, not for the
rows that you have; to move a decision alone, leave it and set a threshold on `predict_proba`.

"""

_TAIL = """
## Sparse tables

A sparse X is refused, with a line that says how much memory `X.toarray()` takes: 8 bytes per
value. A zero is a value like others here, and support and intervals need rows as they are. CPU
seconds for 20 trees (the least of three, the libraries in turn, on a busy machine), where
scikit-learn takes the table either way:

| rows × columns, not 0 | dense | scikit-learn, sparse | scikit-learn, dense | ours, dense |
|---|---|---|---|---|
| 3,000 × 2,000, 1 % | 48 MB | 0.26 | 1.12 | 0.48 |
| 2,000 × 5,000, 1 % | 80 MB | 0.24 | 1.39 | 0.55 |
| 5,000 × 500, 5 % | 20 MB | 0.50 | 0.48 | 0.34 |

So the dense table costs twice the time where nearly all is 0, and none at 5 %; what it costs is
memory. Where it does not fit, keep the columns that occur most, or reduce them
(`sklearn.decomposition.TruncatedSVD`).
"""


def page() -> str:
    """The page."""
    return _HEAD.strip() + "\n" + "\n".join(_lines()) + "\n" + _TAIL


def _lines() -> Iterator[str]:
    section = ""
    for entry in ROWS:
        if entry.section != section:
            section = entry.section
            yield from ("", f"## {section}", "", "| call | scikit-learn | ours |", "|---|---|---|")
        words = f"{entry.status}: {entry.words}" if entry.words else entry.status
        yield f"| {entry.call} | {entry.theirs} | {words} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
