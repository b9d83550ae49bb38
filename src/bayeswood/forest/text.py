"""A tree in words."""

from typing import TYPE_CHECKING

import numpy as np

from bayeswood.forest.labels import Labels

if TYPE_CHECKING:
    from bayeswood.forest.tree import Tree

_MAX_LEVELS_SHOWN = 5
_MAX_CLASSES_SHOWN = 3
_SMALLEST_SHARE_SHOWN = 0.005


def tree_to_text(tree: "Tree", labels: Labels, *, max_depth: int | None, show_missing: bool) -> str:
    """Indented lines; ``yes`` is the left branch, ``no`` the right."""
    if len(labels.feature_names) <= int(tree.feature.max(initial=-1)):
        raise ValueError(
            f"The tree splits on feature number {int(tree.feature.max())}, but only "
            f"{len(labels.feature_names)} feature names are given."
        )
    lines: list[str] = []
    waiting: list[tuple[int, int, str]] = [(0, 0, "")]
    while waiting:
        node, depth, answer = waiting.pop()
        indent = "|   " * (depth - 1) + "|-- " if depth else ""
        cut_short = max_depth is not None and depth >= max_depth and tree.feature[node] >= 0
        if tree.feature[node] < 0 or cut_short:
            note = " (cut short)" if cut_short else ""
            lines.append(f"{indent}{answer}{_leaf(tree, node, labels)}{note}")
            continue
        question = _question(tree, node, labels) + _missing(tree, node, show_missing)
        lines.append(f"{indent}{answer}{question}  [{_rows(tree, node)}]")
        waiting.append((int(tree.right[node]), depth + 1, "no:  "))
        waiting.append((int(tree.left[node]), depth + 1, "yes: "))
    return "\n".join(lines)


def _rows(tree: "Tree", node: int) -> str:
    n_samples = int(tree.n_samples[node])
    return f"{n_samples} row" if n_samples == 1 else f"{n_samples} rows"


def _missing(tree: "Tree", node: int, show_missing: bool) -> str:
    if not show_missing:
        return ""
    return " or missing" if tree.missing_left[node] else " and not missing"


def _question(tree: "Tree", node: int, labels: Labels) -> str:
    feature_idx = int(tree.feature[node])
    name = labels.feature_names[feature_idx]
    if not tree.is_category_split(node):
        return f"{name} <= {tree.threshold[node]:.6g}"
    levels = tree.left_levels(node)
    if not levels.size:
        return f"{name} in {{}}"
    shown = [labels.level(feature_idx, int(i)) for i in levels[:_MAX_LEVELS_SHOWN]]
    if levels.size > _MAX_LEVELS_SHOWN:
        shown.append(f"... {levels.size - _MAX_LEVELS_SHOWN} more")
    return f"{name} in {{{', '.join(shown)}}}"


def _leaf(tree: "Tree", node: int, labels: Labels) -> str:
    value = tree.value[node]
    if tree.is_classifier:
        return f"{_shares(value, labels)}  [{_rows(tree, node)}]"
    numbers = ", ".join(f"{v:.6g}" for v in value)
    return f"{numbers if value.size == 1 else f'({numbers})'}  [{_rows(tree, node)}]"


def _shares(value: np.ndarray, labels: Labels) -> str:
    by_share = np.argsort(-value, kind="stable")
    shown = [i for i in by_share[:_MAX_CLASSES_SHOWN] if value[i] >= _SMALLEST_SHARE_SHOWN]
    text = ", ".join(f"{labels.class_name(int(i))} {value[i]:.2f}" for i in shown or by_share[:1])
    n_hidden = int(np.count_nonzero(value > 0)) - max(len(shown), 1)
    return f"{text}, ... {n_hidden} more" if n_hidden > 0 else text
