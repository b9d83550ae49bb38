"""The interval of a response in ONNX: residuals by arithmetic, leaves by a sort."""

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution import LeafEnds, ResidualEnds, ResponseInterval
from bayeswood.errors import BayeswoodError
from bayeswood.export.onnx_graph import INT64, OnnxGraph
from bayeswood.uncertainty.calibration.residual_shape import LEAST_SPREAD

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

#: Numbers in a table of leaves, at most: a file must stay below 2 GB.
_MOST_ENTRIES = 50_000_000


def response_interval(
    graph: OnnxGraph, interval: ResponseInterval, rows: str, prediction: str
) -> str:
    """Residuals and leaves by their shares, or the prediction, (n, n_outputs, 2)."""
    share, found = interval.share[:, None], []
    if interval.residuals is not None:
        ends = _residual_ends(graph, interval.residuals, rows)
        found.append(graph.node("Mul", ends, graph.constant(share)))
    if interval.leaves is not None:
        ends = _leaf_ends(graph, interval.leaves, rows)
        found.append(graph.node("Mul", ends, graph.constant(1.0 - share)))
    ends = found[0] if len(found) == 1 else graph.node("Add", *found)
    low, high = (
        graph.node("Gather", ends, graph.constant(end, np.int64), axis=2) for end in (0, 1)
    )
    return graph.beside(graph.node("Min", low, prediction), graph.node("Max", high, prediction))


def _residual_ends(graph: OnnxGraph, ends: ResidualEnds, rows: str) -> str:
    """μ + a z(a)."""
    mean = graph.forest_mean(ends.mean, rows)
    least = graph.constant(ends.least)
    if ends.sizes is None:
        size = graph.node("Expand", least, graph.node("Shape", mean))
    else:
        size = graph.node("Max", graph.forest_mean(ends.sizes, rows), least)
    log = graph.node("Log", graph.node("Max", size, graph.constant(LEAST_SPREAD)))
    low, middle, high = ends.centres.T
    below = _rising(graph, log, middle, low)
    above = _rising(graph, log, middle, high)
    return graph.beside(
        *(
            graph.node("Add", mean, graph.node("Mul", size, _shape(graph, below, above, z)))
            for z in np.moveaxis(ends.ends, 2, 0)
        )
    )


def _rising(graph: OnnxGraph, x: str, start: F64, stop: F64) -> str:
    """0 up to `start`, 1 from `stop` on, linear between them."""
    slope = 1.0 / (stop - start)
    scaled = graph.node("Mul", graph.node("Sub", x, graph.constant(start)), graph.constant(slope))
    return graph.node("Clip", scaled, graph.constant(0.0), graph.constant(1.0))


def _shape(graph: OnnxGraph, below: str, above: str, z: F64) -> str:
    """Quantiles between those at the three centres, (n_outputs, 3)."""
    first = graph.node("Mul", below, graph.constant(z[:, 0] - z[:, 1]))
    last = graph.node("Mul", above, graph.constant(z[:, 2] - z[:, 1]))
    return graph.node("Sum", graph.constant(z[:, 1]), first, last)


def _leaf_ends(graph: OnnxGraph, ends: LeafEnds, rows: str) -> str:
    """Weighted quantiles of the responses in the leaves of a row."""
    leaves = graph.leaf_numbers(ends.forest, rows)
    leaf, row, share = ends.responses.leaf_shares(ends.forest)
    n_leaves = int(np.sum(ends.forest.n_leaves))
    columns = []
    for y, levels in zip(ends.responses.y.T, ends.levels, strict=True):
        tables = leaf_tables(leaf, y[row], share, n_leaves)
        columns.append(_quantiles(graph, leaves, tables, ends.forest.n_trees, levels))
    lower, upper = (graph.node("Concat", *side, axis=1) for side in zip(*columns, strict=True))
    return graph.beside(lower, upper)


def leaf_tables(leaf: I64, y: F64, share: F64, n_leaves: int) -> tuple[F64, F64]:
    """Responses and their shares, a line for each leaf; what is left over counts nothing.

    Parameters
    ----------
    leaf : ndarray of int64, (n_entries,)
        Leaf of each entry.
    y, share : ndarray, (n_entries,)
        Response, and what it counts; equal responses of a leaf become one.
    n_leaves : int

    Examples
    --------
    >>> leaf_tables(np.array([0, 0, 1]), np.array([5.0, 5.0, 3.0]), np.array([0.1, 0.2, 0.3]), 2)
    (array([[5.],
           [3.]]), array([[0.3],
           [0.3]]))
    """
    order = np.lexsort((y, leaf))
    leaf, y, share = leaf[order], y[order], share[order]
    is_new = np.append(True, (np.diff(leaf) != 0) | (np.diff(y) != 0))
    share = np.add.reduceat(share, np.flatnonzero(is_new))
    leaf, y = leaf[is_new], y[is_new]
    n_held = np.bincount(leaf, minlength=n_leaves)
    width = int(n_held.max())
    if n_leaves * width > _MOST_ENTRIES:
        raise BayeswoodError(
            f"to_onnx has no room for the interval: {n_leaves} leaves that hold up to {width} "
            "responses each. Fit fewer trees or smaller leaves, or leave 'coverage' out."
        )
    place = np.arange(len(leaf)) - (np.cumsum(n_held) - n_held)[leaf]
    responses, shares = np.full((n_leaves, width), y.max()), np.zeros((n_leaves, width))
    responses[leaf, place], shares[leaf, place] = y, share
    return responses, shares


def _quantiles(
    graph: OnnxGraph, leaves: str, tables: tuple[F64, F64], n_trees: int, levels: F64
) -> list[str]:
    """At each level the first response, in order, at which the shares reach it, (n, 1) each."""
    width = n_trees * tables[0].shape[1]
    flat = graph.constant([-1, width], np.int64)
    y, share = (
        graph.node("Reshape", graph.node("Gather", graph.constant(table), leaves, axis=0), flat)
        for table in tables
    )
    every = graph.constant([width], np.int64)
    y, order = graph.several("TopK", 2, y, every, axis=1, largest=0, sorted=1)
    share = graph.node("GatherElements", share, order, axis=1)
    reached = graph.node("CumSum", share, graph.constant(1, np.int64))
    total = graph.node("ReduceMax", reached, graph.axis(1), keepdims=1)
    found = []
    for level in levels:
        # As in a prediction, rounding of the sum must not push a level past its response.
        wanted = graph.node("Mul", total, graph.constant(level * (1.0 - 1e-12)))
        is_there = graph.node("GreaterOrEqual", reached, wanted)
        first = graph.node("ArgMax", graph.node("Cast", is_there, to=INT64), axis=1, keepdims=1)
        found.append(graph.node("GatherElements", y, first, axis=1))
    return found
