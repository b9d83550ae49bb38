"""The trees: one of them, how alike their tops are, and what samplers say of themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Tree
from bayeswood.posterior import (
    ChainDiagnostics,
    IslandDiagnostics,
    TrunkPlace,
    diagnose,
    structure,
    trunk_posterior,
)
from bayeswood.posterior.kept_draws import known_quantities, series
from bayeswood.posterior.structure import TreeStructure
from bayeswood.report.page.summary.data import Bars, number_bars
from bayeswood.report.page.summary.rows import ReportRows

F64 = NDArray[np.float64]

_DRAWN_DEPTH = 3
_TRUNK_DEPTH = 2
# Forests of more trees are not walked through one by one.
_MOST_TREES = 5_000
_MOST_POINTS = 240
_MOST_TRACES = 4
_LEVELS_SHOWN = 4


@dataclass(frozen=True)
class TreeLine:
    """A node of a drawn tree.

    Attributes
    ----------
    depth : int
    answer : str
        "yes" or "no" to the question above; empty at the root.
    text : str
        Its question, or what it predicts.
    n_samples : int
    shares : tuple of float
        Class probabilities; of numbers, where its mean lies between the least and the largest.
    is_end : bool
        Whether nothing is drawn below.
    n_below : int
        Leaves below where the drawing stops short; 0 elsewhere.
    """

    depth: int
    answer: str
    text: str
    n_samples: int
    shares: tuple[float, ...]
    is_end: bool
    n_below: int


@dataclass(frozen=True, eq=False)
class TraceSummary:
    """A quantity along the chains of a sampler.

    Attributes
    ----------
    name : str
    iteration : ndarray, (n_points,)
    chains : ndarray, (n_chains, n_points)
    n_burn_in : int
    """

    name: str
    iteration: F64
    chains: F64
    n_burn_in: int


@dataclass(frozen=True, eq=False)
class TreesSummary:
    """The trees of a model.

    Attributes
    ----------
    n_trees, n_members, trees_per_member : int
    mean_leaves, mean_depth : float
    leaves : Bars
        Trees by their number of leaves.
    drawn : int
        Number of the tree that is drawn: the heaviest, of equals the first.
    lines : tuple of TreeLine
        Its nodes.
    outline : str
        The same as text.
    class_names : tuple of str
    trunk : tuple of TrunkPlace
        Empty where trees add up, or are too many.
    structure : TreeStructure or None
        Where a posterior over single trees is known.
    traces : tuple of TraceSummary
    diagnostics : ChainDiagnostics or IslandDiagnostics or None
    """

    n_trees: int
    n_members: int
    trees_per_member: int
    mean_leaves: float
    mean_depth: float
    leaves: Bars
    drawn: int
    lines: tuple[TreeLine, ...]
    outline: str
    class_names: tuple[str, ...]
    trunk: tuple[TrunkPlace, ...]
    structure: TreeStructure | None
    traces: tuple[TraceSummary, ...]
    diagnostics: ChainDiagnostics | IslandDiagnostics | None


def summarize_trees(rows: ReportRows) -> TreesSummary:
    """Look at the trees."""
    model, forest = rows.model, rows.model.forest_
    drawn = int(np.argmax(forest.tree_weights))
    tree = forest.trees[drawn]
    is_walked = forest.trees_per_member == 1 and forest.n_trees <= _MOST_TREES
    found = _diagnostics(model)
    return TreesSummary(
        n_trees=forest.n_trees,
        n_members=forest.n_members,
        trees_per_member=forest.trees_per_member,
        mean_leaves=float(forest.tree_weights @ forest.n_leaves / forest.trees_per_member),
        mean_depth=float(forest.tree_weights @ forest.depths / forest.trees_per_member),
        leaves=number_bars(np.asarray(forest.n_leaves, dtype=np.float64)),
        drawn=drawn,
        lines=tuple(_walk(tree)),
        outline=tree.to_text(max_depth=_DRAWN_DEPTH),
        class_names=tuple(str(label) for label in getattr(model, "classes_", ())),
        trunk=trunk_posterior(forest, max_depth=_TRUNK_DEPTH).places if is_walked else (),
        structure=structure(model) if is_walked and found is not None else None,
        traces=tuple(_traces(model)),
        diagnostics=found,
    )


def _diagnostics(model: Any) -> ChainDiagnostics | IslandDiagnostics | None:
    """What a sampler says of itself; None where trees were not sampled from a posterior."""
    try:
        return diagnose(model)
    except BayeswoodError:
        return None


def _traces(model: Any) -> Iterator[TraceSummary]:
    trace = getattr(model, "trace_", None)
    if trace is None:
        return
    for name in known_quantities(trace)[:_MOST_TRACES]:
        values = np.atleast_2d(series(trace, name))
        n_steps = values.shape[1]
        shown = np.unique(np.linspace(0, n_steps - 1, _MOST_POINTS).astype(np.intp))
        n_burn_in = int(getattr(trace, "n_burn_in", 0))
        yield TraceSummary(name, shown.astype(np.float64), values[:, shown], n_burn_in)


def _walk(tree: Tree) -> Iterator[TreeLine]:
    low, high = float(tree.value[:, 0].min()), float(tree.value[:, 0].max())
    pending = [(0, 0, "")]
    while pending:
        node, depth, answer = pending.pop()
        is_leaf = tree.feature[node] < 0
        is_end = bool(is_leaf or depth >= _DRAWN_DEPTH)
        value = tree.value[node]
        place = (float(value[0]) - low) / (high - low) if high > low else 1.0
        yield TreeLine(
            depth=depth,
            answer=answer,
            text=_said(tree, value) if is_end else _question(tree, node),
            n_samples=int(tree.n_samples[node]),
            shares=tuple(float(v) for v in value) if tree.is_classifier else (place,),
            is_end=is_end,
            n_below=_n_leaves(tree, node) if is_end and not is_leaf else 0,
        )
        if not is_end:
            pending.append((int(tree.right[node]), depth + 1, "no"))
            pending.append((int(tree.left[node]), depth + 1, "yes"))


def _question(tree: Tree, node: int) -> str:
    feature = int(tree.feature[node])
    name = tree.labels.feature_names[feature]
    if not tree.is_category_split(node):
        return f"{name} ≤ {float(tree.threshold[node]):.5g}"
    levels = [tree.labels.level(feature, int(i)) for i in tree.left_levels(node)]
    more = f" and {len(levels) - _LEVELS_SHOWN} more" if len(levels) > _LEVELS_SHOWN else ""
    return f"{name} is {', '.join(levels[:_LEVELS_SHOWN])}{more}"


def _said(tree: Tree, value: F64) -> str:
    if tree.is_classifier:
        top = int(value.argmax())
        return f"{tree.labels.class_name(top)} {value[top]:.2f}"
    return ", ".join(f"{float(v):.4g}" for v in value[:3])


def _n_leaves(tree: Tree, node: int) -> int:
    n_leaves, pending = 0, [node]
    while pending:
        here = pending.pop()
        if tree.feature[here] < 0:
            n_leaves += 1
        else:
            pending += [int(tree.left[here]), int(tree.right[here])]
    return n_leaves
