"""A model's nodes in ONNX: trees as ai.onnx.ml TreeEnsemble, steps as standard operators."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution import AdditiveSpread, SpreadPart
from bayeswood.export.description import Description, ExportedPart
from bayeswood.export.flat_trees import FlatTrees
from bayeswood.export.steps import Step
from bayeswood.forest import Forest

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

_LEQ, _MEMBER = 0, 6
_SUM = 1
_FLOAT, INT64, _DOUBLE = 1, 7, 11
# No column of a table is called so.
_OWN = "bayeswood/"


class OnnxGraph:
    """Nodes and constants under construction; values are known by their names."""

    def __init__(self, onnx: Any) -> None:
        self._onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._means: dict[int, str] = {}  # of forests, which stay alive meanwhile

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        """The name of what an operator gives."""
        return self.several(op, 1, *inputs, **attributes)[0]

    def several(self, op: str, n_outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        """The names of what an operator gives."""
        names = [f"{_OWN}v{len(self.nodes)}.{k}" for k in range(n_outputs)]
        self.nodes.append(self._onnx.helper.make_node(op, inputs, names, **attributes))
        return names

    def constant(self, values: Any, dtype: type = np.float64) -> str:
        """The name of a constant."""
        name = f"{_OWN}c{len(self.constants)}"
        array: NDArray[Any] = np.asarray(values, dtype=dtype)
        self.constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def strings(self, words: Sequence[str]) -> str:
        """The name of constant words."""
        name = f"{_OWN}c{len(self.constants)}"
        kind = self._onnx.TensorProto.STRING
        encoded = [word.encode("utf-8") for word in words]
        self.constants.append(self._onnx.helper.make_tensor(name, kind, [len(words)], encoded))
        return name

    def answer(self, found: Description, rows: str) -> str:
        """Σ parts, and the steps."""
        total = ""
        for part in found.parts:
            here = self._part(part, rows)
            total = here if not total else self.node("Add", total, here)
        return self.steps(found.steps, total)

    def _part(self, part: ExportedPart, rows: str) -> str:
        mean = self._linked(part, rows) if part.steps else self._summed(part, rows)
        if part.normalised:
            mean = _normalise(self, {}, mean)
        return mean if part.share == 1.0 else self.node("Mul", mean, self.constant(part.share))

    def _summed(self, part: ExportedPart, rows: str) -> str:
        if id(part.forest) not in self._means:
            trees = part.weighted_trees
            members = np.zeros(trees.n_trees, dtype=np.int64)
            self._means[id(part.forest)] = self._ensemble(trees, members, 1, rows)
        return self._means[id(part.forest)]

    def _linked(self, part: ExportedPart, rows: str) -> str:
        """Members' sums, (n, n_members, n_outputs); their steps; their weighted mean."""
        trees, n_members = part.trees, part.forest.n_members
        member = np.arange(trees.n_trees) // part.forest.trees_per_member
        sums = self._ensemble(trees, member, n_members, rows)
        shape = self.constant([-1, n_members, trees.n_outputs], np.int64)
        made = self.steps(part.steps, self.node("Reshape", sums, shape))
        return self._mean(made, part.forest.weights)

    def forest_mean(self, forest: Forest, rows: str) -> str:
        """What a forest predicts, (n, n_outputs)."""
        return self._part(ExportedPart(forest, 1.0, ()), rows)

    def leaf_numbers(self, forest: Forest, rows: str) -> str:
        """The leaves of each tree that rows fall in, counted over all trees, (n, n_trees)."""
        trees = FlatTrees.of(forest)
        numbered = replace(trees, value=np.arange(len(trees.value), dtype=np.float64)[:, None])
        found = self._ensemble(numbered, np.arange(trees.n_trees), trees.n_trees, rows)
        return self.node("Cast", found, to=INT64)

    def _ensemble(self, trees: FlatTrees, member: I64, n_members: int, rows: str) -> str:
        """Sums of members, (n, n_members x n_outputs)."""
        attributes = ensemble_attributes(trees, member, n_members * trees.n_outputs)
        make = self._onnx.numpy_helper.from_array
        tensors = {n: make(v) if isinstance(v, np.ndarray) else v for n, v in attributes.items()}
        return self.node("TreeEnsemble", rows, domain="ai.onnx.ml", **tensors)

    def interval(self, spread: AdditiveSpread, rows: str) -> str:
        """Ends p ± reach sd within [0, 1], (n, n_outputs, 2); see `AdditiveSpread`."""
        bags = ""
        for part in spread.parts:
            here = self._groups(part, rows)
            bags = here if not bags else self.node("Add", bags, here)
        answer = self.steps(spread.steps, self._mean(bags, spread.weights))
        said = self.steps(spread.steps, bags)
        centre = self.node("Unsqueeze", self._mean(said, spread.weights), self.axis(1))
        apart = self.node("Sub", said, centre)
        variance = self._mean(self.node("Mul", apart, apart), spread.factor**2 * spread.weights)
        if spread.offset_variance is not None:
            odds = self.node("Mul", answer, self.node("Sub", self.constant(1.0), answer))
            squares = self.node("Mul", odds, odds)
            of_offset = self.node("Mul", squares, self.constant(spread.offset_variance))
            variance = self.node("Add", variance, of_offset)
        reach = self.node("Mul", self.node("Sqrt", variance), self.constant(spread.reach))
        lower = self.node("Max", self.node("Sub", answer, reach), self.constant(0.0))
        upper = self.node("Min", self.node("Add", answer, reach), self.constant(1.0))
        return self.beside(lower, upper)

    def beside(self, *values: str) -> str:
        """(n, n_outputs) each, along a last axis."""
        return self.node(
            "Concat", *(self.node("Unsqueeze", v, self.axis(2)) for v in values), axis=2
        )

    def axis(self, axis: int) -> str:
        """The name of an axis."""
        return self.constant([axis], np.int64)

    def _mean(self, bags: str, weights: F64) -> str:
        """Over the bags of (n, n_bags, n_outputs)."""
        weighted = self.node("Mul", bags, self.constant(weights[:, None]))
        return self.node("ReduceSum", weighted, self.axis(1), keepdims=0)

    def _groups(self, part: SpreadPart, rows: str) -> str:
        """What each bag takes of a part, (n, n_bags, n_outputs)."""
        trees = FlatTrees.of(part.forest).weighted(part.factor)
        group = np.arange(trees.n_trees) // part.trees_per_group
        n_groups = int(group[-1]) + 1
        sums = self._ensemble(trees, group, n_groups, rows)
        shape = self.constant([-1, n_groups, trees.n_outputs], np.int64)
        made = self.steps(part.steps, self.node("Reshape", sums, shape))
        taken = self.node("Gather", made, self.constant(part.group, np.int64), axis=1)
        return self.node("Mul", taken, self.constant(part.share))

    def steps(self, steps: Sequence[Step], x: str) -> str:
        """The steps, one after another, over the last axis."""
        for step in steps:
            x = _OPERATIONS[step["op"]](self, step, x)
        return x


