"""What there is to say of predictions, added up piece by piece."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.report import ClassPredictions, NumberPredictions
from bayeswood.table.exact_sum import ExactSum
from bayeswood.uncertainty import NO_DATA_BELOW

F64 = NDArray[np.float64]

NO_SUPPORT = (
    "the model cannot tell where no data are near (saved by an earlier version, or fitted to one "
    "row): there is no column 'support'."
)


def lacks_responses(estimator: Any) -> bool:
    """Whether a regressor cannot give intervals of new values."""
    return not (hasattr(estimator, "classes_") or estimator.predictive_.gives_distribution)


class PredictedFacts:
    """The sums of predictions that come in pieces; how they are cut does not matter.

    Parameters
    ----------
    coverage, gamma0 : float
        As of ``bayeswood predict``.
    """

    def __init__(self, coverage: float, gamma0: float) -> None:
        self._coverage, self._gamma0 = coverage, gamma0
        self.n_rows = self._n_confident = 0
        self._classes: Counter[str] | None = None
        self._predicted, self._width = ExactSum(), ExactSum()
        self._n_no_data: int | None = 0

    def add(self, found: ClassPredictions | NumberPredictions) -> None:
        """Add a piece."""
        if isinstance(found, ClassPredictions):
            self.n_rows += len(found.predicted)
            self._count_support(found.support)
            self._n_confident += int(found.is_confident.sum())
            self._classes = self._classes or Counter()
            self._classes.update(map(str, found.predicted.tolist()))
        else:
            self.add_numbers(found.predicted, found.upper - found.lower, found.support)

    def add_numbers(self, predicted: F64, width: F64, support: F64 | None) -> None:
        """Add a piece of numbers with intervals of this width."""
        self.n_rows += len(predicted)
        self._count_support(support)
        self._predicted.add(predicted)
        self._width.add(width)

    def _count_support(self, support: F64 | None) -> None:
        """Count the rows without data near; None once that is not known."""
        known = self._n_no_data
        if support is None or known is None:
            self._n_no_data = None
        else:
            self._n_no_data = known + int((support < NO_DATA_BELOW).sum())

    def plain(self) -> dict[str, Any]:
        """The facts, as plain data."""
        common: dict[str, Any] = {"n_rows": self.n_rows, "coverage": self._coverage}
        if self._n_no_data is not None:
            common["n_no_data"] = self._n_no_data
        if self._classes is not None:
            confident = {"gamma0": self._gamma0, "n_confident": self._n_confident}
            return {**common, **confident, "classes": dict(sorted(self._classes.items()))}
        return {
            **common,
            "mean_predicted": self._predicted.over(self.n_rows),
            "mean_width": self._width.over(self.n_rows),
        }

    def notes(self) -> list[str]:
        """What a user should know."""
        return [NO_SUPPORT] if self._n_no_data is None else []
