"""A tiny data set with everything in it: facts, columns, and OpenML's version of it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from bayeswood.datasets import catalogue
from bayeswood.datasets.catalogue import Facts, OpenMLSource
from bayeswood.datasets.csv_file import digest_of_cells


def objects(*cells):
    return np.array(cells, dtype=object)


def toy_columns():
    return {
        "size": np.array([1.0, np.nan, 2.5, -0.0]),
        "n": np.array([3.0, 4.0, 5.0, 6.0]),
        "colour": objects("red", "?", "red", "blue"),
        "code": objects("1", "2", "1", "10"),
        "split": objects("train", "train", "train", "test"),
        "target": objects("yes", "no", "no", "yes"),
    }


TOY = Facts(
    name="toy",
    task="classification",
    rows=4,
    listed=("size", "n", "colour", "code"),
    classes={"yes": 2, "no": 2},
    missing=1,
    categorical=("colour", "code"),
    split={"train": 3, "test": 1},
    origin="Nowhere. CC0.",
    sha256="0" * 64,
    cells=digest_of_cells(toy_columns()),
    openml=OpenMLSource(
        7, "toys", labels={"P": "yes", "N": "no"}, missing="?", rows=((1, 4), (0, 1))
    ),
)


def toy_bunch():
    """As fetch_openml gives it: the test row first, a row number, levels as numbers."""
    rows = [
        [1, 0.0, 6, 1, 10, 0],
        [2, 1.0, 3, 0, 1, 0],
        [3, np.nan, 4, np.nan, 2, 1],
        [4, 2.5, 5, 0, 1, 1],
    ]
    return SimpleNamespace(
        data=np.array(rows, dtype=np.float64),
        feature_names=["ID", "Size", "N", "Colour", "Code", "Class"],
        categories={"Colour": ["red", "blue"], "Class": ["P", "N"]},
    )


def know_only(monkeypatch, *known):
    """Let the catalogue hold these alone."""
    monkeypatch.setattr(catalogue, "catalogue", lambda: {facts.name: facts for facts in known})


def other(**changes):
    return replace(TOY, **changes)
