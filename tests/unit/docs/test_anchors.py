"""Links between pages lead to headings that exist, by the names that code hosts give them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md")), *ROOT.glob("papers/*/*.md")]
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def slug(heading):
    """The anchor of a heading: its words in lower case, without marks, joined by hyphens."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")


def anchors(page):
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    return {slug(heading) for heading in re.findall(r"^#{1,4} (.*)$", text, re.MULTILINE)}


def lost(page):
    """Links of a page to headings that are not there."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    targets = [(page.parent / path if path else page, name) for path, name in LINK.findall(text)]
    return [
        f"{target.name}#{name}"
        for target, name in targets
        if target.suffix == ".md" and name not in anchors(target)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_anchors_exist(page):
    assert lost(page) == []


def test_a_lost_heading_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# The `first` one: x\n\n[a](#the-first-one-x) [b](page.md#second)\n")
    assert lost(page) == ["page.md#second"]
