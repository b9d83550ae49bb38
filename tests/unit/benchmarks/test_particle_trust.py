"""The tables about how far to trust particles: a quick run of each, and their arithmetic."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from bayeswood import SMCTreeRegressor
from benchmarks.particle_trust import fits
from benchmarks.particle_trust.__main__ import main
from benchmarks.particle_trust.comparisons import COMPARISONS


@pytest.mark.parametrize("table", ["moves", "moves-optimal", "threshold"])
def test_a_line_for_every_setting(table, capsys):
    main([table, "--quick"])
    told = capsys.readouterr().out
    for label in COMPARISONS[table]:
        assert f"| generated | {label} |" in told
    assert told.count(" of 1 sets ") == len(COMPARISONS[table]) - 1


def test_the_table_of_the_evidence(capsys):
    main(["evidence", "--quick"])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("| generated | 100 | ")
    assert last.count("|") == 9


def test_one_fit_says_what_the_estimator_says():
    split = fits.load(fits.GENERATED)
    found = fits.fit(split, 3, {"n_particles": 50})
    assert found.p.shape == (200, 2)
    code = np.searchsorted(np.unique(split.y), split.y_test)
    assert found.log_p == pytest.approx(np.log(found.p[np.arange(200), code]).mean())
    assert found.warned == (found.island_sd > 2)


@pytest.mark.filterwarnings("ignore::bayeswood.posterior.IslandsDisagree")
def test_the_density_of_numbers_integrates_to_one(rng):
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    grid = np.linspace(-60, 60, 20_001)
    model = SMCTreeRegressor(30, random_state=0).fit(X, y)
    split = fits.Split("mcycle", X, y, np.repeat(X[:1], len(grid), axis=0), grid)
    density = np.exp(fits._numbers(model, split)[0])
    assert trapezoid(density, grid) == pytest.approx(1, abs=1e-3)
