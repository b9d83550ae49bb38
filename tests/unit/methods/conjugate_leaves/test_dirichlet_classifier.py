"""The prior of class probabilities in leaves, by its total and class by class."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bayeswood import MCMCTreeClassifier, SafeBayesForestClassifier, SMCTreeClassifier, load
from bayeswood.errors import BayeswoodError

# So few particles are not to be trusted, which is not the matter here.
pytestmark = pytest.mark.filterwarnings("ignore::bayeswood.posterior.IslandsDisagree")

SMALL = {
    MCMCTreeClassifier: {"n_chains": 1, "n_burn_in": 20, "n_draws": 30},
    SMCTreeClassifier: {"n_particles": 30},
}


@pytest.fixture(params=SMALL, ids=lambda kind: kind.__name__)
def trees(request):
    def make(**parameters):
        return request.param(**SMALL[request.param], random_state=0, **parameters)

    return make


def test_total_and_each_class_say_the_same(trees):
    X, y = load_iris(return_X_y=True)
    found = [
        trees(**prior).fit(X, y).predict_proba(X)
        for prior in (
            {"concentration": 1.5},
            {"dirichlet_alpha": 0.5},
            {"dirichlet_alpha": [0.5] * 3},
        )
    ]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    other = trees(dirichlet_alpha=(0.5, 0.5, 2.0)).fit(X, y).predict_proba(X)
    assert np.abs(other - found[0]).max() > 0.01


def test_a_forest_without_rows_in_a_class_predicts_its_prior():
    """One tree without splits: (m_c + α_c) / (n + α)."""
    X, y = np.zeros((4, 1)), [0, 0, 1, 2]
    alpha = np.array([0.5, 1.0, 2.5])
    for kind, settings in SMALL.items():
        model = kind(**settings, dirichlet_alpha=alpha, random_state=0).fit(X, y)
        expected = np.array([2.5, 2.0, 3.5]) / 8
        np.testing.assert_allclose(model.predict_proba(X)[0], expected, rtol=1e-15)


def test_lists_are_saved(trees, tmp_path):
    X, y = load_iris(return_X_y=True)
    alpha = np.array([0.5, 1.0, 2.0])
    models = [
        trees(dirichlet_alpha=alpha),
        SafeBayesForestClassifier.as_published(
            n_estimators=5, dirichlet_alpha=alpha, random_state=0
        ),
        SafeBayesForestClassifier(5, dirichlet_alpha=alpha, prune_average=False, random_state=0),
    ]
    for model in models:
        model.fit(X, y).save(tmp_path / "model")
        again = load(tmp_path / "model")
        assert again.dirichlet_alpha == [0.5, 1.0, 2.0]
        np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), rtol=1e-6)
        if again.predictive_.leaf_prior is not None:
            np.testing.assert_array_equal(again.predictive_.leaf_prior, alpha)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"concentration": 0.0}, "'concentration' parameter"),
        ({"dirichlet_alpha": [1.0, 0.0, 1.0]}, "'dirichlet_alpha' parameter.*one for each class"),
        ({"dirichlet_alpha": [1.0, 2.0]}, "each of 3 classes in their order"),
        ({"dirichlet_alpha": [[1.0, 2.0, 3.0]]}, "'dirichlet_alpha' parameter"),
        ({"dirichlet_alpha": "even"}, "'dirichlet_alpha' parameter"),
        ({"concentration": 2.0, "dirichlet_alpha": 1.0}, "not both. Got 2.0 and 1.0"),
    ],
)
def test_bad_priors(trees, change, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(BayeswoodError, match=message):
        trees(**change).fit(X, y)
