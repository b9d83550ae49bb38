"""An envelope goes through a file with its ensemble."""

import io

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

import bayeswood
from bayeswood import BayesianForestClassifier, EnvelopeClassifier
from bayeswood.errors import BayeswoodError
from bayeswood.methods.envelope.saved_envelope import SavedEnvelope
from bayeswood.methods.registry import ESTIMATORS


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3))
    return X, np.where(X[:, 0] + 0.7 * rng.normal(size=300) > 0, "yes", "no")


def through_a_file(envelope):
    stream = io.BytesIO()
    envelope.save(stream)
    stream.seek(0)
    return bayeswood.load(stream)


@pytest.mark.parametrize("gamma0", [0.8, "auto"])
@pytest.mark.parametrize("frozen", [False, True])
def test_everything_comes_back(rows, gamma0, frozen):
    X, y = rows
    forest = BayesianForestClassifier(20, random_state=0)
    given = FrozenEstimator(forest.fit(X, y)) if frozen else forest
    options = {"target": 0.2, "random_state": 1, "reject_label": "ask"}
    fitted = EnvelopeClassifier(given, gamma0, **options).fit(X, y)
    loaded = through_a_file(fitted)
    assert type(loaded) is EnvelopeClassifier
    assert loaded.gamma0_ == fitted.gamma0_
    assert getattr(loaded, "choice_", None) == getattr(fitted, "choice_", None)
    assert repr(loaded) == repr(fitted)
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(loaded.fit(X, y).predict(X), fitted.predict(X))


def test_a_file_of_nothing_confident(rows):
    X, y = rows
    envelope = EnvelopeClassifier(BayesianForestClassifier(5, random_state=0), gamma0=np.inf)
    loaded = through_a_file(envelope.fit(X, y))
    assert set(loaded.predict(X)) == {"uncertain"}


def test_only_ensembles_of_this_package_are_saved(rows, tmp_path):
    envelope = EnvelopeClassifier(RandomForestClassifier(5, random_state=0)).fit(*rows)
    with pytest.raises(BayeswoodError, match="Got RandomForestClassifier instead"):
        envelope.save(tmp_path / "model")
    odd = EnvelopeClassifier(BayesianForestClassifier(5, random_state=0), reject_label=(1, 2))
    with pytest.raises(BayeswoodError, match="'reject_label'"):
        odd.fit(*rows).save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"class_name": "RandomForestRegressor"}, "cannot be"),
        ({"class_name": "Other"}, "cannot be"),
        ({"gamma0": 1.5}, "gamma0"),
        ({"gamma0": "auto"}, "gamma0"),
        ({"is_frozen": 1}, "is_frozen"),
        ({"parameters": {"gamma0": 0.5, "reject_label": "a"}}, "other parameters"),
        ({"choice": {"gamma0": 0.5}}, "choice"),
        ({"choice": 3}, "choice"),
    ],
)
def test_damaged_files_are_refused(rows, change, words):
    envelope = EnvelopeClassifier(BayesianForestClassifier(5, random_state=0), gamma0=0.7)
    meta, arrays, forest = SavedEnvelope.of(envelope.fit(*rows)).state()
    meta["envelope"] |= change
    with pytest.raises(BayeswoodError, match=words):
        EnvelopeClassifier._from_saved(SavedEnvelope.read(meta, arrays, forest, ESTIMATORS))
