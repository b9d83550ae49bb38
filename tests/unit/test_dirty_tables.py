"""Sixty tables as people save them: the script in examples, and each of its cases."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

SCRIPT = Path(__file__).parents[2] / "examples" / "dirty_tables.py"
spec = importlib.util.spec_from_file_location("dirty_tables", SCRIPT)
dirty_tables = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dirty_tables)
CASES = dirty_tables.cases()


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_dirty_table_is_read_right_or_refused(number):
    _, data, rows, refusal = CASES[number]
    is_right, outcome = dirty_tables.judge(data, rows, refusal)
    assert is_right, outcome


def test_the_script_prints_them_all(capsys):
    assert dirty_tables.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "60 of 60 are read right or refused with one line"
    assert len(lines) == 62


def test_the_generator_covers_what_it_names():
    styles = dirty_tables.make_styles(dirty_tables.random.Random(dirty_tables.SEED))
    for name, values in {
        "separator": ",;\t|",
        "decimal": ".,",
        "missing": dirty_tables.MISSING,
        "dates": dirty_tables.DATES,
        "line_end": ("\n", "\r\n"),
        "encoding": ("utf-8", "utf-8-sig", "utf-16", "utf-16-le"),
        "quotes": ("where needed", "everywhere"),
        "extra": ("comments", "blank lines", "last separator", "sep= line"),
    }.items():
        assert set(values) <= {getattr(style, name) for style in styles}, name


def test_a_wrong_reading_is_noticed():
    _, data, rows, _ = CASES[0]
    other = [{**row, "y": row["y"] + 1} for row in rows]
    assert dirty_tables.judge(data, other, None) == (False, "WRONG: y")
    assert not dirty_tables.judge(b"", rows, None)[0]
