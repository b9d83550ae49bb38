"""Is this native tree the tree of the contract? Walks it and holds every node against the twin."""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from cart_twin import TIE, Node, Problem, Split, is_left_larger, midpoint


@dataclass
class Verdict:
    n_nodes: int = 0
    n_ties: int = 0
    importances: np.ndarray | None = None


def verify_tree(
    tree: dict[str, Any], problem: Problem, *, all_features: bool = True, tie_order: bool = True
) -> Verdict:
    """Raise AssertionError at the first node that breaks the contract.

    A split other than the twin's is accepted only if it is an exact tie with it (in rational
    arithmetic), or one within the tie rule. With `tie_order`, numeric ties must also be won by the
    lowest feature and cut. Without `all_features` a split need only be the best of its feature.
    """
    verdict = Verdict(importances=np.zeros(problem.X.shape[1]))
    pending = [(0, Node(problem, problem.active_rows, 0))]
    while pending:
        index, node = pending.pop()
        verdict.n_nodes += 1
        check_statistics(tree, index, node)
        native = read_split(tree, index, node)
        is_narrow = native is not None and not all_features
        best = node.best_split([native.feature] if is_narrow else None)
        where = f"node {index} ({len(node.rows)} rows, depth {node.depth})"
        if native is None and best is None:
            continue
        assert native is not None, f"{where}: native leaf, twin {describe(best)}"
        assert best is not None, f"{where}: native {describe(native)}, twin leaf"
        check_choice(node, native, best, where, tie_order, verdict)
        check_form(node, native, where)
        verdict.importances[native.feature] += native.gain
        for child, side in (
            (tree["left"][index], native.goes_left),
            (tree["right"][index], ~native.goes_left),
        ):
            pending.append((int(child), Node(problem, node.rows[side], node.depth + 1)))
    assert verdict.n_nodes == len(tree["feature"])
    root = Node(problem, problem.active_rows, 0)
    if root.impurity > 0:
        verdict.importances /= root.impurity
    return verdict


def check_statistics(tree: dict[str, Any], index: int, node: Node) -> None:
    assert tree["n_samples"][index] == len(node.rows)
    weight = float(tree["weight"][index])
    assert abs(weight - node.sum_w) <= 3e-7 * node.sum_w, f"node {index}: {weight}, {node.sum_w}"
    is_leaf = tree["feature"][index] < 0
    # Inner nodes are averaged over the leaves below by weights in single precision.
    rounding = 1e-13 if is_leaf else 1e-6
    tolerance = rounding * np.ptp(node.response, axis=0) + 1e-13 * np.abs(node.response).max()
    error = np.abs(tree["value"][index] - node.value)
    assert (error <= tolerance).all(), f"node {index}: value off by {error}"


def check_choice(
    node: Node, native: Split, best: Split, where: str, tie_order: bool, verdict: Verdict
) -> None:
    same_rows = np.array_equal(native.goes_left, best.goes_left)
    if native.feature == best.feature and same_rows:
        return
    verdict.n_ties += 1
    message = f"{where}: native {describe(native)}, twin {describe(best)}"
    assert native.gain > -np.inf, f"not allowed: {message}"
    assert native.worth >= best.worth - 1e-6 * node.impurity, message
    lost = exact_gain(node, best.goes_left) - exact_gain(node, native.goes_left)
    lost -= type(lost)(best.price) - type(lost)(native.price)
    assert lost <= type(lost)(TIE) * type(lost)(node.impurity), f"worse by {float(lost)}: {message}"
    on_levels = node.problem.n_levels[[native.feature, best.feature]].any()
    assert on_levels or not tie_order, f"the tie is not won by the lowest: {message}"


def check_form(node: Node, native: Split, where: str) -> None:
    """Threshold, missing direction and absent levels, given the rows that go left."""
    x = node.problem.X[node.rows, native.feature].astype(float)
    is_missing = np.isnan(x)
    larger_left = is_left_larger(native.goes_left)
    if not is_missing.any():
        assert native.missing_left == larger_left, f"{where}: missing does not go to the larger"
    n_levels = int(node.problem.n_levels[native.feature])
    if n_levels:
        absent = set(range(n_levels)) - set(x[~is_missing].astype(int).tolist())
        expected = absent if native.missing_left else set()
        assert native.left_levels & absent == expected, f"{where}: absent levels"
        return
    low, high = x[~is_missing & native.goes_left], x[~is_missing & ~native.goes_left]
    if len(low) == 0 or len(high) == 0:
        assert native.threshold == np.inf, f"{where}: present | missing has threshold +inf"
        assert not native.missing_left
        return
    expected_threshold = midpoint(low.max(), high.min())
    assert native.threshold == expected_threshold, (
        f"{where}: threshold {native.threshold!r}, expected {float(expected_threshold)!r}"
    )


def read_split(tree: dict[str, Any], index: int, node: Node) -> Split | None:
    feature = int(tree["feature"][index])
    if feature < 0:
        return None
    x = node.problem.X[node.rows, feature].astype(float)
    missing_left = bool(tree["missing_left"][index])
    levels = left_levels(tree, index, int(node.problem.n_levels[feature]))
    threshold = float(tree["threshold"][index])
    is_low = np.isin(x, list(levels)) if node.problem.n_levels[feature] else x <= threshold
    goes_left = np.where(np.isnan(x), missing_left, is_low)
    gain = node.gain_of(goes_left)
    price = node.price(feature)
    return Split(feature, threshold, levels, missing_left, gain, goes_left, price)


def left_levels(tree: dict[str, Any], index: int, n_levels: int) -> frozenset[int]:
    if not n_levels:
        return frozenset()
    first = int(tree["category_offset"][index])
    words = [int(word) for word in tree["category_words"][first : first + (n_levels + 63) // 64]]
    return frozenset(k for k in range(n_levels) if words[k // 64] >> (k % 64) & 1)


def exact_gain(node: Node, goes_left: np.ndarray) -> Fraction | Decimal:
    """Gain without rounding (entropy: to 50 digits), up to a constant of the node."""
    parts = []
    for side in (goes_left, ~goes_left):
        w = [Fraction(v) for v in node.weight[side].tolist()]
        columns = node.response[side].T.tolist()
        sums = [sum(a * Fraction(b) for a, b in zip(w, c, strict=True) if b) for c in columns]
        parts.append((sum(w), sums))
    if not node.is_entropy:
        return sum((sum(s * s for s in sums) / w for w, sums in parts), Fraction(0))
    with localcontext() as context:
        context.prec = 50
        return -sum((exact_entropy(sums, w) for w, sums in parts), Decimal(0))


def exact_entropy(class_weight: list[Fraction], sum_w: Fraction) -> Decimal:
    total = Decimal(sum_w.numerator) / Decimal(sum_w.denominator)
    weights = [Decimal(c.numerator) / Decimal(c.denominator) for c in map(Fraction, class_weight)]
    return sum((w * (total / w).ln() for w in weights if w > 0), Decimal(0))


def describe(split: Split | None) -> str:
    if split is None:
        return "leaf"
    side = "left" if split.missing_left else "right"
    rule = f"<= {split.threshold!r}" if not split.left_levels else f"in {set(split.left_levels)}"
    n_left = int(split.goes_left.sum())
    return f"x{split.feature} {rule}, missing {side}, {n_left} rows left, gain {split.gain!r}"
