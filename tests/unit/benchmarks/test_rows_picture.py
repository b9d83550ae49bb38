"""CPU per tree against rows: who is measured, and what is drawn."""

import pytest

from benchmarks import rows_picture
from benchmarks.peers.contenders import OURS, PEERS


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(rows_picture, "PEERS", {"scikit-learn": PEERS["scikit-learn"]})


@pytest.mark.usefixtures("few")
def test_a_slow_library_is_asked_for_no_more_rows():
    found = rows_picture.measure([500, 1_000], 5, longest=0.0, repeats=1)
    assert set(found) == {*OURS, "scikit-learn"}
    assert all(list(points) == [500] for points in found.values())


@pytest.mark.usefixtures("few")
def test_the_picture_has_a_line_and_a_name_for_each(tmp_path):
    found = rows_picture.measure([500, 1_000], 5, longest=9.0, repeats=1)
    assert all(list(points) == [500, 1_000] for points in found.values())
    rows_picture.draw(found, tmp_path / "rows.png")
    assert (tmp_path / "rows.png").read_bytes().startswith(b"\x89PNG")


def test_the_legend_begins_with_the_slowest():
    found = {"a": {1: 1.0, 2: 9.0, 4: 0.1}, "b": {1: 2.0, 2: 10.0}, "c": {1: 3.0, 2: 1.0}}
    assert rows_picture.slowest_first(found) == ["b", "a", "c"]
