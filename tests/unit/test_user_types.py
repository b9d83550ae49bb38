"""What type checkers tell users: README and examples pass, types are as precise as promised."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# What users may rely on; `assert_type` makes both checkers fail on anything else.
PROMISES = """
from typing import Any, assert_type
import numpy as np
from numpy.typing import NDArray
import bayeswood as bw

X, y = np.zeros((9, 2)), np.arange(9.0)
assert_type(bw.RandomForestClassifier().fit(X, y), bw.RandomForestClassifier)
assert_type(bw.CalibratedForestRegressor().fit(X, y), bw.CalibratedForestRegressor)
assert_type(bw.BARTRegressor().fit(X, y), bw.BARTRegressor)
assert_type(bw.MCMCTreeClassifier().fit(X, y), bw.MCMCTreeClassifier)
assert_type(bw.SMCTreeRegressor().fit(X, y), bw.SMCTreeRegressor)
assert_type(bw.SafeBayesForestClassifier().partial_fit(X, y), bw.SafeBayesForestClassifier)
assert_type(bw.RandomForestClassifier().fit(X, y).predict_proba(X), NDArray[np.float64])
assert_type(bw.RandomForestClassifier().fit(X, y).predict(X), NDArray[Any])
assert_type(bw.RandomForestRegressor().fit(X, y).predict(X), NDArray[np.float64])
assert_type(bw.RandomForestRegressor().fit(X, y).predict_interval(X), NDArray[np.float64])
assert_type(bw.RandomForestRegressor().fit(X, y).uncertainty(X), bw.Uncertainty)
assert_type(bw.load("model"), Any)
assert_type(bw.load("model", bw.RandomForestRegressor), bw.RandomForestRegressor)
"""
# What scripts see of bayeswood names no type of the packages at the end. Mypy would analyse these
# from nothing, for two thirds of its time; pyright, below, follows them.
MYPY = """[mypy]
strict = True
[mypy-sklearn.*,matplotlib.*]
ignore_missing_imports = True
[mypy-dask.*,distributed.*,IPython.*,narwhals.*,pandas.*,polars.*,pyspark.*,rich.*]
follow_imports = skip
"""
PYRIGHT = {"typeCheckingMode": "standard", "pythonVersion": "3.11"}


def readme_code() -> str:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Scripts as users have them: outside of this project, with the package installed."""
    folder = tmp_path_factory.mktemp("scripts")
    for example in (ROOT / "examples").glob("*.py"):
        shutil.copy(example, folder)
    assert "bayeswood.load" in readme_code()
    (folder / "readme.py").write_text(readme_code(), encoding="utf-8")
    (folder / "promises.py").write_text(PROMISES, encoding="utf-8")
    (folder / "mypy.ini").write_text(MYPY)
    (folder / "pyrightconfig.json").write_text(json.dumps(PYRIGHT))
    return folder


def check(folder, *command):
    scripts = sorted(path.name for path in folder.glob("*.py"))
    done = subprocess.run(
        [sys.executable, "-m", *command, *scripts],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_strict_accepts_readme_and_examples(folder):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("needs mypy: install the extra 'lint'")
    options = "--config-file", "mypy.ini", "--cache-dir", os.devnull
    check(folder, "mypy", *options, "--python-executable", sys.executable)


def test_pyright_accepts_readme_and_examples(folder):
    if importlib.util.find_spec("basedpyright") is None:
        pytest.skip("needs basedpyright: install the extra 'lint'")
    check(folder, "basedpyright", "--pythonpath", sys.executable)
