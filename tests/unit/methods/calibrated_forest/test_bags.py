"""Bags of the calibrated regressor: the same ones on any processor."""

import os
import platform
import subprocess
import sys

import pytest

FIT = """
import numpy as np
from bayeswood import CalibratedForestRegressor

rng = np.random.default_rng(0)
X = rng.random((1000, 6))
y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + (0.3 + 3 * X[:, 3]) * rng.standard_normal(1000)
forest = CalibratedForestRegressor(40, random_state=0).fit(X, y)
print(forest.forest_.digest, forest.predictive_.sizes.digest, forest.oob_score_)
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="needs an x86-64 machine")
def test_products_of_matrices_do_not_decide():
    """OpenBLAS, which NumPy's wheels have, adds up products in another order on each of these."""
    found = {
        subprocess.run(
            [sys.executable, "-c", FIT],
            env=os.environ | {"OPENBLAS_CORETYPE": kind},
            check=True,
            capture_output=True,
        ).stdout
        for kind in ("Prescott", "Haswell")
    }
    assert len(found) == 1
