"""``bayeswood fit`` does each thing once."""

import matplotlib as mpl
import pytest
from cli_cases import run_json, write_mixed

from bayeswood.cli import parameters
from bayeswood.cli.verbs import fit

mpl.use("Agg")


@pytest.fixture
def count(monkeypatch):
    """Counts the calls of functions that modules know by name."""
    calls = {}

    def begin(module, name):
        usual = getattr(module, name)

        def counting(*arguments, **options):
            calls[name] = calls.get(name, 0) + 1
            return usual(*arguments, **options)

        monkeypatch.setattr(module, name, counting)
        return calls

    return begin


def test_class_and_importances_are_looked_up_once(tmp_path, count):
    write_mixed(tmp_path / "data.csv")
    count(parameters, "method_class")
    calls = count(fit, "summarize_importances")
    found = run_json(
        "fit", tmp_path / "data.csv", "--target", "kind", "--drop", "id", "-n", "20",
        "--test-size", "0.25", "--plot", tmp_path / "plot.png",
    )  # fmt: skip
    assert calls == {"method_class": 1, "summarize_importances": 1}
    assert set(found["importances"][0]) == {"feature", "mean", "spread"}
