"""The nearest rows of a sample, one pair of rows at a time."""

import math


def difference(x, r, is_category, mismatch):
    """How far apart two values of a column are."""
    if math.isnan(x) and math.isnan(r):
        return 0.0
    if math.isnan(x) or math.isnan(r):
        return mismatch
    if is_category:
        return 0.0 if x == r else mismatch
    return x - r


def squared_distance(row, other, is_category, mismatch, weights):
    """In one view of the columns."""
    total = 0.0
    for x, r, category, weight in zip(row, other, is_category, weights, strict=True):
        if weight > 0:
            total += weight * difference(x, r, category, mismatch) ** 2
    return total


def nearest(sample, row, is_category, mismatch, weights, k, left_out=None):
    """The k nearest rows, of equals the first: pairs of squared distance and number."""
    found = [
        (squared_distance(row, other, is_category, mismatch, weights), i)
        for i, other in enumerate(sample)
        if i != left_out
    ]
    return sorted(found)[:k]
