"""Fitted models of LightGBM as ours."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bayeswood.errors import BayeswoodError
from bayeswood.methods.adopted.adopt import Origin, adopt_means, adopt_sums
from bayeswood.methods.adopted.adopted_forest import AdoptedClassifier, AdoptedRegressor
from bayeswood.methods.adopted.coded_levels import CodedLevels, coded_levels
from bayeswood.methods.adopted.linked_trees import LEAF, LinkedTree

F64 = NDArray[np.float64]

# Numbers as near to 0 as this are 0 to LightGBM: the float32 1e-35.
_ZERO = float(np.float32(1e-35))
_NUMBERS = ("regression", "regression_l1", "huber", "fair", "quantile", "mape")


def from_lightgbm(model: Any) -> AdoptedClassifier | AdoptedRegressor:
    """Take a fitted model of LightGBM over.

    Parameters
    ----------
    model : LGBMClassifier or LGBMRegressor
        Fitted, with an objective whose sums are the response, or the log odds.

    Returns
    -------
    AdoptedClassifier or AdoptedRegressor
        One member, the sum of the trees; of a regressor with ``boosting_type="rf"`` a member for
        each tree. See `from_sklearn`.

    Notes
    -----
    LightGBM takes a missing value for 0 where training saw none in that column, and numbers within
    1e-35 of 0 for 0; so do these trees. A category that is missing, or that training did not see,
    goes right in LightGBM and here.

    Examples
    --------
    >>> from bayeswood import from_lightgbm
    >>> from lightgbm import LGBMRegressor  # doctest: +SKIP
    >>> theirs = LGBMRegressor(n_estimators=20).fit(X, y)  # doctest: +SKIP
    >>> from_lightgbm(theirs).forest_  # doctest: +SKIP
    <Forest of 1 sums of 21 trees over 10 features>
    """
    if type(model).__name__ not in ("LGBMClassifier", "LGBMRegressor"):
        raise BayeswoodError(
            "The 'model' parameter of from_lightgbm must be a fitted LGBMClassifier or "
            f"LGBMRegressor. Got {type(model).__name__} instead."
        )
    check_is_fitted(model)
    dump = model.booster_.dump_model()
    factor, n_scores = _factor(dump), dump["num_tree_per_iteration"]
    coded = coded_levels(_categories(model.booster_, dump), _refusal)
    origin = Origin.of(model, [levels.held for levels in coded])
    nodes = [_nodes(tree["tree_structure"]) for tree in dump["tree_info"]]
    trees = [_tree(found, coded) for found in nodes]
    gains = np.array(
        [
            tree.summed(_column(found, "split_gain"), len(coded))
            for tree, found in zip(trees, nodes, strict=True)
        ]
    )
    if dump["average_output"] and origin.classes is None:
        return adopt_means(origin, np.zeros(1), trees, gains)
    if dump["average_output"]:
        factor /= len(trees) // n_scores
    return adopt_sums(origin, np.zeros(n_scores), trees, gains.sum(axis=0), factor=factor)


def _categories(booster: Any, dump: dict[str, Any]) -> list[dict[int, Any]]:
    """Of each column what its codes stand for; nothing for numbers."""
    told = re.search(r"^\[categorical_feature: ([0-9,]+)\]$", booster.model_to_string(), re.M)
    columns = [int(place) for place in told[1].split(",")] if told else []
    infos = [dump["feature_infos"].get(name, {}) for name in dump["feature_names"]]
    seen = [[code for code in infos[k].get("values", []) if code >= 0] for k in columns]
    words = dump["pandas_categorical"]
    held = [dict(zip(codes, codes, strict=True)) for codes in seen]
    if words:
        held = [dict(enumerate(levels)) for levels in words]
        if len(words) != len(columns) or any(map(set.difference, map(set, seen), map(set, held))):
            raise _refusal("categories by type and by name, which it does not tell apart")
    found: list[dict[int, Any]] = [{} for _ in infos]
    for place, levels in zip(columns, held, strict=True):
        found[place] = levels
    return found


def _factor(dump: dict[str, Any]) -> float:
    """What sums are multiplied by to be log odds, or the response."""
    objective, *settings = dump.get("objective", "").split()
    if objective == "binary":
        told = [setting for setting in settings if setting.startswith("sigmoid:")]
        return float(told[0].split(":")[1]) if told else 1.0
    if objective == "multiclass" or (objective in _NUMBERS and "sqrt" not in settings):
        return 1.0
    raise _refusal(f"the objective {' '.join([objective, *settings])!r}")


def _refusal(what: str) -> BayeswoodError:
    return BayeswoodError(
        "from_lightgbm takes sums of trees that are the response or log odds. "
        f"Got a model with {what}."
    )


def _nodes(root: dict[str, Any]) -> list[dict[str, Any]]:
    """Level by level, left before right."""
    nodes = [root]
    for node in nodes:  # grows meanwhile
        _check(node)
        if "split_feature" in node:
            nodes += [node["left_child"], node["right_child"]]
    return nodes


def _column(nodes: list[dict[str, Any]], inner: str, leaf: str = "", empty: float = 0.0) -> F64:
    return np.array([node.get(inner, node.get(leaf, empty)) for node in nodes], dtype=float)


def _tree(nodes: list[dict[str, Any]], coded: Sequence[CodedLevels]) -> LinkedTree:
    is_split = np.array(["split_feature" in node for node in nodes])
    left = np.where(is_split, 2 * np.cumsum(is_split) - 1, LEAF)
    sets = {i: node for i, node in enumerate(nodes) if node.get("decision_type") == "=="}
    cuts = [0.0 if i in sets else node.get("threshold", 0.0) for i, node in enumerate(nodes)]
    return LinkedTree(
        left=left,
        right=np.where(is_split, left + 1, LEAF),
        feature=_column(nodes, "split_feature", "", LEAF).astype(np.int64),
        threshold=around_zero(np.array(cuts)),
        missing_left=np.array([_missing_left(node) for node in nodes]),
        n_samples=_column(nodes, "internal_count", "leaf_count"),
        weight=_column(nodes, "internal_count", "leaf_count"),
        value=_column(nodes, "", "leaf_value")[:, None],
        left_levels={
            i: coded[node["split_feature"]].numbers(map(int, node["threshold"].split("||")))
            for i, node in sets.items()
        },
    )


def around_zero(threshold: F64) -> F64:
    """Cuts that send all numbers within `_ZERO` of 0 where 0 goes.

    Examples
    --------
    >>> (around_zero(np.array([-1.0, 0.0, 1.0])) == [-1.0, _ZERO, 1.0]).all()
    np.True_
    """
    below = (threshold >= -_ZERO) & (threshold < 0.0)
    above = (threshold >= 0.0) & (threshold <= _ZERO)
    return np.where(below, np.nextafter(-_ZERO, -1.0), np.where(above, _ZERO, threshold))


def _check(node: dict[str, Any]) -> None:
    if "leaf_coeff" in node:
        raise _refusal("linear functions in its leaves")
    if node.get("decision_type", "<=") not in ("<=", "=="):
        raise _refusal(f"splits by {node['decision_type']!r}")
    if node.get("missing_type") == "Zero":
        raise _refusal("zero_as_missing")


def _missing_left(node: dict[str, Any]) -> bool:
    if node.get("decision_type", "==") == "==":
        return False
    if node["missing_type"] == "NaN":
        return bool(node["default_left"])
    return bool(node["threshold"] >= 0.0)
