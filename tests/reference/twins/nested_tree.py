"""A twin's tree as nested dicts ("node", and where it is cut "cut", "left", "right") beside a
native one."""

import numpy as np


def levels_of(tree: dict, node: int, n_levels: int) -> frozenset[int]:
    first = tree["category_offset"][node]
    words = tree["category_words"][first : first + (n_levels + 63) // 64]
    return frozenset(i for i in range(n_levels) if int(words[i // 64]) >> (i % 64) & 1)


def assert_same(tree: dict, node: int, grown: dict, n_levels: np.ndarray) -> None:
    """Equality of a subtree in every law, threshold and statistic."""
    twin = grown["node"]
    assert tree["n_samples"][node] == len(twin.rows)
    assert abs(tree["weight"][node] - twin.sum_w) <= 1e-5 * twin.sum_w
    cut = grown.get("cut")
    # Inner values are averages by the leaves' weights, which are single precision.
    slack = (1e-6 if cut else 1e-12) * np.abs(twin.problem.response).max()
    apart = np.abs(tree["value"][node] - twin.value)
    assert (apart <= slack + 1e-9 * np.abs(twin.value)).all()
    assert tree["feature"][node] == (cut.feature if cut else -1)
    if not cut:
        return
    threshold = tree["threshold"][node]  # of levels it is not a number
    assert threshold == cut.threshold or np.isnan([threshold, cut.threshold]).all()
    assert tree["missing_left"][node] == cut.missing_left
    if n_levels[cut.feature]:
        assert levels_of(tree, node, n_levels[cut.feature]) == cut.left_levels
    assert_same(tree, tree["left"][node], grown["left"], n_levels)
    assert_same(tree, tree["right"][node], grown["right"], n_levels)


def add_gains(grown: dict, total: np.ndarray) -> None:
    if "cut" in grown:
        total[grown["cut"].feature] += max(0.0, grown["cut"].gain)
        add_gains(grown["left"], total)
        add_gains(grown["right"], total)
