"""Measure what is missing from the records."""

import sys
import time
import warnings
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from bayeswood.errors import BayeswoodError
from benchmarks.calibration import other_libraries  # noqa: F401  (registers its models)
from benchmarks.calibration.classifiers import CLASSIFIERS, OURS
from benchmarks.calibration.metrics import (
    classification_metrics,
    quantile_loss,
    regression_metrics,
)
from benchmarks.calibration.models import F64, Model, measured
from benchmarks.calibration.regressors import REGRESSORS, tree_spread
from benchmarks.calibration.sets import DataSet, Split, make_split, seed_of
from benchmarks.calibration.store import Store


def models_of(task: str) -> dict[str, Model]:
    return CLASSIFIERS if task == "classification" else REGRESSORS


def run(
    store: Store,
    chosen: Iterable[DataSet],
    models: list[str] | None,
    repeats: int | None,
    again: Collection[str] = (),
) -> None:
    """Every set in turn; what cannot run is named once on stderr and left out.

    A model named by `again` is measured where it has been before too.
    """
    skipped: set[tuple[str, str]] = set()
    for data in chosen:
        start = time.process_time()
        for split in range(repeats or max(data.splits, data.splits_of_ours)):
            wanted = models if repeats or split < data.splits else _ours(models)
            try:
                _run_split(store, data, split, wanted, skipped, again)
            except BayeswoodError as reason:
                print(f"{data.name} left out: {reason}", file=sys.stderr)
                break
        print(f"{data.name}: {time.process_time() - start:.1f} s of CPU", file=sys.stderr)


def _ours(models: list[str] | None) -> list[str]:
    """Ours alone, if it is wanted: what runs on splits beyond those of all models."""
    return [OURS] if models is None or OURS in models else []


def _run_split(
    store: Store,
    data: DataSet,
    split: int,
    models: list[str] | None,
    skipped: set[tuple[str, str]],
    again: Collection[str],
) -> None:
    missing = [
        model for name, model in models_of(data.task).items()
        if (models is None or name in models) and (data.task, name) not in skipped
        and (name in again or (data.name, split, name) not in store.records)
    ]  # fmt: skip
    if not missing:
        return
    parts = make_split(data, split)
    store.sets[data.name] = describe(data, parts)
    seed = seed_of(data.name, split) % 2**31
    score = _classification if data.task == "classification" else _Regression(parts, seed)
    for model in missing:
        try:
            train = parts.frame(parts.X) if model.with_categories else parts.X
            predict, cpu = measured(model, train, parts.y, store.n_trees, seed)
        except NotImplementedError:
            continue
        except ImportError as reason:
            skipped.add((data.task, model.name))
            print(f"{data.task}: {model.name} left out: {reason}", file=sys.stderr)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            test = parts.frame(parts.X_test) if model.with_categories else parts.X_test
            metrics = score(parts, predict(test))
        store.add({"set": data.name, "split": split, "model": model.name, "cpu": cpu, **metrics})


def _classification(parts: Split, probability: F64) -> dict[str, float]:
    codes = np.searchsorted(np.unique(parts.y), parts.y_test)
    return classification_metrics(codes, np.asarray(probability, dtype=np.float64))


class _Regression:
    """Scores of intervals, with one yardstick of spread for all the models of a split."""

    def __init__(self, parts: Split, seed: int) -> None:
        self.spread = tree_spread(parts.X, parts.y, parts.X_test, seed + 1)
        self.scale = float(parts.y.std())

    def __call__(self, parts: Split, predicted: F64) -> dict[str, float]:
        mean, low, high, *levels = np.asarray(predicted, dtype=np.float64).T
        found = regression_metrics(parts.y_test, mean, low, high, self.spread, self.scale)
        if levels:
            found["crps"] = quantile_loss(parts.y_test, np.column_stack(levels)) / self.scale
        return found


def describe(data: DataSet, parts: Split) -> dict[str, Any]:
    about = {"task": data.task, "origin": data.origin, "features": parts.X.shape[1]}
    about |= {"train": len(parts.y), "test": len(parts.y_test)}
    if data.task == "classification":
        about["classes"] = len(np.unique(parts.y))
    return about
