"""``bayeswood predict`` a batch of rows at a time."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from bayeswood.cli.large.large_input import large_files
from bayeswood.cli.predicted_facts import PredictedFacts, lacks_responses
from bayeswood.cli.tables.columns import check_names, split_names
from bayeswood.cli.tables.model_table import model_features
from bayeswood.cli.tables.prediction_table import prediction_table
from bayeswood.distributed.predict_files import predict_files
from bayeswood.report import predict_rows
from bayeswood.report.predictions import support_of

_MEANS_ONLY = "the model keeps no training responses: intervals are of the mean, not of new values."


class BatchPredictions:
    """Predicts batches with a model, and adds up what there is to say about them.

    Parameters
    ----------
    estimator : fitted bayeswood estimator
    coverage, gamma0 : float
        As of ``bayeswood predict``.
    guarantee : bool
        As of ``bayeswood predict``.
    """

    def __init__(
        self, estimator: Any, coverage: float, gamma0: float, guarantee: bool = False
    ) -> None:
        self._estimator, self._guarantee = estimator, guarantee
        self._coverage, self._gamma0 = coverage, gamma0
        self.facts = PredictedFacts(coverage, gamma0)
        self._unseen = UnseenLevels()

    def __call__(self, table: Any) -> dict[str, Any]:
        """Columns of predictions for a table of the model's columns."""
        features, notes = model_features(table, self._estimator)
        self._unseen.add(notes)
        columns = self._means(features) if lacks_responses(self._estimator) else self._all(features)
        return {name: columns[name] for name in columns.column_names}

    def _all(self, features: Any) -> Any:
        found = predict_rows(
            self._estimator,
            features,
            coverage=self._coverage,
            gamma0=self._gamma0,
            guarantee=self._guarantee,
            support=True,
        )
        self.facts.add(found)
        return prediction_table(found)

    def _means(self, features: Any) -> Any:
        """Means and their intervals: all that a model without training responses knows."""
        import pyarrow as pa

        predicted = self._estimator.predict(features)
        ends = self._estimator.predict_interval(features, self._coverage, kind="mean")
        support = support_of(self._estimator, features)
        self.facts.add_numbers(predicted, ends[:, 1] - ends[:, 0], support)
        columns = {"predicted": predicted, "mean_lower": ends[:, 0], "mean_upper": ends[:, 1]}
        return pa.table(columns if support is None else {**columns, "support": support})

    def notes(self) -> list[str]:
        """What a user should know."""
        notes = [*self._unseen.notes(), *self.facts.notes()]
        return [*notes, _MEANS_ONLY] if lacks_responses(self._estimator) else notes


class UnseenLevels:
    """Columns with levels that the model never saw, over all batches."""

    def __init__(self) -> None:
        self._columns: set[str] = set()

    def add(self, notes: list[str]) -> None:
        """Take the columns that the notes of a batch begin with."""
        self._columns.update(note.split(":")[0] for note in notes)

    def notes(self) -> list[str]:
        """One for each column."""
        return [
            f"{column}: levels that the model never saw were taken as missing."
            for column in sorted(self._columns)
        ]


def predict_large(
    data: str,
    out: Path,
    estimator: Any,
    keep: tuple[str, ...],
    *,
    to_stdout: bool,
    coverage: float,
    gamma0: float,
    guarantee: bool,
    show_progress: bool,
) -> BatchPredictions:
    """Predict files a batch at a time.

    Parameters
    ----------
    data : str
        The DATA argument.
    out : Path
        Where to write.
    estimator : fitted bayeswood estimator
    keep : tuple of str
        Columns to copy before the predictions.
    to_stdout : bool
        Whether to write CSV to the standard output instead.
    coverage, gamma0 : float
        As of ``bayeswood predict``.
    guarantee : bool
        As of ``bayeswood predict``.
    show_progress : bool
        Whether someone watches.

    Returns
    -------
    BatchPredictions
        With the sums of all rows.
    """
    known = list(large_files(data)[0].types)
    kept = split_names(keep, known)
    check_names(kept, known, "column")
    predictions = BatchPredictions(estimator, coverage, gamma0, guarantee)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "predictions.csv" if to_stdout else out
        predict_files(
            data,
            place,
            predictions,
            schema=estimator.schema_,
            keep=kept,
            owner="bayeswood predict",
            show_progress=show_progress,
        )
        if to_stdout:
            with open(place, "rb") as stream:
                shutil.copyfileobj(stream, sys.stdout.buffer)
            sys.stdout.buffer.flush()
    return predictions
