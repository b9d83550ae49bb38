import math

import pytest
from scipy import stats

from bayeswood.uncertainty.reach import normal_reach, student_reach

COVERAGES = [1e-6, 0.01, 0.3, 0.5, 0.8, 0.9, 0.95, 0.99, 0.9999]


@pytest.mark.parametrize("coverage", COVERAGES[1:])  # differences of the first lose digits
def test_reaches_cover_what_they_should(coverage):
    reach = normal_reach(coverage)
    assert stats.norm.cdf(reach) - stats.norm.cdf(-reach) == pytest.approx(coverage, rel=1e-9)
    for degrees in (1, 2, 3, 4, 7, 19, 29, 30, 99, 500, 2001):
        of_t, reach = stats.t(degrees), student_reach(degrees, coverage)
        assert of_t.cdf(reach) - of_t.cdf(-reach) == pytest.approx(coverage, rel=1e-9)


def test_one_and_two_degrees_have_closed_forms():
    for coverage in COVERAGES:
        assert student_reach(1, coverage) == pytest.approx(
            math.tan(math.pi / 2 * coverage), rel=1e-11
        )
        right = coverage * math.sqrt(2 / (1 - coverage**2))
        assert student_reach(2, coverage) == pytest.approx(right, rel=1e-11)


def test_nothing_and_all_are_covered_at_the_ends():
    assert normal_reach(0.0) == student_reach(5, 0.0) == 0.0
    assert normal_reach(1.0) == student_reach(5, 1.0) == math.inf
