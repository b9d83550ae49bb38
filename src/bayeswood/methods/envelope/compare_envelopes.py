"""Fitting models over folds and assessing each within the Uncertainty Envelope."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from bayeswood.errors import BayeswoodError
from bayeswood.methods.envelope.rows import take_rows
from bayeswood.table import fit_class_target
from bayeswood.uncertainty import (
    EnvelopeComparison,
    ModelFolds,
    UncertaintyEnvelope,
    mean_tree_size,
)
from bayeswood.uncertainty.envelope.envelope import Measure


def compare_envelopes(
    models: Mapping[str, Any] | Sequence[Any],
    X: Any,
    y: Any,
    cv: Any = 5,
    *,
    gamma0: float = 0.99,
    measure: Measure = "votes",
) -> EnvelopeComparison:
    """Cross-validate several ensembles within the Uncertainty Envelope, on the same folds.

    Parameters
    ----------
    models : dict of name to estimator, or sequence of estimators
        Unfitted ensembles: this package's or scikit-learn's. They are cloned. A sequence is named
        by the classes of its estimators.
    X : array-like or data frame, (n_rows, n_features)
        Rows.
    y : array-like, (n_rows,)
        True classes.
    cv : int, cross-validation generator or iterable of (train, test), default=5
        A number of folds is stratified and not shuffled, as in scikit-learn.
    gamma0 : float, default=0.99
        Least consistency of a confident outcome.
    measure : {"votes", "probability"}, default="votes"
        As in `UncertaintyEnvelope`.

    Returns
    -------
    EnvelopeComparison
        Per model: tree size, accuracy and the three rates, each with twice its standard deviation
        over the folds; ``to_frame()``, ``to_markdown()`` and ``records()`` give the paper's Tables
        3 and 4, `bayeswood.plots.EnvelopeComparisonDisplay` a picture. The folds' assessments are
        kept, for `choose_gamma0` and for curves with bands.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import BayesianForestClassifier, RandomForestClassifier, compare_envelopes
    >>> X, y = load_iris(return_X_y=True)
    >>> bayesian = BayesianForestClassifier(20, random_state=0)
    >>> bootstrap = RandomForestClassifier(20, random_state=0)
    >>> table = compare_envelopes([bayesian, bootstrap], X, y, gamma0=0.9)
    >>> table.names
    ('BayesianForestClassifier', 'RandomForestClassifier')
    >>> bool((table.mean("accuracy") > 0.9).all())
    True
    """
    envelope = UncertaintyEnvelope(gamma0, measure)
    named = _named_models(models)
    folds = _as_folds(cv, X, y)
    fitted = (_over_folds(name, model, X, y, folds, envelope) for name, model in named.items())
    return EnvelopeComparison(envelope.gamma0, tuple(fitted))


def _named_models(models: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    if isinstance(models, Mapping):
        named = dict(models)
    else:
        named = {}
        for model in models:
            name = type(model).__name__
            n_alike = sum(known == name or known.startswith(f"{name} ") for known in named)
            named[f"{name} {n_alike + 1}" if n_alike else name] = model
    if not named:
        raise BayeswoodError("The 'models' parameter of compare_envelopes must not be empty.")
    for name, model in named.items():
        if not hasattr(model, "fit") or not is_classifier(model):
            raise BayeswoodError(
                "The 'models' parameter of compare_envelopes must hold classifiers. "
                f"Got {model!r} as {name!r} instead."
            )
    return named


def _as_folds(cv: Any, X: Any, y: Any) -> list[tuple[Any, Any]]:
    from sklearn.model_selection import check_cv  # costs megabytes that a forest does not need

    numbers, _ = fit_class_target(y, "compare_envelopes")
    folds = list(check_cv(cv, numbers, classifier=True).split(X, numbers))
    if len(folds) < 2:
        raise BayeswoodError(
            "The 'cv' parameter of compare_envelopes must give at least 2 folds, for the spread. "
            f"Got {len(folds)} instead."
        )
    return folds


def _over_folds(
    name: str,
    model: Any,
    X: Any,
    y: Any,
    folds: list[tuple[Any, Any]],
    envelope: UncertaintyEnvelope,
) -> ModelFolds:
    assessments, sizes = [], []
    for train, test in folds:
        fitted = clone(model).fit(take_rows(X, train), take_rows(y, train))
        assessments.append(envelope.assess(fitted, take_rows(X, test), take_rows(y, test)))
        sizes.append(mean_tree_size(fitted))
    return ModelFolds(name, tuple(assessments), np.array(sizes))
