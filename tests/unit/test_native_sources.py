"""The core is plain C++: only the bindings know Python."""

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
