"""Draws of a fitted estimator, and densities of rows by each of them, as ArviZ takes them."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.forest_estimator import ForestEstimator
from bayeswood.posterior.diagnostics import to_arviz

F64 = NDArray[np.float64]


class ArvizDraws(ForestEstimator):
    """A forest whose members are drawn from a posterior. Not to be used by itself."""

    @abstractmethod
    def _log_density(self, rows: NDArray[Any], y: Any, n_jobs: int) -> F64:
        """Log density of users' responses by every member, (n_members, n_rows)."""

    def to_arviz(self, X_reference: Any = None, y_reference: Any = None) -> Any:
        """The draws as ArviZ takes them; see `bayeswood.posterior.to_arviz`.

        Parameters
        ----------
        X_reference : array-like or data frame, default=None
            Rows whose predictions are to be kept too.
        y_reference : array-like, default=None
            Their responses: their log densities by every draw are kept for `arviz.loo`, which wants
            the rows that were fitted.

        Returns
        -------
        arviz.InferenceData (ArviZ 0.2x) or xarray.DataTree (ArviZ 1.x)

        Notes
        -----
        Where members are single trees, their leaves' parameters are integrated out, and the log
        density of a row is that given the tree and all other rows, log p(y_i | T, y_{-i}): what
        importance weights for leaving it out are made of.
        """
        self._check_fitted()
        if y_reference is None:
            return to_arviz(self, X_reference)
        if X_reference is None:
            raise BayeswoodError(f"{self._name}.to_arviz needs X_reference with y_reference.")
        rows = self._encode(X_reference)
        log_density = self._log_density(rows, y_reference, self._workers(len(rows)))
        return to_arviz(self, X_reference, log_density)
