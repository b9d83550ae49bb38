"""How good a fit is by the rows that its trees left out: a test without rows held out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.report.calibration import SCORE_NAMES, ClassCalibrationSummary

F64 = NDArray[np.float64]

HOLD_OUT = "--test-size 0.25 holds out a quarter of the rows to judge the model by."
_BY_METHOD = (
    "no row was left out of a tree of this method, so there is no out-of-bag score; {advice}"
)
_ARRAYS = ("oob_decision_function_", "oob_prediction_")


class OutOfBag:
    """Asks an estimator for its out-of-bag score, and takes it.

    The flagship has one at no cost. Others are asked for it while they are fitted, and are saved
    as if they had not been: their predictions of the training rows would go into the file.

    Parameters
    ----------
    estimator : unfitted bayeswood estimator
        Is asked for a score if it can give one and was not told about it.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self._asked = _can_be_asked(estimator) and not estimator.oob_score
        if self._asked:
            estimator.set_params(oob_score=True)

    def take(self, y: NDArray[Any], weights: F64 | None) -> dict[str, Any] | None:
        """The scores of the fitted estimator as plain data; None if it has none.

        Parameters
        ----------
        y : (n_rows,) ndarray
            The responses it was fitted to.
        weights : (n_rows,) ndarray or None
            Their weights.
        """
        found = self._scores(y, np.ones(len(y)) if weights is None else weights)
        if self._asked:
            self._estimator.set_params(oob_score=False)
            for name in ("oob_score_", *_ARRAYS):
                vars(self._estimator).pop(name, None)
        return found

    def _scores(self, y: NDArray[Any], weights: F64) -> dict[str, Any] | None:
        held = vars(self._estimator)
        if np.isnan(held.get("oob_score_", np.nan)):
            return None
        if "oob_decision_function_" in held:
            classes = self._estimator.classes_
            return _class_scores(held["oob_decision_function_"], classes, y, weights)
        if "oob_prediction_" in held:
            return _number_scores(held["oob_prediction_"], y, weights)
        return _judged_scores(self._estimator.calibration_report().summary)

    def advice(self) -> str:
        """How to get a score where there is none."""
        names = self._estimator.get_params(deep=False)
        other = "-p weight_threshold=0.7 makes trees leave rows out, and "
        return _BY_METHOD.format(advice=(other if "weight_threshold" in names else "") + HOLD_OUT)


def _can_be_asked(estimator: Any) -> bool:
    """Whether trees leave rows out, and the estimator predicts those if told to."""
    parameters = estimator.get_params(deep=False)
    if "oob_score" not in parameters or not parameters.get("bootstrap", True):
        return False
    threshold = parameters.get("weight_threshold", 1.0)
    return isinstance(threshold, (int, float)) and threshold > 0


def _class_scores(
    proba: F64, classes: NDArray[Any], y: NDArray[Any], weights: F64
) -> dict[str, Any]:
    rows = ~np.isnan(proba[:, 0])
    true_class = np.searchsorted(classes, y[rows])
    chance = proba[rows, true_class].clip(np.finfo(np.float64).eps, 1.0)
    right = np.argmax(proba[rows], axis=1) == true_class
    return {
        "n_rows": int(rows.sum()),
        "accuracy": float(np.average(right, weights=weights[rows])),
        "log_predictive_probability": float(np.average(np.log(chance), weights=weights[rows])),
    }


def _number_scores(found: F64, y: NDArray[Any], weights: F64) -> dict[str, Any]:
    rows = ~np.isnan(found)
    own, y = weights[rows], y[rows]
    squared = float(np.average((y - found[rows]) ** 2, weights=own))
    spread = float(np.average((y - np.average(y, weights=own)) ** 2, weights=own))
    r2 = 1 - squared / spread if spread > 0 else float("nan")
    return {"n_rows": int(rows.sum()), "rmse": float(np.sqrt(squared)), "r2": r2}


def _judged_scores(summary: ClassCalibrationSummary) -> dict[str, Any]:
    """Of calibrated probabilities: every row is calibrated by others."""
    scores = dict(zip(SCORE_NAMES, summary.scores[:, 1].tolist(), strict=True))
    return {
        "n_rows": summary.n_left_out,
        "accuracy": scores["accuracy"],
        "log_predictive_probability": scores["log predictive probability"],
    }


def score_rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The scores as lines for a terminal."""
    if "accuracy" in found:
        log_p = f"{found['log_predictive_probability']:.4f}"
        return [("accuracy", f"{found['accuracy']:.4f}"), ("log predictive probability", log_p)]
    return [("root mean squared error", f"{found['rmse']:.5g}"), ("R²", f"{found['r2']:.4f}")]
