"""What was set out to be reached, and whether it was."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.calibration import classifiers, regressors
from benchmarks.calibration.comparison import (
    Estimate,
    estimate,
    over_sets,
    paired_by_set,
    set_names,
)
from benchmarks.calibration.markdown import number, with_error
from benchmarks.calibration.metrics import COVERAGE, THIRDS
from benchmarks.calibration.store import Store

LOG_P_GAIN, COVERAGE_MARGIN, THIRD_MARGIN = 0.015, 0.015, 0.03
CLASSES, RESPONSES = "classification", "regression"


@dataclass(frozen=True)
class Target:
    words: str
    measured: str
    reached: bool


def targets(store: Store) -> list[Target]:
    """The verdict, for as much as there are records."""
    checks: list[Callable[[Store], Target | None]] = [
        _log_p, _accuracy, _rmse, _below_all("interval_score", "interval score"),
        _below_all("crps", "CRPS"), _coverage, _thirds, _cpu_of_classifiers, _cpu_of_regressors,
    ]  # fmt: skip
    return [target for check in checks if (target := check(store)) is not None]


def _against_rival(store: Store, metric: str, rival: str = classifiers.RIVAL) -> Estimate | None:
    return over_sets(paired_by_set(store, CLASSES, classifiers.OURS, rival, metric))


def _log_p(store: Store) -> Target | None:
    found = _against_rival(store, "log_p")
    if found is None:
        return None
    words = f"log p at least {number(LOG_P_GAIN)} better than the recalibrated random forest's"
    measured = f"{with_error(found, 4, sign=True)} over {found.n} sets"
    by_class = _against_rival(store, "log_p", classifiers.RIVAL_BY_CLASS)
    if by_class is not None:
        measured += f"; {with_error(by_class, 4, sign=True)} where that has a slope per class, too"
    return Target(words, measured, found.mean >= LOG_P_GAIN)


def _accuracy(store: Store) -> Target | None:
    found = _against_rival(store, "accuracy")
    if found is None:
        return None
    measured = f"{with_error(found, 4, sign=True)} over {found.n} sets"
    words = "accuracy not below the recalibrated random forest's"
    return Target(words, measured, found.mean >= 0)


def _rmse(store: Store) -> Target | None:
    """Beside the better of BART and CatBoost, set by set in the mean."""
    found = {name: _ratio(store, name, "rmse") for name in ("BART", "CatBoost")}
    known = {name: ratio for name, ratio in found.items() if ratio is not None}
    if not known:
        return None
    measured = ", ".join(f"{ratio:.3f} of {name}'s" for name, ratio in known.items())
    words = "RMSE not above BART's and CatBoost's, in the geometric mean"
    return Target(words, measured, max(known.values()) <= 1)


def _ratio(store: Store, rival: str, metric: str) -> float | None:
    found = over_sets(paired_by_set(store, RESPONSES, regressors.OURS, rival, metric))
    return None if found is None else math.exp(found.mean)


def _below_all(metric: str, words: str) -> Callable[[Store], Target | None]:
    """A check that ours is below every other model's, in the geometric mean over sets."""

    def check(store: Store) -> Target | None:
        found = {
            name: ratio for name in regressors.REGRESSORS
            if name != regressors.OURS and (ratio := _ratio(store, name, metric)) is not None
        }  # fmt: skip
        if not found:
            return None
        nearest = max(found, key=lambda name: found[name])
        measured = f"{found[nearest]:.3f} of the nearest one's ({nearest})"
        return Target(f"{words} below every other model's", measured, found[nearest] < 1)

    return check


def coverage_misses(store: Store, metrics: list[str], margin: float) -> list[str] | None:
    """Each set and metric farther than the margin from nominal, with its estimate."""
    names = set_names(store, RESPONSES)
    cases = [(name, metric, estimate(store, name, regressors.OURS, metric))
             for name in names for metric in metrics]  # fmt: skip
    known = [(name, metric, one) for name, metric, one in cases if one is not None]
    if not known:
        return None
    return [
        f"{name}{_third(metric)} {with_error(one)}" for name, metric, one in known
        if abs(one.mean - COVERAGE) > margin + 1e-12
    ]  # fmt: skip


def _third(metric: str) -> str:
    return "" if metric == "coverage" else f" ({metric.split('_')[1]})"


def _coverage(store: Store) -> Target | None:
    misses = coverage_misses(store, ["coverage"], COVERAGE_MARGIN)
    return _coverage_target(
        f"coverage within {100 * COVERAGE_MARGIN:g} points of 90 % on every set", misses
    )


def _thirds(store: Store) -> Target | None:
    misses = coverage_misses(store, [f"own_{third}" for third in THIRDS], THIRD_MARGIN)
    words = f"coverage within {100 * THIRD_MARGIN:g} points in each third by predicted spread"
    return _coverage_target(words, misses)


def _coverage_target(words: str, misses: list[str] | None) -> Target | None:
    if misses is None:
        return None
    return Target(words, "outside: " + ", ".join(misses) if misses else "all inside", not misses)


def _cpu_of_classifiers(store: Store) -> Target | None:
    return _cpu(store, CLASSES, classifiers.OURS, classifiers.RAW)


def _cpu_of_regressors(store: Store) -> Target | None:
    return _cpu(store, RESPONSES, regressors.OURS, regressors.RAW)


def _cpu(store: Store, task: str, ours: str, raw: str) -> Target | None:
    by_set = paired_by_set(store, task, ours, raw, "cpu")
    mean = over_sets(by_set)
    if mean is None:
        return None
    worst = max(by_set, key=lambda name: by_set[name].mean)
    ratios = math.exp(mean.mean), math.exp(by_set[worst].mean)
    words = f"less CPU than one uncalibrated scikit-learn forest ({task})"
    measured = f"{ratios[0]:.2f} of it in the mean, {ratios[1]:.2f} at most ({worst})"
    return Target(words, measured, ratios[1] < 1)
