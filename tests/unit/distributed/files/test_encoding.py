"""Levels seen in pieces: what a fit in memory would read otherwise is refused by name."""

import pyarrow as pa
import pytest

from bayeswood.distributed.files.column_roles import Roles
from bayeswood.distributed.files.encoding import LevelsSeen
from bayeswood.errors import BayeswoodError


def seen(values, kind="string", forced=()):
    roles = Roles(("c",), ("y",), True, None, forced)
    levels = LevelsSeen(roles, {"c": kind}, "fit_parquet")
    levels.add(pa.RecordBatch.from_pydict({"c": values}))
    return levels.schema()


UNCLEAN = {
    "decimal commas": (["1,5", "2,5"], "not written plainly, such as '1,5'.*--decimal"),
    "missing words": (["1", "n/a"], "not written plainly.*--na"),
    "iso dates": (["2024-01-01", "2024-01-02"], "holds dates"),
    "other dates": (["31.12.2024", "01.01.2024"], "holds dates"),
}


@pytest.mark.parametrize("case", UNCLEAN)
def test_text_that_is_no_category_in_memory_is_refused(case):
    values, words = UNCLEAN[case]
    with pytest.raises(BayeswoodError, match=f"'c'.*{words}"):
        seen(values)
    assert seen(values, forced=("c",)).columns[0].levels == tuple(sorted(values))


@pytest.mark.parametrize("values", [["a", "b"], ["1", "2"], ["1", "a"], ["2024-01-01", "soon"]])
def test_words_and_plain_digits_stay_levels(values):
    schema = seen(values)
    assert schema.columns[0].levels == tuple(sorted(values))
    assert schema.reading.target == "y"


def test_dates_of_typed_files_are_refused():
    with pytest.raises(BayeswoodError, match="'c' holds dates"):
        seen(pa.array([0], pa.date32()), "date32[day]")
