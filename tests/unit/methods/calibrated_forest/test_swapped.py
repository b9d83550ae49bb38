"""What users of other forests pass is taken, or refused with the reason and what to do."""

import pytest

from bayeswood import CalibratedForestClassifier, CalibratedForestRegressor
from bayeswood.errors import BayeswoodError

KINDS = [CalibratedForestClassifier, CalibratedForestRegressor]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "value", "instead"),
    [
        ("max_leaf_nodes", 10, "max_depth"),
        ("min_samples_split", 10, "min_samples_leaf"),
        ("min_impurity_decrease", 0.1, "min_samples_leaf"),
        ("ccp_alpha", 0.1, "min_samples_leaf"),
        ("interaction_cst", "pairwise", "BayesianForest"),
    ],
)
def test_a_refusal_says_why_and_what_to_do(kind, name, value, instead):
    with pytest.raises(BayeswoodError, match=f"'{name}' parameter of {kind.__name__}.*{instead}"):
        kind(**{name: value}).fit([[1.0], [2.0]] * 20, [0, 1] * 20)


def test_other_losses_are_elsewhere():
    with pytest.raises(BayeswoodError, match=r"share one loss; .*BayesianForest\* have others"):
        CalibratedForestRegressor(criterion="poisson").fit([[1.0], [2.0]] * 20, [0, 1] * 20)


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_of_others_are_taken(kind):
    taken = {"oob_score": True, "min_samples_split": 2, "ccp_alpha": 0, "max_leaf_nodes": None}
    model = kind(20, random_state=0, **taken).fit([[1.0], [2.0]] * 20, [0, 1] * 20)
    assert model.oob_score_ > 0.9
