"""Weights of whole classes: what `class_weight` says, as one weight per class.

A weight w_c counts every row of class c w_c times, whatever else weighs it: with the prior
probabilities π_c of the data, the forest is that of a world in which they are proportional to
w_c π_c, and so are its probabilities.
"""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parameters import NONE, Constraint, one_of, parameter_error
from bayeswood.methods.base.training_data import Target
from bayeswood.table import check_weights

F64 = NDArray[np.float64]

BALANCED, BY_TREE = "balanced", "balanced_subsample"


def _is_weights(value: Any) -> bool:
    if not isinstance(value, Mapping) or not value:
        return False
    numbers = [w for w in value.values() if isinstance(w, Real) and not isinstance(w, bool)]
    return len(numbers) == len(value) and all(0 <= float(w) < np.inf for w in numbers)


_WEIGHTS = Constraint("a dict of classes and their finite weights >= 0", _is_weights)
#: For methods that have no random rows of a tree.
CLASS_WEIGHT = one_of(BALANCED) | _WEIGHTS | NONE
_LISTED = Constraint(
    "a list of such, one for each output,",
    lambda value: isinstance(value, (list, tuple)) and bool(value) and all(map(_is_weights, value)),
)
#: For methods whose trees draw rows, and that may have several outputs.
TREE_CLASS_WEIGHT = one_of(BALANCED, BY_TREE) | _WEIGHTS | _LISTED | NONE
_WHOLE = Constraint(
    "a dict of classes and whole numbers >= 0, for rows are counted in whole numbers ('balanced' "
    "gives fractions),",
    lambda value: _is_weights(value) and all(float(w).is_integer() for w in value.values()),
)
#: For methods that count rows.
WHOLE_CLASS_WEIGHT = _WHOLE | NONE


def weigh_classes(class_weight: Any, target: Target, sample_weight: Any, owner: str) -> Any:
    """The weights of the rows, times those of their classes.

    Parameters
    ----------
    class_weight : dict, str or None
        Lawful by its constraint; "balanced_subsample" leaves the weights as they are, for each
        tree balances the rows that it draws.
    target : Target
        The classes of the rows.
    sample_weight : array-like, (n_rows,), a number, or None
        As the user gave it.
    owner : str
        Who weighs, for the errors.

    Examples
    --------
    >>> target = Target(np.array([0, 0, 0, 1], dtype=np.int32), np.array(["a", "b"]), True)
    >>> weigh_classes("balanced", target, None, "Forest").round(2)
    array([0.67, 0.67, 0.67, 2.  ])
    >>> weigh_classes({"b": 5}, target, [2, 1, 1, 1], "Forest")
    array([2., 1., 1., 5.])
    """
    if class_weight is None or class_weight == BY_TREE:
        return sample_weight
    given = check_weights(sample_weight, len(target.y), owner)
    of_rows = np.ones(len(target.y)) if given is None else given
    if class_weight == BALANCED:
        return of_rows * balanced_weights(target, of_rows)
    named = class_weight if isinstance(class_weight, (list, tuple)) else [class_weight]
    outputs = target.outputs()
    if len(named) != len(outputs):
        words = f"a list of {len(outputs)} dicts, one for each output of y,"
        raise parameter_error("class_weight", owner, words, class_weight)
    for weights, (codes, classes) in zip(named, outputs, strict=True):
        of_rows = of_rows * _named_weights(weights, classes, owner)[codes]
    return of_rows


def balanced_weights(target: Target, weights: F64) -> F64:
    """The factor of each row that gives all classes with weight the same: Σw / (C Σ_c w).

    Of several outputs, the product.
    """
    found: F64 = np.ones(len(weights))
    for codes, classes in target.outputs():
        total = np.bincount(codes, weights, len(classes))
        factor = np.zeros(len(classes))
        np.divide(weights.sum() / len(classes), total, out=factor, where=total > 0)
        found *= factor[codes]
    return found


def _named_weights(given: Mapping[Any, Any], classes: NDArray[Any], owner: str) -> F64:
    """The weight of each class; classes that are not named weigh 1, as in scikit-learn."""
    labels = classes.tolist()
    unknown = [label for label in given if label not in labels]
    unnamed = [label for label in labels if label not in given]
    if unknown and unnamed:
        raise BayeswoodError(
            f"The 'class_weight' parameter of {owner} names the class {unknown[0]!r}, which y does "
            f"not hold, and not {unnamed[0]!r}, which it does. The classes are {labels}."
        )
    return np.array([float(given.get(label, 1.0)) for label in labels])


def plain_class_weight(value: Any) -> Any:
    """As JSON keeps it: pairs, for the keys of its objects are strings."""
    if isinstance(value, (list, tuple)):
        return {"outputs": [plain_class_weight(one) for one in value]}
    if not isinstance(value, Mapping):
        return value
    return [[_plain_label(label), float(weight)] for label, weight in value.items()]


def _plain_label(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def read_class_weight(plain: Any) -> Any:
    """What `plain_class_weight` gave; anything else is left to the constraint.

    Examples
    --------
    >>> read_class_weight(plain_class_weight({1: 2, "a": 0.5}))
    {1: 2.0, 'a': 0.5}
    """
    if isinstance(plain, Mapping) and isinstance(plain.get("outputs"), list):
        return [read_class_weight(one) for one in plain["outputs"]]
    if not isinstance(plain, Sequence) or isinstance(plain, str):
        return plain
    is_pairs = all(isinstance(p, list) and len(p) == 2 for p in plain)
    keys = [p[0] for p in plain] if is_pairs else []
    if not is_pairs or not all(isinstance(k, (str, bool, int, float)) for k in keys):
        raise BayeswoodError("The model file holds a 'class_weight' of the wrong type.")
    return dict(plain)
