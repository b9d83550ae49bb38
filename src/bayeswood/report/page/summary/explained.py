"""Rows whose predictions are explained: which, and what every feature adds to each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.progress import Report
from bayeswood.report.page.summary.rows import ReportRows
from bayeswood.report.page.summary.support import least_supported

F64 = NDArray[np.float64]
Rows = NDArray[np.intp]

# Seconds of one processor, by guess: of all, of a leaf for each feature on the way to it and each
# output, and of a tree.
_MOST_SECONDS = 25.0
_LEAF_SECONDS, _TREE_SECONDS = 1e-8, 1e-6
_FEWEST_ROWS = 24
# Of the values of every member at a time.
_BLOCK_BYTES = 48 * 2**20
_PURPOSE = 2


@dataclass(frozen=True, eq=False)
class ExplainedRows:
    """What every feature adds to some predictions, with bands.

    Attributes
    ----------
    rows : ndarray of int, (n_explained,)
        Their places among the report's rows, ascending.
    is_random : ndarray of bool, (n_explained,)
        Whether they were drawn at random; the others are those that one would want to see.
    values : ndarray, (n_explained, n_features, n_outputs)
        Shapley values; one output for numbers.
    lower, upper : ndarray, (n_explained, n_features, n_outputs)
        Credible bands.
    base : ndarray, (n_explained, n_outputs)
    cells : ndarray of object, (n_explained, n_features)
        Values of the features, as people read them.
    output : str
        What is explained.
    """

    rows: Rows
    is_random: NDArray[np.bool_]
    values: F64
    lower: F64
    upper: F64
    base: F64
    cells: NDArray[Any]
    output: str


def explain_rows(rows: ReportRows, most: int, progress: Report | None = None) -> ExplainedRows:
    """Choose rows and explain them, a block at a time.

    Parameters
    ----------
    rows : ReportRows
    most : int
        Rows to explain; fewer where each takes long.
    progress : callable or None
        Told of (done, total).
    """
    chosen, is_random = choose_rows(rows, _affordable(rows, most))
    size = _block_size(rows)
    blocks = [chosen[i : i + size] for i in range(0, len(chosen), size)]
    found = []
    for block in blocks:
        found.append(_explain_block(rows, block))
        if progress is not None:
            progress(sum(len(part[0]) for part in found), len(chosen))
    values, lower, upper, base, cells, names = zip(*found, strict=True)
    return ExplainedRows(
        chosen,
        is_random,
        np.concatenate(values),
        np.concatenate(lower),
        np.concatenate(upper),
        np.concatenate(base),
        np.concatenate(cells),
        str(names[0]),
    )


def _explain_block(rows: ReportRows, block: Rows) -> tuple[Any, ...]:
    table = rows.take(block)
    found, draws = rows.model.shap_values(table), rows.model.shap_values(table, draws=True)
    ends = draws.interval(rows.coverage)
    # Bands are about the members' mean, which is the value itself but for roundings and links.
    shift = found.values - draws.mean().values
    several = bool(found.output_names)
    parts = (found.values, ends[..., 0] + shift, ends[..., 1] + shift, found.base_values)
    shaped = parts if several else tuple(part[..., None] for part in parts)
    return (*shaped, found.data, found.output)


def _affordable(rows: ReportRows, most: int) -> int:
    """Fewer rows where trees are many and deep, so that the time has a bound."""
    seconds = 0.0
    for part in rows.model.predictive_.additive(rows.model.forest_).parts:
        forest = part.forest
        deep = np.minimum(forest.depths, rows.encoded.shape[1])
        seconds += _LEAF_SECONDS * float(forest.n_leaves @ (1.0 + deep)) * forest.n_outputs
        seconds += _TREE_SECONDS * forest.n_trees
    return int(np.clip(_MOST_SECONDS / max(seconds, 1e-9), min(_FEWEST_ROWS, most), most))


def _block_size(rows: ReportRows) -> int:
    forest = rows.model.forest_
    each = 8 * forest.n_members * rows.encoded.shape[1] * forest.n_outputs
    return max(1, _BLOCK_BYTES // int(each))


def choose_rows(rows: ReportRows, most: int) -> tuple[Rows, NDArray[np.bool_]]:
    """Rows to explain: three of five at random, the others telling; all if there are few."""
    if len(rows) <= most:
        return np.arange(len(rows)), np.ones(len(rows), dtype=np.bool_)
    drawn = rows.sample(most - 2 * most // 5, _PURPOSE)
    telling = [i for i in _telling(rows, most) if i not in set(drawn.tolist())]
    chosen = np.sort(np.concatenate([drawn, np.array(telling[: most - len(drawn)], np.intp)]))
    return chosen, np.isin(chosen, drawn)


def _telling(rows: ReportRows, most: int) -> list[int]:
    """Rows that one would want to see: by turns alone, wrong though sure, and unsure."""
    if rows.is_classifier:
        wrong = ~rows.envelope.is_correct
        worst = np.lexsort((np.arange(len(rows)), -rows.envelope.consistency, ~wrong))
        worst = worst[: int(wrong.sum())]
        unsure = np.argsort(rows.envelope.consistency, kind="stable")
    else:
        found = rows.numbers
        worst = np.argsort(-np.abs(found.predicted - rows.y), kind="stable")
        unsure = np.argsort(found.lower - found.upper, kind="stable")
    lists = [least_supported(rows, most), worst[:most].tolist(), unsure[:most].tolist()]
    by_turns = [each[k] for k in range(most) for each in lists if k < len(each)]
    return list(dict.fromkeys(int(i) for i in by_turns))
