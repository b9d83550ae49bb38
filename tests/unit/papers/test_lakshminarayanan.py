"""The script of the particle-filtering paper: its splits, its CART, and a whole quick run."""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bayeswood import datasets

FOLDER = Path(__file__).parents[3] / "papers" / "lakshminarayanan-2013"


def module_of(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def scripts(monkeypatch):
    """Its modules, under their own names as in a run, and gone afterwards."""
    names = ("protocol", "figures", "reproduce")
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield {name: module_of(name) for name in names}
    for name in names:
        sys.modules.pop(name, None)


def test_prior_sizes_are_exact(scripts):
    depth, n_nodes = scripts["protocol"].prior_sizes()
    assert (depth, n_nodes) == pytest.approx((5.0954, 18.2797), abs=5e-5)


def toy(name, folder=None):
    """Sixty rows; magic04 comes without a predefined split."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    split = None if name == "magic04" else np.where(np.arange(60) < 40, "train", "test")
    return SimpleNamespace(features=X, target=np.where(X[:, 0] > 0, "g", "h"), split=split)


@pytest.fixture
def toys(monkeypatch):
    monkeypatch.setattr(datasets, "load", toy)


@pytest.mark.usefixtures("toys")
def test_given_and_drawn_splits(scripts, tmp_path):
    read = scripts["protocol"].read
    assert len(read(tmp_path, "pendigits").y_train) == 40
    drawn = read(tmp_path, "magic04")
    assert (len(drawn.y_train), len(drawn.y_test), drawn.X_train.shape[1]) == (42, 18, 3)
    listed = pd.DataFrame({
        "dataset": "magic04", "paper": "lakshminarayanan2013_smc", "row": np.arange(60)[::-1],
        "split": np.where(np.arange(60) < 50, "train", "test"),
    })  # fmt: skip
    listed.to_csv(tmp_path / "PAPER_SPLITS.csv.gz", index=False)
    as_listed = read(tmp_path, "magic04")
    np.testing.assert_array_equal(as_listed.X_test, toy("magic04").features[:10])


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("pendigits", (7494, 3498, 16)),
        ("magic04", (13314, 5706, 10)),
        ("madelon", (2000, 600, 500)),
    ],
)
def test_the_papers_sizes(scripts, monkeypatch, data_set, name, sizes):
    monkeypatch.setattr(datasets, "load", data_set)
    split = scripts["protocol"].read(None, name)
    assert (len(split.y_train), len(split.y_test), split.X_train.shape[1]) == sizes


def test_cart_is_smoothed(scripts):
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) >= 20).astype(int)
    cart = scripts["protocol"].SmoothedCART("gini").fit(X, y)
    np.testing.assert_allclose(cart.predict_proba([[3.0]]), [[22.5 / 25, 2.5 / 25]])


@pytest.mark.usefixtures("toys")
def test_a_quick_run(scripts, tmp_path, monkeypatch, capsys):
    pictures = tmp_path / "pictures"
    argv = ["reproduce.py", "--data", str(tmp_path), "--figures", str(pictures), "--quick"]
    monkeypatch.setattr(sys, "argv", argv)
    scripts["reproduce"].main()
    told = capsys.readouterr().out
    for number in (2, 3, 4, 5):
        assert f"### Figure {number}" in told
        assert (pictures / f"figure-{number}.png").stat().st_size > 10_000
    assert "layer-wise" in told
    assert "iterations" in told
