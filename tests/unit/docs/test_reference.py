"""The API reference has every public name, once, and every page of docs/ is in a chapter."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
REFERENCE = ROOT / "docs" / "api"
MODULES = [
    "bayeswood",
    *(
        f"bayeswood.{room}"
        for room in (
            "attribution",
            "datasets",
            "distributed",
            "errors",
            "export",
            "forest",
            "methods",
            "plots",
            "posterior",
            "report",
            "theory",
            "uncertainty",
        )
    ),
]


def listed_names():
    """Names with a page of their own, or a line, each with its module."""
    names = []
    for page in REFERENCE.glob("*.rst"):
        module, in_table = "bayeswood", False
        for line in page.read_text(encoding="utf-8").splitlines():
            if found := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = found[1]
            if found := re.match(r"\.\. py:data:: (\S+)", line):
                names.append(f"{module}.{found[1]}")
            if line.startswith(".. "):
                in_table = line.startswith(".. autosummary::")
            elif in_table and (found := re.match(r"   (\w+)$", line)):
                names.append(f"{module}.{found[1]}")
    return names


LISTED = listed_names()


def public_names(module):
    found = importlib.import_module(module)
    if hasattr(found, "__all__"):
        return found.__all__
    return [
        name
        for name, thing in vars(found).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module
    ]


def same_elsewhere(thing):
    """Whether something has its page under another public name."""
    return any(_resolve(name) is thing for name in LISTED)


def _resolve(name):
    module, _, last = name.rpartition(".")
    return None if module == "bayeswood.spark" else getattr(importlib.import_module(module), last)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_in_the_reference(module):
    found = importlib.import_module(module)
    missing = [
        name
        for name in public_names(module)
        if f"{module}.{name}" not in LISTED and not same_elsewhere(getattr(found, name))
    ]
    assert missing == []


def test_spark_is_in_the_reference():
    source = (ROOT / "src" / "bayeswood" / "spark" / "__init__.py").read_text(encoding="utf-8")
    names = re.findall(r'"(\w+)"', source.partition("__all__")[2])
    assert {f"bayeswood.spark.{name}" for name in names} <= set(LISTED)


def test_no_name_is_listed_twice():
    assert sorted(LISTED) == sorted(set(LISTED))


def test_listed_names_exist():
    for name in LISTED:
        if not name.startswith("bayeswood.spark"):
            assert _resolve(name) is not None, name


def test_a_missing_name_is_noticed():
    assert "bayeswood.load" in LISTED
    assert "bayeswood.no_such_name" not in LISTED
    assert not same_elsewhere(object())


def test_every_estimator_has_its_paper_and_page():
    table = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8").partition("| class |")[2]
    named = set(re.findall(r"`(\w+)`", table.partition("\n\n")[0]))
    bayeswood = importlib.import_module("bayeswood")
    estimators = [name for name in bayeswood.__all__ if hasattr(getattr(bayeswood, name), "fit")]
    assert set(estimators) - named == set()
