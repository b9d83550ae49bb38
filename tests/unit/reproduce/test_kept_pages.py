"""The pages in papers/ are what the code gives: written from results, and results made by it."""

import os
from pathlib import Path

import pytest

from bayeswood.reproduce import Plan, find_paper, paper_names
from bayeswood.reproduce.paper import NOT_EXPLAINED
from bayeswood.reproduce.readmes import readme_texts
from bayeswood.reproduce.record import read_results
from bayeswood.reproduce.run import run_sample
from bayeswood.reproduce.verdict import DIFFERS
from bayeswood.reproduce.whole import kept_whole, verdicts_of

PAPERS = Path(__file__).parents[3] / "papers"
TEXTS = readme_texts(PAPERS)

every_paper = pytest.mark.parametrize("name", paper_names())


@pytest.mark.parametrize("place", TEXTS, ids=lambda place: str(place.relative_to(PAPERS)))
def test_pages_are_written_from_the_results(place):
    """`bayeswood reproduce --summary` writes them again."""
    assert place.read_text(encoding="utf-8") == TEXTS[place]


@every_paper
def test_the_kept_run_is_whole(name):
    record = read_results(PAPERS / name)
    assert [part.key for part in record.parts] == [part.key for part in find_paper(name).parts]
    assert not record.quick
    assert not record.missing


@every_paper
def test_the_code_gives_what_is_kept(name, tmp_path):
    """One part in its quick form; after a change of the library, write the page again."""
    record, paper = read_results(PAPERS / name), find_paper(name)
    (part,) = paper.choose([paper.sample])
    needs_data = any(unit.data for unit in part.units(Plan(record.seed, quick=True)))
    if needs_data and "BAYESWOOD_DATA" not in os.environ:
        pytest.skip("needs the data sets in the folder that the variable BAYESWOOD_DATA names")
    now = run_sample(paper, record.seed, tmp_path)
    assert len(now.cells) + len(now.listings) > 0
    assert now.listings == record.sample.listings
    for ours, kept in zip(now.cells, record.sample.cells, strict=True):
        assert (ours.row, ours.column, ours.verdict) == (kept.row, kept.column, kept.verdict)
        assert ours.ours == near(kept.ours)
        assert ours.ours_sd == near(kept.ours_sd)


def near(number):
    """The same but for rounding; a single number has no spread."""
    return None if number is None else pytest.approx(number, rel=1e-9)


@every_paper
def test_the_package_has_the_kept_run(name):
    """Quick runs are held against it, verdict by verdict: no two stand in one place."""
    record = read_results(PAPERS / name)
    assert kept_whole(name) == record
    assert len(verdicts_of(record)) == len(record.cells) + len(record.claims)


@every_paper
def test_reasons_are_of_cells_that_differ(name):
    """A reason that no differing cell has any more is to be deleted."""
    paper, record = find_paper(name), read_results(PAPERS / name)
    given = {
        paper.reason(part.key, cell)
        for part in record.parts
        for cell in part.finding.cells
        if cell.verdict == DIFFERS
    }
    assert set(paper.reasons.values()) == given - {NOT_EXPLAINED}
