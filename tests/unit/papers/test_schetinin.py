"""The five Gaussians of papers/schetinin-2004: what is told of the chains is what they did."""

import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from bayeswood.posterior import MonteCarloWarning

FOLDER = Path(__file__).parents[3] / "papers" / "schetinin-2004"


@pytest.fixture
def synthetic(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import synthetic

    yield synthetic
    del sys.modules["synthetic"]


@pytest.fixture
def ran(synthetic):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MonteCarloWarning)
        return synthetic.run(n_chains=3, n_burn_in=200, n_draws=300)


def test_the_paths_count_features_from_1(synthetic):
    assert synthetic.path_text(("x1", "x0", "x0")) == "211"
    assert len(synthetic.PRINTED_PATHS) == len(synthetic.PRINTED_WEIGHTS) == 20


def test_the_numbers_of_a_short_run(synthetic, ran):
    found = synthetic.numbers(ran)
    assert list(found) == list(synthetic.PRINTED)
    n_leaves = ran.model.trace_.n_leaves[:, 200:]
    assert found["splits per tree, mean"] == f"{n_leaves.mean() - 1:.1f}"
    assert found["fewest and most splits"] == f"{n_leaves.min() - 1} to {n_leaves.max() - 1}"
    rates = [float(rate) for rate in found["correct, uncertain, incorrect, %"].split(",")]
    assert sum(rates) == pytest.approx(100, abs=0.16)
    assert found["acceptance"] == f"{np.mean(ran.model.trace_.accepted):.2f}"


def test_table_1_is_sorted_by_mass(synthetic, ran):
    lines = synthetic.table_1_lines(ran)[2:]
    masses = [float(line.split("|")[-2]) for line in lines]
    assert masses == sorted(masses, reverse=True)
    for line, tree in zip(lines, ran.found.top, strict=False):
        path, n_splits = (cell.strip() for cell in line.split("|")[5:7])
        assert len(path) == int(n_splits) == tree.n_splits


def test_the_pictures_are_drawn(synthetic, ran, tmp_path):
    synthetic.draw_all(tmp_path, ran)
    assert {path.name for path in tmp_path.iterdir()} == {
        f"schetinin-2004-{name}.png" for name in ("traces", "diversity", "boundary")
    }
