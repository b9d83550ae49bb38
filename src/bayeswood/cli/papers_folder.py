"""Where the project's sources keep the papers' pages and scripts."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from bayeswood.errors import BayeswoodError

SCRIPT = "reproduce.py"


def list_scripts(papers: Path) -> dict[str, Path]:
    """The script of each paper in a folder, by the paper's name.

    Parameters
    ----------
    papers : Path

    Raises
    ------
    BayeswoodError
        If there is none.
    """
    scripts = {path.parent.name: path for path in sorted(papers.glob(f"*/{SCRIPT}"))}
    if not scripts:
        raise BayeswoodError(f"The folder {papers} has no paper: it must hold NAME/{SCRIPT}.")
    return scripts


def find_scripts(papers: Path | None) -> dict[str, Path]:
    """The scripts of a folder, or of the sources around here; none where there are none.

    Parameters
    ----------
    papers : Path or None
    """
    try:
        return list_scripts(find_papers() if papers is None else papers)
    except BayeswoodError:
        return {}


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
    """Whether a folder is the root of this project: nothing else's scripts are to be run."""
    try:
        settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    return bool(settings.get("project", {}).get("name") == "bayeswood")
