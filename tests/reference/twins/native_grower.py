"""One call from a twin's `Problem` to the native forest."""

from typing import Any

import numpy as np
from cart_twin import Problem

from bayeswood import _core


def grow_native(problem: Problem, **options: Any) -> tuple[_core.Forest, np.ndarray]:
    """Trees of the problem's own weights, unless `options` say otherwise."""
    given = {
        "scheme": "given",
        "given_weights": np.asarray(problem.weight, dtype=float)[None],
        "seed": 0,
        "n_trees": 1,
        "max_features": problem.X.shape[1],
        "random_ties": False,
        "sample_weight": None,
    }
    given.update(options)
    if given["scheme"] != "given":
        given["given_weights"] = None
    settings = problem.settings
    encoded = _core.EncodedMatrix(problem.X, problem.n_levels.astype(np.int32))
    return _core.grow_forest(
        encoded,
        native_y(problem),
        given.pop("sample_weight"),
        criterion=settings.criterion,
        n_classes=problem.n_classes,
        min_samples_leaf=settings.min_samples_leaf,
        min_weight_fraction_leaf=settings.min_weight_fraction_leaf,
        max_depth=settings.max_depth,
        **given,
    )


def native_y(problem: Problem) -> np.ndarray:
    return problem.y.astype(np.int32) if problem.n_classes else problem.y.astype(float)


def assert_same_bits(first: _core.Forest, second: _core.Forest) -> None:
    a, b = first.to_arrays(), second.to_arrays()
    assert a.keys() == b.keys()
    for name in a:
        left, right = np.asarray(a[name]), np.asarray(b[name])
        assert left.dtype == right.dtype, name
        assert left.tobytes() == right.tobytes(), name
