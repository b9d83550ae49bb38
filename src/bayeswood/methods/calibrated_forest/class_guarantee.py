"""Sets of classes with a promise that holds for any distribution and any number of rows.

Model. Each training row i is held against a new row with class c by the trees that left i out:
those votes for its own class less the most for another, against the votes for c less the most for
another at the new row. c is in the set unless the new row beats all but a weight of ℓ of the
training rows: the jackknife+ after bootstrap (Kim, Xu and Barber 2020) with the scores of Romano,
Sesia and Candès (2020) replaced by margins. See `bayeswood.uncertainty.conformal` for ℓ, and for
what makes a fixed number of trees lawful.

Trees vote by the leaves as they were grown: shrinkage, weights and calibration are fitted to
out-of-bag rows, i among them, and stay out. Class by class (conditional=True), a new row with class
c meets the training rows of class c alone, which makes the promise hold for each class.

References: B. Kim, C. Xu, R. Barber. Predictive inference is free with the
jackknife+-after-bootstrap. NeurIPS 2020. Y. Romano, M. Sesia, E. Candès. Classification with valid
and adaptive coverage. NeurIPS 2020. V. Vovk. Conditional validity of inductive conformal
predictors. Machine Learning 92, 2013.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parts import SavedModel
from bayeswood.methods.base.saved_state import read_array
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.guarantee_rows import (
    check_reach,
    read_integers,
    rows_that_count,
)
from bayeswood.uncertainty import most_losses, n_units, thin_bags, unit_weights

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

_WORD = 64
# Votes held at a time: 16 MiB.
_BLOCK_ENTRIES = 2**22
# What sets the random numbers of the promise apart from those of the trees.
_SEED = 0x5EED_0F_5E75


@dataclass(frozen=True, eq=False)
class ClassGuarantee:
    """What sets with a promise need, as a part of the estimator.

    Attributes
    ----------
    node_class : ndarray of unsigned integers, (n_nodes in all,)
        The class that each leaf votes for as it was grown; 0 at other nodes.
    left_out : ndarray of uint64, (n_rows, n_words)
        Bit t set: tree t left the training row out, and counts for it.
    margin, label, groups : ndarray of int32, (n_rows,)
        Votes of these trees for the row's class less the most for another; its class; its group,
        a number of its own for each row where there are none.
    mishap : float
        At most the probability that some bag of trees was left without rows but for the last one.
    """

    node_class: NDArray[Any]
    left_out: NDArray[np.uint64]
    margin: I32
    label: I32
    groups: I32
    mishap: float

    def sets(
        self,
        forest: Forest,
        rows: NDArray[Any],
        coverage: float,
        conditional: bool,
        caller: str,
        n_jobs: int,
    ) -> NDArray[np.bool_]:
        """(n_rows, n_classes); an error where there are too few rows for the coverage."""
        n_classes = forest.n_outputs
        if conditional:
            weights, losses = self._by_class(coverage, n_classes)
        else:
            check_reach(self.groups, coverage, caller)
            weights = unit_weights(self.groups)
            losses = np.full(n_classes, most_losses(coverage, n_units(self.groups), self.mishap))
        step = max(1, _BLOCK_ENTRIES // forest.n_trees)
        blocks = [rows[first : first + step] for first in range(0, len(rows), step)]
        found = [
            _core.count_unbeaten(
                self.left_out,
                self.margin,
                self.label,
                weights,
                tree_votes(forest.core, self.node_class, block, n_jobs),
                n_classes,
                conditional,
                losses,
                n_jobs=n_jobs,
            )
            > losses
            for block in blocks
        ]
        return np.concatenate(found) if found else np.empty((0, n_classes), dtype=np.bool_)

    def _by_class(self, coverage: float, n_classes: int) -> tuple[F64, F64]:
        """What each row counts among those of its class, and ℓ of each class."""
        weights, losses = np.empty(len(self.label)), np.full(n_classes, -1.0)
        for number in np.unique(self.label):
            own = self.label == number
            weights[own] = unit_weights(self.groups[own])
            losses[number] = most_losses(coverage, n_units(self.groups[own]), self.mishap)
        return weights, losses

    def attributes(self) -> Mapping[str, Any]:
        """None: it is asked through `predict_set`."""
        return {}

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Votes of the leaves, and the rows that were left out."""
        arrays["promise_votes"] = self.node_class
        arrays["promise_left_out"] = self.left_out
        arrays["promise_margins"] = self.margin
        arrays["promise_labels"] = self.label
        arrays["promise_groups"] = self.groups
        arrays["promise_mishap"] = np.array([self.mishap])

    @classmethod
    def read(cls, saved: SavedModel) -> "ClassGuarantee | None":
        """Checked; None in files from before there was a promise."""
        arrays, core = saved.arrays, saved.forest.core
        if "promise_mishap" not in arrays:
            return None
        mishap = float(read_array(arrays, "promise_mishap", (1,))[0])
        if mishap < 0.0:
            raise BayeswoodError("The model file holds an unusable array 'promise_mishap'.")
        n_trees, n_classes = core.n_trees, core.n_outputs
        votes = read_integers(arrays, "promise_votes", int(core.n_nodes.sum()), n_classes)
        n = len(np.atleast_1d(arrays.get("promise_labels", np.empty(0))))
        return cls(
            votes.astype(np.min_scalar_type(n_classes)),
            _read_left_out(arrays, n, n_trees),
            read_integers(arrays, "promise_margins", n, n_trees + 1, least=-n_trees),
            read_integers(arrays, "promise_labels", n, n_classes),
            read_integers(arrays, "promise_groups", n, n),
            mishap,
        )


