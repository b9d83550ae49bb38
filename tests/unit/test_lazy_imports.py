"""What is loaded by whom: heavy packages come when they are used, and not before.

The budgets are counts of modules: they are the same on any machine, and half a second of imports
cannot hide in them.
"""

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayeswood
from bayeswood import CalibratedForestClassifier, CalibratedForestRegressor
from bayeswood.cli.app import VERBS, app
from bayeswood.methods.base import plain_estimator
from bayeswood.methods.registry import ESTIMATORS

LAZY = ["bayeswood", "bayeswood.distributed", "bayeswood.methods", "bayeswood.report"]
LAZY += ["bayeswood.uncertainty"]
HEAVY = ["IPython", "joblib", "matplotlib", "pandas", "polars", "scipy.optimize", "scipy.stats"]
HEAVY += ["sklearn", "multiprocessing"]
# What tables of numbers and words do without; they are half of the commands' time.
NOT_FOR_PLAIN_TABLES = ["narwhals", "pyarrow.compute", "bayeswood.datasets"]
NOT_FOR_PLAIN_TABLES += ["bayeswood.cli.problem", "bayeswood.report.explanation"]
NOT_FOR_PLAIN_TABLES += ["bayeswood.distributed", "bayeswood.plots"]
if not np.__version__.startswith("1."):  # NumPy 1 loads it by itself
    NOT_FOR_PLAIN_TABLES += ["numpy.ma"]
TELL = """
import json
print(json.dumps(sorted(sys.modules)))
"""


def modules_after(code, *args):
    """The modules that a fresh process has loaded after some lines of code."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import sys\n{code}\n{TELL}", *map(str, args)],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def model_files(tmp_path_factory):
    """A classifier and a regressor in files, and rows to predict, in CSV and Parquet."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"word": rng.choice(list("abc"), 60), "x": rng.normal(size=60)})
    y = table["x"] + (table["word"] == "b")
    CalibratedForestClassifier(8, random_state=0).fit(table, y > 0.5).save(folder / "classes.bw")
    CalibratedForestRegressor(8, random_state=0).fit(table, y).save(folder / "numbers.bw")
    table = table.assign(classes=y > 0.5, numbers=y)
    table.to_csv(folder / "rows.csv", index=False)
    table.to_parquet(folder / "rows.parquet", index=False)
    return folder


def test_importing_the_package_loads_next_to_nothing():
    loaded = modules_after("bare = set(sys.modules)\nimport bayeswood")
    ours = {name for name in loaded if name.split(".")[0] == "bayeswood"}
    assert ours == {"bayeswood", "bayeswood.on_demand"}
    assert not loaded & {*HEAVY, "numpy", "scipy"}


def test_an_estimator_loads_no_other_family():
    loaded = modules_after("from bayeswood import RandomForestClassifier")
    families = {name.split(".")[2] for name in loaded if name.startswith("bayeswood.methods.")}
    assert families == {"base", "cart", "random_forest"}
    assert not loaded & {"bayeswood.posterior", "bayeswood.report", "matplotlib"}


@pytest.mark.parametrize(
    ("verb", "model", "ending", "budget"),
    [
        ("predict", "classes", "csv", 390),
        ("predict", "numbers", "csv", 390),
        ("predict", "classes", "parquet", 425),
        ("evaluate", "classes", "csv", 390),
        ("evaluate", "numbers", "csv", 390),
        ("info", "classes", None, 350),
    ],
)
def test_predicting_from_the_command_line_does_without(
    model_files, tmp_path, verb, model, ending, budget
):
    args = [verb, model_files / f"{model}.bw"]
    args += [model_files / f"rows.{ending}"] if ending else []
    args += {"predict": ["-o", tmp_path / "out.csv"], "evaluate": ["-t", model]}.get(verb, [])
    code = "from bayeswood.cli import main\ntry:\n    main()\nexcept SystemExit as end:\n"
    loaded = modules_after(code + "    assert not end.code, end.code", *args)
    assert not loaded & {*HEAVY, "bayeswood.posterior", "scipy.special"}
    unused = set() if ending == "parquet" else set(NOT_FOR_PLAIN_TABLES)
    assert loaded & unused == set()
    others = {name for name in loaded if name.split(".")[0] != "numpy"}  # whose number varies
    assert len(others) <= budget, len(others)


