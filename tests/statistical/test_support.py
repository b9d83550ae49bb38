"""Support is calibrated on new rows, and falls where there are none."""

import numpy as np
import pytest
from gap_problems import JUDGED, N_ASKED, PROBLEMS
from sklearn.metrics import roc_auc_score

from bayeswood import RandomForestRegressor
from bayeswood.uncertainty import RowSupport


def fit(name, rng, n_rows):
    """A forest of a problem whose first columns matter, and how to make more rows."""
    make, categories = {**PROBLEMS, **JUDGED}[name]
    rows = make(rng, n_rows, gap=False)
    y = np.nan_to_num(rows[:, :3]).clip(-9, 9).sum(axis=1) + 0.3 * rng.normal(size=n_rows)
    forest = RandomForestRegressor(
        n_estimators=20, categorical_features=list(categories), random_state=0
    )
    return forest.fit(rows, y).support, make


@pytest.mark.parametrize("name", [*PROBLEMS, *JUDGED])
def test_gaps_are_told_from_fresh_rows(name, rng):
    support, make = fit(name, rng, 500)
    fresh, gap = (support(make(rng, N_ASKED, gap=is_gap)) for is_gap in (False, True))
    is_fresh = np.repeat([True, False], N_ASKED)
    # Measured on other seeds: .97 to 1.00; a single area has a standard error below .01.
    assert roc_auc_score(is_fresh, np.concatenate([fresh, gap])) >= 0.95
    assert np.mean(gap < 0.05) >= 0.8


@pytest.mark.parametrize("n_rows", [40, 400])
@pytest.mark.parametrize(
    "name", ["gap", "gap beside 20 normal", "ring beside 5", "4 clusters in 10 dimensions"]
)
def test_support_of_fresh_rows_is_uniform(name, n_rows, rng):
    found = []
    for _ in range(40):
        support, make = fit(name, rng, n_rows)
        found.append(support(make(rng, N_ASKED, gap=False)))
    # A fit of n rows is below a in a share of sd √(a(1-a)/n), 40 of them: .0056 at a = .05 and
    # .0125 at a = .5 with 40 rows. Support is not quite exact, and errs to the safe side.
    for level, slack in ((0.05, 0.025), (0.2, 0.05), (0.5, 0.08)):
        share = np.mean(np.array(found) < level)
        assert level - 2 * slack < share < level + slack


def test_shuffled_columns_are_told_from_dependent_ones(rng):
    """The negative control: shuffling columns that are independent changes nothing."""
    for dependent, low, high in ((True, 0.9, 1.0), (False, 0.45, 0.55)):
        base = rng.normal(size=(1000, 2 if dependent else 6))
        rows = base @ rng.normal(size=(2, 6)) if dependent else base
        support = RowSupport.fit(rows[:400], np.zeros(6, dtype=np.bool_), np.ones(6))
        fresh = rows[400:700]
        shuffled = rng.permuted(rows[700:], axis=0)
        area = roc_auc_score(
            np.repeat([True, False], 300), np.concatenate([support(fresh), support(shuffled)])
        )
        # The standard error is .024; both bounds are two of them or more away.
        assert low <= area <= high
