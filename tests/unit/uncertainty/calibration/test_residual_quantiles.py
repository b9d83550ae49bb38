"""Order statistics of scaled residuals."""

import numpy as np
import pytest

from bayeswood.uncertainty import ResidualQuantiles


@pytest.mark.parametrize("n", [1, 2, 19, 20, 99])
@pytest.mark.parametrize("level", [0.0, 0.01, 0.05, 0.3, 0.5, 0.7, 0.95, 0.99, 1.0])
def test_ranks_are_those_of_the_finite_sample(n, level, rng):
    values = np.sort(rng.normal(size=n))
    wanted = (n + 1) * level
    rank = np.ceil(wanted - 1e-9) if level >= 0.5 else np.floor(wanted + 1e-9)
    expected = values[int(np.clip(rank, 1, n)) - 1]
    assert ResidualQuantiles.of(rng.permutation(values)).at(np.array([level]))[0] == expected
    equal = ResidualQuantiles.of(values, np.full(n, 0.3))
    assert equal.at(np.array([level]))[0] == expected


def test_quantiles_are_monotone_and_weights_count(rng):
    levels = np.linspace(0, 1, 301)
    z = ResidualQuantiles.of(rng.normal(size=50), rng.exponential(size=50))
    assert (np.diff(z.at(levels)) >= 0).all()
    heavy = ResidualQuantiles.of(np.array([-1.0, 0.0, 1.0]), np.array([1e-6, 1e-6, 1.0]))
    assert heavy.at(np.array([0.5]))[0] == 1.0


def test_the_reach_is_that_of_the_outermost_rank():
    z = ResidualQuantiles.of(np.arange(19.0))
    assert z.reach == pytest.approx(0.95)
    assert z.at(np.array([0.95, 0.99])).tolist() == [18.0, 18.0]
    assert z.at(np.array([0.9]))[0] == 17.0


def test_coverage_of_the_finite_sample_is_the_promised_one(rng):
    """One more exchangeable draw lies in the 80 % interval of 9 with probability exactly 0.8."""
    draws = rng.normal(size=(20_000, 10))
    covered = []
    for sample in draws:
        low, high = ResidualQuantiles.of(sample[:9]).at(np.array([0.1, 0.9]))
        covered.append(low <= sample[9] <= high)
    # Standard error 0.0028; a false alarm is beyond five of them.
    assert np.mean(covered) == pytest.approx(0.8, abs=0.015)
