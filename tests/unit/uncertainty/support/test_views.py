"""Which columns are looked at together."""

import numpy as np

from bayeswood.uncertainty.support.views import choose_views


def views_of(rows, use=None):
    n_features = rows.shape[1]
    numbers = np.zeros(n_features, dtype=np.bool_)
    use = np.ones(n_features) if use is None else np.asarray(use, dtype=np.float64)
    return choose_views(np.ascontiguousarray(rows.T), numbers, use, 3, 1)


def pairs_of(views):
    return {tuple(np.flatnonzero(w)) for w in views.weights[: views.n_pairs]}


def test_one_column_has_one_view(rng):
    views = views_of(rng.normal(size=(50, 1)))
    assert (len(views), views.weights.shape) == (1, (0, 1))


def test_each_column_all_columns_and_the_used_ones(rng):
    views = views_of(rng.normal(size=(50, 2)), [1.0, 0.5])
    assert len(views) == 4
    assert views.weights.tolist() == [[1, 1], [1, 0.25]]


def test_three_of_more_columns_are_looked_at_together_if_used(rng):
    rows = rng.normal(size=(50, 5))
    assert views_of(rows, [0.1, 3, 0, 2, 1]).weights[-1].tolist() == [0, 1, 0, 1, 1]
    assert len(views_of(rows, [0, 3, 0, 2, 0])) == 5 + 10 + 2


def test_a_forest_without_splits_adds_no_view(rng):
    assert len(views_of(rng.normal(size=(50, 2)), [0.0, 0.0])) == 3


def test_dependent_columns_are_paired(rng):
    rows = rng.normal(size=(300, 12))
    angle = rng.uniform(0, 2 * np.pi, 300)
    rows[:, 3], rows[:, 8] = np.cos(angle), np.sin(angle)
    rows[:, 5] = rows[:, 10] + 0.1 * rng.normal(size=300)
    pairs = pairs_of(views_of(rows))
    assert len(pairs) == 20
    assert {(3, 8), (5, 10)} <= pairs


def test_of_many_columns_the_used_ones_are_paired(rng):
    rows = rng.normal(size=(60, 100))
    use = np.arange(100.0)
    pairs = pairs_of(views_of(rows, use))
    assert min(min(pair) for pair in pairs) >= 70


def test_threads_do_not_matter(rng):
    columns, numbers = rng.normal(size=(8, 200)), np.zeros(8, dtype=np.bool_)
    one, many = (choose_views(columns, numbers, np.ones(8), 3, n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.weights, many.weights)


def test_scores_know_their_kind(rng):
    views = views_of(rng.normal(size=(50, 3)))
    assert views.siblings(1).tolist() == [3, 3, 3, 3, 3, 3, 1, 1]
    assert views.siblings(2).tolist() == [6, 6, 6, 3, 3, 3, 1, 1, 6, 6, 6]
