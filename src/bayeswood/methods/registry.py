"""Which class a method's name stands for, and loading a model whatever its class."""

from bayeswood.errors import BayeswoodError
from bayeswood.methods.adopted import AdoptedClassifier, AdoptedRegressor
from bayeswood.methods.bart.classifier import BARTClassifier
from bayeswood.methods.bart.regressor import BARTRegressor
from bayeswood.methods.base.forest_estimator import ForestEstimator, restore_estimator
from bayeswood.methods.bayesian_forest.bayesian_forest import (
    BayesianForestClassifier,
    BayesianForestRegressor,
)
from bayeswood.methods.bayesian_forest.empirical import (
    EmpiricalBayesianForestClassifier,
    EmpiricalBayesianForestRegressor,
)
from bayeswood.methods.bayesian_forest.subsample import (
    SubsampleForestClassifier,
    SubsampleForestRegressor,
)
from bayeswood.methods.calibrated_forest.classifier import CalibratedForestClassifier
from bayeswood.methods.calibrated_forest.regressor import CalibratedForestRegressor
from bayeswood.methods.envelope.envelope_classifier import EnvelopeClassifier
from bayeswood.methods.envelope.saved_envelope import SavedEnvelope
from bayeswood.methods.mcmc_tree.classifier import MCMCTreeClassifier
from bayeswood.methods.mcmc_tree.regressor import MCMCTreeRegressor
from bayeswood.methods.random_forest import RandomForestClassifier, RandomForestRegressor
from bayeswood.methods.randomized_trees import RandomizedTreesClassifier
from bayeswood.methods.safe_bayes.classifier import SafeBayesForestClassifier
from bayeswood.methods.safe_bayes.regressor import SafeBayesForestRegressor
from bayeswood.methods.smc_tree.classifier import SMCTreeClassifier
from bayeswood.methods.smc_tree.regressor import SMCTreeRegressor
from bayeswood.modelfile import File, read_model

# The command line's names: (classifier, regressor); None where a method has no such side.
METHODS: dict[str, tuple[type[ForestEstimator] | None, type[ForestEstimator] | None]] = {
    "calibrated-forest": (CalibratedForestClassifier, CalibratedForestRegressor),
    "bayesian-forest": (BayesianForestClassifier, BayesianForestRegressor),
    "random-forest": (RandomForestClassifier, RandomForestRegressor),
    "randomized-trees": (RandomizedTreesClassifier, None),
    "safe-bayes-forest": (SafeBayesForestClassifier, SafeBayesForestRegressor),
    "empirical-bayesian-forest": (
        EmpiricalBayesianForestClassifier,
        EmpiricalBayesianForestRegressor,
    ),
    "subsample-forest": (SubsampleForestClassifier, SubsampleForestRegressor),
    "mcmc-tree": (MCMCTreeClassifier, MCMCTreeRegressor),
    "smc-tree": (SMCTreeClassifier, SMCTreeRegressor),
    "bart": (BARTClassifier, BARTRegressor),
}

DEFAULT_METHOD = "calibrated-forest"

ESTIMATORS: dict[str, type[ForestEstimator]] = {
    side.__name__: side for sides in METHODS.values() for side in sides if side is not None
}
# What a model file may hold.
_SAVED = {
    **ESTIMATORS,
    "AdoptedClassifier": AdoptedClassifier,
    "AdoptedRegressor": AdoptedRegressor,
}


def method_class(name: str, task: str) -> type[ForestEstimator]:
    """The estimator of a method for a task.

    Parameters
    ----------
    name : str
        A key of `METHODS`.
    task : {"classification", "regression"}
        What is to be predicted.

    Examples
    --------
    >>> method_class("random-forest", "regression").__name__
    'RandomForestRegressor'
    """
    if name not in METHODS:
        known = ", ".join(METHODS)
        raise BayeswoodError(f"There is no method {name!r}. The methods are {known}.")
    if task not in ("classification", "regression"):
        raise BayeswoodError(f"A task is 'classification' or 'regression'. Got {task!r} instead.")
    found = METHODS[name][0 if task == "classification" else 1]
    if found is None:
        raise BayeswoodError(f"The method {name!r} cannot do {task}.")
    return found


def load(path: File) -> ForestEstimator | EnvelopeClassifier:
    """Read a fitted estimator from a file written by its `save`.

    Loading is safe whatever the file holds: nothing in it is executed, and everything is checked.

    Parameters
    ----------
    path : str, path-like or binary stream
        The file; a stream is read from where it stands to the end of the model.

    Returns
    -------
    estimator
        Of the class that was saved, predicting the same.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    BayeswoodError
        If the file is not a lawful model file.

    Examples
    --------
    >>> import tempfile, os
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import BayesianForestClassifier, load
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.bw")
    ...     BayesianForestClassifier(n_estimators=5, random_state=0).fit(X, y).save(path)
    ...     load(path)
    BayesianForestClassifier(n_estimators=5, random_state=0)
    """
    model = read_model(path)
    if model[0] == "EnvelopeClassifier":
        return EnvelopeClassifier._from_saved(SavedEnvelope.read(*model[1:], _SAVED))
    return restore_estimator(*model, _SAVED)
