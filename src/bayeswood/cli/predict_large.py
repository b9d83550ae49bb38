"""``bayeswood predict`` a batch of rows at a time."""

import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.cli.columns import check_names, split_names
from bayeswood.cli.large_input import large_files
from bayeswood.cli.model_table import model_features
from bayeswood.cli.prediction_table import prediction_table
from bayeswood.distributed.predict_files import predict_files
from bayeswood.report import ClassPredictions, predict_rows
from bayeswood.report.predictions import support_of
from bayeswood.uncertainty import NO_DATA_BELOW

F64 = NDArray[np.float64]

NO_SUPPORT = (
    "the model cannot tell where no data are near (saved by an earlier version, or fitted to one "
    "row): there is no column 'support'."
)


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
        self.n_rows = self.n_confident = 0
        self.classes: Counter[str] = Counter()
        self._sum_predicted = self._sum_width = 0.0
        self._n_no_data: int | None = 0
        self._unseen: set[str] = set()

    def __call__(self, table: Any) -> dict[str, Any]:
        """Columns of predictions for a table of the model's columns."""
        features, notes = model_features(table, self._estimator)
        self._unseen.update(note.split(":")[0] for note in notes)
        self.n_rows += table.num_rows
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
        self._count(found.support)
        if isinstance(found, ClassPredictions):
            self.n_confident += int(found.is_confident.sum())
            self.classes.update(map(str, found.predicted.tolist()))
        else:
            self._sum_predicted += float(found.predicted.sum())
            self._sum_width += float(np.sum(found.upper - found.lower))
        return prediction_table(found)

    def _means(self, features: Any) -> Any:
        """Means and their intervals: all that a model without training responses knows."""
        import pyarrow as pa

        predicted = self._estimator.predict(features)
        ends = self._estimator.predict_interval(features, self._coverage, kind="mean")
        self._sum_predicted += float(predicted.sum())
        self._sum_width += float(np.sum(ends[:, 1] - ends[:, 0]))
        columns = {"predicted": predicted, "mean_lower": ends[:, 0], "mean_upper": ends[:, 1]}
        support = support_of(self._estimator, features)
        self._count(support)
        return pa.table(columns if support is None else {**columns, "support": support})

    def _count(self, support: F64 | None) -> None:
        """Count the rows without data near; None once that is not known."""
        found = count_no_data(support).get("n_no_data")
        known = self._n_no_data
        self._n_no_data = None if found is None or known is None else known + found

    def facts(self) -> dict[str, Any]:
        """What there is to say, as plain data."""
        common: dict[str, Any] = {"n_rows": self.n_rows, "coverage": self._coverage}
        if self._n_no_data is not None:
            common["n_no_data"] = self._n_no_data
        if hasattr(self._estimator, "classes_"):
            confident = {"gamma0": self._gamma0, "n_confident": self.n_confident}
            return {**common, **confident, "classes": dict(sorted(self.classes.items()))}
        return {
            **common,
            "mean_predicted": self._sum_predicted / self.n_rows,
            "mean_width": self._sum_width / self.n_rows,
        }

    def notes(self) -> list[str]:
        """What a user should know."""
        unseen = [
            f"{column}: levels that the model never saw were taken as missing."
            for column in sorted(self._unseen)
        ]
        if self._n_no_data is None:
            unseen.append(NO_SUPPORT)
        if not lacks_responses(self._estimator):
            return unseen
        kind = (
            "the model keeps no training responses: intervals are of the mean, not of new values."
        )
        return [*unseen, kind]


def count_no_data(support: F64 | None) -> dict[str, int]:
    """How many rows have no data near, by name; empty where that is not known."""
    return {} if support is None else {"n_no_data": int((support < NO_DATA_BELOW).sum())}


def support_note(support: F64 | None) -> list[str]:
    """What a user should know of predictions without support."""
    return [NO_SUPPORT] if support is None else []


def lacks_responses(estimator: Any) -> bool:
    """Whether a regressor cannot give intervals of new values."""
    return not (hasattr(estimator, "classes_") or estimator.predictive_.gives_distribution)


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
