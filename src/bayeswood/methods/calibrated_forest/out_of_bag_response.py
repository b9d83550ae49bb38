"""What bags say of the rows they left out, and the calibration of a response by it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest, RowWeights
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.predictive import LeafResponses
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.bagged_response import BaggedResponse, LeafForest
from bayeswood.methods.calibrated_forest.bags import Bags
from bayeswood.uncertainty import (
    LEVELS,
    OutOfBagResponse,
    ResponseCalibration,
    Responses,
    least_size,
    spread_sample,
)

F64 = NDArray[np.float64]

# The share of the account by residuals that each way of making intervals asks for; None: to choose.
SHARES = {"oob": None, "affine": 1.0, "leaves": 0.0}


@dataclass(frozen=True)
class GrownBags(GrownForest):
    """Bags for the mean, and for the sizes of residuals.

    Attributes
    ----------
    bags : Bags or None
        What the forest was added up from.
    sizes : Bags or None
        The like for sizes of out-of-bag residuals; None if there are none.
    leaf_law : RowWeights or None
        Of the trees whose leaves remember their rows; None if none do.
    """

    bags: Bags | None = None
    sizes: Bags | None = None
    leaf_law: RowWeights | None = None


def leaf_forest(data: TrainingData, grown: GrownBags) -> LeafForest | None:
    """The trees of the last kind with what is in their leaves; None if they forgot."""
    if grown.bags is None or grown.leaf_law is None:
        return None
    responses = Responses(data.target.y, data.sample_weight, grown.leaf_law)
    return LeafForest(Forest(grown.bags.kinds[-1]), LeafResponses(responses))


def known_responses(
    data: TrainingData, grown: GrownBags, leaves: LeafForest | None, n_jobs: int
) -> tuple[list[OutOfBagResponse], NDArray[np.bool_], F64]:
    """For each response what is known out of bag, of which rows, and the least sizes.

    Quantiles in leaves take time: beyond `MAX_ROWS_JUDGED` rows an evenly spaced part is known.
    """
    assert grown.bags is not None
    assert grown.sizes is not None
    seen = (grown.bags.counts > 0) & ~np.isnan(grown.sizes.oob_mean[:, 0])
    y, mean = data.target.y[seen], grown.bags.oob_mean[seen]
    least = np.array([least_size(y[:, k] - mean[:, k]) for k in range(y.shape[1])])
    size = np.maximum(grown.sizes.oob_mean[seen], least)
    weights = data.take(seen).sample_weight
    in_leaves = None
    if leaves is not None:
        chosen = spread_sample(int(seen.sum()))
        seen[np.flatnonzero(seen)[~chosen]] = False
        y, mean, size = y[chosen], mean[chosen], size[chosen]
        weights = None if weights is None else weights[chosen]
        in_leaves = leaves.responses.out_of_bag(leaves.forest, data.X, seen, LEVELS, n_jobs)
    known = [
        OutOfBagResponse(
            y[:, k],
            mean[:, k],
            size[:, k],
            weights,
            None if in_leaves is None else in_leaves[:, k],
        )
        for k in range(y.shape[1])
    ]
    return known, seen, least


def unexplained(data: TrainingData) -> BaggedResponse:
    """The responses as residuals of their mean: what is left if the forest explains nothing."""
    y, weights = data.target.y, data.sample_weight
    centred = y - np.average(y, axis=0, weights=weights)
    size = np.abs(centred).mean(axis=0)
    zeros = np.zeros(len(y))
    outputs = [
        ResponseCalibration.fit(
            OutOfBagResponse(centred[:, k], zeros, np.full(len(y), size[k]), weights), False
        )
        for k in range(y.shape[1])
    ]
    return BaggedResponse(None, size, tuple(outputs))
