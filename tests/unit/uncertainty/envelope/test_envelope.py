"""The three outcomes, for every kind of ensemble."""

import copy
import csv
import io
import json
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import bayeswood
from bayeswood import UNCERTAIN, BayesianForestClassifier, UncertaintyEnvelope
from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty import Outcome, vote_shares

# Worked by hand: votes of 1,000 members for classes 0 and 1, true class, and the outcome.
COUNTS = [
    (1000, 0), (998, 2), (991, 9), (990, 10), (989, 11),
    (700, 300), (10, 990), (0, 1000), (5, 995), (500, 500),
]  # fmt: skip
TARGET = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
GAMMA = [1.0, 0.998, 0.991, 0.99, 0.989, 0.7, 0.99, 1.0, 0.995, 0.5]


def worked_votes(labels=(0, 1)):
    columns = [np.repeat(labels, counts) for counts in COUNTS]
    return np.column_stack(columns)


def trees(n, seed=0):
    return [
        (f"tree{i}", DecisionTreeClassifier(max_features=1, random_state=seed + i))
        for i in range(n)
    ]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


def test_worked_envelope():
    result = UncertaintyEnvelope(gamma0=0.99).assess(worked_votes(), None, TARGET)
    assert result.consistency.tolist() == GAMMA
    assert (result.confident_correct, result.uncertain, result.confident_incorrect) == (
        0.5, 0.3, 0.2,
    )  # fmt: skip
    assert result.accuracy == 0.7
    assert result.outcome.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 0, 1]


def test_worked_envelope_with_weights():
    """Two members that stand for the counts by their weights."""
    envelope = UncertaintyEnvelope(0.99)
    for counts, target, gamma in zip(COUNTS, TARGET, GAMMA, strict=True):
        result = envelope.assess([[0], [1]], y=[target], member_weights=counts)
        assert result.consistency[0] == pytest.approx(gamma, abs=1e-12)
        assert result.is_confident[0] == (gamma >= 0.99)


def test_the_paper_s_own_example():
    """998 of 1,000 classifiers agree: γ = 0.998 (section 4)."""
    votes = np.repeat(["well", "ill"], [998, 2])[:, None]
    assert UncertaintyEnvelope().consistency(votes).tolist() == [0.998]
    assert UncertaintyEnvelope().decide(votes).tolist() == ["well"]
    assert UncertaintyEnvelope(0.999).decide(votes).tolist() == [UNCERTAIN]


def test_a_tie_goes_to_the_first_class():
    result = UncertaintyEnvelope(0.5).assess([["b", "b"], ["a", "a"]], y=["a", "b"])
    assert result.predicted.tolist() == ["a", "a"]
    assert result.consistency.tolist() == [0.5, 0.5]
    assert result.confident_correct == result.confident_incorrect == 0.5


def test_weights_that_tie_only_by_rounding():
    votes = [["b"], ["a"], ["a"], ["a"]]  # 0.1 + 0.1 + 0.1 exceeds 0.3 by its last bit
    shares = vote_shares(votes, member_weights=[0.3, 0.1, 0.1, 0.1])
    assert shares.shares.tolist() == [[0.5, 0.5]]


def test_thirds_reach_a_third():
    votes = [["a"], ["b"], ["c"]]
    assert UncertaintyEnvelope(1 / 3).decide(votes).tolist() == ["a"]
    weighted = UncertaintyEnvelope(1 / 3).decide(votes, member_weights=[0.1, 0.1, 0.1])
    assert weighted.tolist() == ["a"]


def test_a_hundred_agreeing_trees_are_fully_consistent(iris):
    X, y, X_test, _ = iris
    forest = BayesianForestClassifier(n_estimators=100, random_state=0).fit(X, y == 0)
    assert UncertaintyEnvelope(1.0).consistency(forest, X_test).max() == 1.0
    assert not np.any(UncertaintyEnvelope(1.0).decide(forest, X_test[:20]) == UNCERTAIN)


# --- the sentinel ---------------------------------------------------------------------------------


def test_uncertain_is_one_object_that_prints_well():
    assert repr(UNCERTAIN) == "UNCERTAIN"
    assert str(UNCERTAIN) == f"{UNCERTAIN}" == "uncertain"
    assert pickle.loads(pickle.dumps(UNCERTAIN)) is UNCERTAIN
    assert copy.copy(UNCERTAIN) is copy.deepcopy(UNCERTAIN) is UNCERTAIN


