"""Fitted models of LightGBM as ours."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bayeswood.errors import BayeswoodError
from bayeswood.methods.adopted.adopt import adopt_sums
from bayeswood.methods.adopted.adopted_forest import AdoptedClassifier, AdoptedRegressor
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
        Fitted to numbers, with an objective whose sums are the response, or the log odds.

    Returns
    -------
    AdoptedClassifier or AdoptedRegressor
        One member, the sum of the trees; see `from_sklearn`.

    Notes
    -----
    LightGBM takes a missing value for 0 where training saw none in that column, and numbers within
    1e-35 of 0 for 0; so do these trees.

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
    factor = _factor(dump)
    n_scores = dump["num_tree_per_iteration"]
    trees = [_tree(tree["tree_structure"]) for tree in dump["tree_info"]]
    stages = [trees[i : i + n_scores] for i in range(0, len(trees), n_scores)]
    if dump["average_output"]:
        factor /= len(stages)
    importances = np.asarray(model.booster_.feature_importance("gain"), dtype=np.float64)
    return adopt_sums(model, np.zeros(n_scores), stages, importances, factor)


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
        "from_lightgbm takes sums of trees over numbers that are the response or log odds. "
        f"Got a model with {what}."
    )


def _tree(root: dict[str, Any]) -> LinkedTree:
    """Nodes in the order in which they are met, level by level."""
    nodes, left, right = [root], [], []
    for node in nodes:  # grows meanwhile
        is_split = "split_feature" in node
        left.append(len(nodes) if is_split else LEAF)
        right.append(len(nodes) + 1 if is_split else LEAF)
        if is_split:
            nodes += [node["left_child"], node["right_child"]]
    for node in nodes:
        _check(node)

    def column(inner: str, leaf: str, empty: float) -> F64:
        return np.array([node.get(inner, node.get(leaf, empty)) for node in nodes], dtype=float)

    return LinkedTree(
        left=np.array(left),
        right=np.array(right),
        feature=column("split_feature", "", LEAF).astype(np.int64),
        threshold=around_zero(column("threshold", "", 0.0)),
        missing_left=np.array([_missing_left(node) for node in nodes]),
        n_samples=column("internal_count", "leaf_count", 0),
        weight=column("internal_count", "leaf_count", 0),
        value=column("", "leaf_value", 0.0)[:, None],
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
    if node.get("decision_type", "<=") != "<=":
        raise _refusal("categories")
    if node.get("missing_type") == "Zero":
        raise _refusal("zero_as_missing")


def _missing_left(node: dict[str, Any]) -> bool:
    if "split_feature" not in node:
        return False
    if node["missing_type"] == "NaN":
        return bool(node["default_left"])
    return bool(node["threshold"] >= 0.0)
