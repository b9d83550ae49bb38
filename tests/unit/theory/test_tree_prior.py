from fractions import Fraction
from math import comb

import numpy as np
import pytest

from bayeswood.errors import BayeswoodError
from bayeswood.theory import prior_leaf_count_pmf

PMF_475 = {
    2: 0.27562500000000006,
    3: 0.13746796875000003,
    4: 0.08570268676757821,
    5: 0.05984190103546151,
    6: 0.044769222212154576,
    8: 0.028437628548878463,
    10: 0.020042729516762944,
    20: 0.006775982459181394,
}
PMF_300 = {
    2: 0.48999999999999994,
    3: 0.20579999999999996,
    4: 0.108045,
    5: 0.06353046000000001,
    6: 0.04002418979999995,
    8: 0.018028896295409984,
    10: 0.009010842368445878,
    20: 0.0005463168768235625,
}
PMF_400 = {2: 0.36, 3: 0.1728, 6: 0.0501645312, 10: 0.01926670239085359, 20: 0.004440236303284361}
PMF_500 = {2: 0.25, 3: 0.125, 5: 0.0546875, 10: 0.0185470581054687, 20: 0.006429266031773274}
PMF_550 = {2: 0.2025, 3: 0.1002375, 10: 0.013862501565894737, 20: 0.004345901893426088}
KNOWN = {0.3: PMF_300, 0.4: PMF_400, 0.475: PMF_475, 0.5: PMF_500, 0.55: PMF_550}


@pytest.mark.parametrize("lam", list(KNOWN))
def test_known_values(lam):
    found = prior_leaf_count_pmf(lam, list(KNOWN[lam]))
    np.testing.assert_allclose(found, list(KNOWN[lam].values()), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("lam", "n", "exceeds"),
    [
        (0.3, 10, 0.02652441886135737),
        (0.4, 100, 0.0002705589407797637),
        (0.475, 50, 0.08717905385610669),
        (0.5, 1000, 0.03567802229170647),
    ],
)
def test_known_tails(lam, n, exceeds):
    within = prior_leaf_count_pmf(lam, np.arange(2, n + 1)).sum()
    assert 1 - within == pytest.approx(exceeds, abs=1e-12)


@pytest.mark.parametrize("n", [2, 3, 17, 250, 401, 402, 3000])
@pytest.mark.parametrize("lam", [0.05, 0.475, 0.5, 0.9])
def test_equals_the_formula_in_rational_arithmetic(n, lam):
    exact_lam = Fraction(lam)
    catalan = Fraction(comb(2 * n - 2, n - 1), n)
    exact = catalan * exact_lam ** (n - 2) * (1 - exact_lam) ** n
    assert prior_leaf_count_pmf(lam, n) == pytest.approx(float(exact), rel=1e-11, abs=1e-300)


def test_moments_at_475():
    n = np.arange(1, 60_000)
    pmf = prior_leaf_count_pmf(0.475, n)
    assert pmf.sum() == pytest.approx(1.0, abs=1e-12)
    assert pmf @ n == pytest.approx(21.0, rel=1e-9)
    assert np.sqrt(pmf @ (n - 21.0) ** 2) == pytest.approx(63.16644678941494, rel=1e-7)
    assert pmf[n > 1000].sum() == pytest.approx(4.3442737439325e-4, rel=1e-9)
    assert n[np.searchsorted(np.cumsum(pmf), 0.5)] == 5


def test_mass_that_is_missing_above_one_half():
    """A branch below the root is finite with probability (1 - λ)/λ; the root has two."""
    pmf = prior_leaf_count_pmf(0.6, np.arange(2, 20_000))
    assert pmf.sum() == pytest.approx((0.4 / 0.6) ** 2, rel=1e-12)


def test_ends():
    np.testing.assert_array_equal(prior_leaf_count_pmf(0.0, [0, 1, 2, 3]), [0, 0, 1, 0])
    np.testing.assert_array_equal(prior_leaf_count_pmf(1.0, [1, 2, 3]), [0, 0, 0])
    assert isinstance(prior_leaf_count_pmf(0.5, 2), float)
    assert prior_leaf_count_pmf(0.5, -3) == 0.0


@pytest.mark.parametrize("lam", [-0.1, 1.1, float("nan")])
def test_refuses_what_is_no_probability(lam):
    with pytest.raises(BayeswoodError, match=r"'split_probability'.*in \[0, 1\]"):
        prior_leaf_count_pmf(lam, 2)


def test_refuses_half_a_leaf():
    with pytest.raises(BayeswoodError, match="'n_leaves'"):
        prior_leaf_count_pmf(0.4, 2.5)
