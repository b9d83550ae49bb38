"""Run the unit tests with the lowest versions that are promised: ``make test-lowest``.

Whatever ``pyproject.toml`` asks for with ``>=``, to build and to use the package with everything in
the extra ``all``, is installed in exactly that version, on the lowest Python. Tests of what other
extras bring are skipped where it is missing.
"""

import os
import re
import subprocess
import sys
import tomllib

from check_wheels import ROOT, VERSIONS, find_python, pip, run

FOLDER = ROOT / "build" / "lowest"
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "setuptools")  # in any version
# A page that prints more digits than old and new libraries share.
LEFT_OUT = "tests/unit/test_readme.py::test_python_blocks_run[docs/calibrated-forest.md]"
FLOOR = re.compile(r"(?P<name>[\w-]+)(?:\[[\w,]+\])?>=(?P<version>[\d.]+)")


def lowest_versions() -> list[str]:
    """Requirements of building, of the package and of its extra ``all``, each at its floor."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, extras = settings["project"], settings["project"]["optional-dependencies"]
    of_all = re.search(r"\[([\w,]+)\]", extras["all"][0])[1].split(",")
    asked = [*settings["build-system"]["requires"], *project["dependencies"], *extras["all"][1:]]
    asked += [requirement for extra in of_all for requirement in extras[extra]]
    asked += [requirement for requirement in extras["test"] if requirement.startswith("polars")]
    floors = [FLOOR.fullmatch(requirement) for requirement in asked]
    return sorted({f"{floor['name']}=={floor['version']}" for floor in floors})


def main() -> None:
    """Make the environment, install, and hand over to pytest."""
    python = find_python(VERSIONS[0])
    if python is None:
        sys.exit(f"Python {VERSIONS[0]} was not found. Name it in the variable PYTHONS.")
    run(python, "-m", "venv", "--clear", FOLDER / "env")
    installed = FOLDER / "env" / "bin" / "python"
    versions = lowest_versions()
    print("Installing", *versions, flush=True)
    pip(installed, "install", *versions, *TOOLS, "cmake", "ninja")
    native = f"build-dir={FOLDER / 'native'}"
    pip(installed, "install", "--no-build-isolation", "--no-deps", "-C", native, ROOT)
    # New tools warn of what old libraries call; the newest libraries are tried by `make test`.
    quiet = ("-W", "ignore::DeprecationWarning")
    tests = [installed, "-m", "pytest", "-q", *quiet, "--deselect", LEFT_OUT, "tests/unit"]
    tests += sys.argv[1:]
    environment = {**os.environ, "PATH": f"{installed.parent}:{os.environ['PATH']}"}
    sys.exit(subprocess.run(tests, cwd=ROOT, env=environment).returncode)


if __name__ == "__main__":
    main()
