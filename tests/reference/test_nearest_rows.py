"""The native search for the nearest rows equals a slow twin, to the bit."""

import numpy as np
import pytest
from nearest_rows_twin import nearest

from bayeswood import _core


def random_rows(rng, n_rows, n_features, is_category, missing):
    rows = np.round(rng.normal(size=(n_rows, n_features)), int(rng.integers(0, 4)))
    rows[:, is_category] = rng.integers(0, 3, size=(n_rows, int(is_category.sum())))
    rows[rng.random(rows.shape) < missing] = np.nan
    return rows


@pytest.mark.parametrize("leave_out", [False, True])
@pytest.mark.parametrize("n_features", [1, 4])
@pytest.mark.parametrize("k", [1, 3])
def test_equals_the_twin(n_features, k, leave_out, rng):
    is_category = rng.random(n_features) < 0.4
    sample = random_rows(rng, 40, n_features, is_category, 0.2)
    rows = sample if leave_out else random_rows(rng, 70, n_features, is_category, 0.2)
    views = rng.random((5, n_features)) * (rng.random((5, n_features)) < 0.7)
    columns = np.ascontiguousarray(sample.T)
    for n_jobs in (1, 3):
        squared, neighbour = _core.nearest_rows(
            columns, is_category.astype(np.uint8), 1.5, views, rows, k, True, leave_out, n_jobs
        )
        for v, weights in enumerate([*np.eye(n_features), *views]):
            for i, row in enumerate(rows):
                left_out = i if leave_out else None
                truth = nearest(sample, row, is_category, 1.5, weights, k, left_out)
                assert squared[v, i].tolist() == [distance for distance, _ in truth]
                assert neighbour[v, i].tolist() == [number for _, number in truth]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k": 0}, "k:"),
        ({"k": 5}, "k:"),
        ({"views": np.ones((1, 3))}, "views"),
        ({"rows": np.ones((2, 3))}, "rows"),
        ({"is_category": np.zeros(3, dtype=np.uint8)}, "is_category"),
        ({"rows": np.ones((6, 2)), "leave_out": True}, "more than the sample"),
    ],
)
def test_unlawful_input_is_refused(change, words):
    lawful = {
        "columns": np.ones((2, 4)),
        "is_category": np.zeros(2, dtype=np.uint8),
        "mismatch": 1.0,
        "views": np.ones((1, 2)),
        "rows": np.ones((3, 2)),
        "k": 2,
    }
    with pytest.raises(ValueError, match=words):
        _core.nearest_rows(**{**lawful, **change})
