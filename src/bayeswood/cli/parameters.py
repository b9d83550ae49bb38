"""From ``--method`` and ``--param name=value`` to an estimator."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import click

from bayeswood.cli.tables.columns import Task, suggest
from bayeswood.errors import BayeswoodError
from bayeswood.methods.registry import DEFAULT_METHOD, METHODS, method_class

__all__ = [
    "DEFAULT_METHOD",
    "check_method",
    "find_class",
    "make_estimator",
    "parse_parameters",
    "parse_value",
]

_WORDS = {"true": True, "false": False, "none": None, "null": None}


def parse_value(text: str) -> Any:
    """A parameter's value: a whole number, a number, true, false, none, or else text.

    Numbers with commas between them are a list.

    Examples
    --------
    >>> [parse_value(text) for text in ("3", "0.5", "none", "True", "sqrt")]
    [3, 0.5, None, True, 'sqrt']
    >>> parse_value("0.5, 1, 2")
    [0.5, 1, 2]
    """
    parts = [parse_value(part.strip()) for part in text.split(",")] if "," in text else []
    if parts and all(type(part) in (int, float) for part in parts):
        return parts
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_parameters(pairs: Sequence[str]) -> dict[str, Any]:
    """Parameters from ``name=value`` texts.

    Parameters
    ----------
    pairs : sequence of str

    Returns
    -------
    dict
    """
    parameters = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"--param must be name=value. Got '{pair}' instead.")
        parameters[name.strip().replace("-", "_")] = parse_value(value.strip())
    return parameters


def make_estimator(method: str, task: Task, parameters: Mapping[str, Any]) -> Any:
    """An unfitted estimator of a method.

    Parameters
    ----------
    method : str
        A name as in ``bayesian-forest``.
    task : str
        ``"classification"`` or ``"regression"``.
    parameters : mapping
        Parameters whose value is None and that are no option of the user stay at their default.

    Returns
    -------
    estimator
    """
    estimator_class = find_class(method, task)
    known = list(inspect.signature(estimator_class).parameters)
    for name in parameters:
        if name not in known:
            raise click.UsageError(f"{method} has no parameter '{name}'.{suggest(name, known)}")
    return estimator_class(**parameters)


def check_method(method: str) -> None:
    """Refuse an unknown method, before data are read."""
    if method not in METHODS:
        raise click.UsageError(f"No method '{method}'.{suggest(method, sorted(METHODS))}")


def find_class(method: str, task: Task) -> Any:
    """The estimator class of a method for a task.

    Parameters
    ----------
    method : str
    task : str

    Returns
    -------
    type
    """
    check_method(method)
    try:
        return method_class(method, task)
    except BayeswoodError as error:
        raise click.UsageError(str(error)) from error
