"""A room imports only from rooms to its left; conductors call rooms, no room calls them."""

import ast
from pathlib import Path

import pytest

import bayeswood

ROOT = Path(bayeswood.__file__).parent

# What every room may use.
GROUND = {"_core", "errors", "html_table", "on_demand", "progress", "threads", "version"}
# From left to right; rooms of one group do not import each other.
ROOMS = [
    {"table"},
    {"forest"},
    {"uncertainty"},
    {"attribution"},
    {"posterior"},
    {"theory", "modelfile", "datasets", "export"},
    {"report"},
    {"plots"},
]
CONDUCTORS = [{"distributed"}, {"methods"}, {"reproduce"}, {"cli", "spark"}, {"__main__"}]

# In methods: what every family may use, from left to right, and who knows all of them.
SHARED_BY_FAMILIES = ["base", "cart", "conjugate_leaves"]
OVER_FAMILIES = {"__init__", "registry"}


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


def allowed_families(family):
    """The families of methods that one may import from, itself included."""
    if family in SHARED_BY_FAMILIES:
        return set(SHARED_BY_FAMILIES[: SHARED_BY_FAMILIES.index(family) + 1])
    return {*SHARED_BY_FAMILIES, family}


def imported_names(source):
    """The dotted names within the package that a source text imports, wherever that stands."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            names = []
        found |= {name for name in names if name.split(".")[0] == "bayeswood"}
    return found


def imported_rooms(source):
    """The rooms that a source text imports from; "" for the package as a whole."""
    return {[*name.split("."), ""][1] for name in imported_names(source)}


def imported_families(source):
    """The families of methods that a source text imports from."""
    parts = [name.split(".") for name in imported_names(source)]
    return {part[2] for part in parts if part[1:2] == ["methods"]}


SOURCES = sorted(
    path for path in ROOT.rglob("*.py") if path.name != "__init__.py" or path.parent != ROOT
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_left(path):
    forbidden = imported_rooms(path.read_text(encoding="utf-8")) - allowed(room_of(path))
    assert not forbidden


METHODS = [path for path in SOURCES if room_of(path) == "methods"]


@pytest.mark.parametrize("path", METHODS, ids=lambda path: str(path.relative_to(ROOT)))
def test_families_keep_to_themselves(path):
    family = path.relative_to(ROOT / "methods").parts[0].removesuffix(".py")
    if family not in OVER_FAMILIES:
        assert imported_families(path.read_text("utf-8")) <= allowed_families(family)


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


def test_the_whole_package_is_no_room():
    assert imported_rooms("import bayeswood") == {""}
    assert "" not in allowed("cli")


def test_a_family_that_imports_another_is_caught():
    source = "from bayeswood.methods.safe_bayes.reservoir import Reservoir"
    assert not imported_families(source) <= allowed_families("mcmc_tree")
    assert imported_families(source) <= allowed_families("safe_bayes")
    assert not imported_families(source) <= allowed_families("base")
    assert "cart" not in allowed_families("base")


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
