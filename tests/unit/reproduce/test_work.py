"""Units of work are kept, taken up again, and not mixed with those of another run."""

import json

import pytest
import toy_paper
from toy_paper import make_paper

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce import Plan, run_paper
from bayeswood.reproduce.paper import Unit
from bayeswood.reproduce.work import Keeper, do_units, made_by


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log"


def done(log):
    return sorted(map(int, log.read_text().split()))


def numbers(record):
    return [(cell.row, cell.ours, cell.p, cell.verdict) for cell in record.cells]


def test_parts_share_units(log, tmp_path):
    run_paper(make_paper(log), Plan(), tmp_path / "work")
    assert done(log) == [0, 1, 2, 3, 4]


def test_an_interrupted_run_continues(log, tmp_path):
    """The fourth unit fails; what was done before is not done again, and nothing else changes."""
    paper, work = make_paper(log), tmp_path / "work"
    (tmp_path / "fail").touch()
    with pytest.raises(RuntimeError, match="power"):
        run_paper(paper, Plan(), work)
    assert done(log) == [0, 1, 2, 3]
    (tmp_path / "fail").unlink()
    log.write_text("")
    record = run_paper(paper, Plan(), work)
    assert done(log) == [3, 4]
    assert numbers(record) == numbers(run_paper(paper, Plan(), tmp_path / "other"))
    assert not list(work.rglob(".*part"))


@pytest.mark.parametrize("plan", [Plan(seed=1), Plan(quick=True)])
def test_another_seed_or_size_is_not_mixed(log, tmp_path, plan):
    paper, work = make_paper(log), tmp_path / "work"
    first = run_paper(paper, Plan(), work)
    log.write_text("")
    second = run_paper(paper, plan, work)
    assert len(done(log)) == 5
    assert numbers(first)[0] != numbers(second)[0]
    log.write_text("")
    assert numbers(run_paper(paper, Plan(), work)) == numbers(first)  # both are still kept
    assert done(log) == []


def test_fresh_does_all_again(log, tmp_path):
    paper, work = make_paper(log), tmp_path / "work"
    run_paper(paper, Plan(), work)
    log.write_text("")
    run_paper(paper, Plan(), work, fresh=True)
    assert len(done(log)) == 5


def test_what_other_code_made_is_not_taken_up(log, tmp_path, monkeypatch):
    unit = Unit("draws/0", toy_paper.draw, (0, 9, str(log)))
    before = made_by(unit)
    monkeypatch.setattr("bayeswood.reproduce.work.__version__", "9.9")
    assert made_by(unit) != before
    monkeypatch.undo()
    other = tmp_path / "toy_paper.py"
    other.write_text("# another source\n")
    monkeypatch.setattr(toy_paper, "__file__", str(other))
    assert made_by(unit) != before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"made_by": "x"}'])
def test_a_damaged_file_is_done_again(log, tmp_path, text):
    paper, work = make_paper(log), tmp_path / "work"
    run_paper(paper, Plan(), work)
    (kept,) = work.glob("draws/2-*.json")
    whole = kept.read_text()
    kept.write_text(text)
    log.write_text("")
    run_paper(paper, Plan(), work)
    assert done(log) == [2]
    assert json.loads(kept.read_text())["value"] == json.loads(whole)["value"]


def test_the_result_does_not_depend_on_jobs(tmp_path):
    from bayeswood.reproduce.tierney_lecture.measure import same_rows

    units = [Unit(f"same/{seed}", same_rows, (seed,)) for seed in range(3)]
    one = do_units(units, Keeper(tmp_path / "one"))
    told = []
    two = do_units(
        units, Keeper(tmp_path / "two"), n_jobs=2, report=lambda *words: told.append(words)
    )
    assert {n: d.value for n, d in one.items()} == {n: d.value for n, d in two.items()}
    assert [words[:2] for words in told] == [(1, 3), (2, 3), (3, 3)]


def test_two_units_of_one_name_must_be_the_same(log, tmp_path):
    units = [Unit("draws", toy_paper.draw, (seed, 9, str(log))) for seed in (0, 1)]
    with pytest.raises(BayeswoodError, match="called 'draws'"):
        do_units(units, Keeper(tmp_path))
