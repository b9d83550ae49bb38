"""Progress, when asked for: a bar on a terminal, a line in a notebook, ten lines in a log."""

import io
import sys

import numpy as np
import pytest

from bayeswood import BayesianForestClassifier, MCMCTreeClassifier
from bayeswood.progress import plain_line, progress_bar, rows_bar


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def open_terminal(monkeypatch):
    """Make stderr a terminal; in the test itself, for capturing swaps streams between phases."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


@pytest.fixture
def no_rich(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.progress", None)


def test_quiet_unless_asked(monkeypatch):
    terminal = open_terminal(monkeypatch)
    with progress_bar("Growing", "trees", show=False) as report:
        assert report is None
    assert terminal.getvalue() == ""


def test_a_log_gets_a_line_for_each_tenth(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_bar("Growing", "trees", show=True) as report:
        for done in range(251):
            report(done, 250)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 10
    assert "25/250 trees" in lines[0]
    assert lines[-1] == "Growing [####################] 250/250 trees in 0 s"
    assert "\r" not in stream.getvalue()


def test_a_log_of_few_steps_has_as_many_lines(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_bar("Running", "islands", show=True) as report:
        report(0, 3)
        report(1, 3)
        report(3, 3)
    assert [line.split("] ")[1][:3] for line in stream.getvalue().splitlines()] == ["1/3", "3/3"]


def test_plain_text_without_rich(monkeypatch, no_rich):
    terminal = open_terminal(monkeypatch)
    with progress_bar("Growing", "trees", show=True) as report:
        report(1, 4)
        report(4, 4)
    text = terminal.getvalue()
    assert "\rGrowing [#####...............] 1/4 trees, " in text
    assert "4/4 trees in " in text
    assert text.endswith("\n")


def test_a_note_stands_beside_the_title(monkeypatch, no_rich):
    terminal = open_terminal(monkeypatch)
    with progress_bar("Sampling", "iterations", show=True) as report:
        report(1, 4, "0/2 chains, 41% accepted")
    assert "\rSampling (0/2 chains, 41% accepted) [" in terminal.getvalue()


def test_rows_add_up(monkeypatch, no_rich):
    terminal = open_terminal(monkeypatch)
    with rows_bar("Reading", 30, show=True) as advance:
        advance(10)
        advance(5)
    assert "10/30 rows" in terminal.getvalue()
    assert "15/30 rows" in terminal.getvalue()


def test_chains_tell_how_far_they_are(monkeypatch, no_rich):
    terminal = open_terminal(monkeypatch)
    rng = np.random.default_rng(0)
    model = MCMCTreeClassifier(2, n_burn_in=0, n_draws=50, max_leaves=1, verbose=1, random_state=0)
    model.fit(rng.normal(size=(50, 3)), rng.integers(0, 2, 50))
    assert "(2/2 chains, " in terminal.getvalue()
    assert "100/100 iterations in " in terminal.getvalue()


def test_plain_text_ends_its_line_after_an_error(monkeypatch, no_rich):
    terminal = open_terminal(monkeypatch)

    def interrupted():
        with progress_bar("Growing", "trees", show=True) as report:
            report(1, 4)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert terminal.getvalue().endswith("\n")


def test_rich_shows_counts(monkeypatch):
    terminal = open_terminal(monkeypatch)
    pytest.importorskip("rich")
    with progress_bar("Growing", "trees", show=True) as report:
        report(2, 4)
        report(4, 4)
    assert "4/4" in terminal.getvalue()


@pytest.mark.parametrize(("done", "total"), [(0, 10), (0, 0), (10, 10), (3, 7)])
def test_lines_are_short_and_whole(done, total):
    line = plain_line("Growing", "trees", done, total, 1.0)
    assert f"{done}/{total} trees" in line
    assert len(line) < 79


@pytest.mark.parametrize("verbose", [0, 1, True])
def test_fit_draws_the_bar_only_if_verbose(monkeypatch, no_rich, verbose):
    terminal = open_terminal(monkeypatch)
    X = np.arange(40.0)[:, None]
    BayesianForestClassifier(n_estimators=5, verbose=verbose).fit(X, np.arange(40) % 2)
    shown = "5/5 trees" in terminal.getvalue()
    assert shown == bool(verbose)


@pytest.mark.parametrize("verbose", [0, 1])
def test_fit_in_a_pipe_tells_tenths_only_if_verbose(capsys, verbose):
    X = np.arange(40.0)[:, None]
    BayesianForestClassifier(n_estimators=5, verbose=verbose).fit(X, np.arange(40) % 2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) in ((0,) if not verbose else range(1, 11))
    assert not verbose or "5/5 trees in " in captured.err