def _read_left_out(arrays: Mapping[str, NDArray[Any]], n: int, n_trees: int) -> NDArray[np.uint64]:
    found = np.asarray(arrays.get("promise_left_out", np.empty(0)))
    if not n or found.dtype != np.uint64 or found.shape != (n, n_words(n_trees)):
        raise BayeswoodError("The model file holds an unusable array 'promise_left_out'.")
    return np.ascontiguousarray(found)


def n_words(n_trees: int) -> int:
    """Words of 64 bits for so many trees."""
    return -(-n_trees // _WORD)


def make_class_guarantee(
    data: TrainingData, grown: GrownForest, kind: I32, n_jobs: int
) -> tuple[ClassGuarantee, ...]:
    """From the trees as they were grown, before anything was fitted to out-of-bag rows.

    Parameters
    ----------
    data : TrainingData
        The rows that take part.
    grown : GrownForest
        The trees.
    kind : ndarray of int32, (n_trees,)
        0 or 1: how each tree was grown.
    n_jobs : int
        Threads.

    Returns
    -------
    tuple of ClassGuarantee
        One; none if no tree leaves rows out.
    """
    law = grown.row_weights
    if law is None or law.threshold <= 0:
        return ()
    n_rows, groups = data.n_rows, data.row_groups
    if groups is None:
        groups = np.arange(n_rows, dtype=np.int32)
    counted = rows_that_count(groups, np.ones(n_rows, dtype=np.bool_), law.seed)
    numbers = np.unique(groups[counted], return_inverse=True)[1].astype(np.int32)
    share, core = 1.0 - exp(-law.threshold), grown.forest.core
    size, first = law.trees_per_draw, counted[np.unique(numbers, return_index=True)[1]]
    left_out = law.left_out(core.n_trees, n_rows, first)
    bags = _thinned(left_out, bag_kinds(kind, size), share, law.seed)
    mishap = len(bags) * share ** n_units(groups)
    kept = np.repeat(bags, size, axis=0)[: core.n_trees, numbers]
    node_class = _core.node_classes(core)
    votes = tree_votes(core, node_class, data.X[counted], n_jobs, kept)
    label = np.ascontiguousarray(data.target.y[counted], dtype=np.int32)
    margin = margins(votes, kept, label, core.n_outputs)
    return (ClassGuarantee(node_class, packed(kept), margin, label, numbers, mishap),)


def bag_kinds(kind: I32, size: int) -> I32:
    """A number for each bag of so many trees: the same for those with as many trees of each kind.

    Examples
    --------
    >>> bag_kinds(np.array([0, 1, 0, 1, 1], dtype=np.int32), 2)
    array([0, 0, 1], dtype=int32)
    """
    bag = np.arange(len(kind)) // size
    counts = np.stack([np.bincount(bag), np.bincount(bag, kind)], axis=1)
    numbers = np.unique(-counts, axis=0, return_inverse=True)[1]
    return numbers.ravel().astype(np.int32)


def _thinned(left_out: NDArray[np.bool_], kind: I32, share: float, seed: int) -> NDArray[np.bool_]:
    """Which bags count for which unit, kind by kind: bags of a kind are alike."""
    random = np.random.default_rng([seed, _SEED])
    found = np.zeros_like(left_out)
    for one in np.unique(kind):
        found[kind == one] = thin_bags(left_out[kind == one], share, random)
    return found


def packed(kept: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Bits of (n_trees, n_rows) as words, (n_rows, n_words).

    Examples
    --------
    >>> packed(np.array([[True, False], [True, True]]))
    array([[3],
           [2]], dtype=uint64)
    """
    n_trees, n_rows = kept.shape
    bits = np.zeros((n_rows, n_words(n_trees) * _WORD), dtype=np.bool_)
    bits[:, :n_trees] = kept.T
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def tree_votes(
    core: _core.Forest,
    node_class: NDArray[Any],
    rows: NDArray[Any],
    n_jobs: int,
    asked: NDArray[np.bool_] | None = None,
) -> I32:
    """The class that each tree votes for, (n_rows, n_trees); any class where it is not `asked`."""
    first_node = np.cumsum(core.n_nodes) - core.n_nodes
    where = None if asked is None else asked.view(np.uint8)
    leaf = core.apply(rows, n_jobs, where)
    return np.ascontiguousarray(node_class[leaf + first_node], dtype=np.int32)


def margins(votes: I32, kept: NDArray[np.bool_], label: I32, n_classes: int) -> I32:
    """Votes for each row's class less the most for another, by the trees that count for it."""
    row = np.arange(len(votes))
    cells = (row[:, None] * n_classes + votes)[kept.T]
    counts = np.bincount(cells, minlength=len(votes) * n_classes).reshape(-1, n_classes)
    own = counts[row, label]
    counts[row, label] = -1 if n_classes > 1 else 0
    found: I32 = (own - np.maximum(counts.max(axis=1), 0)).astype(np.int32)
    return found
