"""Choosing the power β of a classifier over prior trees from its operating curve."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parameters import parameter_error
from bayeswood.methods.base.training_data import read_known_classes
from bayeswood.methods.safe_bayes.class_posterior import ClassPosterior
from bayeswood.methods.safe_bayes.operating_curve import (
    CurveRows,
    OperatingCurve,
    left_out_rows,
    measure_curve,
    power_grid,
)
from bayeswood.methods.safe_bayes.prior_forest import PriorForestEstimator
from bayeswood.table import transform_table

F64 = NDArray[np.float64]


class PowerChoice(PriorForestEstimator):
    """What a classifier says of itself at other powers. Not to be used by itself."""

    classes_: NDArray[Any]

    @property
    def operating_curve_(self) -> OperatingCurve:
        """Accuracy and log probability over β, on the training rows of the reservoir."""
        return self.operating_curve()

    def operating_curve(
        self, X: Any = None, y: Any = None, *, on: str = "train", powers: ArrayLike | None = None
    ) -> OperatingCurve:
        """Accuracy and log probability over the power β.

        Parameters
        ----------
        X, y : array-like, default=None
            Rows to measure on; None: rows of the reservoir.
        on : {"train", "loo"}, default="train"
            Without X: whether rows are predicted by the forest that saw them, as in the paper's
            Figure 4, or by the forest without them.
        powers : array-like, default=None
            Values of β in (0, 1]; None: m/N for m = 1 .. N, or 200 of them that thin out.

        Returns
        -------
        OperatingCurve
            ``best_power()`` of it is a value for `power`.
        """
        self._check_fitted()
        members: ClassPosterior = self._posterior
        if on not in ("train", "loo"):
            words = "one of 'train', 'loo'"
            raise parameter_error("on", f"{self._name}.operating_curve", words, on)
        grid = power_grid(members.n_rows) if powers is None else self._checked_powers(powers)
        return measure_curve(members, self._curve_rows(X, y, on), grid)

    def _curve_rows(self, X: Any, y: Any, on: str) -> CurveRows:
        members: ClassPosterior = self._posterior
        kept = members.reservoir
        rows, codes, times = kept.X, kept.y, kept.copies.astype(np.float64)
        if X is not None:
            rows, codes = self._seen_rows(X, y)
            times, on = np.ones(len(codes)), "given"
        if not len(codes):
            raise BayeswoodError("An operating curve needs rows. Fit with a reservoir, or give X.")
        if on == "loo":
            return left_out_rows(members, rows, codes, times)
        draws = members.forest.draws(rows, self._workers(len(rows)))
        return CurveRows(draws, members.log_evidence, members.class_rows, codes, times, on)

    def _checked_powers(self, powers: ArrayLike) -> F64:
        grid = np.unique(np.atleast_1d(np.asarray(powers, dtype=np.float64)))
        if not grid.size or not bool(((grid > 0) & (grid <= 1)).all()):
            words = "floats in the range (0, 1]"
            raise parameter_error("powers", f"{self._name}.operating_curve", words, powers)
        return grid

    def _seen_rows(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[np.int32]]:
        rows = transform_table(X, self.schema_, estimator_name=self._name)
        codes = read_known_classes(y, self.classes_, self._name).y
        if len(rows) != len(codes):
            raise BayeswoodError(
                f"X and y must have as many rows. Got {len(rows)} and {len(codes)} instead."
            )
        return rows, codes
