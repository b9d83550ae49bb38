"""Forests for several outputs of classes at once: labels, or columns of classes.

Every class of every output is a column of 0 and 1, and trees reduce their summed variance. The
variance of such a column is p (1 − p), so that the sum is that of the outputs' Gini impurities,
which scikit-learn's joint trees reduce; a leaf's means are its shares of classes.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parts import ClassBlocks
from bayeswood.methods.base.predictive import MemberAverage, Predictive
from bayeswood.methods.base.training_data import (
    Target,
    TrainingData,
    read_class_blocks,
    split_blocks,
)
from bayeswood.methods.cart.grow_cart import CartPlan
from bayeswood.methods.cart.out_of_bag import out_of_bag, score_out_of_bag
from bayeswood.methods.cart.out_of_bag_score import ScoredClassifier, seen_rows

F64 = NDArray[np.float64]

# What joint trees can do: their impurity is a sum of variances, their answer an average.
_JOINT = {"criterion": "gini", "voting": "soft"}


class JointClassifier(ScoredClassifier):
    """A forest for classes that takes several columns of them. Not to be used by itself."""

    _target_kind = ClassBlocks

    def _read_target(self, y: Any) -> Target:
        return read_class_blocks(y, self._name)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect of the estimator."""
        tags = super().__sklearn_tags__()
        is_joint = all(getattr(self, name, only) == only for name, only in _JOINT.items())
        tags.target_tags.multi_output = tags.classifier_tags.multi_label = is_joint
        return tags

    def _plan(self, data: TrainingData) -> CartPlan:
        plan = super()._plan(data)
        if not data.target.blocks:
            return plan
        for name, only in _JOINT.items():
            if getattr(self, name, only) != only:
                raise BayeswoodError(
                    f"The '{name}' parameter of {self._name} must be {only!r} where y has several "
                    f"columns. Got {getattr(self, name)!r} instead. sklearn.multioutput."
                    "MultiOutputClassifier fits a forest for each column."
                )
        return replace(plan, criterion="squared_error")

    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        if not data.target.blocks:
            return super()._choose(data, grown)
        settings = self._judged(data, grown) if self.oob_score else {}
        return grown.extended(settings), MemberAverage()

    def _judged(self, data: TrainingData, grown: GrownForest) -> dict[str, Any]:
        """Out-of-bag shares, (n_rows, n_classes, n_outputs), and the rows right in all outputs."""
        blocks = data.target.blocks
        if len(set(map(len, blocks))) > 1:
            raise BayeswoodError(
                f"The 'oob_score' parameter of {self._name} must be False where the columns of y "
                f"have different numbers of classes. Got {self.oob_score!r} instead."
            )
        shares = out_of_bag(data, grown, hard=False, n_jobs=self._threads())
        found, seen, weight = seen_rows(shares, data)
        guess = _labels(found, blocks)
        truth = _labels(data.target.y[seen], blocks)
        score = score_out_of_bag(self.oob_score, _all_right, truth, guess, weight)
        cube = np.stack(split_blocks(shares, blocks), axis=-1)
        return {"oob_decision_function_": cube, "oob_score_": score}


def _labels(shares: F64, blocks: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    parts = zip(blocks, split_blocks(shares, blocks), strict=True)
    return np.column_stack([classes[np.argmax(part, axis=1)] for classes, part in parts])


def _all_right(truth: NDArray[Any], guess: NDArray[Any], sample_weight: F64 | None) -> float:
    return float(np.average((truth == guess).all(axis=1), weights=sample_weight))
