"""README's lines and the examples need nothing but what ``pip install "bayeswood[all]"`` brings.

That is the environment of ``make demo``. This one has the tools of the tests too: a hook refuses to
import whatever the extra does not bring.
"""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

# Runs a script where modules on a list cannot be imported.
RUNNER = """
import json, runpy, sys
from importlib.abc import MetaPathFinder

class Refuse(MetaPathFinder):
    refused = set(json.loads(sys.argv[1]))

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.refused:
            raise ModuleNotFoundError(f"No module named {name!r}: not in the extra", name=name)

sys.meta_path.insert(0, Refuse())
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(package, extras):
    """Names of all packages that an installation of this one with extras brings."""
    seen, waiting = set(), [(package, frozenset(extras))]
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        try:
            needed = [Requirement(text) for text in requires(one[0]) or []]
        except PackageNotFoundError:  # for another system, or optional
            continue
        for need in needed:
            chosen = one[1] or {""}
            if need.marker is None or any(need.marker.evaluate({"extra": e}) for e in chosen):
                waiting.append((normal(need.name), frozenset(need.extras)))
    return {name for name, _ in seen}


@pytest.fixture(scope="module")
def refused():
    """Top-level modules that the environment of `make demo` does not have."""
    brought = closure("bayeswood", {"all"})
    assert {"numpy", "pandas", "matplotlib", "click"} <= brought
    outside = {
        module
        for module, owners in packages_distributions().items()
        if not brought & {normal(owner) for owner in owners}
    }
    assert {"pytest", "hypothesis", "polars"} <= outside
    return sorted(outside)


def run(script, refused, folder):
    environment = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, json.dumps(refused), str(script)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run_where_make_demo_installs(example, refused, tmp_path):
    assert run(example, refused, tmp_path) or list(tmp_path.iterdir())


def test_readme_runs_where_make_demo_installs(refused, tmp_path):
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    code = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
    assert len(code) >= 8
    script = tmp_path / "readme.py"
    script.write_text("\n".join(code), encoding="utf-8")
    run(script, refused, tmp_path)


def test_a_refused_module_is_missed(refused, tmp_path):
    """The negative control."""
    script = tmp_path / "script.py"
    script.write_text("import polars\n")
    with pytest.raises(AssertionError, match="No module named 'polars'"):
        run(script, refused, tmp_path)
