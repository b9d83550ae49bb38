"""Where to draw: given axes or new ones, and rows that have room."""

import sys

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

from bayeswood.errors import BayeswoodError
from bayeswood.plots.axes import NamedRows, pyplot, take_axes, take_grid, take_two


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_without_matplotlib_one_line_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for call in (pyplot, lambda: take_axes(None), lambda: take_two(None, "a", "b and c")):
        with pytest.raises(BayeswoodError, match=r"pip install 'bayeswood\[plots\]'"):
            call()


def test_two_axes_are_taken_or_made():
    given = plt.subplots(2)[1]
    assert take_two(given, "a curve", "left and right").tolist() == given.tolist()
    new = take_two(None, "a curve", "left and right", ncols=2, figsize=(3, 2))
    assert new.shape == (2,)
    assert new[0].figure.get_size_inches().tolist() == [3, 2]
    with pytest.raises(
        BayeswoodError, match=r"of a curve must be two axes: left and right\. Got 1"
    ):
        take_two(given[0], "a curve", "left and right")


def test_a_grid_of_axes_is_taken_or_made():
    assert take_grid(None, (2, 3), "a grid").shape == (2, 3)
    with pytest.raises(BayeswoodError, match=r"of a grid must be a 1 x 2 array.*Got \(2,\)"):
        take_grid(plt.subplots(2)[1], (1, 2), "a grid")


def test_rows_that_have_room_are_named():
    names = [f"row {i}" for i in range(40)]
    rows = NamedRows(plt.subplots(figsize=(4, 1))[1], names, 30, height=(2.0, 1.0))
    assert rows.n_shown < 30
    assert rows.n_shown + rows.n_hidden == 40
    np.testing.assert_array_equal(rows.place, np.arange(rows.n_shown))
    rows.finish()
    labels = [label.get_text() for label in rows.ax.get_yticklabels()]
    assert labels == names[: rows.n_shown]


def test_new_axes_grow_with_the_rows():
    few = NamedRows(None, ["a", "b"], 12, height=(2.0, 1.0))
    many = NamedRows(None, [f"row {i}" for i in range(12)], 12, height=(2.0, 1.0))
    heights = [rows.ax.figure.get_size_inches()[1] for rows in (few, many)]
    assert heights == pytest.approx([2.0, 1.0 + 0.24 * 12])
    assert few.n_hidden == many.n_hidden == 0