def test_help_loads_no_verb(tmp_path):
    code = "from bayeswood.cli import main\ntry:\n    main()\nexcept SystemExit as end:\n"
    for args in (["--help"], ["--version"]):
        loaded = modules_after(code + "    assert not end.code", *args)
        assert not loaded & {*HEAVY, "numpy", "rich", "pyarrow", "bayeswood.cli.verbs.fit"}


@pytest.mark.parametrize("verb", VERBS)
def test_the_list_of_verbs_says_what_their_help_says(verb):
    command = app.get_command(None, verb)
    assert " ".join(command.help.split()).startswith(VERBS[verb].removesuffix("."))


def test_words_and_numbers_are_those_of_a_process_with_all(model_files, tmp_path, capsys):
    """A process without scikit-learn says and writes what this one does."""
    from bayeswood.cli import main

    for verb, *others in (
        ("predict", "-o", "out.csv", "--json"),
        ("evaluate", "-t", "numbers", "--json"),
        ("info", "--json"),
    ):
        data = [] if verb == "info" else [str(model_files / "rows.csv")]
        out = {"out.csv": str(tmp_path / "out.csv")}
        args = [verb, str(model_files / "numbers.bw"), *data, *(out.get(a, a) for a in others)]
        with pytest.raises(SystemExit) as end:
            main(args)
        assert not end.value.code
        here = capsys.readouterr().out
        written = (tmp_path / "out.csv").read_bytes()
        there = subprocess.run(
            [sys.executable, "-m", "bayeswood", *args], check=True, capture_output=True, text=True
        )
        assert json.loads(there.stdout) == json.loads(here)
        assert (tmp_path / "out.csv").read_bytes() == written


def test_the_stand_in_knows_the_same_parameters():
    for cls in ESTIMATORS.values():
        assert plain_estimator.BaseEstimator._get_param_names.__func__(cls) == (
            cls._get_param_names()
        )
    estimator = plain_estimator.BaseEstimator()
    with pytest.raises(ValueError, match="has no parameter 'depth'"):
        estimator.set_params(depth=3)
    from sklearn.exceptions import NotFittedError

    assert plain_estimator.NotFittedError.__bases__ == NotFittedError.__bases__


def declared_names(module):
    """What a package imports for type checkers, by the module that it is taken from."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    blocks = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test)[:3] != "not"]
    lines = [line for block in blocks for line in block.body if isinstance(line, ast.ImportFrom)]
    return {(line.module, alias.name) for line in lines for alias in line.names}


@pytest.mark.parametrize("name", LAZY)
def test_names_are_the_same_for_checkers_and_the_interpreter(name):
    module = importlib.import_module(name)
    declared = declared_names(module)
    rooms = {found for home, found in declared if home == "bayeswood"}
    assert {found for _, found in declared} - rooms == set(module.__all__)
    for home, found in declared:
        real = importlib.import_module(home)
        expected = (
            getattr(real, found)
            if home != "bayeswood"
            else importlib.import_module(f"bayeswood.{found}")
        )
        assert getattr(module, found) is expected


def test_the_package_is_as_it_was():
    scope = {}
    exec("from bayeswood import *", scope)
    assert set(bayeswood.__all__) <= set(scope)
    assert dir(bayeswood) == sorted(
        [
            *bayeswood.__all__,
            "attribution",
            "datasets",
            "export",
            "plots",
            "posterior",
            "report",
            "theory",
        ]
    )
    assert bayeswood.methods.registry.load is bayeswood.load
    with pytest.raises(AttributeError, match="'bayeswood' has no attribute 'Forrest'"):
        bayeswood.Forrest  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Forrest'"):
        exec("from bayeswood import Forrest")
