"""Sums without rounding: the same in any order, and the nearest float at the end."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayeswood.table.exact_sum import UNIT, exact_sum

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(st.lists(st.floats(0, 1e300), max_size=30))
def test_the_sum_is_the_nearest_float(values):
    assert exact_sum(np.array(values, dtype=float)) / UNIT == math.fsum(values)


@given(st.lists(FINITE, max_size=20), st.integers(0, 20))
def test_parts_add_up_to_the_whole(values, cut):
    whole = np.array(values, dtype=float)
    assert exact_sum(whole[:cut]) + exact_sum(whole[cut:]) == exact_sum(whole[::-1])


def test_the_smallest_float_counts():
    smallest = 5e-324
    assert exact_sum(np.array([1.0, smallest])) - exact_sum(np.array([1.0])) == UNIT >> 1074
    assert exact_sum(np.array([smallest])) / UNIT == smallest


def test_many_rows_stay_in_range():
    ones = np.full(100_000, np.nextafter(1.0, 0))
    assert exact_sum(ones) == 100_000 * exact_sum(ones[:1])
