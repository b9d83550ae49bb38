"""``bayeswood reproduce``: run the script that regenerates a paper's tables and figures.

The scripts are part of the project's sources (``papers/NAME/reproduce.py``), each beside a README
that compares its output with the printed numbers. They are no part of the installed package.
"""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click

from bayeswood.errors import BayeswoodError

SCRIPT = "reproduce.py"


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--papers",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of the scripts, if it is not that of the sources around here.",
)
@click.argument("paper", required=False)
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def reproduce(folder: Path | None, paper: str | None, options: tuple[str, ...]) -> int:
    """Regenerate the tables and figures of PAPER; without PAPER, list what there is.

    What follows PAPER goes to its script: --help lists its options, --quick (where there is one)
    makes a shorter run. Data come by name (see 'bayeswood datasets'), from the folder after --data
    first. Needs the project's sources; run it inside them.
    """
    papers = folder if folder is not None else find_papers()
    scripts = list_scripts(papers)
    if paper is None:
        click.echo("\n".join(scripts))
        return 0
    if paper not in scripts:
        raise BayeswoodError(f"There is no paper {paper!r}. There are: {', '.join(scripts)}.")
    return subprocess.run([sys.executable, str(scripts[paper]), *options], check=False).returncode


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
        "The scripts of the papers are part of the project's sources, not of the installed "
        "package. Get the sources and run this command in their folder, or name the folder of "
        "the scripts with --papers."
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
