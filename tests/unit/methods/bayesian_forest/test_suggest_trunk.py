"""How large branches may be for a given memory."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import make_classification, make_friedman1

from bayeswood import (
    BayeswoodError,
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
    suggest_trunk,
)


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(n_samples=3000, random_state=0)


def test_what_fits_needs_no_trunk(friedman):
    suggestion = suggest_trunk(*friedman, "1GB")
    assert suggestion.parameters == {"trunk_max_leaves": 1}
    assert suggestion.n_branches == 1
    assert suggestion.whole_bytes <= 10**9
    assert repr(suggestion).endswith("of 1.0 GB to fit: no trunk")


def test_branches_fit_and_are_as_large_as_can_be(friedman):
    suggestion = suggest_trunk(*friedman, "1GB", n_rows=1_000_000)
    assert suggestion.branch_bytes <= 10**9 < suggestion.whole_bytes
    assert suggestion.branch_sizes.sum() == pytest.approx(1_000_000, abs=suggestion.n_branches)
    assert (np.diff(suggestion.branch_sizes) <= 0).all()
    # Leaves of at least s rows have fewer than 2 s: the largest is no less than half of what fits.
    more = suggest_trunk(*friedman, "2GB", n_rows=1_000_000)
    assert (
        more.parameters["trunk_min_samples_leaf"] > suggestion.parameters["trunk_min_samples_leaf"]
    )
    assert suggestion.branch_bytes > 0.4 * 10**9
    assert "branches of" in repr(suggestion)
    assert "from 3,000 of the rows" in repr(suggestion)


def test_the_suggestion_can_be_fitted(friedman):
    X, y = friedman
    forest = EmpiricalBayesianForestRegressor(200, check_trunk=False, random_state=0)
    suggestion = suggest_trunk(X, y, "275MB", estimator=forest)
    fitted = forest.set_params(n_estimators=2, **suggestion.parameters).fit(X, y)
    trunk = fitted.trunk_.trees[0]
    sizes = np.sort(trunk.n_samples[trunk.feature < 0])[::-1]
    np.testing.assert_array_equal(sizes, suggestion.branch_sizes)
    assert len(sizes) > 1
    assert "from" not in repr(suggestion).splitlines()[3]


def test_a_trunk_of_two_branches_is_one_of_all_rows(rng):
    # Of a sample, half of the rows can be split off where of all rows they cannot.
    X = rng.standard_normal((60_000, 2)).astype(np.float32)
    y = X[:, 0] + rng.standard_normal(60_000)
    forest = EmpiricalBayesianForestRegressor(
        1, min_samples_leaf=5000, keep_responses=False, check_trunk=False, random_state=0
    )
    suggestion = suggest_trunk(X, y, "264MB", estimator=forest)
    assert suggestion.n_branches == 2
    trunk = forest.set_params(**suggestion.parameters).fit(X, y).trunk_.trees[0]
    assert trunk.n_leaves == 2
    sizes = np.sort(trunk.n_samples[trunk.feature < 0])[::-1]
    np.testing.assert_allclose(sizes, suggestion.branch_sizes, rtol=0.05)


# With what a process has loaded that fits from files itself.
FIT_BRANCH = """
import sys
import sklearn.ensemble
from bayeswood import EmpiricalBayesianForestRegressor
from bayeswood.distributed.tasks.tasks import Task, run_task

run_task(Task(sys.argv[1], "fit", int(sys.argv[2])))
lines = open("/proc/self/status").read().splitlines()
print(1024 * int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_the_largest_branch_takes_what_was_promised(rng, tmp_path):
    X = rng.standard_normal((300_000, 10)).astype(np.float32)
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + rng.standard_normal(len(X))
    forest = EmpiricalBayesianForestRegressor(
        5, min_samples_leaf=50, keep_responses=False, check_trunk=False, random_state=0
    )
    suggestion = suggest_trunk(X[:20_000], y[:20_000], "290MB", estimator=forest, n_rows=len(X))
    pq.write_table(
        pa.table({**{f"x{j}": X[:, j] for j in range(10)}, "y": y}), tmp_path / "t.parquet"
    )
    forest.set_params(**suggestion.parameters)
    forest.fit_parquet(tmp_path / "t.parquet", "y", spill_dir=tmp_path, n_jobs=1, keep_spill=True)
    trunk = forest.trunk_.trees[0]
    sizes = trunk.n_samples[trunk.feature < 0]
    assert sizes.max() <= 1.1 * suggestion.branch_sizes[0]
    (work,) = tmp_path.glob("bayeswood-*")
    largest = int(sizes.argmax())
    (work / f"fit-0/{largest:06d}.npz").unlink()
    command = [sys.executable, "-c", FIT_BRANCH, str(work), str(largest)]
    peak = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert 0.5 * suggestion.branch_bytes < peak <= suggestion.branch_bytes <= 290e6


def test_more_trees_need_more_memory(friedman):
    few, many = (
        suggest_trunk(
            *friedman, "1GB", n_rows=1_000_000, estimator=EmpiricalBayesianForestRegressor(n)
        )
        for n in (10, 200)
    )
    assert many.n_branches > few.n_branches


def test_classes_are_told_by_their_type():
    X, y = make_classification(n_samples=1000, random_state=0)
    words = suggest_trunk(X, np.array(["no", "yes"])[y], "500MB", n_rows=10**6)
    coded = suggest_trunk(
        X, y, "500MB", n_rows=10**6, estimator=EmpiricalBayesianForestClassifier(random_state=0)
    )
    assert words.parameters == coded.parameters
    assert words.stability.class_names == ("no", "yes")


@pytest.mark.parametrize(
    ("limit", "given", "name"),
    [
        ("much", {}, "memory_limit"),
        (0, {}, "memory_limit"),
        ("1MB", {}, "memory_limit"),
        ("1GB", {"n_rows": 10}, "n_rows"),
        ("1GB", {"n_rows": 1e9}, "n_rows"),
    ],
)
def test_bad_questions_are_named(friedman, limit, given, name):
    with pytest.raises(BayeswoodError, match=f"The '{name}' parameter of suggest_trunk must"):
        suggest_trunk(*friedman, limit, **given)