def test_decisions_go_into_json_and_csv():
    decisions = UncertaintyEnvelope(0.9).decide([[1, 2], [1, 3]])
    assert decisions.dtype == object
    assert decisions[1] is UNCERTAIN
    assert (decisions == UNCERTAIN).tolist() == [False, True]
    assert json.dumps(decisions.tolist()) == '[1, "uncertain"]'
    text = io.StringIO()
    csv.writer(text).writerow(decisions)
    assert text.getvalue().strip() == "1,uncertain"
    assert pd.Series(decisions).value_counts()["uncertain"] == 1


def test_a_class_of_that_name_is_refused():
    with pytest.raises(BayeswoodError, match="Rename"):
        UncertaintyEnvelope().decide([["uncertain"], ["sure"]])


# --- ensembles ------------------------------------------------------------------------------------

LABELS = {
    "numbers": np.array([0, 1, 2]),
    "shifted": np.array([1, 2, 3]),
    "negative": np.array([-5, 0, 1]),
    "words": np.array(["setosa", "versicolor", "virginica"]),
}
ENSEMBLES = {
    "forest": RandomForestClassifier(15, max_features=1, random_state=0),
    "extra trees": ExtraTreesClassifier(15, random_state=0),
    "bagging": BaggingClassifier(
        DecisionTreeClassifier(), 15, max_features=0.5, max_samples=0.3, random_state=0
    ),
    "hard voting": VotingClassifier(trees(5)),
    "soft voting": VotingClassifier(trees(5), voting="soft"),
    "AdaBoost": AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), random_state=0),
    "ours": BayesianForestClassifier(15, max_features=1, random_state=0),
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", ENSEMBLES)
def test_labels_are_mapped(kind, labels, iris):
    """The same shares whatever the classes are called."""
    X, y, X_test, y_test = iris
    names = LABELS[labels]
    plain = vote_shares(copy.deepcopy(ENSEMBLES[kind]).fit(X, y), X_test)
    named = vote_shares(copy.deepcopy(ENSEMBLES[kind]).fit(X, names[y]), X_test)
    assert named.classes.tolist() == names.tolist()
    np.testing.assert_allclose(named.shares, plain.shares, atol=1e-12)
    assert np.mean(named.majority == y_test) > 0.85


def test_a_forest_s_shares_are_counted_by_hand(iris):
    X, y, X_test, _ = iris
    names = LABELS["words"]
    forest = copy.deepcopy(ENSEMBLES["forest"]).fit(X, names[y])
    votes = [forest.classes_[tree.predict(X_test).astype(int)] for tree in forest.estimators_]
    np.testing.assert_array_equal(
        vote_shares(forest, X_test).shares, vote_shares(np.array(votes)).shares
    )


def test_bagging_asks_each_member_about_its_own_features(iris):
    X, y, X_test, _ = iris
    bagging = copy.deepcopy(ENSEMBLES["bagging"]).fit(X, y + 1)
    votes = [
        1 + member.predict(X_test[:, columns])
        for member, columns in zip(bagging.estimators_, bagging.estimators_features_, strict=True)
    ]
    shares = vote_shares(votes)
    np.testing.assert_array_equal(vote_shares(bagging, X_test).shares, shares.shares)


def test_bagging_members_that_missed_a_class():
    """Three rows a member: most members know fewer classes than the ensemble."""
    X = np.arange(30.0)[:, None]
    y = np.repeat([1, 2, 3], 10)
    bagging = BaggingClassifier(KNeighborsClassifier(1), 40, max_samples=3, random_state=0)
    bagging.fit(X, y)
    assert {len(member.classes_) for member in bagging.estimators_} >= {1, 2}
    shares = vote_shares(bagging, X)
    assert shares.classes.tolist() == [1, 2, 3]
    by_hand = np.mean([np.eye(3)[member.predict(X)] for member in bagging.estimators_], axis=0)
    np.testing.assert_allclose(shares.shares, by_hand)


def test_a_class_that_no_member_of_a_bagging_saw():
    """Members know the numbers 1 and 2 of three classes; the labels are 1, 2 and 3."""
    X = np.arange(81.0)[:, None]
    y = np.repeat([1, 2, 3], [1, 40, 40])
    candidates = (
        BaggingClassifier(KNeighborsClassifier(1), 3, max_samples=8, random_state=seed).fit(X, y)
        for seed in range(100)
    )
    bagging = next(b for b in candidates if all(0 not in m.classes_ for m in b.estimators_))
    assert {number for member in bagging.estimators_ for number in member.classes_} == {1, 2}
    decisions = UncertaintyEnvelope(0).decide(bagging, X[[5, 75]])
    assert decisions.tolist() == bagging.predict(X[[5, 75]]).tolist() == [2, 3]


