"""Predictions of one row, in the time that the trees take."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.table import transform_row


class RowPredictor:
    """Answers of a fitted estimator for one row at a time; made by its ``compile_row``.

    A row is a dict of values by the names of the columns, a sequence or a 1-D array of values in
    their order; None and NaN are missing, a level that training did not see is taken as such. Every
    answer is, to the bit, what the estimator says of a table of this row, without the table's axis.

    Threads may share a predictor. It answers for the model as it was when it was compiled: a later
    `fit` or `partial_fit` of the estimator does not reach it.

    Parameters
    ----------
    estimator : fitted bayeswood estimator

    Examples
    --------
    >>> from bayeswood import RandomForestClassifier
    >>> from bayeswood.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(iris.data, iris.target)
    >>> predictor = forest.compile_row()
    >>> predictor.predict([5.1, 3.5, 1.4, 0.2])
    'Iris-setosa'
    >>> row = {name: 2.5 for name in iris.data.columns}
    >>> predictor.predict_proba(row)
    array([0.21, 0.29, 0.5 ])
    """

    def __init__(self, estimator: Any) -> None:
        estimator._check_fitted()
        # The estimator's own methods answer; they read rows in place of tables.
        self._model = object.__new__(type(estimator))
        self._model.__dict__.update(vars(estimator))
        self._model.__dict__["_encode"] = partial(
            transform_row, schema=estimator.schema_, estimator_name=estimator._name
        )

    def predict(self, row: Any) -> Any:
        """The most probable class, or the mean response (an array if there are several)."""
        found = self._model.predict(row)[0]
        return found.item() if np.ndim(found) == 0 and hasattr(found, "item") else found

    def predict_proba(self, row: Any) -> NDArray[np.float64]:
        """Probability of each class, (n_classes,), in the order of ``classes_``."""
        found: NDArray[np.float64] = self._asked("predict_proba", row)
        return found

    def predict_interval(self, row: Any, **options: Any) -> NDArray[np.float64]:
        """Lower and upper end, of the response or of each class probability.

        Parameters
        ----------
        row : mapping, sequence or 1-D array
            The row.
        **options
            Those of the estimator's ``predict_interval``, such as ``coverage=0.9``.
        """
        found: NDArray[np.float64] = self._asked("predict_interval", row, **options)
        return found

    def predict_quantiles(self, row: Any, alpha: Any, **options: Any) -> NDArray[np.float64]:
        """Quantiles at the levels `alpha`; options are those of the estimator's method."""
        found: NDArray[np.float64] = self._asked("predict_quantiles", row, alpha, **options)
        return found

    def predict_set(self, row: Any, **options: Any) -> NDArray[np.bool_]:
        """Which classes are in the set; options are those of the estimator's ``predict_set``."""
        found: NDArray[np.bool_] = self._asked("predict_set", row, **options)
        return found

    def support(self, row: Any) -> float:
        """How well the row is surrounded by training rows, in [0, 1]."""
        return float(self._model.support(row)[0])

    def _asked(self, method: str, row: Any, *args: Any, **options: Any) -> Any:
        if not hasattr(self._model, method):
            raise BayeswoodError(f"{self._model._name} has no {method}.")
        return getattr(self._model, method)(row, *args, **options)[0]