def ensemble_attributes(trees: FlatTrees, member: I64, n_targets: int) -> dict[str, Any]:
    """Of a TreeEnsemble. A leaf has one target there: a tree is repeated for each output."""
    said = np.add.reduceat(trees.value != 0, _first_leaf(trees), axis=0) > 0
    pairs = [(t, k) for t in range(trees.n_trees) for k in range(trees.n_outputs) if said[t, k]]
    pairs = pairs or [(0, 0)]
    blocks = [_Block.of(trees, tree) for tree in range(trees.n_trees)]
    inner = np.cumsum([0, *(len(blocks[t].feature) for t, _ in pairs)])
    leaves = np.cumsum([0, *(len(blocks[t].leaves) for t, _ in pairs)])

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(blocks[t], name) for t, _ in pairs])

    def moved(side: str) -> list[int]:
        found = []
        for place, (tree, _) in enumerate(pairs):
            to, is_leaf = getattr(blocks[tree], side), getattr(blocks[tree], f"{side}_is_leaf")
            found.append(to + np.where(is_leaf, leaves[place], inner[place]))
        return [int(number) for number in np.concatenate(found)]

    targets = [
        np.full(len(blocks[t].leaves), member[t] * trees.n_outputs + k, dtype=np.int64)
        for t, k in pairs
    ]
    modes = joined("mode").astype(np.uint8)
    attributes: dict[str, Any] = {
        "n_targets": n_targets,
        "aggregate_function": _SUM,
        "post_transform": 0,
        "tree_roots": inner[:-1].tolist(),
        "nodes_featureids": joined("feature").tolist(),
        "nodes_modes": modes,
        "nodes_splits": joined("threshold"),
        "nodes_missing_value_tracks_true": joined("missing_left").astype(int).tolist(),
        "nodes_truenodeids": moved("left"),
        "nodes_trueleafs": joined("left_is_leaf").astype(int).tolist(),
        "nodes_falsenodeids": moved("right"),
        "nodes_falseleafs": joined("right_is_leaf").astype(int).tolist(),
        "leaf_targetids": np.concatenate(targets).tolist(),
        "leaf_weights": np.concatenate([trees.value[blocks[t].leaves, k] for t, k in pairs]),
    }
    if (modes == _MEMBER).any():
        attributes["membership_values"] = joined("sets")
    return attributes


def _first_leaf(trees: FlatTrees) -> I64:
    n_leaves = np.add.reduceat((trees.feature < 0).astype(np.int64), trees.root)
    return np.cumsum(n_leaves) - n_leaves


