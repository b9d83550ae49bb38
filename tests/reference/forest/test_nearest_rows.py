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
@pytest.mark.parametrize("k", [1, 2, 3])
def test_equals_the_twin(n_features, k, leave_out, rng):
    is_category = rng.random(n_features) < 0.4
    sample = random_rows(rng, 43, n_features, is_category, 0.2)
    rows = sample if leave_out else random_rows(rng, 71, n_features, is_category, 0.2)
    views = rng.random((5, n_features)) * (rng.random((5, n_features)) < 0.7)
    columns = np.ascontiguousarray(sample.T)
    kinds = is_category.astype(np.uint8)
    truth = [
        [
            nearest(sample, row, is_category, 1.5, weights, k, i if leave_out else None)
            for i, row in enumerate(rows)
        ]
        for weights in [*np.eye(n_features), *views]
    ]
    for instructions in ("portable", *_core.instruction_sets()):
        for n_jobs in (1, 3):
            squared, neighbour = _core.nearest_rows(
                columns, kinds, 1.5, views, rows, k, True, leave_out, instructions, n_jobs
            )
            assert squared.tolist() == [[[d for d, _ in row] for row in view] for view in truth]
            assert neighbour.tolist() == [
                [[number for _, number in row] for row in view] for view in truth[:n_features]
            ]


def test_numbers_are_of_the_columns_by_themselves(rng):
    columns, views = rng.normal(size=(2, 9)), np.ones((3, 2))
    kinds = np.zeros(2, dtype=np.uint8)
    squared, neighbour = _core.nearest_rows(columns, kinds, 1.5, views, columns.T, 2)
    assert (squared.shape, neighbour.shape) == ((3, 9, 2), (0, 9, 2))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k": 0}, "k:"),
        ({"k": 4}, "k:"),
        ({"k": 3, "columns": np.ones((2, 3)), "leave_out": True}, "k:"),
        ({"views": np.ones((1, 3))}, "views"),
        ({"rows": np.ones((2, 3))}, "rows"),
        ({"is_category": np.zeros(3, dtype=np.uint8)}, "is_category"),
        ({"rows": np.ones((6, 2)), "leave_out": True}, "more than the sample"),
    ],
)
def test_unlawful_input_is_refused(change, words):
    lawful = {
        "columns": np.ones((2, 5)),
        "is_category": np.zeros(2, dtype=np.uint8),
        "mismatch": 1.0,
        "views": np.ones((1, 2)),
        "rows": np.ones((3, 2)),
        "k": 2,
    }
    with pytest.raises(ValueError, match=words):
        _core.nearest_rows(**{**lawful, **change})
