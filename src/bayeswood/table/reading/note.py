"""What a reader of a table should tell its user."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_LISTED = 4


@dataclass(frozen=True)
class Note:
    """One thing that was taken for granted while a table was read.

    Attributes
    ----------
    kind : str
        What it is about, in a word: ``"number"``, ``"ambiguous"``, ``"date"``, ``"category"``,
        ``"id"``, ``"constant"``, ``"empty"``, ``"zeros"`` and ``"differs"`` (from training) of a
        column; ``"header"``, ``"encoding"`` and ``"lines"`` of a file.
    text : str
        What was done, without the column's name.
    column : str or None
        The column; None if it is about the whole table.
    loud : bool
        Whether it may well be wrong, so that the user has to look.
    """

    kind: str
    text: str
    column: str | None = None
    loud: bool = False

    def __str__(self) -> str:
        return _line(self.text, [] if self.column is None else [self.column], loud=self.loud)


def note_lines(notes: Iterable[Note]) -> list[str]:
    """Notes as lines, the loud ones first; columns of which the same is said share a line.

    Examples
    --------
    >>> note_lines([Note("decimal", "decimal comma.", "a"), Note("decimal", "decimal comma.", "b")])
    ["columns 'a', 'b': decimal comma."]
    """
    columns: dict[tuple[bool, str], list[str]] = {}
    for note in notes:
        own = columns.setdefault((note.loud, note.text), [])
        if note.column is not None:
            own.append(note.column)
    ordered = sorted(columns.items(), key=lambda item: not item[0][0])
    return [_line(text, names, loud=loud) for (loud, text), names in ordered]


def _line(text: str, names: list[str], *, loud: bool) -> str:
    mark = "PLEASE CHECK: " if loud else ""
    if not names:
        return mark + text
    shown = ", ".join(f"'{name}'" for name in names[:_LISTED])
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{mark}column{'s' if len(names) > 1 else ''} {shown}{more}: {text}"
