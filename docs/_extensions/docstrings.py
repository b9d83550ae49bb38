"""Docstrings as the site shows them: formulas stay in their lines, names of pages become links.

Docstrings are written to be read in a terminal. There an indented line is a formula and
``docs/growing.md`` a file; here the one becomes a literal block and the other a link. Of what
scikit-learn adds to every estimator, score and parameters are shown, and its roles, which lead
into its own pages, become words.
"""

import re
from typing import Any

PAGE = re.compile(r"docs/([a-z-]+)\.md(?:#[a-z-]+)?")
FOREIGN_ROLE = re.compile(r":(?:ref|term):`([^`<]*?)(?:\s*<[^>]*>)?`")
BARS = re.compile(r"\|([^|`\n]{1,20})\|")
SKLEARN_SHOWN = {"score", "get_params", "set_params"}


def indent(line: str) -> int:
    """Columns before the first character."""
    return len(line) - len(line.lstrip())


def mend_lines(lines: list[str]) -> list[str]:
    """The lines of a docstring, with formulas as literal blocks and bars that are bars."""
    mended: list[str] = []
    section, in_formula = "", False
    for i, line in enumerate(lines):
        if line and set(line) == {"-"}:
            section = lines[i - 1]
        in_formula = is_formula(lines, i, section, in_formula)
        if in_formula and not lines[i - 1].strip() and mended[-2:] != ["::", ""]:
            is_first = not mended or indent(_last(mended)) == 0
            mended += ["::", ""] if is_first else []
        is_plain = not in_formula and section != "Examples"
        mended.append(BARS.sub(r"\\|\1\\|", line) if is_plain else line)
    return mended


def is_formula(lines: list[str], i: int, section: str, in_formula: bool) -> bool:
    """Whether a line belongs to a block of formulas, deeper than the text around it."""
    if section not in ("", "Notes"):
        return False
    line = lines[i]
    if in_formula:
        return not line.strip() or indent(line) >= 4
    begins = i >= 2 and indent(line) == 4 and line.strip() and not lines[i - 1].strip()
    return bool(begins) and indent(lines[i - 2]) == 0 and not lines[i - 2].endswith("::")


def _last(lines: list[str]) -> str:
    return next((line for line in reversed(lines) if line.strip()), "")


def process(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Change a docstring in place, before numpydoc reads it."""
    text = FOREIGN_ROLE.sub(r"\1", "\n".join(lines))
    text = PAGE.sub(r":doc:`/\1`", text)
    lines[:] = mend_lines(text.split("\n"))


def skip(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what other packages add to a class."""
    home = getattr(thing, "__module__", None) or ""
    is_foreign = home.startswith("sklearn") and name not in SKLEARN_SHOWN
    is_request = name.startswith("set_") and name.endswith("_request")
    is_builtin = getattr(thing, "__objclass__", None) in (int, str, BaseException)
    is_of_int = name in ("from_bytes", "to_bytes", "as_integer_ratio", "bit_count", "bit_length")
    return True if is_foreign or is_request or is_builtin or is_of_int else None


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx, ahead of numpydoc."""
    app.connect("autodoc-process-docstring", process, priority=100)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True}
