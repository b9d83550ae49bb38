"""Dates as people write them, decided by all cells of a column."""

import datetime as dt

import pyarrow as pa
import pytest

from bayeswood.table.reading.date_text import read_dates

DAY, MORNING = dt.date(2024, 12, 31), dt.datetime(2024, 12, 31, 8, 30)
DATES = {
    "iso": ("2024-12-31", DAY),
    "iso with a clock": ("2024-12-31 08:30", MORNING),
    "iso with seconds": ("2024-12-31T08:30:00.000000000", MORNING),
    "utc": ("2024-12-31T08:30:00Z", MORNING.replace(tzinfo=dt.UTC)),
    "an offset": ("2024-12-31T10:30:00+02:00", MORNING.replace(tzinfo=dt.UTC)),
    "points": ("31.12.2024", dt.datetime(2024, 12, 31)),
    "points with a clock": ("31.12.2024 08:30", MORNING),
    "month first": ("12/31/2024", dt.datetime(2024, 12, 31)),
    "day first": ("31/12/2024", dt.datetime(2024, 12, 31)),
    "year first": ("2024/12/31", dt.datetime(2024, 12, 31)),
    "a clock": ("08:30", dt.time(8, 30)),
}  # fmt: skip


@pytest.mark.parametrize("case", DATES)
def test_dates(case):
    text, value = DATES[case]
    found = read_dates(pa.array([text, "n/a"]))
    assert found.values.to_pylist() == [value, None]
    assert found.written.missing == ("n/a",)
    assert not found.is_ambiguous


@pytest.mark.parametrize("texts", [
    ["2024-13-01"], ["2024-12-31", "soon"], ["1.5"], ["31.12.24"], ["25:00"], ["2024"], ["1/2"],
    ["31.12.2024", "12/31/2024"], ["n/a"], ["2024-12-31", "2024-12-31T08:30:00Z"],
])  # fmt: skip
def test_what_is_no_column_of_dates(texts):
    assert read_dates(pa.array(texts)) is None


def test_day_and_month_are_told_apart_by_the_column():
    assert read_dates(pa.array(["01/02/2024", "13/02/2024"])).written.date_format == "%d/%m/%Y"
    assert read_dates(pa.array(["01/02/2024", "01/13/2024"])).written.date_format == "%m/%d/%Y"
    unclear = read_dates(pa.array(["01/02/2024"]))
    assert unclear.is_ambiguous
    for settled in (
        read_dates(pa.array(["01/02/2024"]), day_first=True),
        read_dates(pa.array(["01/02/2024"]), remembered="%d/%m/%Y"),
    ):
        assert settled.values.to_pylist() == [dt.datetime(2024, 2, 1)]
        assert not settled.is_ambiguous
