"""The script of the particle-filtering paper: its splits, its CART, and a whole quick run."""

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

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


def write_toy(folder, name, *, with_split):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    if with_split:
        table["split"] = np.where(np.arange(60) < 40, "train", "test")
    table["target"] = np.where(X[:, 0] > 0, "g", "h")
    table.to_csv(folder / f"{name}.csv.gz", index=False)


@pytest.fixture
def toy_folder(tmp_path):
    for name, with_split in (("pendigits", True), ("madelon", True), ("magic04", False)):
        write_toy(tmp_path, name, with_split=with_split)
    return tmp_path


def test_given_and_drawn_splits(scripts, toy_folder):
    read = scripts["protocol"].read
    assert len(read(toy_folder, "pendigits").y_train) == 40
    drawn = read(toy_folder, "magic04")
    assert (len(drawn.y_train), len(drawn.y_test), drawn.X_train.shape[1]) == (42, 18, 3)
    listed = pd.DataFrame({
        "dataset": "magic04", "paper": "lakshminarayanan2013_smc", "row": np.arange(60)[::-1],
        "split": np.where(np.arange(60) < 50, "train", "test"),
    })  # fmt: skip
    listed.to_csv(toy_folder / "PAPER_SPLITS.csv.gz", index=False)
    as_listed = read(toy_folder, "magic04")
    table = pd.read_csv(toy_folder / "magic04.csv.gz")
    np.testing.assert_allclose(as_listed.X_test, table[["a", "b", "c"]][:10])


@pytest.mark.skipif("BAYESWOOD_DATA" not in os.environ, reason="needs the data sets")
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("pendigits", (7494, 3498, 16)),
        ("magic04", (13314, 5706, 10)),
        ("madelon", (2000, 600, 500)),
    ],
)
def test_the_papers_sizes(scripts, name, sizes):
    split = scripts["protocol"].read(Path(os.environ["BAYESWOOD_DATA"]), name)
    assert (len(split.y_train), len(split.y_test), split.X_train.shape[1]) == sizes


def test_cart_is_smoothed(scripts):
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) >= 20).astype(int)
    cart = scripts["protocol"].SmoothedCART("gini").fit(X, y)
    np.testing.assert_allclose(cart.predict_proba([[3.0]]), [[22.5 / 25, 2.5 / 25]])


def test_a_quick_run(scripts, toy_folder, monkeypatch, capsys):
    pictures = toy_folder / "pictures"
    argv = ["reproduce.py", "--data", str(toy_folder), "--figures", str(pictures), "--quick"]
    monkeypatch.setattr(sys, "argv", argv)
    scripts["reproduce"].main()
    told = capsys.readouterr().out
    for number in (2, 3, 4, 5):
        assert f"### Figure {number}" in told
        assert (pictures / f"figure-{number}.png").stat().st_size > 10_000
    assert "layer-wise" in told
    assert "iterations" in told
