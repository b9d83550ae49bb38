"""A toy method: trees of random features whose averaged probabilities are tempered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.parameters import CART, Constraint, real
from bayeswood.methods.base.predictive import ClassPredictive
from bayeswood.methods.base.saved_state import read_scalar
from bayeswood.methods.cart.cart_forest import CartForest


@dataclass(frozen=True, eq=False)
class TemperedAverage(ClassPredictive):
    """The members' average to a power."""

    power: float

    def probabilities(self, forest, rows, n_jobs):
        """p^τ, normalised."""
        powers = forest.predict(rows, n_jobs) ** self.power
        return powers / powers.sum(axis=1, keepdims=True)

    def arrays(self):
        """τ, which is a fitted attribute too."""
        return {"temper_": np.array(self.power)}

    @classmethod
    def from_arrays(cls, arrays, forest):
        """τ again."""
        return cls(read_scalar(arrays, "temper_", float))


class TemperedForestClassifier(CartForest, ForestClassifier):
    """Trees of random features at each node, tempered."""

    _scheme = "unit"
    _constraints: ClassVar[Mapping[str, Constraint]] = {**CART, "temper": real(0, 9, "right")}
    criterion, max_depth, max_features, min_weight_fraction_leaf = "gini", None, "sqrt", 0.0
    min_samples_leaf, categorical_features = 1, "from_dtype"

    def __init__(self, n_estimators=20, *, temper=2.0, n_jobs=None, random_state=None, verbose=0):
        self.n_estimators = n_estimators
        self.temper = temper
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _predictive_kind(self):
        return TemperedAverage

    def _choose(self, data, grown):
        return grown, TemperedAverage(float(self.temper))
