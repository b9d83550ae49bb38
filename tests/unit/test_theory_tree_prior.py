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
PMF_300 = {2: 0.49, 3: 0.2058, 4: 0.108045, 5: 0.06353046, 10: 0.009010842368445878}


def test_known_values():
    for lam, pmf in ((0.475, PMF_475), (0.3, PMF_300)):
        found = prior_leaf_count_pmf(lam, list(pmf))
        np.testing.assert_allclose(found, list(pmf.values()), rtol=1e-12)


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
