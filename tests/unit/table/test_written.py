"""What a model remembers of a file: plain data that is not trusted."""

import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.table.written import METADATA_KEY, Reading, Written

READING = Reading("y", ("gone",), {"a": Written(decimal=",", thousands=".", missing=("n/a",))})


def test_there_and_back():
    assert Reading.from_json(READING.to_json()) == READING
    assert Reading.from_metadata(READING.metadata()) == READING
    assert READING.of("b") == Written()
    assert READING.of_columns(["b"]).written == {}


def test_a_foreign_table_carries_nothing():
    assert Reading.from_metadata(None) == Reading()
    assert Reading.from_metadata({METADATA_KEY: b"not json"}) == Reading()
    assert Reading.from_metadata({METADATA_KEY: b"[1]"}) == Reading()


def changed(**members):
    plain = READING.to_json()
    plain["written"]["a"].update(members)
    return plain


@pytest.mark.parametrize("plain", [
    [], {}, {**READING.to_json(), "target": 3}, {**READING.to_json(), "na": "x"},
    {**READING.to_json(), "na": [1]}, {**READING.to_json(), "written": []},
    changed(decimal=";"), changed(thousands="-"), changed(percent=1), changed(missing=None),
    changed(currency="x" * 2000), changed(more=1),
])  # fmt: skip
def test_what_no_file_of_ours_holds_is_refused(plain):
    with pytest.raises(BayeswoodError):
        Reading.from_json(plain)
