"""Where the project's sources keep the papers' pages."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from bayeswood.errors import BayeswoodError


def find_papers() -> Path:
    """The folder ``papers`` of the project's sources, around here or around the package.

    Raises
    ------
    BayeswoodError
        If neither the working folder nor the package lies in the project's sources.
    """
    for root in _candidate_roots():
        if _is_project(root) and (root / "papers").is_dir():
            return root / "papers"
    raise BayeswoodError(
        "This is part of the project's sources, not of the installed package. Get the sources and "
        "run this command in their folder, or name their folder 'papers' with --papers."
    )


def _candidate_roots() -> Iterator[Path]:
    here = Path.cwd()
    yield from (here, *here.parents)
    yield from Path(__file__).resolve().parent.parents


def _is_project(root: Path) -> bool:
    """Whether a folder is the root of this project: nothing is written into another's."""
    try:
        settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    return bool(settings.get("project", {}).get("name") == "bayeswood")
