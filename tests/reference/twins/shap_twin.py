"""Shapley values of one tree by their definition: every subset of the features."""

from itertools import combinations
from math import factorial

import numpy as np


def goes_left(tree, node, row):
    """Which way a row goes at an inner node."""
    value = row[tree.feature[node]]
    if tree.is_category_split(node):
        known = value >= 0 and value < tree._n_levels[tree.feature[node]]
        return value in tree.left_levels(node) if known else bool(tree.missing_left[node])
    return bool(tree.missing_left[node]) if np.isnan(value) else value <= tree.threshold[node]


def cover(tree, node=0):
    """Training weight of a node: what its leaves have."""
    if tree.feature[node] == -1:
        return float(tree.weight[node])
    return cover(tree, tree.left[node]) + cover(tree, tree.right[node])


def expectation(tree, row, known, node=0):
    """Value where only some features are known: at others both ways, by their weight."""
    if tree.feature[node] == -1:
        return tree.value[node]
    left, right = tree.left[node], tree.right[node]
    if tree.feature[node] in known:
        return expectation(tree, row, known, left if goes_left(tree, node, row) else right)
    total = cover(tree, node)
    share = cover(tree, left) / total if total > 0 else 0.5
    return share * expectation(tree, row, known, left) + (1 - share) * expectation(
        tree, row, known, right
    )


def leaf_value(tree, row):
    """Value of the row's leaf."""
    node = 0
    while tree.feature[node] != -1:
        node = tree.left[node] if goes_left(tree, node, row) else tree.right[node]
    return tree.value[node]


def mixed(tree, row, background, known):
    """Mean over the background of the value of rows with some features of this one."""
    rows = np.array(background)
    rows[:, list(known)] = np.asarray(row)[list(known)]
    return np.mean([leaf_value(tree, one) for one in rows], axis=0)


def subsets(features):
    """All of them."""
    return [set(s) for size in range(len(features) + 1) for s in combinations(features, size)]


def shapley(game, n_features):
    """Σ_S |S|! (d − |S| − 1)! / d! (v(S ∪ i) − v(S)) of a function of sets of features."""
    found = []
    for i in range(n_features):
        others = [j for j in range(n_features) if j != i]
        parts = [
            factorial(len(s))
            * factorial(n_features - len(s) - 1)
            / factorial(n_features)
            * (game(s | {i}) - game(s))
            for s in subsets(others)
        ]
        found.append(sum(parts))
    return np.array(found)


def interaction(game, i, j, n_features):
    """Half of the Shapley interaction index of a pair."""
    others = [k for k in range(n_features) if k not in (i, j)]
    parts = [
        factorial(len(s))
        * factorial(n_features - len(s) - 2)
        / factorial(n_features - 1)
        * (game(s | {i, j}) - game(s | {i}) - game(s | {j}) + game(s))
        for s in subsets(others)
    ]
    return sum(parts) / 2
