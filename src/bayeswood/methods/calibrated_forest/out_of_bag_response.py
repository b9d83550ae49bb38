"""What bags say of the rows they left out, and the calibration of a response by it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.forest import Forest, RowWeights
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.predictive import LeafResponses
from bayeswood.methods.base.training_data import TrainingData
from bayeswood.methods.calibrated_forest.bagged_response import BaggedResponse, LeafForest
from bayeswood.methods.calibrated_forest.bags import Bags
from bayeswood.methods.calibrated_forest.more_bags import shrinkage_by_more_bags
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


@dataclass(frozen=True)
class KnownResponses:
    """What is known of the responses out of bag.

    Attributes
    ----------
    every : list of OutOfBagResponse
        For each response, all rows that some bag left out, without leaves.
    some : list of OutOfBagResponse
        The same, of at most `MAX_ROWS_JUDGED` evenly spaced rows, with leaves if there are any.
    groups : ndarray of int32 or None
        Groups of the latter rows.
    least : ndarray, (n_outputs,)
        What sizes do not fall below.
    shrinkage : ndarray, (n_outputs,)
        How much smaller the residuals of new rows are, which all bags predict.
    """

    every: list[OutOfBagResponse]
    some: list[OutOfBagResponse]
    groups: NDArray[np.int32] | None
    least: F64
    shrinkage: F64

    def calibrate(self, by_spread: bool, share: float | None) -> tuple[ResponseCalibration, ...]:
        """Residuals from all rows; the say of leaves, which takes longer, from some.

        The latter is chosen by what the bags say that left a row out, and so before residuals are
        made smaller.
        """
        chosen = [ResponseCalibration.fit(one, by_spread, share) for one in self.some]
        whole = [ResponseCalibration.fit(one, by_spread) for one in self.every]
        return tuple(
            replace(one.for_more_bags(by), share=part.share, reached=part.reached)
            for one, part, by in zip(whole, chosen, self.shrinkage, strict=True)
        )


def known_responses(
    data: TrainingData, grown: GrownBags, leaves: LeafForest | None, n_jobs: int
) -> KnownResponses:
    """What bags say of the rows they left out."""
    assert grown.bags is not None
    assert grown.sizes is not None
    seen = (grown.bags.counts > 0) & ~np.isnan(grown.sizes.oob_mean[:, 0])
    own = data.take(seen)
    y, mean = own.target.y, grown.bags.oob_mean[seen]
    least = np.array([least_size(y[:, k] - mean[:, k]) for k in range(y.shape[1])])
    size = np.maximum(grown.sizes.oob_mean[seen], least)
    every = [
        OutOfBagResponse(y[:, k], mean[:, k], size[:, k], own.sample_weight)
        for k in range(y.shape[1])
    ]
    chosen = spread_sample(len(y))
    some = [one.take(chosen) for one in every]
    seen[np.flatnonzero(seen)[~chosen]] = False
    if leaves is not None:
        quantiles = leaves.responses.out_of_bag(leaves.forest, data.X, seen, LEVELS, n_jobs)
        some = [replace(one, in_leaves=quantiles[:, k]) for k, one in enumerate(some)]
    shrinkage = shrinkage_by_more_bags(data, grown.bags, grown.sizes, least, n_jobs)
    return KnownResponses(every, some, data.take(seen).row_groups, least, shrinkage)


def out_of_bag_fit(
    data: TrainingData, grown: GrownForest, mean: F64, n_jobs: int
) -> dict[str, Any]:
    """Out-of-bag predictions of all given rows, and their R²."""
    seen = ~np.isnan(mean[:, 0])
    own = data.take(seen)
    score = float("nan")
    if seen.sum() > 1:
        score = r_squared(own.target.y, mean[seen], own.sample_weight)
    everywhere = mean
    if not data.taking_part.all():
        everywhere = grown.forest.predict(data.given_rows, n_jobs)
        everywhere[data.taking_part] = mean
    single = data.target.single_output
    return {"oob_prediction_": everywhere[:, 0] if single else everywhere, "oob_score_": score}


def r_squared(y: F64, predicted: F64, weights: F64 | None) -> float:
    """R², its mean over the responses: `sklearn.metrics.r2_score`, which costs megabytes to import.

    Parameters
    ----------
    y, predicted : ndarray, (n_rows, n_outputs)
    weights : ndarray, (n_rows,) or None
    """
    own = 1.0 if weights is None else weights[:, None]
    left = (own * (y - predicted) ** 2).sum(axis=0)
    total = (own * (y - np.average(y, axis=0, weights=weights)) ** 2).sum(axis=0)
    found = np.where(left == 0, 1.0, 0.0)  # what a constant response gets
    varies = (left != 0) & (total != 0)
    found[varies] = 1 - left[varies] / total[varies]
    return float(found.mean())


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
