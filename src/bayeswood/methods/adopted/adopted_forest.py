"""Estimators around forests that were fitted elsewhere: all but `fit`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from bayeswood.attribution import (
    Additive,
    AdditivePart,
    AdditiveSpread,
    Question,
    SpreadPart,
    explain_draws,
)
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.parameters import JOBS, Constraint, integer, one_of
from bayeswood.methods.base.parts import ClassLabels, SavedModel
from bayeswood.methods.base.predictive import (
    ClassPredictive,
    LeafResponses,
    MemberAverage,
    Predictive,
    entropy_parts,
)
from bayeswood.methods.base.regressor import ForestRegressor
from bayeswood.uncertainty import Uncertainty, split_entropy

F64 = NDArray[np.float64]

_TEXT = Constraint("a str", lambda value: isinstance(value, str))
_SHARED: Mapping[str, Constraint] = {"source": _TEXT, "n_jobs": JOBS, "verbose": integer(0)}


@dataclass(frozen=True, eq=False)
class LogitSums(ClassPredictive):
    """Softmax of the one member's sums of trees; of two classes the first's are 0."""

    def linked(self, draws: F64) -> F64:
        """Class probabilities of log odds, (..., n_classes)."""
        found: F64 = softmax(draws, axis=-1)
        return found

    def probabilities(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> F64:
        """Of the sums."""
        return self.linked(forest.predict(rows, n_jobs))

    def additive(self, forest: Forest) -> Additive:
        """The sums, and their softmax."""
        return Additive((AdditivePart(forest),), self.linked, "log odds", ({"op": "softmax"},))

    def additive_spread(self, forest: Forest, coverage: float) -> AdditiveSpread | None:
        """One member has no spread."""
        part = SpreadPart(forest, np.ones(forest.n_trees), forest.n_trees, np.zeros(1, np.int64))
        return AdditiveSpread((part,), np.ones(1), 0.0, ({"op": "softmax"},))

    def quantiles(self, forest: Forest, rows: NDArray[Any], levels: F64, n_jobs: int) -> F64:
        """One member has one value."""
        found = self.probabilities(forest, rows, n_jobs)
        return np.repeat(found[:, :, None], len(levels), axis=2)

    def interval(self, forest: Forest, rows: NDArray[Any], coverage: float, n_jobs: int) -> F64:
        """One member has no spread."""
        return self.quantiles(forest, rows, np.zeros(2), n_jobs)

    def entropy_parts(self, forest: Forest, rows: NDArray[Any], n_jobs: int) -> Uncertainty:
        """Entropy of the answer, all of it data."""
        return entropy_parts(
            forest, rows, n_jobs, lambda draws: split_entropy(self.linked(draws), forest.weights)
        )

    def shap_draws(
        self, forest: Forest, question: Question, *, raw: bool = False
    ) -> tuple[F64, F64, F64]:
        """Of the one member's probabilities; raw, of its log odds."""
        link = None if raw else self.linked
        return (*explain_draws(forest, question, link), forest.weights)


class AdoptedMeans(LeafResponses):
    """Means in leaves, and nothing else of the response."""

    def check(self, caller: str, levels: F64 | None = None) -> None:
        """Raise: training responses do not come with a forest from elsewhere."""
        raise BayeswoodError(
            f"{caller} needs the training responses, which an adopted forest does not have. Ask "
            "for kind='mean', or fit one of bayeswood's own regressors."
        )


class AdoptedLabels(ClassLabels):
    """Classes, of trees with class probabilities or with log odds."""

    @classmethod
    def read(cls, saved: SavedModel) -> Self:
        """Checked against the trees."""
        classes = cls.labels_in(saved)
        if len(classes) != saved.forest.n_outputs:
            raise BayeswoodError("The model file's classes do not match its trees.")
        return cls(classes)


class _Adopted:
    """Fitting is done already."""

    source: str
    _name: str

    def _fit(self, X: Any, y: Any, sample_weight: Any, oob_groups: Any = None) -> NoReturn:
        raise BayeswoodError(
            f"{self._name}.fit is not possible: the trees come from {self.source or 'elsewhere'}. "
            "Fit that again and adopt it again."
        )

    def _grow(self, data: Any, tasks: Any) -> NoReturn:
        raise NotImplementedError

    def _sample_of(self, caller: str) -> NoReturn:
        raise BayeswoodError(
            f"{self._name}.{caller} needs a sample of the training rows, which an adopted forest "
            "does not have."
        )


class AdoptedClassifier(_Adopted, ForestClassifier):
    """A classifier that another library fitted; made by `from_sklearn` and its like.

    Everything that is asked of Forest and Predictive works: predictions, draws, intervals of the
    mean, envelopes, Shapley values, pictures, files. What needs training rows does not.

    Parameters
    ----------
    source : str, default=""
        Class that the trees come from.
    link : {"average", "logit"}, default="average"
        Whether trees hold class probabilities, which are averaged, or log odds, which add up.
    n_jobs : int, default=None
        Threads of predictions.
    verbose : int, default=0
        If positive, long predictions show a bar.

    Attributes
    ----------
    classes_ : ndarray, (n_classes,)
        Class labels.
    forest_ : Forest
        The trees.
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **_SHARED,
        "link": one_of("average", "logit"),
    }
    _target_kind = AdoptedLabels

    def __init__(
        self,
        source: str = "",
        *,
        link: str = "average",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.source = source
        self.link = link
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _predictive_kind(self) -> type[Predictive]:
        return LogitSums if self.link == "logit" else MemberAverage


class AdoptedRegressor(_Adopted, ForestRegressor):
    """A regressor that another library fitted; made by `from_sklearn` and its like.

    Parameters
    ----------
    source : str, default=""
        Class that the trees come from.
    n_jobs : int, default=None
        Threads of predictions.
    verbose : int, default=0
        If positive, long predictions show a bar.

    Attributes
    ----------
    n_outputs_ : int
        Number of responses.
    forest_ : Forest
        The trees.
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = _SHARED

    def __init__(self, source: str = "", *, n_jobs: int | None = None, verbose: int = 0) -> None:
        self.source = source
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _predictive_kind(self) -> type[Predictive]:
        return AdoptedMeans
