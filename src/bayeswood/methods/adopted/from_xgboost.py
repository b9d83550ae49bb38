"""Fitted models of XGBoost as ours."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.utils.validation import check_is_fitted

from bayeswood.errors import BayeswoodError
from bayeswood.methods.adopted.adopt import (
    Origin,
    adopt_means,
    adopt_sums,
    named_columns,
    source_of,
)
from bayeswood.methods.adopted.adopted_forest import AdoptedClassifier, AdoptedRegressor
from bayeswood.methods.adopted.coded_levels import CodedLevels, coded_levels
from bayeswood.methods.adopted.linked_trees import LEAF, LinkedTree
from bayeswood.methods.adopted.rounded_rows import widened

F64 = NDArray[np.float64]

_HIGHEST = float(np.finfo(np.float64).max)
_NUMBERS = (
    "reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror",
    "reg:quantileerror",
)  # fmt: skip
_CLASSES = ("binary:logistic", "multi:softprob", "multi:softmax")
_ESTIMATORS = ("XGBClassifier", "XGBRegressor", "XGBRFClassifier", "XGBRFRegressor")


def from_xgboost(model: Any) -> AdoptedClassifier | AdoptedRegressor:
    """Take a fitted model of XGBoost over.

    Parameters
    ----------
    model : Booster, XGBClassifier, XGBRegressor, XGBRFClassifier or XGBRFRegressor
        Fitted trees, with an objective whose sums are the response, or the log odds. The classes
        of a `Booster` are 0, 1, ....

    Returns
    -------
    AdoptedClassifier or AdoptedRegressor
        One member, the sum of the trees; of a random forest for numbers (one round of several
        trees) a member for each tree. See `from_sklearn`.

    Notes
    -----
    XGBoost rounds a row to float32 and sends what is below a float32 threshold left. Here rows are
    compared as they are, with the largest float64 that is rounded to a float32 below it. So every
    row goes the same way; sums are those of float64, of which XGBoost's differ by the rounding of
    float32.

    It keeps no number of rows in its leaves: the weights are its sums of second derivatives, which
    are the rows' weights for squared errors.

    Examples
    --------
    >>> from bayeswood import from_xgboost
    >>> from xgboost import XGBRegressor  # doctest: +SKIP
    >>> theirs = XGBRegressor(n_estimators=20).fit(X, y)  # doctest: +SKIP
    >>> from_xgboost(theirs).forest_  # doctest: +SKIP
    <Forest of 1 sums of 21 trees over 10 features>
    """
    read = _Read.of(model)
    coded = coded_levels(_categories(read), _refusal)
    names = read.learner["feature_names"] or None
    columns = named_columns(names, [levels.held for levels in coded])
    origin = Origin(source_of(model), read.classes, columns)
    trees = read.linked_trees(coded)
    gains = [
        tree.summed(np.array(plain["loss_changes"]), len(coded))
        for tree, plain in zip(trees, read.trees, strict=True)
    ]
    if read.is_forest and origin.classes is None:
        members = [replace(tree, value=len(trees) * tree.value) for tree in trees]
        return adopt_means(origin, read.start, members, np.array(gains))
    places = read.model["tree_info"]
    return adopt_sums(origin, read.start, trees, np.sum(gains, axis=0), places=places)


@dataclass(frozen=True, eq=False)
class _Read:
    """What XGBoost writes of a model.

    Attributes
    ----------
    learner : dict
        As XGBoost describes it.
    trees : list of dict
        Those that predictions are made of, one after another.
    factor : ndarray, (n_trees,)
        Of their values.
    """

    learner: dict[str, Any]
    trees: list[dict[str, Any]]
    factor: F64

    @classmethod
    def of(cls, model: Any) -> "_Read":
        booster = _booster(model)
        learner = json.loads(bytes(booster.save_raw("json")))["learner"]
        part = learner["gradient_booster"]
        if part["name"] not in ("gbtree", "dart"):
            raise _refusal(f"booster={part['name']!r}")
        _check_objective(learner)
        dropped = part.get("weight_drop")
        trees = part.get("gbtree", part)["model"]["trees"]
        factor = np.ones(len(trees)) if dropped is None else np.array(dropped)
        found = cls(learner, trees, factor)
        last = getattr(model, "best_iteration", None) if model is not booster else None
        n_used = len(trees) if last is None else (last + 1) * found._trees_per_round
        return cls(learner, trees[:n_used], factor[:n_used])

    def number(self, name: str) -> int:
        """One of its sizes."""
        return int(self.learner["learner_model_param"][name])

    @property
    def model(self) -> dict[str, Any]:
        """The trees, and what goes with them."""
        part = self.learner["gradient_booster"]
        model: dict[str, Any] = part.get("gbtree", part)["model"]
        return model

    @property
    def _n_scores(self) -> int:
        return max(1, self.number("num_class")) * max(1, self.number("num_target"))

    @property
    def _trees_per_round(self) -> int:
        in_turn = 1 if _leaf_width(self.trees[0]) > 1 else self._n_scores
        return in_turn * int(self.model["gbtree_model_param"]["num_parallel_tree"])

    @property
    def is_forest(self) -> bool:
        """Whether trees were grown beside one another, not one after another."""
        return self._n_scores == 1 and 1 < self._trees_per_round == len(self.trees)

    @property
    def classes(self) -> NDArray[Any] | None:
        """Numbers from 0, which are all that XGBoost takes."""
        if self.learner["objective"]["name"] in _NUMBERS:
            return None
        return np.arange(max(2, self.number("num_class")))

    @property
    def start(self) -> F64:
        """What sums begin with."""
        told = json.loads(self.learner["learner_model_param"]["base_score"])
        start = np.broadcast_to(_single(np.ravel(told)), (self._n_scores,))
        is_share = self.learner["objective"]["name"] == "binary:logistic"
        found: F64 = logit(start) if is_share else start
        return found

    def linked_trees(self, coded: Sequence[CodedLevels]) -> list[LinkedTree]:
        """The trees, over our level numbers."""
        return [_tree(*one, coded) for one in zip(self.trees, self.factor, strict=True)]


def _booster(model: Any) -> Any:
    name, is_theirs = type(model).__name__, type(model).__module__.startswith("xgboost")
    if is_theirs and name == "Booster":
        return model
    if not is_theirs or name not in _ESTIMATORS:
        raise BayeswoodError(
            "The 'model' parameter of from_xgboost must be a Booster, or a fitted "
            f"{', '.join(_ESTIMATORS[:-1])} or {_ESTIMATORS[-1]}. Got {name} instead."
        )
    check_is_fitted(model)
    if callable(model.objective):
        raise _refusal("an objective of its own")
    if model.missing is not None and not np.isnan(model.missing):
        raise _refusal(f"missing={model.missing!r}")
    return model.get_booster()


def _check_objective(learner: dict[str, Any]) -> None:
    objective = learner["objective"]["name"]
    if objective not in (*_NUMBERS, *_CLASSES):
        raise _refusal(f"the objective {objective!r}")
    if objective in _CLASSES and int(learner["learner_model_param"].get("num_target", 1)) > 1:
        raise _refusal("several labels")


def _refusal(what: str) -> BayeswoodError:
    return BayeswoodError(
        "from_xgboost takes sums of trees that are the response or log odds. "
        f"Got a model with {what}."
    )


def _categories(read: _Read) -> list[dict[int, Any]]:
    """Of each column what its codes stand for; nothing for numbers."""
    kinds = read.learner["feature_types"]
    found: list[dict[int, Any]] = [{} for _ in range(read.number("num_feature"))]
    written = read.model.get("cats", {}).get("enc", [])
    for column in (place for place, kind in enumerate(kinds) if kind == "c"):
        if not written:
            raise _refusal(
                "categories of which it does not keep the names. Fit it to a data frame with "
                "columns of type 'category', by XGBoost 3.1 or newer"
            )
        found[column] = dict(enumerate(_levels(written[column])))
    return found


def _levels(written: dict[str, Any]) -> list[Any]:
    if "offsets" not in written:
        return list(written["values"])
    if any(byte < 0 for byte in written["values"]):
        # XGBoost counts characters where it should count bytes.
        raise _refusal("names of categories beyond ASCII, of which XGBoost keeps a part")
    text = bytes(written["values"]).decode("ascii")
    return [text[i:j] for i, j in pairwise(written["offsets"])]


def _single(numbers: Any) -> F64:
    """Numbers that were float32 before they were written in decimals."""
    return np.asarray(numbers, dtype=np.float32).astype(np.float64)


def _leaf_width(plain: dict[str, Any]) -> int:
    return int(plain["tree_param"]["size_leaf_vector"])


def _tree(plain: dict[str, Any], factor: float, coded: Sequence[CodedLevels]) -> LinkedTree:
    left = np.array(plain["left_children"])
    feature = np.array(plain["split_indices"])
    cut = np.asarray(plain["split_conditions"], dtype=np.float32)
    below = np.nextafter(cut, np.float32(-np.inf)).astype(np.float64)
    return LinkedTree(
        left=left,
        right=np.array(plain["right_children"]),
        feature=feature,
        threshold=np.clip(widened(below), -_HIGHEST, _HIGHEST),
        missing_left=np.array(plain["default_left"]),
        n_samples=np.zeros(len(left)),
        weight=np.array(plain["sum_hessian"]),
        value=factor * _values(plain, left == LEAF),
        left_levels=_left_levels(plain, feature, coded),
    )


def _values(plain: dict[str, Any], is_leaf: NDArray[np.bool_]) -> F64:
    """Of leaves; where they have several, their place is written where the right child was."""
    width = _leaf_width(plain)
    if width <= 1:
        return _single(plain["split_conditions"])[:, None]
    if "leaf_weights" not in plain:
        raise _refusal("several numbers in a leaf, as XGBoost before 3.1 wrote it")
    place = np.where(is_leaf, plain["right_children"], 0)
    return _single(plain["leaf_weights"]).reshape(-1, width)[place]


def _left_levels(
    plain: dict[str, Any], feature: NDArray[Any], coded: Sequence[CodedLevels]
) -> dict[int, NDArray[np.int64]]:
    """All levels but those that are written, which go right."""
    found = {}
    sets = zip(
        plain["categories_nodes"],
        plain["categories_segments"],
        plain["categories_sizes"],
        strict=True,
    )
    for node, start, size in sets:
        levels = coded[feature[node]]
        right = levels.numbers(plain["categories"][start : start + size])
        found[node] = np.setdiff1d(np.arange(len(levels.held)), right)
    return found
