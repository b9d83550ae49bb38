"""The benchmark of large fits runs, within its hard limit, and leaves nothing behind."""

import json
import os
import subprocess
import sys

from benchmarks.out_of_core import __main__ as out_of_core
from benchmarks.out_of_core.process_tree import PeakMemory, descendants


def test_it_runs_under_its_limit_and_cleans_up(tmp_path, capsys):
    figures = tmp_path / "figures.json"
    folder = tmp_path / "work"
    folder.mkdir()
    arguments = ["--rows", "20000", "--trees", "2", "--jobs", "1", "--memory-limit", "3e9"]
    out_of_core.main([*arguments, "--folder", str(folder), "--json", str(figures)])
    (run,) = json.loads(figures.read_text())
    assert run["rows"] == run["plan"]["n_rows"] == 20000
    assert 0 < run["peak"] < 3e9
    assert run["rmse"] < 3
    assert set(run["steps"]) == {"scan", "route", "fit"}
    assert not list(folder.iterdir())
    assert "20,000 rows" in capsys.readouterr().out


def test_the_limit_is_hard(tmp_path):
    """A process under the benchmark's limit cannot take more than it."""
    options = out_of_core.read_options(["--memory-limit", "5e8", "--folder", str(tmp_path)])
    found = out_of_core.in_process("scikit-learn", options, 14_000_000)  # 560 MB of features
    assert found["failed"]


def test_memory_of_descendants_is_seen():
    code = "import sys; held = b'x' * 60_000_000; print('held', flush=True); sys.stdin.read()"
    shell = [
        sys.executable,
        "-c",
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])",
    ]
    with subprocess.Popen(
        shell, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout.readline() == "held\n"
        with PeakMemory(parent.pid) as peak:
            os.sched_yield()
            peak._stop.wait(0.3)
        assert len(descendants(parent.pid)) == 2
        parent.stdin.close()
    assert peak.n_bytes > 60_000_000
