"""A run becomes Markdown, HTML and kept results, and results become the pages again."""

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from toy_paper import make_paper

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce import Plan, find_paper, paper_names, run_paper
from bayeswood.reproduce.html import to_html
from bayeswood.reproduce.markdown import to_markdown
from bayeswood.reproduce.page import page_of
from bayeswood.reproduce.pages import write_pages
from bayeswood.reproduce.readmes import readme_of, summary_of, write_results
from bayeswood.reproduce.record import PartRecord, read_results
from bayeswood.reproduce.run import run_sample


@pytest.fixture
def paper(tmp_path):
    return make_paper(tmp_path / "log")


@pytest.fixture
def record(paper, tmp_path):
    return run_paper(paper, Plan(), tmp_path / "work")


def rows_of(text, start):
    return [line for line in text.splitlines() if line.startswith(start)]


def test_every_cell_and_part_is_there(paper, record):
    page = readme_of(paper, record)
    assert rows_of(page, "| one | mean | 10.00 ± 0.40 |")[0].endswith("| agrees |")
    assert rows_of(page, "| two | mean |")[0].endswith("| **differs** |")
    assert rows_of(page, "| four | mean |")[0].endswith("| not run: nobody knows how |")
    assert "Not run, because it is a picture." in page
    assert rows_of(page, "| **all** | 4 | 1 | 2 | 1 |")
    assert rows_of(page, r"| it is \| twenty |")
    for words in ("holds", "**does not hold**", "not checked", "A. Nobody", "Of draws.", "Student"):
        assert words in page


def test_reasons_and_their_absence(paper, record):
    page = readme_of(paper, record)
    assert rows_of(page, "| Table 1 | two |")[0].endswith("| It was printed so. |")
    assert rows_of(page, "| Table 1 | three |")[0].endswith("| not explained |")


def test_the_page_says_how_it_was_made(paper, record):
    page = readme_of(paper, replace(record, seed=7, date="2000-01-02", cpu_seconds=180.0))
    assert "`bayeswood reproduce toy-2000 --seed 7`" in page
    assert "on 2000-01-02; 3 minutes of CPU time." in page


def test_a_quick_run_marks_every_verdict(paper, tmp_path):
    record = run_paper(paper, Plan(quick=True), tmp_path / "work")
    page = readme_of(paper, record)
    assert "--quick" in page
    assert paper.quick in page
    assert rows_of(page, "| one | mean |")[0].endswith("| agrees, quick |")
    assert rows_of(page, "| two | mean |")[0].endswith("| **differs**, quick |")
    assert "| holds, quick |" in page


@pytest.fixture
def quick_blocks(paper, record, tmp_path):
    """Of a quick run; the whole one found the second cell, the fourth and the claims otherwise."""

    def turned(found):
        words = {"two": "agrees", "four": "differs"}
        cells = [replace(each, verdict=words.get(each.row, each.verdict)) for each in found.cells]
        claims = [replace(each, holds=not each.holds) for each in found.claims]
        return replace(found, cells=tuple(cells), claims=tuple(claims))

    parts = tuple(replace(part, finding=turned(part.finding)) for part in record.parts)
    quick = run_paper(paper, Plan(quick=True), tmp_path / "work")
    return page_of(paper, quick, replace(record, parts=parts))


def test_a_quick_run_says_where_the_whole_one_found_something_else(quick_blocks):
    page = to_markdown(quick_blocks)
    assert "5 of 7 verdicts are other than in the whole run; the page has" in page
    assert rows_of(page, "| one | mean |")[0].endswith("| agrees, quick |")
    assert rows_of(page, "| two | mean |")[0].endswith(
        "| **differs**, quick (*whole run: agrees*) |"
    )
    assert rows_of(page, "| four | mean |")[0].endswith("knows how (*whole run: differs*) |")
    assert "| holds, quick (*whole run: does not hold*) |" in page
    assert "| **does not hold**, quick (*whole run: holds*) |" in page
    assert "| not checked (*whole run: holds*) |" in page
    assert rows_of(page, "| Table 1 | two |")[0].endswith("| In the whole run: agrees. |")
    assert rows_of(page, "| Table 1 | three |")[0].endswith("| not explained |")


def test_a_quick_run_with_the_verdicts_of_the_whole_one(paper, record, tmp_path):
    quick = run_paper(paper, Plan(quick=True), tmp_path / "work")
    page = to_markdown(page_of(paper, quick, record))
    assert "The verdicts are those of the whole run." in page
    assert "*whole run" not in page
    assert to_markdown(page_of(paper, record, quick)) == readme_of(paper, record)


def test_html_stands_alone(paper, record):
    page = to_html(page_of(paper, record), paper.title)
    assert "<title>Toys &amp; trees</title>" in page
    assert 'src="data:image/png;base64,iVBORw=="' in page
    assert "A &lt;dot&gt;." in page
    assert "<ol><li>One.</li><li><strong>Two</strong> &lt;3.</li></ol>" in page
    assert page.count("<table>") == 6
    assert '<h2 id="table-1-means">Table 1: means</h2>' in page
    assert "http" not in page


class Balance(HTMLParser):
    """Every tag that opens is closed by its own."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ["toy-2000", *paper_names()])
def test_html_is_well_formed(paper, record, name):
    if name != "toy-2000":
        paper = find_paper(name)
        record = replace(record, parts=tuple(PartRecord(part.key) for part in paper.parts))
    parser = Balance()
    page = to_html(page_of(paper, record), paper.title)
    parser.feed(page)
    assert parser.open == []
    assert "**" not in page
    assert "](" not in page


def test_pages_and_pictures_are_written(paper, record, tmp_path):
    pages = write_pages(paper, record, tmp_path / "out")
    assert [page.name for page in pages] == ["toy-2000.md", "toy-2000.html"]
    assert (tmp_path / "out" / "figures" / "dot.png").read_bytes() == b"\x89PNG"
    assert "(figures/dot.png)" in pages[0].read_text()


def test_results_give_the_same_readme(paper, record, tmp_path):
    kept = replace(record, sample=run_sample(paper, 0, tmp_path / "work"))
    place = write_results(kept, tmp_path)
    again = read_results(place.parent)
    assert readme_of(paper, again) == readme_of(paper, record)
    assert again.cells == record.cells
    assert again.sample.listings[0].rows == (("1", "2"),)
    assert json.loads(place.read_text())["seed"] == 0


@pytest.mark.parametrize("text", ["{", "{}", '{"parts": [1]}'])
def test_results_that_are_none(tmp_path, text):
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(BayeswoodError, match=r"results"):
        read_results(tmp_path)


def test_the_summary_counts(paper, record):
    text = summary_of({"toy-2000": (paper, record)})
    (row,) = rows_of(text, "| [toy-2000](toy-2000/README.md) |")
    assert "| 4 | 1 | 2: It was printed so. (1); not explained (1) |" in row
    assert "| 1: nobody knows how (1); Figure 9 |" in row
    assert row.endswith("| 1 hold, 1 do not hold, 1 not checked |")
