"""How many standard deviations a central interval reaches to either side.

Single numbers, by the standard library: importing ``scipy.special`` takes longer than reading a
saved forest and predicting with it.
"""

import math
from statistics import NormalDist

_MOST_STEPS = 2_000
_PRECISE = 1e-15


def normal_reach(coverage: float) -> float:
    """Find z with P(|Z| <= z) = coverage, Z standard normal."""
    level = (1.0 + coverage) / 2.0
    return NormalDist().inv_cdf(level) if level < 1.0 else math.inf


def student_reach(degrees: int, coverage: float) -> float:
    """Find t with P(|T| <= t) = coverage, T Student's on a whole number of degrees of freedom.

    Newton's steps from the normal quantile, which lies below: P(|T| <= t) is concave for t > 0, so
    that no step passes the answer.
    """
    reach = normal_reach(coverage)
    if not 0.0 < reach < math.inf:
        return reach
    density_at_0 = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2))
    density_at_0 /= math.sqrt(degrees * math.pi)
    for _ in range(_MOST_STEPS):
        density = density_at_0 * (1.0 + reach**2 / degrees) ** (-(degrees + 1) / 2)
        step = (coverage - _within(degrees, reach)) / (2.0 * density)
        reach += step
        if not abs(step) > _PRECISE * reach:
            break
    return reach


def _within(degrees: int, t: float) -> float:
    """P(|T| <= t): sine times powers of cosine of θ = atan(t / √ν) (Abramowitz, Stegun 26.7.3)."""
    angle = math.atan(t / math.sqrt(degrees))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    is_odd = degrees % 2
    term = math.cos(angle) if is_odd else 1.0
    total = 0.0
    for k in range(1 + is_odd, degrees, 2):
        total += term
        term *= square * k / (k + 1)
    return 2.0 / math.pi * (angle + sine * total) if is_odd else sine * total