class _Block:
    """One tree as a TreeEnsemble has it: inner nodes and leaves numbered apart."""

    def __init__(self, **arrays: NDArray[Any]) -> None:
        self.__dict__.update(arrays)

    feature: NDArray[Any]
    leaves: NDArray[Any]

    @classmethod
    def of(cls, trees: FlatTrees, tree: int) -> "_Block":
        nodes = trees.nodes(tree)
        feature = trees.feature[nodes]
        is_leaf = feature < 0
        if is_leaf[0]:
            return cls._stump(trees, nodes.start)
        inner = np.flatnonzero(~is_leaf)
        number = np.where(is_leaf, np.cumsum(is_leaf), np.cumsum(~is_leaf)) - 1
        left = trees.child[nodes][inner] - nodes.start
        is_set = trees.is_set[nodes][inner]
        sets = [_set(trees, nodes.start + node) for node in inner[is_set]]
        return cls(
            feature=feature[inner],
            threshold=trees.threshold[nodes][inner],
            missing_left=trees.missing_left[nodes][inner],
            mode=np.where(is_set, _MEMBER, _LEQ),
            left=number[left],
            left_is_leaf=is_leaf[left],
            right=number[left + 1],
            right_is_leaf=is_leaf[left + 1],
            leaves=trees.child[nodes][is_leaf],
            sets=np.concatenate([np.empty(0), *sets]),
        )

    @classmethod
    def _stump(cls, trees: FlatTrees, leaf: int) -> "_Block":
        """A leaf alone: a split with the same leaf on both sides."""
        zero, one = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.bool_)
        return cls(
            feature=zero, threshold=np.zeros(1), missing_left=zero, mode=zero, left=zero,
            left_is_leaf=one, right=zero, right_is_leaf=one, leaves=trees.child[leaf : leaf + 1],
            sets=np.empty(0),
        )  # fmt: skip


def _set(trees: FlatTrees, node: int) -> F64:
    """The levels that go left, ended by NaN; no level has the number -1."""
    levels = trees.left_levels(node).astype(np.float64)
    return np.append(levels if levels.size else [-1.0], np.nan)


def _normalise(graph: OnnxGraph, step: Step, x: str) -> str:
    last = graph.constant([-1], np.int64)
    return graph.node("Div", x, graph.node("ReduceSum", x, last, keepdims=1))


def _affine(graph: OnnxGraph, step: Step, x: str) -> str:
    scaled = graph.node("Mul", x, graph.constant(step["factor"]))
    return graph.node("Add", scaled, graph.constant(step["offset"]))


def _prepend_zero(graph: OnnxGraph, step: Step, x: str) -> str:
    return graph.node("Concat", graph.node("Sub", x, x), x, axis=-1)


def _column(graph: OnnxGraph, x: str, k: int) -> str:
    return graph.node("Gather", x, graph.constant([k], np.int64), axis=-1)


def _probit_pair(graph: OnnxGraph, step: Step, x: str) -> str:
    """(1 ∓ erf(z / √2)) / 2, in float32, for which erf is there."""
    scaled = graph.node("Mul", _column(graph, x, 1), graph.constant(np.sqrt(0.5)))
    single = graph.node("Erf", graph.node("Cast", scaled, to=_FLOAT))
    half = graph.node("Mul", graph.node("Cast", single, to=_DOUBLE), graph.constant([-0.5, 0.5]))
    return graph.node("Add", half, graph.constant([0.5, 0.5]))


def _precision_mean(graph: OnnxGraph, step: Step, x: str) -> str:
    plain, sharpness, mean = step["precision"], step["sharpness"], step["mean"]
    precision, lean = _column(graph, x, 0), _column(graph, x, 1)
    sharp = _affine(graph, {"factor": sharpness, "offset": (1.0 - sharpness) * plain}, precision)
    shift = _affine(graph, {"factor": sharpness, "offset": (1.0 - sharpness) * mean * plain}, lean)
    floor = graph.constant(step["least"] * plain)
    sharpened = graph.node("Div", shift, graph.node("Max", sharp, floor))
    is_sharp = graph.node("Greater", sharp, floor)
    found = graph.node("Where", is_sharp, sharpened, graph.node("Div", lean, precision))
    return graph.node("Add", found, graph.constant(step["offset"]))


_OPERATIONS: dict[str, Callable[[OnnxGraph, Step, str], str]] = {
    "affine": _affine,
    "log": lambda graph, step, x: graph.node("Log", x),
    "softmax": lambda graph, step, x: graph.node("Softmax", x, axis=-1),
    "normalise": _normalise,
    "prepend-zero": _prepend_zero,
    "probit-pair": _probit_pair,
    "precision-mean": _precision_mean,
}
