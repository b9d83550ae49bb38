"""The scores of a model, and what to note about the rows they are of."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.cli.tables.model_table import model_features, true_values
from bayeswood.report import ClassifierScores, RegressorScores, predict_rows
from bayeswood.report.names import listing
from bayeswood.report.score_sums import ClassSums, NumberSums


class EvaluatedRows:
    """Predicts labelled rows and adds up their scores; how they are cut does not matter.

    Parameters
    ----------
    estimator : fitted bayeswood estimator
    coverage, gamma0 : float
        As of ``bayeswood evaluate``.
    """

    def __init__(self, estimator: Any, coverage: float, gamma0: float) -> None:
        self._estimator = estimator
        self._coverage, self._gamma0 = coverage, gamma0
        self._sums: Any = ClassSums() if hasattr(estimator, "classes_") else NumberSums()
        self._unseen: Counter[Any] = Counter()
        self._notes: list[list[str]] = []

    @property
    def n_rows(self) -> int:
        """How many rows there were so far."""
        return int(self._sums.n_rows)

    def add(self, table: Any, target: str) -> None:
        """Predict rows and compare them with their targets."""
        y = true_values(table[target], target, self._estimator)
        features, notes = model_features(table, self._estimator)
        self._notes.append(notes)
        self._count_unseen(y)
        predictions = predict_rows(
            self._estimator,
            features,
            coverage=self._coverage,
            gamma0=self._gamma0,
            class_intervals=False,
        )
        self._sums.add(predictions, y)

    def _count_unseen(self, y: NDArray[Any]) -> None:
        """Count true classes that are none of the model's, which it can only get wrong."""
        classes = getattr(self._estimator, "classes_", None)
        if classes is not None:
            self._unseen.update(y[~np.isin(y, classes)].tolist())

    def scores(self) -> ClassifierScores | RegressorScores:
        """The scores of all rows so far."""
        found: ClassifierScores | RegressorScores = self._sums.scores()
        return found

    def notes(self) -> list[str]:
        """What a user should know of levels and classes that the model never saw."""
        if len(self._notes) == 1:
            levels = self._notes[0]
        else:
            columns = sorted({note.split(":")[0] for notes in self._notes for note in notes})
            levels = [
                f"{c}: levels that the model never saw were taken as missing." for c in columns
            ]
        if not self._unseen:
            return levels
        names, n_rows = listing(map(str, sorted(self._unseen))), self._unseen.total()
        rows = f"{n_rows:,} of {self.n_rows:,} rows"
        return [*levels, f"classes that the model never saw, in {rows}: {names}."]
