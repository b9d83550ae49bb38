"""Which class a method's name stands for, and loading a model whatever its class."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, overload

from bayeswood.errors import BayeswoodError
from bayeswood.modelfile import File, read_model

Fitted = TypeVar("Fitted")

if TYPE_CHECKING:
    from bayeswood.methods.base.forest_estimator import ForestEstimator

# The module of each estimator, imported when the estimator is first asked for.
_HOMES = {
    "AdoptedClassifier": "adopted.adopted_forest",
    "AdoptedRegressor": "adopted.adopted_forest",
    "BARTClassifier": "bart.classifier",
    "BARTRegressor": "bart.regressor",
    "BayesianForestClassifier": "bayesian_forest.bayesian_forest",
    "BayesianForestRegressor": "bayesian_forest.bayesian_forest",
    "CalibratedForestClassifier": "calibrated_forest.classifier",
    "CalibratedForestRegressor": "calibrated_forest.regressor",
    "EmpiricalBayesianForestClassifier": "bayesian_forest.empirical",
    "EmpiricalBayesianForestRegressor": "bayesian_forest.empirical",
    "MCMCTreeClassifier": "mcmc_tree.classifier",
    "MCMCTreeRegressor": "mcmc_tree.regressor",
    "RandomForestClassifier": "random_forest",
    "RandomForestRegressor": "random_forest",
    "RandomizedTreesClassifier": "randomized_trees",
    "SMCTreeClassifier": "smc_tree.classifier",
    "SMCTreeRegressor": "smc_tree.regressor",
    "SafeBayesForestClassifier": "safe_bayes.classifier",
    "SafeBayesForestRegressor": "safe_bayes.regressor",
    "SubsampleForestClassifier": "bayesian_forest.subsample",
    "SubsampleForestRegressor": "bayesian_forest.subsample",
}

# The command line's names: (classifier, regressor); None where a method has no such side.
_SIDES: dict[str, tuple[str | None, str | None]] = {
    "calibrated-forest": ("CalibratedForestClassifier", "CalibratedForestRegressor"),
    "bayesian-forest": ("BayesianForestClassifier", "BayesianForestRegressor"),
    "random-forest": ("RandomForestClassifier", "RandomForestRegressor"),
    "randomized-trees": ("RandomizedTreesClassifier", None),
    "safe-bayes-forest": ("SafeBayesForestClassifier", "SafeBayesForestRegressor"),
    "empirical-bayesian-forest": (
        "EmpiricalBayesianForestClassifier",
        "EmpiricalBayesianForestRegressor",
    ),
    "subsample-forest": ("SubsampleForestClassifier", "SubsampleForestRegressor"),
    "mcmc-tree": ("MCMCTreeClassifier", "MCMCTreeRegressor"),
    "smc-tree": ("SMCTreeClassifier", "SMCTreeRegressor"),
    "bart": ("BARTClassifier", "BARTRegressor"),
}

DEFAULT_METHOD = "calibrated-forest"

Sides = tuple["type[ForestEstimator] | None", "type[ForestEstimator] | None"]


class _Estimators(MutableMapping[str, "type[ForestEstimator]"]):
    """The estimators by the names of their classes, each imported when it is asked for."""

    def __init__(self, names: list[str]) -> None:
        self._found: dict[str, type[ForestEstimator] | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> type[ForestEstimator]:
        found = self._found[name]
        if found is None:
            home = import_module(f"bayeswood.methods.{_HOMES[name]}")
            found = self._found[name] = getattr(home, name)
        return found

    def __setitem__(self, name: str, estimator: type[ForestEstimator]) -> None:
        self._found[name] = estimator

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class _Methods(Mapping[str, Sides]):
    """(classifier, regressor) by the command line's names; None where a method has no such side."""

    def __getitem__(self, name: str) -> Sides:
        classifier, regressor = (None if n is None else ESTIMATORS[n] for n in _SIDES[name])
        return classifier, regressor

    def __contains__(self, name: object) -> bool:
        return name in _SIDES

    def __iter__(self) -> Iterator[str]:
        return iter(_SIDES)

    def __len__(self) -> int:
        return len(_SIDES)


ESTIMATORS = _Estimators([name for sides in _SIDES.values() for name in sides if name is not None])
METHODS = _Methods()
# What a model file may hold.
_SAVED = ChainMap(ESTIMATORS, _Estimators(["AdoptedClassifier", "AdoptedRegressor"]))


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


def trusted_types() -> list[str]:
    """What skops may be told to trust so that it loads this package's estimators.

    Returns
    -------
    list of str
        The estimators' classes, to be given as `trusted` to ``skops.io.load``. What is stored of
        an estimator is its model file, which is checked like any other.

    Examples
    --------
    >>> "bayeswood.methods.random_forest.RandomForestRegressor" in trusted_types()
    True
    """
    from bayeswood.methods.envelope.envelope_classifier import EnvelopeClassifier
    from bayeswood.uncertainty.envelope.choice import GammaChoice

    known = (*_SAVED.values(), EnvelopeClassifier, GammaChoice)
    return sorted(f"{kind.__module__}.{kind.__name__}" for kind in known)


@overload
def load(path: File) -> Any: ...


@overload
def load(path: File, kind: type[Fitted]) -> Fitted: ...


def load(path: File, kind: type[Any] | None = None) -> Any:
    """Read a fitted estimator from a file written by its `save`.

    Loading is safe whatever the file holds: nothing in it is executed, and everything is checked.

    Parameters
    ----------
    path : str, path-like or binary stream
        The file; a stream is read from where it stands to the end of the model.
    kind : class, default=None
        The class that the file is to hold, for type checkers and for you; None takes any.

    Returns
    -------
    estimator
        Of the class that was saved, predicting the same.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    BayeswoodError
        If the file is not a lawful model file, or holds an estimator of another class than `kind`.

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
    from bayeswood.methods.base.forest_estimator import restore_estimator

    model = read_model(path)
    if model[0] == "EnvelopeClassifier":
        from bayeswood.methods.envelope.envelope_classifier import EnvelopeClassifier
        from bayeswood.methods.envelope.saved_envelope import SavedEnvelope

        found: Any = EnvelopeClassifier._from_saved(SavedEnvelope.read(*model[1:], _SAVED))
    else:
        found = restore_estimator(*model, _SAVED)
    if kind is not None and not isinstance(found, kind):
        raise BayeswoodError(f"The model file holds a {model[0]} where {kind.__name__} was wanted.")
    return found
