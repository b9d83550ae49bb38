"""The benchmarks run, their arithmetic is right, and nothing is kept without being asked."""

import json
import os

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.contenders import OURS, PEERS
from benchmarks.measuring import UnavailableError, held_out_error, interleave
from benchmarks.problems import Problem, friedman_binary, friedman_mean
from benchmarks.rows import Row, brief_markdown, markdown
from benchmarks.workloads import all_workloads
from benchmarks.workloads.quantiles import pinball


def test_interleave_takes_turns_and_keeps_the_best():
    order, costs = [], {"a": [3.0, 1.0, 2.0], "b": [5.0, 6.0, 4.0]}
    actions = {name: lambda i, n=name: order.append(n) or costs[n][i] for name in costs}
    best, last, notes = interleave(actions, 3, float)
    assert order == ["a", "b"] * 3
    assert best == {"a": 1.0, "b": 4.0}
    assert last == {"a": 2.0, "b": 4.0}
    assert notes == []


def test_interleave_leaves_out_what_is_not_there():
    def absent(repeat):
        raise UnavailableError("not here")

    best, _, notes = interleave({"a": float, "b": absent}, 2, float)
    assert best == {"a": 0.0}
    assert notes == ["b left out: not here"]


def test_held_out_error_of_probabilities():
    X = np.zeros((2, 1), np.float32)
    y = np.array(["n", "p"])
    problem = Problem("", "classification", X, y, X, y)
    error = held_out_error(problem, lambda X: np.array([[0.5, 0.5], [0.75, 0.25]]))
    assert error["accuracy"] == 0.5
    assert error["log loss"] == pytest.approx(-np.log([0.5, 0.25]).mean())


def test_pinball_of_one_row():
    assert pinball(np.array([1.0]), np.zeros((1, 3))) == pytest.approx(0.5)


def test_row_ratio_says_how_many_times_smaller_ours_is():
    row = Row("w", "ours", "theirs", "fit", "ms", 2.0, 24.0, promise=12)
    assert row.ratio == 12
    assert Row.from_json(json.loads(json.dumps(row.to_json()))) == row
    assert "| **12x** | 12x |" in markdown([row])


def test_brief_table_has_only_what_was_promised():
    promised = Row("w", "ours", "theirs", "fit", "ms", 2.0, 24.0, promise=12)
    other = Row("v", "ours", "theirs", "fit", "ms", 2.0, 24.0)
    lines = brief_markdown([promised, other]).splitlines()
    assert len(lines) == 3
    assert lines[2] == "| w | ours | theirs | fit | **12x** |  |  |"


def test_friedman_mean_at_known_points():
    X = np.array([[0.5, 1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 1.0]])
    np.testing.assert_allclose(friedman_mean(X), [10.0, 20.0])


@pytest.mark.parametrize("name", OURS)
def test_our_contenders_obey_the_problem(name):
    problem = friedman_binary(2_000, 5, quick=True)
    fitted = OURS[name](problem, 3, 1, 0)
    assert fitted.model.forest_.n_trees == 3
    assert held_out_error(problem, fitted.predict)["accuracy"] > 0.6


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", all_workloads())
def test_every_workload_runs(name, tmp_path, capsys):
    out = tmp_path / "rows.json"
    assert main(["--quick", "--only", name, "--peers", "scikit-learn", "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    result = json.loads(out.read_text())
    assert all(f"| {row['workload']} |" in printed for row in result["rows"])
    assert all(row["ours"] > 0 and row["theirs"] > 0 for row in result["rows"])
    assert result["rows"] or "left out" in printed


def test_quick_figures_are_never_kept(capsys):
    with pytest.raises(SystemExit):
        main(["--quick", "--save"])
    assert "--save" in capsys.readouterr().err


def test_an_unknown_peer_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--peers", "nobody"])
    assert "unknown peer 'nobody'" in capsys.readouterr().err
    assert "scikit-learn" in PEERS


def test_ranger_without_r_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match="no Rscript"):
        PEERS["ranger"](friedman_binary(2_000, 5, quick=True), 1, 1, 0)


def test_ranger_without_its_package_is_left_out(tmp_path, monkeypatch):
    script = tmp_path / "Rscript"
    script.write_text("#!/bin/sh\necho 'there is no package called ranger' >&2\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(UnavailableError, match="no package called ranger"):
        PEERS["ranger"](friedman_binary(2_000, 5, quick=True), 1, 1, 0)
