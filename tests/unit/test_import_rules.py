"""A room imports only from rooms to its left; conductors call rooms, no room calls them."""

import ast
from pathlib import Path

import pytest

import bayeswood

ROOT = Path(bayeswood.__file__).parent

# What every room may use.
GROUND = {"_core", "errors", "progress"}
# From left to right; rooms of one group do not import each other.
ROOMS = [
    {"table"},
    {"forest"},
    {"uncertainty"},
    {"posterior"},
    {"theory", "modelfile", "datasets"},
    {"report"},
    {"plots"},
]
CONDUCTORS = [{"distributed"}, {"methods"}, {"cli", "spark"}]


def room_of(path):
    """The room a source file belongs to."""
    inside = path.relative_to(ROOT)
    return inside.parts[0].removesuffix(".py")


def allowed(room):
    """The rooms that a room may import from, itself included."""
    if room in GROUND:
        return GROUND
    reachable = set(GROUND)
    for group in ROOMS + CONDUCTORS:
        if room in group:
            return reachable | {room}
        reachable |= group
    raise AssertionError(f"The room {room!r} has no place in the order of rooms.")


def imported_rooms(source):
    """The rooms that a source text imports from, wherever the import stands."""
    rooms = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            names = []
        rooms |= {name.split(".")[1] for name in names if name.startswith("bayeswood.")}
    return rooms


SOURCES = sorted(
    path for path in ROOT.rglob("*.py") if path.name != "__init__.py" or path.parent != ROOT
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_left(path):
    forbidden = imported_rooms(path.read_text(encoding="utf-8")) - allowed(room_of(path))
    assert not forbidden


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_are_absolute(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level > 0]


def test_the_walk_sees_every_form_of_import():
    source = """
import bayeswood.methods.registry
from bayeswood import cli
from bayeswood.plots import draw

def late():
    from bayeswood.report.render import page
"""
    assert imported_rooms(source) == {"methods", "cli", "plots", "report"}


def test_a_rightward_import_is_caught():
    assert "methods" not in allowed("forest")
    assert "uncertainty" not in allowed("table")
    assert "cli" not in allowed("methods")
    assert "methods" in allowed("cli")


def test_every_room_lists_its_public_names():
    for folder in sorted(path.parent for path in ROOT.glob("*/__init__.py")):
        module = __import__(f"bayeswood.{folder.name}", fromlist=["__all__"])
        assert module.__all__
        for name in module.__all__:
            assert hasattr(module, name)
