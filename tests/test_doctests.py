"""The examples in docstrings run, in the installed package, one test per module."""

import doctest
import importlib
import pkgutil

import pytest

import bayeswood

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def module_names():
    walked = pkgutil.walk_packages(bayeswood.__path__, "bayeswood.")
    native = ("bayeswood._core",)
    return [
        "bayeswood",
        *(m.name for m in walked if m.name not in native and "__main__" not in m.name),
    ]


@pytest.mark.parametrize("name", module_names())
def test_docstring_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    report = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        runner.run(example, out=report.append)
    assert not report, "".join(report)
