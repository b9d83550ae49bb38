"""A classifier that may decline: any ensemble within the Uncertainty Envelope.

Model: the ensemble's members vote; γ is the share of the majority class.
Formula: predict(x) = the majority class where γ(x) >= γ₀, the reject label elsewhere.
Reference: Schetinin and others 2004, section 4; the choice of γ₀ is ours, see `choose_gamma0`.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.validation import _num_samples

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parameters import (
    SEED,
    Constraint,
    check_parameters,
    draw_seed,
    one_of,
    parameter_error,
    real,
)
from bayeswood.methods.envelope.rows import take_rows
from bayeswood.methods.envelope.saved_envelope import SavedEnvelope
from bayeswood.modelfile import File, write_model
from bayeswood.table import fit_class_target
from bayeswood.uncertainty import (
    UNCERTAIN,
    EnvelopeAssessment,
    GammaChoice,
    UncertaintyEnvelope,
    choose_gamma0,
    is_confident,
)
from bayeswood.uncertainty.envelope.envelope import Measure
from bayeswood.uncertainty.envelope.votes import is_of_sklearn

F64 = NDArray[np.float64]

_INFINITE = Constraint("inf", lambda v: isinstance(v, float) and v == np.inf)
_CONSTRAINTS: Mapping[str, Constraint] = {
    "gamma0": real(0, 1, integers=True) | _INFINITE | one_of("auto"),
    "measure": one_of("votes", "probability"),
    "target": real(0, 1, "neither"),
    "confidence": real(0, 1, "neither"),
    "calibration_size": real(0, 1, "neither"),
    "random_state": SEED,
}


class EnvelopeClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An ensemble that predicts a class where its members agree, and declines elsewhere.

    Parameters
    ----------
    estimator : classifier with members
        One of this package's, or a scikit-learn ensemble with ``estimators_``. It is cloned; wrap
        a fitted one in ``sklearn.frozen.FrozenEstimator`` to keep it as it is.
    gamma0 : float or "auto", default=0.99
        γ₀: least share of the members that must vote for the class. ``"auto"`` holds out a part
        of the training rows and takes `choose_gamma0` of them.
    reject_label : str, int or other label, default="uncertain"
        What `predict` gives where it declines; must not be a class. The default equals `UNCERTAIN`.
    measure : {"votes", "probability"}, default="votes"
        What γ is measured by, as in `UncertaintyEnvelope`.
    target : float, default=0.01
        For ``"auto"``: largest rate of confident errors among all rows.
    confidence : float, default=0.95
        For ``"auto"``: probability that the target is kept.
    calibration_size : float, default=0.25
        For ``"auto"``: share of the training rows that are held out. The ensemble is not fitted
        again on all rows, since the guarantee is about this one. With a frozen estimator all rows
        given to ``fit`` are calibration rows.
    random_state : int, Generator, RandomState or None, default=None
        Of the held-out rows.

    Attributes
    ----------
    estimator_ : classifier
        The fitted ensemble.
    classes_ : ndarray, (n_classes,)
        The ensemble's classes, without the reject label.
    gamma0_ : float
        The threshold in use.
    choice_ : GammaChoice
        What is known about it; for ``gamma0="auto"`` only.

    Notes
    -----
    `predict` judges the majority of votes (or the most probable class), see `UncertaintyEnvelope`;
    `predict_proba` is the ensemble's own and never declines. `score` is the rate of confident and
    correct outcomes: a row that is declined counts as not solved. Labels keep their type if the
    reject label is of the same kind (-1 among ints, "reject" among strings); otherwise predictions
    are objects.

    If with ``"auto"`` no γ₀ keeps the promise, ``gamma0_`` is ``inf``, everything is declined,
    and a warning says so.

    Examples
    --------
    >>> from bayeswood import BayesianForestClassifier, EnvelopeClassifier
    >>> from bayeswood.datasets import load_breast_cancer_wisconsin
    >>> cancer = load_breast_cancer_wisconsin()
    >>> forest = BayesianForestClassifier(random_state=0)
    >>> careful = EnvelopeClassifier(forest, gamma0=0.9, reject_label="ask a doctor")
    >>> careful.fit(cancer.data[:400], cancer.target[:400]).predict(cancer.data[414:417])
    array(['malignant', 'ask a doctor', 'malignant'], dtype='<U12')
    """

    estimator_: Any
    classes_: NDArray[Any]
    gamma0_: float
    choice_: GammaChoice

    def __init__(
        self,
        estimator: Any,
        gamma0: float | str = 0.99,
        *,
        reject_label: Any = "uncertain",
        measure: Measure = "votes",
        target: float = 0.01,
        confidence: float = 0.95,
        calibration_size: float = 0.25,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.gamma0 = gamma0
        self.reject_label = reject_label
        self.measure = measure
        self.target = target
        self.confidence = confidence
        self.calibration_size = calibration_size
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the ensemble and, with ``gamma0="auto"``, choose γ₀ on rows held out.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        y : array-like, (n_rows,)
            Classes.
        sample_weight : array-like, (n_rows,), default=None
            Weights for the ensemble's ``fit``; calibration does not weigh.

        Returns
        -------
        self
        """
        check_parameters(self.get_params(deep=False), _CONSTRAINTS, "EnvelopeClassifier")
        if not hasattr(self.estimator, "fit"):
            words = "a classifier with members"
            raise parameter_error("estimator", "EnvelopeClassifier", words, self.estimator)
        self.__dict__.pop("choice_", None)
        X, y = _indexable(X), _indexable(y)
        train, held_out = self._split(X, y, sample_weight)
        self.estimator_ = _fit_clone(self.estimator, X, y, sample_weight, train)
        self.classes_ = np.asarray(self.estimator_.classes_)
        self._check_reject_label()
        self.gamma0_ = self._calibrate(X, y, held_out)
        return self

    def save(self, path: File) -> None:
        """Write the fitted ensemble and its envelope to a file that `bayeswood.load` reads.

        The file is versioned, holds no pickle and is safe to load from anyone. The ensemble must
        be one of this package's.

        Parameters
        ----------
        path : str, path-like or binary stream
            Where to write; a file is replaced in one step if it exists.
        """
        self._check_fitted()
        write_model(path, "EnvelopeClassifier", *SavedEnvelope.of(self).state())

    @classmethod
    def _from_saved(cls, saved: SavedEnvelope) -> Self:
        """A fitted classifier from what a file held; BayeswoodError if anything is amiss."""
        names = {*saved.parameters, "estimator"}
        if names != set(cls._get_param_names()):
            raise BayeswoodError("The model file holds other parameters than an envelope has.")
        check_parameters(saved.parameters, _CONSTRAINTS, "EnvelopeClassifier")
        check_parameters({"gamma0": saved.gamma0}, _CONSTRAINTS, "EnvelopeClassifier")
        fitted: Any = saved.ensemble
        given: Any = FrozenEstimator(fitted) if saved.is_frozen else clone(fitted)
        envelope = cls(given, **saved.parameters)
        envelope.estimator_ = given if saved.is_frozen else fitted
        envelope.classes_ = np.asarray(fitted.classes_)
        envelope._check_reject_label()
        envelope.gamma0_ = saved.gamma0
        if saved.choice is not None:
            envelope.choice_ = saved.choice
        return envelope

    def _split(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
        """Rows to fit and rows to calibrate on; None stands for all of them.

        Drawn without regard to class: calibration rows shall be like the rows to come.
        """
        if self.gamma0 != "auto" or is_of_sklearn(self.estimator, "FrozenEstimator"):
            return None, None
        fit_class_target(y, "EnvelopeClassifier")
        check_consistent_length(X, y, sample_weight)
        n_rows = _num_samples(y)
        n_held_out = ceil(self.calibration_size * n_rows)
        if n_held_out >= n_rows:
            raise BayeswoodError(
                f"EnvelopeClassifier cannot hold out {n_held_out} rows for gamma0='auto' where "
                f"n_samples={n_rows}. Give more rows, or a smaller 'calibration_size'."
            )
        order = np.random.default_rng(draw_seed(self.random_state)).permutation(n_rows)
        return np.sort(order[n_held_out:]), np.sort(order[:n_held_out])

    def _calibrate(self, X: Any, y: Any, held_out: Any) -> float:
        if self.gamma0 != "auto":
            return float(self.gamma0)
        if held_out is not None:
            X, y = take_rows(X, held_out), take_rows(y, held_out)
        assessed = UncertaintyEnvelope(measure=self.measure).assess(self.estimator_, X, y)
        self.choice_ = choose_gamma0(assessed, target=self.target, confidence=self.confidence)
        return self.choice_.gamma0

    def _check_reject_label(self) -> None:
        if any(label == self.reject_label for label in self.classes_.tolist()):
            raise BayeswoodError(
                "The 'reject_label' parameter of EnvelopeClassifier must not be a class. "
                f"Got {self.reject_label!r}, which is one."
            )

    @property
    def n_features_in_(self) -> int:
        """Number of features seen at fit."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the features seen at fit, where they had names."""
        names: NDArray[Any] = self.estimator_.feature_names_in_
        return names

    def predict(self, X: Any) -> NDArray[Any]:
        """The majority class where it is confident, `reject_label` elsewhere.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows,)
        """
        votes = self._envelope().shares(self.estimator_, X)
        numbers = votes.majority
        if self.gamma0_ <= 0:  # never declines, so that the classes' own type will do
            return np.asarray(self.classes_[numbers])
        declined = ~is_confident(votes.of_classes(numbers), self.gamma0_)
        labels = self.classes_[numbers].astype(_common_type(self.classes_, self.reject_label))
        labels[declined] = UNCERTAIN if self.reject_label == UNCERTAIN else self.reject_label
        return np.asarray(labels)

    def decide(self, X: Any) -> NDArray[Any]:
        """As `predict`, with `UNCERTAIN` for every row that is declined.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of object, (n_rows,)
        """
        return self._envelope().decide(self.estimator_, X)

    def predict_proba(self, X: Any) -> F64:
        """The ensemble's class probabilities, in the order of `classes_`.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows, n_classes)
        """
        self._check_fitted()
        return np.asarray(self.estimator_.predict_proba(X))

    def consistency(self, X: Any) -> F64:
        """γ of each row: the share of the members that vote for the majority class.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows,)
        """
        return self._envelope().consistency(self.estimator_, X)

    def assess(self, X: Any, y: Any) -> EnvelopeAssessment:
        """Rates of confident-correct, uncertain and confident-incorrect outcomes.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        y : array-like, (n_rows,)
            True classes.

        Returns
        -------
        EnvelopeAssessment
        """
        return self._envelope().assess(self.estimator_, X, y)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Rate of confident and correct outcomes.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.
        y : array-like, (n_rows,)
            True classes.
        sample_weight : array-like, (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        float
        """
        assessed = self.assess(X, y)
        solved = (assessed.is_confident & assessed.is_correct).astype(np.float64)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return float(np.average(solved, weights=weights))

    def _envelope(self) -> UncertaintyEnvelope:
        self._check_fitted()
        return UncertaintyEnvelope(self.gamma0_, self.measure)

    def _check_fitted(self) -> None:
        if "gamma0_" not in self.__dict__:
            raise NotFittedError(
                "This EnvelopeClassifier instance is not fitted yet. Call 'fit' with appropriate "
                "arguments before using this estimator."
            )

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` has ended."""
        return "gamma0_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect: what the ensemble takes."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = replace(inner.classifier_tags, multi_label=False)
        return tags


def _fit_clone(estimator: Any, X: Any, y: Any, sample_weight: Any, rows: Any) -> Any:
    options = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)}
    if rows is not None:
        X, y = take_rows(X, rows), take_rows(y, rows)
        options = {name: weights[rows] for name, weights in options.items()}
    return clone(estimator).fit(X, y, **options)


def _indexable(table: Any) -> Any:
    """As given if rows can be taken from it, otherwise in a form that they can be taken from."""
    if hasattr(table, "tocsr"):
        return table.tocsr()
    return table if table is None or hasattr(table, "__getitem__") else np.asarray(table)


def _common_type(classes: NDArray[Any], reject_label: Any) -> Any:
    """A type that holds the classes and the reject label without changing either."""
    label_type = np.asarray(reject_label).dtype
    if label_type.kind == classes.dtype.kind and classes.dtype.kind in "iUf":
        return np.promote_types(label_type, classes.dtype)
    return object
