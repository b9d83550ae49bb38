"""Which features moved a prediction most, and how sure that is."""

from dataclasses import dataclass
from typing import Any

import numpy as np

_N_REASONS = 3


@dataclass(frozen=True)
class Reason:
    """What one feature adds to a prediction.

    Attributes
    ----------
    feature : str
    value : str
        Of the row.
    added : float
        Its Shapley value: in the probability of the predicted class, or in the prediction.
    lower, upper : float
        Ends of the credible band over the members.
    """

    feature: str
    value: str
    added: float
    lower: float
    upper: float


def find_reasons(model: Any, table: Any, predicted: Any, coverage: float) -> tuple[Reason, ...]:
    """The three features that moved the prediction of one row most.

    Parameters
    ----------
    model : fitted bayeswood estimator
    table : table of one row
    predicted : object
        The predicted class, of a classifier.
    coverage : float
        Of the bands.
    """
    draws, found = model.shap_values(table, draws=True), model.shap_values(table)
    if found.output_names:
        draws, found = draws.of_output(predicted), found.of_output(predicted)
    ends = draws.interval(coverage)[0]
    # Bands are about the members' mean, which is the value itself but for roundings and links.
    shift = found.values[0] - draws.mean().values[0]
    order = np.argsort(-np.abs(found.values[0]), kind="stable")[:_N_REASONS]
    return tuple(
        Reason(
            found.feature_names[j],
            _shown(found.data[0, j]),
            float(found.values[0, j]),
            float(ends[j, 0] + shift[j]),
            float(ends[j, 1] + shift[j]),
        )
        for j in order
        if found.values[0, j] != 0
    )


def _shown(cell: Any) -> str:
    if not isinstance(cell, (int, float)):
        return str(cell)
    return "missing" if cell != cell else f"{cell:.4g}"
