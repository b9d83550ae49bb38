"""Judging a calibration on out-of-bag rows, and keeping the judgement in a model file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base import saved_state
from bayeswood.methods.base.parts import ClassLabels, SavedModel
from bayeswood.report.calibration import (
    CalibrationSummary,
    ClassCalibrationSummary,
    summarize_class_calibration,
)
from bayeswood.uncertainty import (
    ClassCalibration,
    Votes,
    judge_classes,
)

F64 = NDArray[np.float64]

_PREFIX = "report_"
_ABOUT = ("n_trees", "n_training", "n_left_out", "trees_per_row")
_CLASS_ARRAYS = ("scores", "happened", "proba", "rates")
_INTERVAL_ARRAYS = ("covered", "width", "rows")
_LARGEST_COUNT = 2.0**53


def describe_left_out(
    counts: NDArray[np.int32], used: NDArray[np.bool_], n_trees: int
) -> dict[str, Any]:
    """How many rows and trees a calibration rests on."""
    return {
        "n_trees": n_trees,
        "n_training": len(counts),
        "n_left_out": int(used.sum()),
        "trees_per_row": float(counts[used].mean()),
    }


def judge_class_calibration(
    votes: Votes,
    label: NDArray[np.intp],
    weights: F64 | None,
    groups: NDArray[np.int32] | None,
    fitted: ClassCalibration,
    n_jobs: int,
) -> dict[str, Any]:
    """What a summary says of out-of-bag probabilities: all rows, or an evenly spaced part."""
    judged, used = judge_classes(votes, label, weights, groups, fitted, n_jobs)
    if votes.n_classes == 2:
        proba = judged.second_proba
        happened = np.repeat((label[used] == 1).astype(np.float64)[:, None], 2, axis=1)
    else:
        proba, happened = judged.top_proba, judged.is_top
    scores = summarize_class_calibration(
        judged.true_proba,
        judged.sum_squares,
        judged.is_top,
        happened,
        proba,
        np.ones(len(proba)) if weights is None else weights[used],
    )
    return {"scores": scores, "happened": happened, "proba": proba, "rates": judged.rates}


def event_name(classes: NDArray[Any]) -> str:
    """What the probabilities of a reliability curve are of."""
    return str(classes[1]) if len(classes) == 2 else "the predicted class"


@dataclass(frozen=True, eq=False)
class Judgement:
    """How good a calibration is, as a part of the estimator.

    Attributes
    ----------
    summary : ClassCalibrationSummary or IntervalCalibrationSummary
    """

    summary: CalibrationSummary

    def attributes(self) -> Mapping[str, Any]:
        """None: it is shown by a report."""
        return {}

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """What is not part of the calibration itself."""
        of_classes = isinstance(self.summary, ClassCalibrationSummary)
        for name in _CLASS_ARRAYS if of_classes else _INTERVAL_ARRAYS:
            arrays[_PREFIX + name] = getattr(self.summary, name)
        about = [float(getattr(self.summary, name)) for name in _ABOUT]
        arrays[_PREFIX + "about"] = np.array(about)


@dataclass(frozen=True, eq=False)
class ClassJudgement(Judgement):
    """How good the calibration of classes is."""

    @classmethod
    def read(cls, saved: SavedModel) -> "ClassJudgement | None":
        """Checked; None where nothing was calibrated."""
        # What judges a response needs nothing of classes.
        from bayeswood.methods.calibrated_forest.calibrated_average import CalibratedAverage

        if saved.estimator.calibration is None:
            return None
        numbers = saved_state.read_value(saved.meta, "numbers", dict)
        for name in ("leaf_shrinkage_", "randomized_weight_"):
            if not 0.0 <= saved_state.read_value(numbers, name, float) < np.inf:
                raise BayeswoodError(f"The model file holds a '{name}' out of range.")
        about = restored_about(saved.arrays)
        if about is None:
            return None
        together = saved_state.put_together(saved.meta, saved.arrays)
        calibration = CalibratedAverage.from_arrays(together, saved.forest).calibration
        classes = ClassLabels.read(saved).classes
        shapes = {"scores": (4, 2), "happened": (-1, 2), "proba": (-1, 2)}
        report = restored_report(saved.arrays, shapes)
        report["rates"] = _restored_rates(saved.arrays, len(classes))
        for name in ("proba", "rates"):
            if (report[name] < 0).any() or (report[name] > 1).any():
                raise BayeswoodError("The model file's calibration report holds no probabilities.")
        described = describe_calibration(calibration, numbers, classes)
        return cls(ClassCalibrationSummary(**about, **described, **report))


def describe_calibration(
    calibration: ClassCalibration, settings: Mapping[str, Any], classes: NDArray[Any]
) -> dict[str, Any]:
    """What a summary says of the calibration of classes."""
    return {
        "power": calibration.power,
        "offset": calibration.offset,
        "slopes": calibration.slopes,
        "shrinkage": settings["leaf_shrinkage_"],
        "randomized_weight": settings["randomized_weight_"],
        "event": event_name(classes),
        "classes": tuple(str(label) for label in classes),
    }


def restored_about(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any] | None:
    """`describe_left_out` from a model file; None if it holds no summary."""
    if _PREFIX + "about" not in arrays:
        return None
    about = saved_state.read_array(arrays, _PREFIX + "about", (len(_ABOUT),))
    if (about < 0).any() or (about > _LARGEST_COUNT).any():
        raise BayeswoodError("The model file holds an unusable array 'report_about'.")
    return {
        **{name: int(value) for name, value in zip(_ABOUT, about, strict=True)},
        "trees_per_row": float(about[-1]),
    }


def _restored_rates(arrays: Mapping[str, NDArray[Any]], n_classes: int) -> F64:
    """The classes' shares and mean predictions; none in files from before they were kept."""
    name = _PREFIX + "rates"
    if name not in arrays:
        return np.zeros((0, 2))
    rates: F64 = saved_state.read_array(arrays, name, (n_classes, 2))
    return rates


def restored_report(
    arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Any]:
    """The arrays of a summary, each of its shape (-1: any length)."""
    found = {name: saved_state.read_array(arrays, _PREFIX + name, shapes[name]) for name in shapes}
    lengths = {len(found[name]) for name in found if shapes[name][0] == -1}
    if len(lengths) > 1 or 0 in lengths:
        raise BayeswoodError("The model file's calibration report has rows of differing number.")
    return found
