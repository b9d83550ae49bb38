"""The slow twin of the posterior over trees against exact answers worked out elsewhere."""

import numpy as np
import pytest
import tree_posterior_twin as twin
from tree_posterior_truth import CHIPMAN, DENISON


def problem_of(case, prior):
    y = case["y"]
    return twin.Problem(
        np.array(case["X"], dtype=float),
        twin.class_leaf(y, 2, case["alpha"]),
        prior=prior,
        alpha_split=case.get("alpha_split", 0.95),
        beta_split=case.get("beta_split", 0.5),
        predictive=twin.class_predictive(y, 2, case["alpha"]),
        X_test=np.array(case["X_test"], dtype=float),
    )


CASES = [(CHIPMAN[name], "chipman") for name in CHIPMAN]
CASES += [(DENISON[name], "denison") for name in DENISON]


@pytest.mark.parametrize(("case", "prior"), CASES, ids=[*CHIPMAN, *DENISON])
def test_enumeration_gives_the_exact_answers(case, prior):
    problem = problem_of(case, prior)
    found = twin.leaf_posterior(problem)
    assert found == pytest.approx(case["leaves"], abs=1e-12)
    np.testing.assert_allclose(twin.predictives(problem), case["predictive"], atol=1e-12)
    # Denison's prior is uniform over so many numbers of leaves.
    constant = np.log(case.get("most_leaves", 1))
    assert twin.log_evidence(problem) - constant == pytest.approx(case["log_evidence"], abs=1e-9)


@pytest.mark.parametrize("name", CHIPMAN)
def test_enumeration_gives_the_exact_root(name):
    case = CHIPMAN[name]
    by_feature = {}
    for rule, p in case["root"].items():
        feature = -1 if rule is None else rule[0]
        by_feature[feature] = by_feature.get(feature, 0.0) + p
    assert twin.root_posterior(problem_of(case, "chipman")) == pytest.approx(by_feature, abs=1e-12)


@pytest.mark.parametrize("name", CHIPMAN)
def test_enumeration_of_the_prior_adds_up(name):
    problem = problem_of(CHIPMAN[name], "chipman")
    problem.power = 0.0
    assert twin.log_evidence(problem) == pytest.approx(0, abs=1e-12)
    assert twin.leaf_posterior(problem) == pytest.approx(CHIPMAN[name]["prior_leaves"], abs=1e-12)
