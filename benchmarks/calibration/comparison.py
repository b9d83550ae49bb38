"""Paired differences: split by split within a set, then set by set."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.calibration.store import Store

HIGHER_IS_BETTER = {"log_p", "accuracy"}
RATIOS = {
    "interval_score",
    "crps",
    "width",
    "rmse",
    "cpu",
}  # compared as ratios, averaged as logarithms


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error (NaN from fewer than two values)."""

    mean: float
    error: float
    n: int

    @classmethod
    def of(cls, values: Iterable[float]) -> "Estimate":
        numbers = np.array(list(values), dtype=np.float64)
        error = numbers.std(ddof=1) / np.sqrt(len(numbers)) if len(numbers) > 1 else np.nan
        return cls(float(numbers.mean()), float(error), len(numbers))


def set_names(store: Store, task: str) -> list[str]:
    return [name for name, about in store.sets.items() if about["task"] == task]


def model_names(store: Store, task: str, known: Iterable[str]) -> list[str]:
    """The models with records of this task, in the order of `known`."""
    names = set(set_names(store, task))
    present = {model for (name, _, model) in store.records if name in names}
    return [model for model in known if model in present]


def values(store: Store, name: str, model: str, metric: str) -> dict[int, float]:
    """The metric of a model on a set, by split."""
    return {
        split: record[metric] for (of_set, split, of_model), record in store.records.items()
        if of_set == name and of_model == model and metric in record
    }  # fmt: skip


def estimate(store: Store, name: str, model: str, metric: str) -> Estimate | None:
    found = values(store, name, model, metric)
    return Estimate.of(found.values()) if found else None


def paired(store: Store, name: str, ours: str, theirs: str, metric: str) -> Estimate | None:
    """Ours less theirs over the splits that both have; of logarithms for `RATIOS`."""
    a, b = (values(store, name, model, metric) for model in (ours, theirs))
    both = sorted(a.keys() & b.keys())
    if not both:
        return None
    if metric in RATIOS:
        return Estimate.of(np.log(a[split] / b[split]) for split in both)
    return Estimate.of(a[split] - b[split] for split in both)


def paired_by_set(
    store: Store, task: str, ours: str, theirs: str, metric: str
) -> dict[str, Estimate]:
    found = {
        name: paired(store, name, ours, theirs, metric) for name in set_names(store, task)
    }  # fmt: skip
    return {name: difference for name, difference in found.items() if difference is not None}


def over_sets(by_set: dict[str, Estimate]) -> Estimate | None:
    """The mean over sets, each counting once, with the standard error over sets."""
    return Estimate.of(d.mean for d in by_set.values()) if by_set else None


def shared_splits(store: Store, name: str) -> set[int]:
    """The splits of a set that all its models have."""
    by_model: dict[str, set[int]] = {}
    for of_set, split, model in store.records:
        if of_set == name:
            by_model.setdefault(model, set()).add(split)
    return set.intersection(*by_model.values()) if by_model else set()


def shared_estimate(store: Store, name: str, model: str, metric: str) -> Estimate | None:
    """Over the splits that all models have, so that models can be held side by side."""
    found, shared = values(store, name, model, metric), shared_splits(store, name)
    chosen = [value for split, value in found.items() if split in shared]
    return Estimate.of(chosen) if chosen else None


def mean_over_sets(store: Store, names: list[str], model: str, metric: str) -> float:
    """Mean of the sets' means; geometric for `RATIOS`; NaN unless the model ran on all."""
    found = [shared_estimate(store, name, model, metric) for name in names]
    if not found or any(one is None for one in found):
        return float("nan")
    means = np.array([one.mean for one in found if one is not None])
    return float(np.exp(np.log(means).mean()) if metric in RATIOS else means.mean())


def gain(metric: str, difference: float) -> float:
    """The difference with the sign that makes more better."""
    return difference if metric in HIGHER_IS_BETTER else -difference


def clearly_worse(metric: str, difference: Estimate, n_errors: float = 2.0) -> bool:
    """Worse by more than so many standard errors; never said from fewer than three splits."""
    return difference.n >= 3 and gain(metric, difference.mean) < -n_errors * difference.error


def clearly_better(metric: str, difference: Estimate, n_errors: float = 2.0) -> bool:
    return difference.n >= 3 and gain(metric, difference.mean) > n_errors * difference.error
