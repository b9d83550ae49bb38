"""The table room under scikit-learn's own checks, by way of two estimators that do little else."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from bayeswood.table import (
    check_weights,
    fit_class_target,
    fit_numeric_target,
    fit_table,
    transform_table,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")


class TableEstimator(BaseEstimator):
    """Read a table by the rules of the room, and keep what estimators keep."""

    def _read(self, X):
        matrix, self.schema_ = fit_table(X, estimator_name=type(self).__name__)
        self.n_features_in_ = self.schema_.n_features
        if self.schema_.named:
            self.feature_names_in_ = np.array(self.schema_.names, dtype=object)
        return matrix

    def _n_rows(self, X):
        check_is_fitted(self)
        return len(transform_table(X, self.schema_, estimator_name=type(self).__name__))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class MajorityClassifier(ClassifierMixin, TableEstimator):
    def fit(self, X, y, sample_weight=None):
        matrix = self._read(X)
        codes, self.classes_ = fit_class_target(y, type(self).__name__)
        check_consistent_length(matrix, codes)
        weights = check_weights(sample_weight, len(codes), type(self).__name__)
        counts = np.bincount(codes, weights)
        self.share_ = counts / counts.sum()
        return self

    def predict_proba(self, X):
        n_rows = self._n_rows(X)
        return np.tile(self.share_, (n_rows, 1))

    def predict(self, X):
        n_rows = self._n_rows(X)
        return self.classes_[np.full(n_rows, np.argmax(self.share_))]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class MeanRegressor(RegressorMixin, TableEstimator):
    def fit(self, X, y, sample_weight=None):
        matrix = self._read(X)
        target, was_1d = fit_numeric_target(y, type(self).__name__)
        check_consistent_length(matrix, target)
        weights = check_weights(sample_weight, len(target), type(self).__name__)
        mean = np.average(target, axis=0, weights=weights)
        self.mean_ = mean[0] if was_1d else mean
        return self

    def predict(self, X):
        n_rows = self._n_rows(X)
        return np.full((n_rows, *np.shape(self.mean_)), self.mean_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.regressor_tags.poor_score = True
        return tags


@parametrize_with_checks([MajorityClassifier(), MeanRegressor()])
def test_scikit_learn_check(estimator, check):
    check(estimator)
