"""What the README and the docs show is true: code blocks run, links lead somewhere."""

import doctest
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md")), *ROOT.glob("papers/*/*.md")]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
# What some pages show, and the extra `all` does not bring.
OTHERS = ("dask", "lightgbm", "onnxruntime", "skops", "xgboost")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def code_blocks(page, language):
    """Text and line number of each fenced block of a language."""
    text = page.read_text(encoding="utf-8")
    return [
        (match[2], text.count("\n", 0, match.start()) + 1)
        for match in FENCE.finditer(text)
        if match[1] == language
    ]


def run_block(code, line, page, names):
    """Run one block in the page's namespace; with prompts, its output is checked too."""
    if ">>>" not in code:
        exec(compile("\n" * line + code, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), line)
    test.globs = names
    report = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append, clear_globs=False)
    assert not report, "".join(report)


@every_page
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = code_blocks(page, "python")
    for library in OTHERS:
        if any(re.search(rf"(?:import|from) {library}\b", code) for code, _ in blocks):
            pytest.importorskip(library)
    names = {"__name__": page.stem}
    for code, line in blocks:
        run_block(code, line, page, names)
    if "matplotlib.pyplot" in sys.modules:  # what a page has drawn
        sys.modules["matplotlib.pyplot"].close("all")


@every_page
def test_links_lead_somewhere(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []


@every_page
def test_make_targets_exist(page):
    known = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = re.findall(r"(?:^|`)make ([a-z][\w-]*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(shown) <= known


def test_the_demo_installs_what_the_readme_imports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    named = [*project["dependencies"], *extras["all"]]
    for extra in re.findall(r"\w+", extras["all"][0].partition("[")[2]):
        named += extras[extra]
    installed = {re.split(r"[<>=\[]", requirement)[0] for requirement in named}
    # `as_frame` makes a pandas frame.
    assert "as_frame=True" in (ROOT / "README.md").read_text()
    assert "pandas" in installed


def test_readme_has_a_tested_example():
    blocks = code_blocks(ROOT / "README.md", "python")
    assert any(">>>" in code for code, _ in blocks)


def test_a_wrong_block_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n")
    [(code, line)] = code_blocks(page, "python")
    with pytest.raises(AssertionError, match="Expected"):
        run_block(code, line, page, {})
