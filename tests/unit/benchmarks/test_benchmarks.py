"""The benchmarks run, their arithmetic is right, and nothing is kept without being asked."""

import json
import os

import numpy as np
import pytest

from benchmarks import kinds
from benchmarks.__main__ import main, parser
from benchmarks.measuring import UnavailableError, held_out_error, interleave
from benchmarks.peers.contenders import OURS, PEERS, RANDOM_CUTS
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


# Memory-20k is memory-200k on another problem.
WORKLOADS = [name for name in all_workloads() if name != "memory-20k"]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", WORKLOADS)
def test_every_workload_runs(name, tmp_path, capsys):
    out = tmp_path / "rows.json"
    peers = "scikit-learn,scikit-learn ExtraTrees" if "cuts" in name else "scikit-learn"
    assert main(["--quick", "--only", name, "--peers", peers, "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    result = json.loads(out.read_text())
    assert all(f"| {row['workload']} |" in printed for row in result["rows"])
    assert all(row["ours"] > 0 and row["theirs"] > 0 for row in result["rows"])
    assert result["rows"] or "left out" in printed


KINDS = {name: kind for name, kind in vars(kinds).items() if isinstance(kind, kinds.Kind)}


@pytest.mark.parametrize("name", KINDS)
def test_problems_are_drawn_anew_for_each_seed(name):
    own, first, again, second = (KINDS[name].make(True, seed) for seed in (None, 1, 1, 2))
    assert first.X.shape == own.X.shape
    assert (first.task, first.min_samples_leaf, first.max_features, first.categories) == (
        own.task, own.min_samples_leaf, own.max_features, own.categories,
    )  # fmt: skip
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.y, second.y)
    assert len(np.unique(first.y)) == len(np.unique(own.y)) or first.task == "regression"


def test_drawn_problems_can_be_learned():
    problem = kinds.REGRESSION_20K.make(True, 5)
    error = held_out_error(problem, OURS["random forest"](problem, 5, 1, 0).predict)["RMSE"]
    assert error < 0.9 * problem.y_test.std()


def test_a_held_out_run_has_drawn_titles(capsys):
    given = ["--quick", "--only", "random-cuts-classes", "--held-out", "3"]
    assert main(given) == 0
    assert "| drawn, 10 classes 2,000 x 16 | random cuts |" in capsys.readouterr().out


def test_figures_of_drawn_problems_are_not_kept(capsys):
    with pytest.raises(SystemExit):
        main(["--held-out", "3", "--save"])
    assert "--held-out" in capsys.readouterr().err


def test_random_cuts_are_random():
    problem = friedman_binary(2_000, 5, quick=True)
    cuts = RANDOM_CUTS["random cuts"](problem, 3, 1, 0).model.forest_
    best = OURS["random forest"](problem, 3, 1, 0).model.forest_
    assert cuts.n_trees == 3
    assert cuts.n_leaves.sum() > best.n_leaves.sum()


def test_quick_figures_are_never_kept(capsys):
    with pytest.raises(SystemExit):
        main(["--quick", "--save"])
    assert "--save" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given",
    [
        ["scikit-learn", "scikit-learn, Exp(1) weights"],
        ["scikit-learn; scikit-learn, Exp(1) weights"],
    ],
)
def test_a_peer_whose_name_has_a_comma_can_be_asked_for(given):
    found = parser().parse_args([part for text in given for part in ("--peers", text)])
    assert found.peers == ["scikit-learn", "scikit-learn, Exp(1) weights"]
    assert set(found.peers) <= set(PEERS)


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
