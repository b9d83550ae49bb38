"""Say what a release still lacks: ``python scripts/check_release.py v0.1.0``.

The tag, ``pyproject.toml``, ``CITATION.cff`` and the changelog must speak of one version, and the
changelog must have its date.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def read(name: str) -> str:
    """A file of the project."""
    return (ROOT / name).read_text(encoding="utf-8")


def faults(tag: str) -> list[str]:
    """What does not agree with the tag, one line each."""
    version = tag.removeprefix("v")
    built = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    cited = re.search(r"^version: (\S+)$", read("CITATION.cff"), re.MULTILINE)[1]
    dated = rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$"
    found = []
    if tag != f"v{built}":
        found.append(f"The tag is {tag}, the version in pyproject.toml {built}.")
    if cited != built:
        found.append(f"CITATION.cff says {cited}, pyproject.toml {built}.")
    if not re.search(dated, read("CHANGELOG.md"), re.MULTILINE):
        found.append(f"CHANGELOG.md has no line '## {version} (YYYY-MM-DD)'.")
    return found


if __name__ == "__main__":
    sys.exit("\n".join(faults(sys.argv[1])) or None)
