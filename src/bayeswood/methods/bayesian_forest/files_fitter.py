"""Between an estimator and whoever fits it elsewhere: from files, on a cluster, in Spark.

Others read the rows, fit trunk and branches, and graft; the estimator says how to grow (`growth`)
and takes what was grown (`adopt`).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.distributed.files.encoding import Encoding, Totals
from bayeswood.distributed.files.file_plan import Source
from bayeswood.distributed.files_request import FilesFit, FilesRequest, Growth
from bayeswood.distributed.tasks.memory import SMALLEST_LIMIT, in_words, parse_bytes
from bayeswood.errors import BayeswoodError
from bayeswood.forest import RowWeights
from bayeswood.methods.base.classifier import ForestClassifier
from bayeswood.methods.base.forest_estimator import (
    check_own_parameters,
    fitted_attributes,
    hand_over,
)
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import (
    check_parameters,
    draw_seed,
    integer,
    one_of,
    parameter_error,
    real,
)
from bayeswood.methods.base.parts import ClassLabels, ResponseShape
from bayeswood.methods.base.predictive import LeafResponses, MemberAverage, Predictive
from bayeswood.methods.base.saved_state import own_parameters
from bayeswood.methods.base.training_data import TableShape, Target, TrainingData
from bayeswood.methods.base.training_sample import TrainingSample
from bayeswood.methods.bayesian_forest.trunk_and_branches import Trunk, TrunkForest, branch_plan
from bayeswood.methods.bayesian_forest.trunk_check import check_trunk
from bayeswood.methods.bayesian_forest.trunk_plan import TrunkPlan, plan_trunk
from bayeswood.methods.cart.cart_forest import keeps_rows, plan_cart
from bayeswood.threads import n_threads
from bayeswood.uncertainty import Responses

# Parameters that change who does what, and no result.
_NO_MATTER = ("n_jobs", "verbose", "check_trunk")
_ALLOWED = {
    "on_large_branch": one_of("raise", "split"),
    "stall_timeout": real(0, closed="neither", integers=True),
    "batch_rows": integer(1),
}


class FilesFitter:
    """Fits an estimator to rows that it never sees.

    Parameters
    ----------
    estimator : EmpiricalBayesianForestClassifier or EmpiricalBayesianForestRegressor
        What is fitted; it stays as it is until `adopt`.
    call : str
        What the user called, for the errors.

    Attributes
    ----------
    name : str
        Of the estimator's class.
    is_classifier : bool
        Whether it predicts classes.
    """

    _planned: TrunkPlan  # by `growth`, for `adopt`

    def __init__(self, estimator: TrunkForest, call: str) -> None:
        self.estimator = estimator
        self.call = call
        self.name = type(estimator).__name__
        self.is_classifier = isinstance(estimator, ForestClassifier)

    def check(self, memory_limit: Any, **given: Any) -> int:
        """Check the parameters of the estimator and of the call; the memory limit in bytes."""
        check_own_parameters(self.estimator)
        check_parameters(given, _ALLOWED, self.call)
        if self.estimator.oob_score:
            raise BayeswoodError(
                f"The 'oob_score' parameter of {self.name} must be False for "
                f"{self.call.split('.')[-1]}, which does not hold the training rows in memory. "
                f"Got {self.estimator.oob_score!r} instead."
            )
        if getattr(self.estimator, "class_weight", None) is not None:
            raise BayeswoodError(
                f"The 'class_weight' parameter of {self.name} must be None for "
                f"{self.call.split('.')[-1]}, which reads the rows in pieces. Write the weights "
                "into a column and name it as sample_weight."
            )
        limit = parse_bytes(memory_limit, "memory_limit", self.call)
        if limit < SMALLEST_LIMIT:
            words = f"at least {in_words(SMALLEST_LIMIT)}"
            raise parameter_error("memory_limit", self.call, words, memory_limit)
        return limit

    def check_targets(self, targets: Sequence[str]) -> None:
        """Refuse several targets where classes are predicted."""
        if self.is_classifier and len(targets) > 1:
            raise BayeswoodError(f"{self.call} predicts one target. Got {list(targets)} instead.")

    def request(
        self, source: Source, limit: int, n_jobs: int | None, *, on_large_branch: str, **how: Any
    ) -> FilesRequest:
        """What is asked of those who fit; the seed is drawn.

        Parameters
        ----------
        source : Source
            The files, or the columns of a data frame.
        limit : int
            Bytes of memory.
        n_jobs : int or None
            Processors, as joblib counts them.
        on_large_branch : {"raise", "split"}
            What to do about a branch that would not fit.
        **how
            Further fields of `FilesRequest`, which change no result.
        """
        own = {"memory_limit": limit, "on_large_branch": on_large_branch}
        return FilesRequest(
            source=source,
            is_classifier=self.is_classifier,
            parameters={**self._what_matters(), **own},
            seed=draw_seed(self.estimator.random_state),
            grow=self.growth,
            owner=self.name,
            n_jobs=n_threads(n_jobs),
            sample_size=self.estimator.trunk_sample_size,
            keep_rows=keeps_rows(self.estimator),
            show_progress=bool(self.estimator.verbose),
            memory_limit=limit,
            on_large_branch=on_large_branch,
            **how,
        )

    def _what_matters(self) -> dict[str, Any]:
        """The parameters that the model depends on, as plain data."""
        parameters = own_parameters(self.estimator)
        kept = {name: value for name, value in parameters.items() if name not in _NO_MATTER}
        return {"estimator": self.name, **kept}

    def growth(self, encoding: Encoding, totals: Totals, n_sample: int, seed: int) -> Growth:
        """How to grow the forest of a table that is known.

        Parameters
        ----------
        encoding : Encoding
            How its rows become numbers.
        totals : Totals
            Of all rows.
        n_sample : int
            Rows that the trunk is fitted to.
        seed : int
            Of the fit.
        """
        shape = TableShape(totals.n_rows, encoding.schema.n_levels, encoding.n_classes)
        law = RowWeights("exponential", seed, threshold=float(self.estimator.weight_threshold))
        plan = plan_cart(self.estimator, (shape.n_rows, len(shape.n_levels)), law)
        self._planned = plan_trunk(self.estimator, plan, shape)
        branches = branch_plan(plan, shape.n_classes, totals.weight, plan.n_trees)
        return Growth(self._planned.settings(n_sample), branches)

    def adopt(self, fitted: FilesFit) -> Any:
        """Make the estimator what was fitted elsewhere.

        Parameters
        ----------
        fitted : FilesFit
            What came of the last `growth`.

        Returns
        -------
        estimator
            The same object, fitted.
        """
        schema, target = fitted.encoding.schema, _target_part(fitted.encoding)
        plan = self._planned.forest
        law = replace(plan.row_weights, parts=fitted.branch)
        grown = GrownForest(
            fitted.forest,
            fitted.importances,
            law.seed,
            law,
            {**plan.settings(), **self._found(fitted)},
            (
                Trunk.of(fitted.trunk, schema, target.names()),
                TrainingSample.draw(fitted.sample.X, law.seed, fitted.totals.n_rows),
            ),
        )
        predictive = self._predictive(fitted, law)
        hand_over(self.estimator, fitted_attributes(schema, grown, predictive, target))
        return self.estimator

    def _found(self, fitted: FilesFit) -> dict[str, Any]:
        """What the fit has shown: how sure the trunk is, by some rows of its sample, and memory."""
        found: dict[str, Any] = {}
        if self.estimator.check_trunk:
            found |= check_trunk(fitted.trunk, self._planned, _sample_data(fitted))
        if fitted.memory is not None:
            found["memory_plan_"] = fitted.memory
        return found

    def _predictive(self, fitted: FilesFit, law: RowWeights) -> Predictive:
        if self.is_classifier:
            return MemberAverage()
        if fitted.y is None:
            return LeafResponses()
        return LeafResponses(Responses(fitted.y, fitted.weight, law))


def _target_part(encoding: Encoding) -> ClassLabels | ResponseShape:
    if encoding.classes is not None:
        return ClassLabels(encoding.classes)
    return ResponseShape(encoding.roles.single_target)


def _sample_data(fitted: FilesFit) -> TrainingData:
    """The rows of the sample that came with the result."""
    encoding, rows = fitted.encoding, fitted.sample
    target = Target(rows.y, encoding.classes, encoding.roles.single_target)
    everyone = np.ones(len(rows.X), dtype=np.bool_)
    return TrainingData(rows.X, encoding.schema, target, rows.weight, rows.X, everyone)


def predicted_columns(model: Any, X: Any) -> dict[str, NDArray[Any]]:
    """Predictions of some rows by a fitted estimator, by the names of their columns.

    ``predicted``, and for classifiers ``p_CLASS`` for the probability of each class; for several
    responses ``predicted_0``, ``predicted_1``, ...
    """
    if hasattr(model, "classes_"):
        shares = model.predict_proba(X)
        labels = model.classes_[np.argmax(shares, axis=1)]
        named = {f"p_{label}": shares[:, c] for c, label in enumerate(model.classes_)}
        return {"predicted": labels, **named}
    found = model.predict(X)
    if found.ndim == 1:
        return {"predicted": found}
    return {f"predicted_{j}": column for j, column in enumerate(found.T)}
