"""How far particles are to be trusted: what a fit says of itself."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_friedman1

from bayeswood import SMCTreeClassifier, SMCTreeRegressor, load
from bayeswood.posterior import IslandsDisagree, diagnose, log_evidence_se, root_cut_shares

X, Y = load_iris(return_X_y=True)
X_NUMBERS, Y_NUMBERS = make_friedman1(n_samples=120, random_state=0)


def agreeing(**parameters):
    """Islands that agree about iris."""
    return SMCTreeClassifier(100, proposal="optimal", random_state=0, **parameters).fit(X, Y)


def test_the_standard_error_is_that_of_the_islands(tmp_path):
    trees = agreeing()
    assert 0 < trees.log_evidence_se_ == log_evidence_se(trees.island_log_evidence_) < 1
    trees.save(tmp_path / "trees")
    for other in (load(tmp_path / "trees"), pickle.loads(pickle.dumps(trees))):
        assert other.log_evidence_se_ == trees.log_evidence_se_


def test_one_island_has_no_standard_error():
    assert np.isnan(agreeing(n_islands=1).log_evidence_se_)


def test_an_unknown_evidence_has_none():
    with pytest.warns(UserWarning, match="max_stages"):
        trees = agreeing(max_stages=2)
    assert np.isnan(trees.log_evidence_)
    assert np.isnan(trees.log_evidence_se_)


def test_islands_that_disagree_are_told_of():
    advice = "give more particles .*or proposal='optimal'"
    with pytest.warns(IslandsDisagree, match=f"from -[0-9.]+ to -[0-9.]+, .* {advice}") as caught:
        SMCTreeRegressor(50, random_state=0).fit(X_NUMBERS, Y_NUMBERS)
    assert caught[0].filename == __file__
    with pytest.warns(IslandsDisagree, match=r"otherwise; give more particles \(n_particles\)\.$"):
        SMCTreeClassifier(5, proposal="optimal", random_state=0).fit(*load_wine(return_X_y=True))


@pytest.mark.parametrize("proposal", ["prior", "empirical", "tempered", "optimal"])
def test_the_threshold_depends_on_the_proposal(proposal):
    """The same bits as by number."""
    shared = {"proposal": proposal, "n_islands": 1, "random_state": 0}
    by_default = SMCTreeClassifier(300, **shared).fit(X, Y)
    threshold = {"optimal": 0.0, "tempered": 0.025}.get(proposal, 0.1)
    by_number = SMCTreeClassifier(300, ess_threshold=threshold, **shared).fit(X, Y)
    np.testing.assert_array_equal(by_default.ess_trace_, by_number.ess_trace_)
    other = SMCTreeClassifier(300, ess_threshold=0.9, **shared).fit(X, Y)
    assert not np.array_equal(by_default.ess_trace_, other.ess_trace_)


def test_root_cuts_are_counted():
    trees = agreeing()
    shares = root_cut_shares(trees)
    assert trees.n_root_cuts_ == len(shares)
    assert trees.effective_root_cuts_ == pytest.approx(1 / np.sum(shares**2))
    assert 1 <= trees.effective_root_cuts_ <= trees.n_root_cuts_


def test_diagnose_says_it():
    trees = agreeing()
    found = diagnose(trees)
    assert found.log_evidence_se == trees.log_evidence_se_
    assert (found.n_root_cuts, found.n_trees) == (trees.n_root_cuts_, trees.forest_.n_trees)
    assert found.effective_trees == pytest.approx(1 / np.sum(trees.member_weights_**2))
    lines = str(found).splitlines()
    assert lines[0] == f"log evidence  {trees.log_evidence_:.6g} ± {trees.log_evidence_se_:.2g}"
    assert lines[3].startswith(f"root cuts     {trees.n_root_cuts_} distinct, as diverse as ")
    assert "5 islands" in repr(found)


def test_rows_of_reference_are_refused_for_particles():
    with pytest.raises(ValueError, match="'X_reference' parameter of diagnose must be None"):
        diagnose(agreeing(), X[:2])


# --- moves ---------------------------------------------------------------------------------------


def test_moves_leave_the_evidence_and_tell_copies_apart():
    """One island of the prior proposal ends with one root; the filter before the moves is the same.

    How often moves find what enumeration finds is in tests/statistical/test_particle_moves.py.
    """
    shared = {"n_islands": 1, "random_state": 3}
    still = SMCTreeClassifier(300, **shared).fit(X, Y)
    moved = SMCTreeClassifier(300, n_moves=300, n_moved=300, **shared).fit(X, Y)
    assert moved.log_evidence_ == pytest.approx(still.log_evidence_, rel=1e-14)
    np.testing.assert_array_equal(moved.ess_trace_, still.ess_trace_)
    effective = [1 / np.sum(trees.member_weights_**2) for trees in (still, moved)]
    assert effective[1] > 3 * effective[0]
    assert moved.n_root_cuts_ > still.n_root_cuts_


@pytest.mark.parametrize("kind", ["equal", "evidence"])
def test_some_of_the_particles_are_moved(kind):
    """Islands count by the particles of their filters, whichever of them were moved."""
    shared = {"n_islands": 3, "proposal": "optimal", "island_weights": kind, "random_state": 0}
    still = SMCTreeClassifier(100, **shared).fit(X, Y)
    for n_moved, n_trees in ((10, 10), (1, 3), (1000, 100)):
        moved = SMCTreeClassifier(100, n_moves=200, n_moved=n_moved, **shared).fit(X, Y)
        assert 0.8 * n_trees < moved.forest_.n_trees <= n_trees
        assert moved.log_evidence_ == pytest.approx(still.log_evidence_, rel=1e-14)
        np.testing.assert_allclose(moved.island_weights_, still.island_weights_, rtol=1e-12)


def test_a_root_that_cannot_be_split_stays():
    trees = agreeing(min_samples_leaf=100, n_moves=20)
    assert trees.forest_.n_trees == 1
