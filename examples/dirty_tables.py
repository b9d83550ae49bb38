"""Sixty tables as people save them, each read right or refused with one line.

The same forty rows are written again and again: with other separators, decimal marks, groups of
thousands, currency marks, words for missing cells, dates, quotes, byte order marks, encodings and
line ends. `bayeswood.read_table` reads them, and what it read is compared with the rows.

    python examples/dirty_tables.py                    the table of all sixty
    python examples/dirty_tables.py 17                 file and notes of one of them
"""

import csv
import io
import random
import sys
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import bayeswood

Row = dict[str, Any]

N_READ, N_ROWS, SEED = 52, 40, 18
DATES = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%Y-%m-%dT08:30:00")
MISSING = ("", "NA", "n/a", "?", "NULL", "-", "unknown", "#N/A", "None", "--")
GROUPS = {".": ("", ",", " ", "'", "\u00a0", "\u202f"), ",": ("", ".", " ", "'", "\u2009")}
TOWNS = ("Köln", 'the "old" town', "Sète; port", "a, b", "two\nlines", "x|y", "Łódź", "tab\there")


@dataclass(frozen=True)
class Style:
    """How a table is written."""

    separator: str = ","
    decimal: str = "."
    thousands: str = ""
    currency: str = ""
    missing: str = ""
    dates: str = "%Y-%m-%d"
    encoding: str = "utf-8"
    line_end: str = "\n"
    quotes: str = "where needed"
    brackets: bool = False
    extra: str = ""

    def number(self, value: float | None, digits: int) -> str:
        """A number in this style."""
        if value is None:
            return self.missing
        text = f"{abs(value):,.{digits}f}".replace(",", "_").replace(".", self.decimal)
        text = f"{self.currency}{text.replace('_', self.thousands)}"
        if value >= 0:
            return text
        return f"({text})" if self.brackets else f"-{text}"


def make_rows(rng: random.Random) -> list[Row]:
    """What every table holds: dates, prices, shares, counts, towns, and a target."""
    first = date(2023, 11, 20)
    rows = []
    for i in range(N_ROWS):
        row: Row = {
            "when": first + timedelta(days=9 * i),
            "price": round(rng.uniform(-9_000, 90_000), 2),
            "share": rng.randrange(1000) / 10,
            "count": rng.randrange(1, 3_000_000),
            "town": rng.choice(TOWNS),
            "open": rng.random() < 0.5,
            "y": round(rng.gauss(5, 2), 4),
        }
        for name in ("when", "price", "share", "count"):
            if rng.random() < 0.1:
                row[name] = None
        rows.append(row)
    return rows


