"""The core is plain C++, in folders that include each other in one direction only."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(p for p in ROOT.glob("core/**/*") if p.suffix in {".hpp", ".cpp", ".inl"})


def test_there_are_sources():
    assert SOURCES


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_core_includes_no_python_header(path):
    included = [
        line for line in path.read_text("utf-8").splitlines() if line.startswith("#include")
    ]
    assert not [line for line in included if "Python.h" in line or "nanobind" in line]


# What each folder of the core may include, besides itself; subfolders count as their folder.
INCLUDES = {
    "base": set(),
    "forest": {"base"},
    "leaf": {"base"},
    "calibration": {"base"},
    "grow": {"base", "forest"},
    "sample": {"base", "forest"},
    "mcmc": {"base", "forest", "leaf", "sample"},
    "smc": {"base", "forest", "leaf", "sample", "mcmc"},
    "sums": {"base", "forest", "grow", "sample"},
    "safe_bayes": {"base", "forest", "leaf"},
    "support": {"base"},
    "attribution": {"base", "forest"},
}
LIBRARY = [path for path in SOURCES if "tests" not in path.relative_to(ROOT).parts]


def folder_of(path):
    """The folder of the core that a file belongs to, the same for headers and sources."""
    parts = path.relative_to(ROOT / "core").parts
    return parts[2] if parts[0] == "include" else parts[1]


def included_folders(text):
    """The folders that a text includes headers of."""
    return set(re.findall(r'#include "bayeswood/(\w+)/', text))


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(ROOT)))
def test_includes_go_one_way(path):
    folder = folder_of(path)
    assert included_folders(path.read_text("utf-8")) <= INCLUDES[folder] | {folder}


def test_no_folders_include_each_other():
    reached = {folder: set(others) for folder, others in INCLUDES.items()}
    for _ in INCLUDES:
        for others in reached.values():
            others |= set().union(*(reached[other] for other in others))
    assert not [folder for folder, others in reached.items() if folder in others]


def test_every_include_names_a_folder():
    for path in LIBRARY:
        assert '#include "bayeswood/' not in re.sub(
            r'#include "bayeswood/[\w/]+/\w+\.\w+"', "", path.read_text("utf-8")
        )
