"""Growing a forest further: the trees of an earlier fit, and whether the data are the same.

Every tree has random numbers of its own, told by the seed and the tree's number alone. So the
trees of an earlier fit and those grown after them are, to the bit, the forest of one fit, if the
data and the parameters of the trees are the same.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, warn_user
from bayeswood.forest import Forest
from bayeswood.methods.base.saved_state import own_parameters
from bayeswood.methods.base.training_data import TrainingData

_NOT_OF_A_TREE = frozenset(
    {"n_estimators", "n_jobs", "oob_score", "random_state", "verbose", "voting", "warm_start"}
)


@dataclass(frozen=True, eq=False)
class WarmStart:
    """What a fit goes on from, and what a later one may ask.

    Attributes
    ----------
    digest : int
        Of the data and the trees' parameters.
    seed : int or None
        Of the earlier fit; None if there was none.
    forest : Forest or None
        Its trees.
    importances : ndarray, (n_trees, n_features)
        Theirs.
    """

    digest: int
    seed: int | None
    forest: Forest | None
    importances: NDArray[np.float64]

    @classmethod
    def of(cls, estimator: Any, data: TrainingData) -> Self:
        """Of an estimator that is about to be fitted to data; it may be fitted already."""
        fitted, digest = vars(estimator), _digest(data, _tree_parameters(estimator))
        if "_data_digest" not in fitted:
            return cls(digest, None, None, np.zeros((0, data.schema.n_features)))
        _check_same(digest == fitted["_data_digest"], estimator._name)
        _check_number(estimator.n_estimators, fitted["forest_"].n_trees, estimator._name)
        return cls(digest, fitted["seed_"], fitted["forest_"], fitted["_importances"])

    def settings(self) -> dict[str, int]:
        """The fitted attribute that a later fit compares."""
        return {"_data_digest": self.digest}


def _check_same(is_same: bool, owner: str) -> None:
    if not is_same:
        raise BayeswoodError(
            f"{owner}.fit with warm_start=True needs the data and the trees' parameters of the "
            "first fit, or its out-of-bag rows and intervals would be of neither. Fit a clone."
        )


def _check_number(n_trees: int, n_kept: int, owner: str) -> None:
    if n_trees < n_kept:
        raise BayeswoodError(
            f"The 'n_estimators' parameter of {owner} must be an int >= {n_kept}, the trees it "
            f"has, where warm_start is True. Got {n_trees} instead."
        )
    if n_trees == n_kept:
        warn_user("Warm-start fitting without increasing n_estimators does not fit new trees.")


def _tree_parameters(estimator: Any) -> dict[str, Any]:
    """The parameters that a tree depends on."""
    return {n: v for n, v in own_parameters(estimator).items() if n not in _NOT_OF_A_TREE}


def _digest(data: TrainingData, parameters: dict[str, Any]) -> int:
    """A number that tells one fit from others, their trees and seeds aside, below 2**63."""
    found = sha256(repr(sorted(parameters.items())).encode())
    parts = (data.given_rows, data.target.y, data.sample_weight, data.taking_part)
    for part in (*parts, data.target.classes):
        array = np.ascontiguousarray([] if part is None else part)
        found.update(f"{array.dtype.str} {array.shape};".encode())
        found.update(repr(array.tolist()).encode() if array.dtype.hasobject else array.data)
    found.update(repr(data.schema.to_json()).encode())
    return int.from_bytes(found.digest()[:8], "little") >> 1