def make_styles(rng: random.Random) -> list[Style]:
    """A seeded walk over all that differs; every value of every kind comes up."""
    styles = []
    for i in range(N_READ):
        decimal = ".,"[i % 2]
        styles.append(
            Style(
                separator=",;\t|"[(i // 2) % 4],
                decimal=decimal,
                thousands=rng.choice(GROUPS[decimal]),
                currency=rng.choice(("", "", "$", "€", "£ ")),
                missing=MISSING[i % len(MISSING)],
                dates=DATES[i % len(DATES)],
                encoding=rng.choice(("utf-8", "utf-8-sig", "utf-16", "utf-8", "utf-16-le")),
                line_end=rng.choice(("\n", "\r\n")),
                quotes=rng.choice(("where needed", "everywhere")),
                brackets=rng.random() < 0.5,
                extra=("", "", "comments", "blank lines", "last separator", "sep= line")[i % 6],
            )
        )
    return styles


def write(rows: list[Row], style: Style) -> bytes:
    """The bytes of a file in a style."""
    text = io.StringIO(newline="")
    writer = csv.writer(
        text,
        delimiter=style.separator,
        lineterminator=style.line_end,
        quoting=csv.QUOTE_ALL if style.quotes == "everywhere" else csv.QUOTE_MINIMAL,
    )
    last = [""] if style.extra == "last separator" else []
    writer.writerow([*rows[0], *last])
    for i, row in enumerate(rows):
        writer.writerow([*_cells(row, style), *last])
        if style.extra == "blank lines" and i % 7 == 3:
            text.write(style.line_end)
    before = {
        "comments": f"# written by hand{style.line_end}# not checked{style.line_end}",
        "sep= line": f"sep={style.separator}{style.line_end}",
    }
    return (before.get(style.extra, "") + text.getvalue()).encode(style.encoding)


def _cells(row: Row, style: Style) -> list[str]:
    when = style.missing if row["when"] is None else row["when"].strftime(style.dates)
    share = Style(decimal=style.decimal, missing=style.missing).number(row["share"], 1)
    return [
        when,
        style.number(row["price"], 2),
        share if row["share"] is None else share + "%",
        style.number(row["count"], 0).replace(style.currency or "\0", ""),
        row["town"],
        str(row["open"]).lower(),
        Style(decimal=style.decimal).number(row["y"], 4),
    ]


def faults(rows: list[Row]) -> list[tuple[str, bytes, str]]:
    """Files that cannot be read as they are: (name, bytes, words of the refusal)."""
    good = write(rows, Style())
    latin = write([{**row, "town": "Köln"} for row in rows], Style(encoding="latin-1"))
    lines = good.decode().splitlines(keepends=True)
    return [
        ("Latin-1, not said so", latin, "--encoding"),
        ("a row too short", good + b"2024-01-01,5\n", "cells where the header has"),
        ("a comment among the rows", good + b"# the end\n", "cells where the header has"),
        ("a header alone", lines[0].encode(), "no rows"),
        ("no bytes", b"", "empty"),
        ("two columns of one name", good.replace(b"price", b"share", 1), "more than once"),
        ("half a gzip file", b"\x1f\x8b\x08\x00half", "gzip"),
        ("a picture", b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe\xfd", ""),
    ]


def differences(read: Any, rows: list[Row]) -> list[str]:
    """Names of the columns that were not read as they were meant."""
    wrong = []
    for name in rows[0]:
        if name not in read.table.column_names:
            wrong.append(name)
            continue
        found = read.table[name].to_pylist()
        if len(found) != len(rows) or not all(map(_same, found, (row[name] for row in rows))):
            wrong.append(name)
    return wrong


def _same(found: Any, meant: Any) -> bool:
    if meant is None or found is None:
        return found is None and meant is None
    if isinstance(meant, date):
        return str(found)[:10] == meant.isoformat()
    if isinstance(meant, float):
        is_near = not isinstance(found, str) and abs(found - meant) < 1e-9 * max(1, abs(meant))
        return bool(is_near)
    return bool(found == meant)


def cases() -> list[tuple[str, bytes, list[Row] | None, str | None]]:
    """All sixty: (what is odd, bytes, rows or None, words of the refusal or None)."""
    rng = random.Random(SEED)
    rows = make_rows(rng)
    return [
        *((_words(style), write(rows, style), rows, None) for style in make_styles(rng)),
        *((name, data, None, refusal) for name, data, refusal in faults(rows)),
    ]


def _words(style: Style) -> str:
    shown = {"\t": "tab", " ": "blank", "\u00a0": "nbsp", "\u2009": "thin", "\u202f": "nnbsp"}
    marks = [shown.get(mark, mark) for mark in (style.separator, style.decimal, style.thousands)]
    encoding = style.encoding.replace("utf-8-sig", "utf-8 BOM")
    cells = [marks[0], marks[1], marks[2], style.currency, style.missing, style.dates, encoding]
    widths = (4, 2, 6, 3, 8, 18, 10)
    return "".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def judge(data: bytes, rows: list[Row] | None, refusal: str | None) -> tuple[bool, str]:
    """Whether a table was read right or refused with one line, and what to print of it."""
    try:
        read = bayeswood.read_table(io.BytesIO(data))
    except bayeswood.BayeswoodError as error:
        is_line = "\n" not in str(error) and refusal is not None and refusal in str(error)
        return is_line, "refused" if is_line else f"WRONG: {error}"
    wrong = differences(read, rows) if rows else ["everything"]
    if wrong:
        return False, f"WRONG: {', '.join(wrong)}"
    n_loud = sum(note.loud for note in read.notes)
    return True, f"read right, {len(read.notes)} notes" + (f", {n_loud} loud" if n_loud else "")


def main(only: int | None = None) -> int:
    """Print the table, or one case in full."""
    if only is not None:
        words, data, _, _ = cases()[only]
        print(words, data[:600], bayeswood.read_table(io.BytesIO(data)), sep="\n\n")
        return 0
    print("     sep .  groups    missing dates             encoding")
    n_right, tables = 0, cases()
    for number, (words, data, rows, refusal) in enumerate(tables):
        is_right, outcome = judge(data, rows, refusal)
        n_right += is_right
        print(f"{number:3}  {words:51} {outcome}")
    print(f"{n_right} of {len(tables)} are read right or refused with one line")
    return 0 if n_right == len(tables) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
