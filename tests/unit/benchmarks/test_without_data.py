"""A script that lacks a data set says so in one line, and leaves with status 2."""

import runpy
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "samplers" / "smc_trees.py"


@pytest.mark.usefixtures("offline")
def test_one_line_and_status_2(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("BAYESWOOD_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [SCRIPT.name])
    with pytest.raises(SystemExit) as leaving:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    assert leaving.value.code == 2
    told = capsys.readouterr()
    assert told.err.count("\n") == 1
    assert "'pendigits' is not on this machine" in told.err
    assert "put pendigits.csv.gz into a folder" in told.err
