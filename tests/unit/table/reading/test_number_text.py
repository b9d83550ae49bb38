"""Marks of numbers, decided by all cells of a column."""

import pyarrow as pa
import pytest

from bayeswood.table.reading.number_text import looks_like_numbers, read_numbers

NUMBERS = {
    "plain": (["1", "2.5", "-3e2"], [1.0, 2.5, -300.0], (".", "")),
    "decimal comma": (["1,5", "2", "-0,25"], [1.5, 2.0, -0.25], (",", "")),
    "both marks": (["1,234.5", "12", "3,000,000"], [1234.5, 12.0, 3e6], (".", ",")),
    "the other way": (["1.234,5", "12"], [1234.5, 12.0], (",", ".")),
    "blanks": (["1 234,5", "12 000"], [1234.5, 12000.0], (",", " ")),
    "thin blanks": (["1\u00a0234.5", "12\u202f000", "1\u2009000"], [1234.5, 12e3, 1e3], (".", " ")),
    "apostrophes": (["1'234.5", "12’000"], [1234.5, 12e3], (".", "'")),
    "a leading zero": (["0,125", "1,250"], [0.125, 1.25], (",", "")),
    "whole": (["1'234", "7"], [1234, 7], (".", "'")),
    "signs": (["+5", "\u22125", "5-"], [5, -5, -5], (".", "")),
    "brackets": (["(12.5)", "3"], [-12.5, 3.0], (".", "")),
    "currency": (["$1,234.50", "-$3", "$ 7"], [1234.5, -3.0, 7.0], (".", ",")),
    "currency behind": (["1.234,50 €", "3 €"], [1234.5, 3.0], (",", ".")),
    "codes": (["EUR 5", "7.5 EUR"], [5.0, 7.5], (".", "")),
    "percent": (["12%", "5 %"], [12, 5], (".", "")),
    "outer blanks": ([" 1 ", "2\t"], [1, 2], (".", "")),
    "no digit before the mark": ([",5", "1,5"], [0.5, 1.5], (",", "")),
}  # fmt: skip


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers(case):
    texts, values, marks = NUMBERS[case]
    found = read_numbers(pa.array(texts))
    assert found.values.to_pylist() == values
    assert (found.written.decimal, found.written.thousands) == marks
    assert found.other is None


@pytest.mark.parametrize(
    "word", ["n/a", "N/A", "unknown", "?", "NULL", "-", "--", "#N/A", "none", " "]
)
def test_words_among_numbers_are_missing(word):
    found = read_numbers(pa.array(["1,5", word, "2,5"]))
    assert found.values.to_pylist() == [1.5, None, 2.5]
    assert found.written.missing == (word.strip(),)


@pytest.mark.parametrize("texts", [
    ["a", "1"], ["n/a"], ["1,5", "1.5.5"], ["1,23,456"], ["$5", "€5"], ["1.2.3"], ["12:30"],
    ["1 2"], ["--5"], ["5%%"], ["1,5", "1,234.5"],
])  # fmt: skip
def test_what_is_no_column_of_numbers(texts):
    assert read_numbers(pa.array(texts)) is None


@pytest.mark.parametrize(("texts", "marks", "other"), [
    (["1,234", "5,678"], (".", ","), (",", "")),
    (["1.234", "5.678"], (".", ""), (",", ".")),
    (["1,234", "12"], (".", ","), (",", "")),
])  # fmt: skip
def test_what_could_be_either_says_so(texts, marks, other):
    found = read_numbers(pa.array(texts))
    assert (found.written.decimal, found.written.thousands) == marks
    assert (found.other.decimal, found.other.thousands) == other
    insisted = read_numbers(pa.array(texts), decimal=other[0])
    assert (insisted.written.decimal, insisted.written.thousands) == other
    assert insisted.other is None


def test_whole_numbers_are_clear():
    assert read_numbers(pa.array(["$1", "$2345"])).other is None


def test_the_users_marks_are_obeyed():
    assert read_numbers(pa.array(["1,5"]), decimal=".") is None
    assert read_numbers(pa.array(["1,234"]), thousands=",").values.to_pylist() == [1234]
    assert read_numbers(pa.array(["1.5"]), thousands=",").values.to_pylist() == [1.5]


def test_what_looks_like_a_number_by_itself():
    texts = ["1,5", "(3)", "$2", "4 %", "1.2.3", "abc", "a1", "12 km", ""]
    assert looks_like_numbers(pa.array(texts)).to_pylist() == [True] * 5 + [False] * 4
