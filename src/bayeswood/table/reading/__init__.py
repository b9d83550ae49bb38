"""Tables from files as they are: separators, marks of numbers, missing words, dates."""

from bayeswood.table.reading.note import Note, note_lines
from bayeswood.table.reading.read_table import ReadTable, read_table

__all__ = ["Note", "ReadTable", "note_lines", "read_table"]
