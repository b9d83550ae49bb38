"""Grafting as one would do it by hand: nested trees, one leaf replaced by another tree."""

from typing import Any

import numpy as np


def to_nested(tree: dict[str, Any], arrays: dict[str, Any], node: int = 0) -> dict[str, Any]:
    """A tree as nested dicts; `arrays` are those of a forest of this tree alone."""
    feature = int(tree["feature"][node])
    if feature < 0:
        return _leaf(tree, arrays, node)
    n_words = (int(arrays["n_levels"][feature]) + 63) // 64
    first = int(tree["category_offset"][node]) if n_words else 0
    return {
        "feature": feature,
        "threshold": float(tree["threshold"][node]),
        "missing_left": int(tree["missing_left"][node]),
        "words": tree["category_words"][first : first + n_words].tolist(),
        "left": to_nested(tree, arrays, int(tree["left"][node])),
        "right": to_nested(tree, arrays, int(tree["right"][node])),
    }


def _leaf(tree: dict[str, Any], arrays: dict[str, Any], node: int) -> dict[str, Any]:
    leaf = int(tree["leaf"][node])
    first_row = int(arrays["leaf_n_samples"][:leaf].sum())
    n_rows = int(arrays["leaf_n_samples"][leaf]) if len(arrays["leaf_rows"]) else 0
    return {
        "leaf": leaf,
        "n_samples": int(arrays["leaf_n_samples"][leaf]),
        "weight": float(arrays["leaf_weight"][leaf]),
        "value": np.array(tree["value"][node]),
        "rows": arrays["leaf_rows"][first_row : first_row + n_rows].tolist(),
    }


def grafted(trunk: dict[str, Any], branches: list[dict[str, Any]]) -> dict[str, Any]:
    """The nested trunk with its leaves replaced."""
    if "leaf" in trunk:
        return branches[trunk["leaf"]]
    return trunk | {
        "left": grafted(trunk["left"], branches),
        "right": grafted(trunk["right"], branches),
    }


def renumbered(tree: dict[str, Any], rows: list[int]) -> dict[str, Any]:
    """The nested tree with other numbers for its rows."""
    if "leaf" in tree:
        return tree | {"rows": [rows[row] for row in tree["rows"]]}
    return tree | {side: renumbered(tree[side], rows) for side in ("left", "right")}


def to_arrays(trees: list[dict[str, Any]], arrays: dict[str, Any]) -> dict[str, Any]:
    """The flat arrays of nested trees; shape and types are those of `arrays`."""
    flat: dict[str, list[Any]] = {name: [] for name in arrays if np.ndim(arrays[name])}
    del flat["n_levels"]
    for tree in trees:
        n_nodes = _add_tree(tree, flat, bool(arrays["is_classifier"]))
        flat["n_nodes"].append(n_nodes)
    typed = {name: np.array(values, dtype=arrays[name].dtype) for name, values in flat.items()}
    return arrays | typed


def _add_tree(tree: dict[str, Any], flat: dict[str, list[Any]], is_classifier: bool) -> int:
    queue = [tree]
    for node in queue:
        is_leaf = "leaf" in node
        flat["feature"].append(-1 if is_leaf else node["feature"])
        flat["threshold"].append(np.nan if is_leaf else node["threshold"])
        flat["missing_left"].append(0 if is_leaf else node["missing_left"])
        if not is_leaf:
            flat["category_words"] += node["words"]
            queue += [node["left"], node["right"]]
            continue
        flat["leaf_n_samples"].append(node["n_samples"])
        flat["leaf_weight"].append(node["weight"])
        flat["leaf_rows"] += node["rows"]
        classes = np.flatnonzero(node["value"]) if is_classifier else range(len(node["value"]))
        flat["leaf_value"] += [node["value"][c] for c in classes]
        if is_classifier:
            flat["leaf_n_entries"].append(len(classes))
            flat["leaf_class"] += list(classes)
    return len(queue)
