"""Every public name explains itself in numpydoc's sections."""

import inspect
from itertools import pairwise

import pytest

import bayeswood
from bayeswood import theory

PUBLIC = {name: getattr(bayeswood, name) for name in bayeswood.__all__ if not name.startswith("_")}
ESTIMATORS = {name: thing for name, thing in PUBLIC.items() if hasattr(thing, "fit")}
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if inspect.isfunction(thing)}
FUNCTIONS |= {
    f"theory.{name}": getattr(theory, name)
    for name in theory.__all__
    if inspect.isfunction(getattr(theory, name))
}


def has_section(doc, title):
    lines = doc.splitlines()
    return any(
        line == title and under.startswith("-" * len(title)) for line, under in pairwise(lines)
    )


def missing_sections(thing, titles):
    doc = inspect.getdoc(thing) or ""
    return [title for title in titles if not has_section(doc, title)]


def own_methods(estimator):
    """Public methods that this project wrote: scikit-learn documents its own."""
    return {
        name: method
        for name, method in inspect.getmembers(estimator, inspect.isfunction)
        if not name.startswith("_") and method.__module__.startswith("bayeswood")
    }


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_a_docstring(name):
    assert inspect.getdoc(PUBLIC[name])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_have_all_sections(name):
    titles = ["Parameters", "Attributes", "Notes", "Examples"]
    assert missing_sections(ESTIMATORS[name], titles) == []


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_parameter_is_documented(name):
    doc = inspect.getdoc(ESTIMATORS[name])
    parameters = inspect.signature(ESTIMATORS[name]).parameters
    lines = doc.splitlines()
    described = {
        word.strip() for line in lines if " : " in line for word in line.split(" : ")[0].split(",")
    }
    assert set(parameters) - described == set()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_all_sections(name):
    function = FUNCTIONS[name]
    titles = ["Parameters"] if inspect.signature(function).parameters else []
    assert missing_sections(function, [*titles, "Returns", "Examples"]) == []


@pytest.mark.parametrize("name", ESTIMATORS)
def test_methods_have_a_docstring(name):
    bare = [method for method, code in own_methods(ESTIMATORS[name]).items() if not code.__doc__]
    assert bare == []


def test_a_missing_section_is_noticed():
    def function():
        """Say nothing.

        Returns
        -------
        None
        """

    assert missing_sections(function, ["Returns", "Examples"]) == ["Examples"]
