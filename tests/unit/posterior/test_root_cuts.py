"""Distinct cuts of the root, by feature and by how they divide the rows."""

import numpy as np
import pandas as pd
import pytest

from bayeswood import SMCTreeClassifier
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.posterior import root_cut_shares

FEW, MANY = {"counts": [3, 0]}, {"counts": [2, 5]}


def shares_of(trees, weights):
    with np.errstate(divide="ignore"):
        return root_cut_shares(Forest.from_nested(trees, log_weights=np.log(weights)))


def test_features_sides_and_leaves_are_told_apart():
    trees = [(0, 1.0, FEW, MANY), (1, 1.0, FEW, MANY), (0, 1.0, MANY, FEW), {"counts": [5, 5]}]
    found = shares_of(trees, [0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(found, [0.4, 0.3, 0.2, 0.1])


def test_what_is_below_the_root_does_not_matter():
    below = (1, 7.0, {"counts": [1, 5]}, {"counts": [1, 0]})
    assert len(shares_of([(0, 1.0, FEW, MANY), (0, 2.0, FEW, below)], [0.5, 0.5])) == 1


def test_trees_without_weight_do_not_count():
    assert shares_of([(0, 1.0, FEW, MANY), (1, 1.0, FEW, MANY)], [1.0, 0.0]).tolist() == [1.0]


@pytest.mark.filterwarnings("ignore::bayeswood.posterior.IslandsDisagree")
def test_counted_anew_from_the_training_rows(rng):
    """Each root's left rows as a set, for numbers with holes and for categories."""
    number = np.where(rng.uniform(size=80) < 0.2, np.nan, np.round(rng.normal(size=80), 1))
    word = rng.choice(list("abcd"), size=80)
    table = pd.DataFrame({"number": number, "word": word})
    y = (np.nan_to_num(number) > 0) ^ (word < "c")
    trees = SMCTreeClassifier(400, n_islands=20, random_state=0).fit(table, y)
    encoded = np.column_stack([number, np.searchsorted(list("abcd"), word)])
    expected = {}
    for tree, weight in zip(trees.forest_.trees, trees.member_weights_, strict=True):
        feature = int(tree.feature[0])
        column = encoded[:, feature]
        left = column <= tree.threshold[0]
        if feature >= 0 and tree.is_category_split(0):
            left = np.isin(column, tree.left_levels(0))
        if tree.missing_left[0]:
            left = left | np.isnan(column)
        key = (feature, left.tobytes()) if feature >= 0 else None
        expected[key] = expected.get(key, 0.0) + weight
    assert len(expected) > 5
    found = root_cut_shares(trees)
    np.testing.assert_allclose(found, sorted(expected.values(), reverse=True), rtol=1e-9)


def test_what_has_no_trees_is_refused():
    with pytest.raises(BayeswoodError, match="'model' parameter of root_cut_shares"):
        root_cut_shares(object())
