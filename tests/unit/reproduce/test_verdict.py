"""The rule that calls a printed cell equal to ours, or not, where the truth is known."""

import numpy as np
import pytest
from scipy import stats

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce.verdict import (
    AGREES,
    BOTH_SPREADS,
    DIFFERS,
    DIGITS,
    LEVEL,
    ONE_SPREAD,
    Reading,
    judge,
)


def printed_as(values, unit):
    """A mean and a standard deviation as a paper would round them."""
    digits = round(-np.log10(unit))
    return round(float(values.mean()), digits), round(float(values.std(ddof=1)), digits)


def share_different(rng, *, shift, n_printed, n_ours, n_tables=20_000, spread="sd"):
    """How often the rule says "differs" where the means are `shift` standard errors apart."""
    factor = {"sd": 1.0, "two sd": 2.0, "se": 1 / np.sqrt(n_printed), None: None}[spread]
    reading = Reading(0.01, spread, n_printed)
    error = 3.0 * np.sqrt(1 / n_printed + 1 / n_ours)
    n_different = 0
    for _ in range(n_tables):
        mean, sd = printed_as(rng.normal(80.0, 3.0, n_printed), 0.01)
        ours = rng.normal(80.0 + shift * error, 3.0, n_ours)
        behind = None if factor is None else factor * sd
        n_different += judge(mean, behind, ours, reading).word == DIFFERS
    return n_different / n_tables


@pytest.mark.parametrize("spread", ["sd", "two sd", "se", None])
def test_equal_experiments_differ_in_one_cell_of_a_hundred(spread):
    """Five standard errors of the share around .01: fails by chance once in a million."""
    share = share_different(
        np.random.default_rng(3), shift=0, n_printed=5, n_ours=20, spread=spread
    )
    assert share == pytest.approx(LEVEL, abs=5 * np.sqrt(0.01 * 0.99 / 20_000))


def test_five_standard_errors_are_seen():
    """A noncentral t says how often: 98 % with 23 degrees of freedom."""
    rng = np.random.default_rng(4)
    share = share_different(rng, shift=5, n_printed=5, n_ours=20, n_tables=4000)
    limit = stats.t.isf(LEVEL / 2, 23)
    power = stats.nct.sf(limit, 23, 5) + stats.nct.cdf(-limit, 23, 5)
    assert share == pytest.approx(power, abs=0.01)
    assert share > 0.97


def test_the_p_value_is_students():
    """Against scipy's test of two samples with pooled variance, rounding aside."""
    rng = np.random.default_rng(5)
    theirs, ours = rng.normal(0.0, 1.0, 5), rng.normal(1.0, 1.0, 12)
    reading = Reading(1e-12, "sd", 5)
    found = judge(theirs.mean(), theirs.std(ddof=1), ours, reading)
    assert found.p == pytest.approx(stats.ttest_ind(theirs, ours).pvalue, rel=1e-6)
    assert (found.basis, found.n_repeats) == (BOTH_SPREADS, 12)


def test_the_heart_cell_that_two_printed_sds_let_pass():
    """S-Bayes on heart, trained on unbalanced classes: 79.9, sd 4.4 over 20 repeats."""
    ours = 79.9 + 4.4 * stats.zscore(np.arange(20.0), ddof=1)
    reading = Reading(0.01, "sd", 5)
    assert judge(87.41, 5.61, ours, reading).word == DIFFERS
    assert abs(87.41 - 79.9) < 2 * 5.61
    balanced = 85.2 + 4.1 * stats.zscore(np.arange(20.0), ddof=1)
    assert judge(87.41, 5.61, balanced, reading).word == AGREES


def test_half_a_unit_is_rounding():
    reading = Reading(unit=0.001)
    assert judge(0.156, None, [0.1565], reading).word == AGREES
    assert judge(0.156, None, [0.15651], reading).word == DIFFERS
    assert judge(0.156, None, [0.15625], reading).basis == DIGITS


def test_repeats_without_any_spread():
    reading = Reading(0.1, "sd", 5)
    assert judge(100.0, 0.0, [100.0] * 5, reading).p == 1.0
    assert judge(98.0, 0.0, [100.0] * 5, reading).word == DIFFERS


def test_without_a_printed_spread_ours_counts_alone():
    known = judge(10.0, None, [9.0, 11.0, 10.0, 10.5], Reading(0.1, None, 10))
    unknown = judge(10.0, None, [9.0, 11.0, 10.0, 10.5], Reading(0.1))
    assert known.basis == unknown.basis == ONE_SPREAD
    far = [10.9, 11.1, 11.0, 11.05]
    assert judge(10.0, None, far, Reading(0.1)).p < judge(10.0, None, far, Reading(0.1, None, 3)).p


def test_a_single_number_of_ours_is_held_against_the_printed_spread():
    found = judge(10.0, 2.0, [11.0], Reading(1e-12, "sd", 4))
    assert found.p == pytest.approx(2 * stats.t.sf(1.0, 3), rel=1e-6)
    assert found.basis == ONE_SPREAD


def test_bad_input():
    with pytest.raises(BayeswoodError, match="finite"):
        judge(1.0, None, [np.nan], Reading(0.1))
    with pytest.raises(BayeswoodError, match="finite"):
        judge(1.0, None, [], Reading(0.1))
    with pytest.raises(BayeswoodError, match="number of repeats"):
        judge(1.0, 0.5, [1.0], Reading(0.1, "sd"))
