"""Scripts that lack a data set say so in one line, and leave with status 2."""

import runpy
import sys
from pathlib import Path
from urllib.error import URLError

import matplotlib as mpl
import pytest
import sklearn.datasets

ROOT = Path(__file__).parents[3]
# The first data set that each of them asks for.
SCRIPTS = {
    "papers/lakshminarayanan-2013/reproduce.py": "pendigits",
    "benchmarks/smc_trees.py": "pendigits",
}


@pytest.fixture
def _offline(monkeypatch, tmp_path):
    def unreachable(**options):
        raise URLError("no route to host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)
    monkeypatch.delenv("BAYESWOOD_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))


@pytest.fixture
def _own_modules(monkeypatch):
    """Modules that a script imports from its folder are gone afterwards."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        path = getattr(sys.modules[name], "__file__", None) or ""
        if str(ROOT / "papers") in path:
            del sys.modules[name]


@pytest.mark.usefixtures("_offline", "_own_modules")
@pytest.mark.parametrize("script", SCRIPTS)
def test_one_line_and_status_2(script, monkeypatch, capsys):
    mpl.use("Agg")
    monkeypatch.syspath_prepend(str((ROOT / script).parent))
    monkeypatch.setattr(sys, "argv", [script])
    with pytest.raises(SystemExit) as leaving:
        runpy.run_path(str(ROOT / script), run_name="__main__")
    assert leaving.value.code == 2
    told = capsys.readouterr()
    assert told.err.count("\n") == 1
    assert f"'{SCRIPTS[script]}' is not on this machine" in told.err
    assert f"put {SCRIPTS[script]}.csv.gz into a folder" in told.err
