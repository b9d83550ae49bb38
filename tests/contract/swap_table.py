"""A table of what a forest is asked, put to scikit-learn's and to ours.

`swap_parameters` and `swap_cases` fill it, `swap_page` writes docs/from-scikit-learn.md from it.
"""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn.ensemble

import bayeswood


@dataclass(frozen=True)
class Library:
    """The two forests of a library, and what their trees call their arrays."""

    classifier: type
    regressor: type
    is_ours: bool

    def counts(self, tree: Any) -> np.ndarray:
        """Rows in each node of a tree of `estimators_`."""
        return tree.tree.n_samples if self.is_ours else tree.tree_.n_node_samples

    def is_leaf(self, tree: Any) -> np.ndarray:
        """Which nodes are leaves."""
        return (tree.tree.left if self.is_ours else tree.tree_.children_left) < 0

    def tried_features(self, forest: Any) -> int:
        """Features tried at each split."""
        return forest.max_features_ if self.is_ours else forest.estimators_[0].max_features_


THEIRS = Library(
    sklearn.ensemble.RandomForestClassifier, sklearn.ensemble.RandomForestRegressor, False
)
OURS = Library(bayeswood.RandomForestClassifier, bayeswood.RandomForestRegressor, True)


@dataclass(frozen=True)
class Refused:
    """What a call ends in that is refused."""

    kind: str


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Attributes
    ----------
    section, call, theirs : str
        Where it belongs, what is written, and what scikit-learn makes of it.
    run : callable
        Makes the call with one of the libraries and returns what there is to compare.
    status : {"same", "same law", "differs", "refused"}
        Of ours: the same answer, one within `within` of it, another, or none.
    words : str
        Why, and what to do instead.
    within : float
        How far answers of the same law may be apart.
    needs : str
        A parameter, or a value of `criterion`, without which the row is left out.
    """

    section: str
    call: str
    theirs: str
    run: Callable[[Library], Any]
    status: str = "same"
    words: str = ""
    within: float = 0.0
    needs: str = ""

    def missing(self) -> str:
        """Why the row cannot be run yet; empty if it can."""
        has = inspect.signature(OURS.regressor).parameters
        criterion = OURS.regressor._constraints["criterion"]
        if not self.needs or self.needs in has or criterion.allows(self.needs):
            return ""
        return f"RandomForestRegressor has no {self.needs!r} yet"


ROWS: list[Row] = []


def row(section: str, call: str, theirs: str, status: str = "same", **more: Any) -> Any:
    """Put a function into the table."""

    def put(run: Callable[[Library], Any]) -> Callable[[Library], Any]:
        ROWS.append(Row(section, call, theirs, run, status, **more))
        return run

    return put


def outcome(entry: Row, library: Library) -> Any:
    """What a row's call gives with a library; a refusal counts as an outcome."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return entry.run(library)
        except (ValueError, TypeError, AttributeError) as error:
            return Refused(type(error).__name__ if entry.status == "refused" else "error")
