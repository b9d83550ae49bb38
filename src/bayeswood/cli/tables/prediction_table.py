"""Predictions as a table, one row per input row."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayeswood.errors import BayeswoodError
from bayeswood.report import ClassPredictions, NumberPredictions
from bayeswood.table.arrow_functions import from_numpy


def prediction_table(
    predictions: ClassPredictions | NumberPredictions, before: Mapping[str, Any] | None = None
) -> Any:
    """Columns of predictions.

    Parameters
    ----------
    predictions : ClassPredictions or NumberPredictions
    before : mapping of str to array, optional
        Columns to put in front.

    Returns
    -------
    pyarrow.Table
        ``predicted``, ``confident``, ``agreement``, ``p_CLASS`` of each class and then its ends
        ``p_CLASS_lower`` and ``p_CLASS_upper``, and ``set_CLASS`` if sets were asked for; or
        ``predicted``, ``lower``, ``upper``. Last comes ``support``, if it is known.
    """
    import pyarrow as pa

    if isinstance(predictions, ClassPredictions):
        columns = _class_columns(predictions)
    else:
        columns = {
            "predicted": predictions.predicted,
            "lower": predictions.lower,
            "upper": predictions.upper,
        }
    if predictions.support is not None:
        columns["support"] = predictions.support
    clash = sorted(set(before or {}) & set(columns))
    if clash:
        raise BayeswoodError(f"The predictions have a column '{clash[0]}' of their own.")
    return pa.table({**(before or {}), **{name: _arrow(c) for name, c in columns.items()}})


def _arrow(column: Any) -> Any:
    return from_numpy(column) if isinstance(column, np.ndarray) else column


def _class_columns(predictions: ClassPredictions) -> dict[str, Any]:
    labels = [str(label) for label in predictions.classes.tolist()]
    columns: dict[str, Any] = {
        "predicted": predictions.predicted.tolist(),
        "confident": predictions.is_confident,
        "agreement": predictions.agreement,
    }
    for idx, label in enumerate(labels):
        columns[f"p_{label}"] = predictions.proba[:, idx]
    if predictions.lower is None or predictions.upper is None:
        return columns
    for idx, label in enumerate(labels):
        columns[f"p_{label}_lower"] = predictions.lower[:, idx]
        columns[f"p_{label}_upper"] = predictions.upper[:, idx]
    if predictions.sets is not None:
        columns |= {f"set_{label}": predictions.sets[:, i] for i, label in enumerate(labels)}
    return columns
