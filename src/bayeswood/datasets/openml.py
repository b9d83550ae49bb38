"""Fetch a data set from OpenML through scikit-learn, and bring it into our form.

OpenML's copies differ in the names of columns and classes, in what they call a missing value and
in the order of rows; the catalogue says how, and a digest of all cells decides.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http.client import HTTPException
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.datasets.catalogue import SPLIT, TARGET, Facts, OpenMLSource
from bayeswood.datasets.csv_file import Columns
from bayeswood.datasets.places import check_columns
from bayeswood.errors import DataSetError, MissingDataSetError


def fetch_columns(facts: Facts, source: OpenMLSource) -> Columns:
    """The columns of a data set, from OpenML.

    Parameters
    ----------
    facts : Facts
    source : OpenMLSource

    Raises
    ------
    MissingDataSetError
        If OpenML cannot be reached.
    DataSetError
        If what it gives is not this data set.
    """
    bunch = _fetch(source)
    advice = f"Put {facts.file} into a folder and name it in BAYESWOOD_DATA."
    try:
        columns = _in_our_form(facts, source, bunch)
    except (ValueError, LookupError) as error:
        raise DataSetError(
            f"{source.label}: this is not the data set '{facts.name}': {error}. {advice}"
        ) from error
    check_columns(facts, columns, source.label, advice)
    return columns


def _fetch(source: OpenMLSource) -> Any:
    from sklearn.datasets import fetch_openml

    try:
        with warnings.catch_warnings():
            # It tries again, and warns each time; what came of it is told once, below.
            warnings.filterwarnings("ignore", "A network error occurred")
            # All columns at once, as numbers and numbered levels: this needs no pandas.
            return fetch_openml(
                data_id=source.id, target_column=None, as_frame=False, parser="liac-arff",
                cache=False,
            )  # fmt: skip
    except (OSError, HTTPException, ValueError) as error:
        reason = str(error).rstrip(".")
        raise MissingDataSetError(f"{source.label}, gave nothing: {reason}") from error


@dataclass(frozen=True)
class _Column:
    """Numbers, or the numbers of levels if there are any; NaN is missing."""

    values: NDArray[np.float64]
    levels: tuple[str, ...] | None

    def numbers(self) -> NDArray[np.float64]:
        if self.levels is None:
            return self.values
        return np.array([*(float(level) for level in self.levels), np.nan])[self._codes()]

    def text(self, missing: str | None = None) -> NDArray[np.object_]:
        named = self._named()
        return np.array([*(named.levels or ()), missing], dtype=object)[named._codes()]

    def renamed(self, labels: Mapping[str, str]) -> "_Column":
        named = self._named()
        return replace(named, levels=tuple(labels.get(name, name) for name in named.levels or ()))

    def _named(self) -> "_Column":
        """Every number spelt out as a level."""
        if self.levels is not None:
            return self
        distinct, codes = np.unique(self.values, return_inverse=True)
        numbered = np.where(np.isnan(self.values), np.nan, codes.astype(np.float64))
        return _Column(numbered, tuple(f"{value:g}" for value in distinct))

    def _codes(self) -> NDArray[np.intp]:
        """Where a missing value is -1, the last of a list of levels and what missing is called."""
        return np.where(np.isnan(self.values), -1, self.values).astype(np.intp)


def _in_our_form(facts: Facts, source: OpenMLSource, bunch: Any) -> Columns:
    *features, target = _taken_columns(facts, source, bunch)
    if source.per_household:
        numbers = [column.numbers() for column in (*features, target)]
        return dict(zip(facts.columns, _per_household(*numbers), strict=True))
    columns: Columns = {}
    for name, column in zip(facts.features, features, strict=True):
        is_text = name in facts.text_columns
        columns[name] = column.text(source.missing) if is_text else column.numbers()
    if facts.split:
        parts = np.array(list(facts.split), dtype=object)
        columns[SPLIT] = np.repeat(parts, list(facts.split.values()))
    labels = target.renamed(source.labels) if facts.classes else target
    columns[TARGET] = labels.text() if TARGET in facts.text_columns else labels.numbers()
    return columns


def _taken_columns(facts: Facts, source: OpenMLSource, bunch: Any) -> list[_Column]:
    names = list(bunch.feature_names)
    wanted = source.columns or names[-len(facts.features) - 1 :]
    missing = sorted(set(wanted) - set(names))
    if missing or len(wanted) <= len(facts.features):
        raise LookupError(f"its {len(names)} columns are not {len(facts.features) + 1} like ours")
    rows = _row_numbers(source.rows, len(bunch.data))
    return [
        _Column(
            bunch.data[rows, names.index(name)],
            tuple(bunch.categories[name]) if name in bunch.categories else None,
        )
        for name in wanted
    ]


def _row_numbers(blocks: Sequence[tuple[int, int]], n_rows: int) -> NDArray[np.intp]:
    if not blocks:
        return np.arange(n_rows)
    if max(end for _, end in blocks) > n_rows:
        raise LookupError(f"it has {n_rows:,} rows only")
    return np.concatenate([np.arange(first, end) for first, end in blocks])


def _per_household(
    longitude: NDArray[np.float64],
    latitude: NDArray[np.float64],
    age: NDArray[np.float64],
    rooms: NDArray[np.float64],
    bedrooms: NDArray[np.float64],
    population: NDArray[np.float64],
    households: NDArray[np.float64],
    income: NDArray[np.float64],
    value: NDArray[np.float64],
) -> tuple[NDArray[np.float64], ...]:
    """The census counts as scikit-learn's ``fetch_california_housing`` has them."""
    counts = (rooms / households, bedrooms / households, population, population / households)
    return income, age, *counts, latitude, longitude, value / 100_000