def test_our_forest_equals_its_draws(iris):
    X, y, X_test, _ = iris
    forest = BayesianForestClassifier(30, random_state=0).fit(X, LABELS["words"][y])
    votes = forest.classes_[forest.predict_draws(X_test).argmax(axis=2)]
    np.testing.assert_array_equal(vote_shares(forest, X_test).shares, vote_shares(votes).shares)


def test_voting_weights_and_dropped_members(iris):
    X, y, X_test, _ = iris
    voting = VotingClassifier(
        [*trees(2), ("logistic", LogisticRegression(max_iter=1000)), ("gone", "drop")],
        weights=[1, 2, 4, 8],
    ).fit(X, y)
    votes = [member.predict(X_test) for member in voting.estimators_]
    expected = vote_shares(votes, member_weights=[1, 2, 4])
    np.testing.assert_array_equal(vote_shares(voting, X_test).shares, expected.shares)
    np.testing.assert_array_equal(
        UncertaintyEnvelope(0).decide(voting, X_test), voting.predict(X_test)
    )


def test_given_weights_replace_the_ensemble_s_own(iris):
    X, y, X_test, _ = iris
    forest = BayesianForestClassifier(10, max_features=1, random_state=0).fit(X, y)
    only_third = vote_shares(forest, X_test, member_weights=np.eye(10)[3])
    third = forest.predict_draws(X_test)[3].argmax(axis=1)
    np.testing.assert_array_equal(only_third.majority, third)
    assert set(only_third.shares.ravel()) == {0.0, 1.0}


def test_what_is_around_an_ensemble(iris):
    X, y, X_test, _ = iris
    forest = RandomForestClassifier(10, max_features=1, random_state=0)
    plain = vote_shares(forest.fit(X, y), X_test).shares
    pipeline = make_pipeline(StandardScaler(), copy.deepcopy(forest)).fit(X, y)
    search = GridSearchCV(forest, {"max_features": [1]}, cv=2).fit(X, y)
    for wrapped in (FrozenEstimator(forest), search, make_pipeline(copy.deepcopy(forest))):
        np.testing.assert_array_equal(vote_shares(wrapped.fit(X, y), X_test).shares, plain)
    assert np.abs(vote_shares(pipeline, X_test).shares - plain).max() < 0.5


def test_frames_go_to_members_as_they_were_taught(iris):
    X, y, X_test, _ = iris
    names = ["sl", "sw", "pl", "pw"]
    frame, frame_test = pd.DataFrame(X, columns=names), pd.DataFrame(X_test, columns=names)
    for kind in ("forest", "bagging", "hard voting", "ours"):
        plain = vote_shares(copy.deepcopy(ENSEMBLES[kind]).fit(X, y), X_test)
        framed = vote_shares(copy.deepcopy(ENSEMBLES[kind]).fit(frame, y), frame_test)
        np.testing.assert_array_equal(framed.shares, plain.shares)


def test_categories_and_missing_values_reach_our_forest():
    frame = pl.DataFrame({"colour": ["red", "blue", None, "red"] * 20, "x": list(range(80))})
    y = ["warm", "cold", "cold", "warm"] * 20
    forest = BayesianForestClassifier(10, random_state=0).fit(frame, y)
    assert UncertaintyEnvelope(0.9).assess(forest, frame, pl.Series(y)).confident_correct > 0.9


def test_probabilities_instead_of_votes(iris):
    X, y, X_test, y_test = iris
    forest = BayesianForestClassifier(20, min_samples_leaf=15, random_state=0).fit(X, y)
    envelope = UncertaintyEnvelope(0.9, measure="probability")
    result = envelope.assess(forest, X_test, y_test)
    proba = forest.predict_proba(X_test)
    np.testing.assert_allclose(result.consistency, proba.max(axis=1), atol=1e-12)
    np.testing.assert_array_equal(result.predicted, forest.predict(X_test))
    votes = UncertaintyEnvelope(0.9).assess(forest, X_test, y_test)
    assert votes.uncertain < result.uncertain


def test_pure_leaves_make_both_measures_equal(iris):
    X, y, X_test, y_test = iris
    forest = BayesianForestClassifier(20, random_state=0).fit(X, y)
    by_votes = UncertaintyEnvelope(0.9).assess(forest, X_test, y_test)
    by_probability = UncertaintyEnvelope(0.9, "probability").assess(forest, X_test, y_test)
    np.testing.assert_allclose(by_votes.consistency, by_probability.consistency, atol=1e-12)


