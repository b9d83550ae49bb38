"""The house of docs/architecture.md: a room imports only from the rooms to its left."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "bayeswood"
ROOMS = (
    "errors", "progress", "table", "forest", "uncertainty", "posterior", "theory", "modelfile",
    "datasets", "report", "plots",
)  # fmt: skip
CONDUCTORS = ("methods", "cli", "distributed")


def imported_rooms(source, package):
    """The rooms of bayeswood that a module's source imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            prefix = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(prefix if node.level else ()), *filter(None, [node.module])])
            found |= {base} if base != "bayeswood" else {f"{base}.{a.name}" for a in node.names}
    return {name.split(".")[1] for name in found if name.startswith("bayeswood.")} - {"_core"}


def modules():
    return [p for p in sorted(PACKAGE.rglob("*.py")) if p.parent != PACKAGE or p.stem in ROOMS]


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def allowed(room):
    if room in CONDUCTORS:
        return {*ROOMS, *CONDUCTORS}
    return {*ROOMS[: ROOMS.index(room)], room}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_left(path):
    package = ".".join(path.relative_to(PACKAGE.parent).parent.parts)
    rooms = imported_rooms(path.read_text(encoding="utf-8"), package)
    assert rooms - allowed(room_of(path)) == set()


def test_every_room_is_in_the_list():
    folders = {p.name for p in PACKAGE.iterdir() if p.is_dir() and any(p.glob("*.py"))}
    assert folders <= {*ROOMS, *CONDUCTORS}


def test_a_wrong_import_is_noticed():
    source = "from bayeswood.methods.registry import load\nfrom ..cli import main\n"
    assert imported_rooms(source, "bayeswood.forest") == {"methods", "cli"}
    assert not {"methods", "cli"} & allowed("forest")


def test_the_core_knows_no_python():
    files = [*ROOT.glob("core/**/*.hpp"), *ROOT.glob("core/**/*.cpp")]
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert "Python.h" not in text, path
        assert "nanobind" not in text, path
