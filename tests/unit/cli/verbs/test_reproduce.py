"""The verb that runs papers again."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bayeswood.cli.app import app
from bayeswood.cli.papers_folder import find_papers
from bayeswood.errors import BayeswoodError
from bayeswood.reproduce import paper_names
from bayeswood.reproduce.record import RESULTS

ROOT = Path(__file__).parents[4]


def run(*args):
    return CliRunner().invoke(app, ["reproduce", *map(str, args)])


@pytest.fixture
def papers(tmp_path):
    """Sources of a project of this name."""
    folder = tmp_path / "sources" / "papers"
    folder.mkdir(parents=True)
    (tmp_path / "sources" / "pyproject.toml").write_text('[project]\nname = "bayeswood"\n')
    return folder


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """The package as from a wheel: no sources around it."""
    place = tmp_path / "site-packages" / "bayeswood"
    place.mkdir(parents=True)
    module = sys.modules[find_papers.__module__]
    monkeypatch.setattr(module, "__file__", str(place / "cli" / "papers_folder.py"))
    monkeypatch.chdir(tmp_path)


def test_the_projects_own_papers_are_found(monkeypatch):
    monkeypatch.chdir(ROOT / "papers" / "taddy-2015")
    assert find_papers() == ROOT / "papers"
    assert (find_papers() / "taddy-2015" / RESULTS).is_file()


@pytest.mark.usefixtures("installed")
def test_papers_are_found_around_here(papers, monkeypatch):
    monkeypatch.chdir(papers)
    assert find_papers() == papers


def test_without_a_name_the_papers_are_listed():
    result = run()
    assert result.exit_code == 0
    assert result.stdout.splitlines() == paper_names()


def test_a_name_that_does_not_exist():
    result = run("second-2021", "--quick")
    assert result.exit_code == 1
    known = ", ".join(paper_names())
    assert result.stderr == f"bayeswood: There is no paper 'second-2021'. There are: {known}.\n"


@pytest.mark.usefixtures("installed")
def test_without_sources_one_line_says_what_to_do():
    result = run("--summary")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "Get the sources" in result.stderr
    assert "--papers" in result.stderr


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("text", ['[project]\nname = "other"\n', "[project\n", None])
def test_other_projects_are_left_alone(papers, monkeypatch, text):
    settings = papers.parent / "pyproject.toml"
    settings.unlink() if text is None else settings.write_text(text)
    monkeypatch.chdir(papers)
    with pytest.raises(BayeswoodError, match="part of the project's sources"):
        find_papers()


@pytest.mark.parametrize("args", [["--help"], ["tierney-lecture", "--help"]])
def test_help_fits_a_terminal(args):
    result = run(*args)
    assert result.exit_code == 0
    assert "--papers" in result.stdout or "--quick" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.usefixtures("installed")
def test_a_paper_of_the_package_needs_no_sources(tmp_path):
    result = run("tierney-lecture", "--quick", "--only", "example", "--only", "figure")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "quick" in result.stdout
    assert "those of the whole run." in " ".join(result.stdout.split())
    out = tmp_path / "reproduced" / "tierney-lecture"
    page = (out / "tierney-lecture.html").read_text(encoding="utf-8")
    assert "data:image/png;base64," in page
    assert (out / "figures" / "mistakes.png").read_bytes().startswith(b"\x89PNG")
    for text in (page, (out / "tierney-lecture.md").read_text(encoding="utf-8")):
        assert "0.156" in text
        assert str(tmp_path) not in text


@pytest.mark.usefixtures("installed")
def test_json_is_one_object(tmp_path):
    result = run("tierney-lecture", "--only", "example", "--out", tmp_path / "o", "--json")
    found = json.loads(result.stdout)
    (part,) = found["parts"]
    assert part["finding"]["cells"][0]["verdict"] == "agrees"
    assert len(found["pages"]) == 2


@pytest.mark.usefixtures("installed", "offline")
def test_missing_data_are_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESWOOD_DATA", str(tmp_path))
    parts = ["--only", "table-2", "--only", "figure-1"]
    result = run("quadrianto-2015", "--quick", *parts, "--out", tmp_path / "o")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "svmguide2" in result.stderr
    assert "BAYESWOOD_DATA" in result.stderr
    page = (tmp_path / "o" / "quadrianto-2015.md").read_text(encoding="utf-8")
    assert "figures/figure-1.png" in page
    assert "| iris | BMA | 94.67 ± 6.05 |" in page
    assert page.count("not run: the data set") == 7 * 3
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.usefixtures("installed")
def test_without_matplotlib_one_line_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("tierney-lecture", "--quick")
    assert result.exit_code == 1
    assert result.stderr == "bayeswood: Figures need matplotlib: pip install 'bayeswood[plots]'\n"


@pytest.mark.usefixtures("installed")
def test_an_unknown_part(tmp_path):
    result = run("tierney-lecture", "--only", "table-9")
    assert result.exit_code == 1
    assert "has no part 'table-9'" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.usefixtures("installed")
def test_a_shortened_run_is_not_kept(papers):
    result = run("--papers", papers, "tierney-lecture", "--quick", "--write-readme")
    assert result.exit_code == 2
    assert not (papers / "tierney-lecture").exists()


def test_the_parts_are_listed():
    result = run("tierney-lecture", "--list")
    assert [line.split()[0] for line in result.stdout.splitlines()][:2] == ["claims", "example"]