def test_memory_does_not_grow_with_members():
    """Draws of 300 trees for 20,000 rows and 3 classes would take 144 MB."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    y = rng.integers(0, 3, size=20_000)
    ours = BayesianForestClassifier(300, max_depth=3, random_state=0).fit(X[:500], y[:500])
    theirs = RandomForestClassifier(100, max_depth=3, random_state=0).fit(X[:500], y[:500])
    for forest in (ours, theirs):
        tracemalloc.start()
        UncertaintyEnvelope().assess(forest, X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 12e6


def test_blocks_of_votes_change_nothing(monkeypatch, rng):
    votes = rng.integers(0, 3, size=(50, 7))
    whole = vote_shares(votes)
    monkeypatch.setattr(bayeswood.uncertainty.envelope.votes, "_BLOCK_VOTES", 20)
    np.testing.assert_array_equal(vote_shares(votes).shares, whole.shares)


def test_another_threshold_needs_no_new_votes():
    first = UncertaintyEnvelope(0.99).assess(worked_votes(), y=TARGET)
    again = UncertaintyEnvelope(0.7).assess(worked_votes(), y=TARGET)
    assert first.at(0.7).uncertain == again.uncertain == 0.1
    assert first.at(float("inf")).uncertain == 1.0


def test_a_class_that_was_never_seen_is_an_error():
    result = UncertaintyEnvelope().assess([["a", "a"]] * 3, y=["a", "new"])
    assert result.outcome.tolist() == [Outcome.CONFIDENT_CORRECT, Outcome.CONFIDENT_INCORRECT]


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma0", [-0.1, 1.01, float("nan"), "0.9", None, True])
def test_gamma0_out_of_range(gamma0):
    with pytest.raises(BayeswoodError, match=r"'gamma0' parameter of UncertaintyEnvelope must be"):
        UncertaintyEnvelope(gamma0)


def test_unknown_measure():
    with pytest.raises(BayeswoodError, match="'measure' parameter"):
        UncertaintyEnvelope(0.9, "entropy")


@pytest.mark.parametrize(
    ("votes", "words"),
    [
        (np.zeros((2, 3, 2)), "argmax"),
        ([1, 2], "n_members, n_rows"),
        (np.zeros((0, 3)), "at least one"),
        (None, "n_members, n_rows"),
        ([[0.2, 0.8]], "most probable"),
        ([[1.0, np.nan]], "none missing"),
        (np.array([["a", 1]], dtype=object), "mixture of int, str"),
        (np.array([["a", None]], dtype=object), "mixture of NoneType, str"),
    ],
)
def test_bad_votes(votes, words):
    with pytest.raises(BayeswoodError, match=words):
        UncertaintyEnvelope().decide(votes)


@pytest.mark.parametrize(
    "weights", [[1.0], [1, -1], [0, 0], [1, np.nan], [1, np.inf], "ab", [[1, 1]]]
)
def test_bad_weights(weights):
    with pytest.raises(BayeswoodError, match="'member_weights' must be"):
        UncertaintyEnvelope().decide([["a"], ["b"]], member_weights=weights)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "assess\\(votes, y=y\\)"),
        (["a"], "one class per row, 2 in all. Got 1"),
        ([0, 1], "of one kind"),
        (["a", None], "row 1"),
    ],
)
def test_bad_truth(y, words):
    with pytest.raises(BayeswoodError, match=words):
        UncertaintyEnvelope().assess([["a", "b"]], y=y)


def test_ensembles_that_do_not_vote(iris):
    X, y, X_test, _ = iris
    cases = {
        "with members": LogisticRegression(max_iter=1000).fit(X, y),
        "no classifiers": GradientBoostingClassifier(n_estimators=2).fit(X, y),
        "not the ensemble's": OneVsRestClassifier(DecisionTreeClassifier()).fit(X, y),
        "one target": RandomForestClassifier(2).fit(X, np.column_stack([y, y])),
    }
    for words, model in cases.items():
        with pytest.raises(BayeswoodError, match=words):
            UncertaintyEnvelope().decide(model, X_test)
    with pytest.raises(BayeswoodError, match="X is None"):
        UncertaintyEnvelope().decide(RandomForestClassifier(2).fit(X, y))
    with pytest.raises(BayeswoodError, match="with members"):
        UncertaintyEnvelope().decide(RandomForestClassifier(2), X_test)


def test_probability_needs_probabilities(iris):
    X, y, X_test, _ = iris
    envelope = UncertaintyEnvelope(0.9, "probability")
    with pytest.raises(BayeswoodError, match="'predict_proba'"):
        envelope.decide(VotingClassifier(trees(2)).fit(X, y), X_test)
    with pytest.raises(BayeswoodError, match="must be None"):
        envelope.decide(RandomForestClassifier(2).fit(X, y), X_test, member_weights=[1, 1])
