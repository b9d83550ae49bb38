"""Every example of the gallery runs, in one process, and draws; its opening is a title."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples" / "gallery").glob("*.py"))

# Runs scripts one after another, and says how many pictures each drew.
RUNNER = """
import runpy, sys, warnings
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
warnings.simplefilter("error")
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
for path in sys.argv[1:]:
    runpy.run_path(path)
    print("@drew", path, len(plt.get_fignums()))
    plt.close("all")
"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The number of pictures of each example."""
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, *map(str, EXAMPLES)],
        cwd=tmp_path_factory.mktemp("gallery"),
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2_000:]
    found = re.findall(r"^@drew (.*) (\d+)$", done.stdout, re.MULTILINE)
    return {Path(path).stem: int(n_pictures) for path, n_pictures in found}


def test_every_example_runs_and_draws(drawn):
    assert len(drawn) == len(EXAMPLES) >= 16
    assert [name for name, n_pictures in drawn.items() if n_pictures == 0] == []


def test_a_broken_example_is_noticed(tmp_path):
    script = tmp_path / "example.py"
    script.write_text("raise ValueError('broken')\n")
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, str(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "broken" in done.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_open_with_a_title(example):
    opening = example.read_text(encoding="utf-8")
    match = re.match(r'"""\n(.+)\n(=+)\n\n', opening)
    assert match, opening[:80]
    assert len(match[1]) == len(match[2])
