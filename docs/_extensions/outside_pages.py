"""Pages that live outside of docs/: copied for the build, with links that lead within the site.

The pages are read on a code host too, where links are paths between files. Here a link to a file
that is a page of the site leads to that page; one to any other file leads to the code host, if
`project.urls` names one, and else loses its link and keeps its words.
"""

import posixpath
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
COPIES = "outside"
LINK = re.compile(
    r"(?<!!)\[([^\]\n]*(?:\n[^\]\n]*)?)\]\((?!https?:|mailto:|#)([^)#\s]*)(#[^)\s]*)?\)"
)


def outside_pages() -> dict[str, str]:
    """The page of each file of the project that is copied, by paths from the project's folder."""
    names = ("CHANGELOG", "CODE_OF_CONDUCT", "CONTRIBUTING", "SECURITY")
    pages = {f"{name}.md": name.lower().replace("_", "-") for name in names}
    pages |= {"papers": "papers", "papers/README.md": "papers"}
    pages |= {
        path.relative_to(ROOT).as_posix(): path.parent.name
        for path in sorted(ROOT.glob("papers/*/README.md"))
    }
    return {path: f"{COPIES}/{name}.md" for path, name in pages.items()}


def gallery_pages() -> dict[str, str]:
    """The page of each example of the gallery, and of the folders that hold it."""
    scripts = ROOT.glob("examples/gallery/*.py")
    pages = {f"examples/gallery/{path.name}": f"gallery/{path.stem}.rst" for path in scripts}
    return {"examples": "gallery/index.rst", "examples/gallery": "gallery/index.rst"} | pages


def code_host() -> str | None:
    """Where files of the project can be read that are no page here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address = project.get("urls", {}).get("Repository")
    return f"{address.rstrip('/')}/blob/main" if address else None


PAGES = outside_pages() | gallery_pages() | {"README.md": "index.md"}
HOST = code_host()


def lead_within(text: str, origin: str, place: str) -> str:
    """The text of a file with links as the site needs them.

    Parameters
    ----------
    text : str
        The Markdown text.
    origin : str
        Its file, from the project's folder: what its links are relative to.
    place : str
        Its page in the site, from docs/: what links are to be relative to.
    """

    def lead(match: re.Match[str]) -> str:
        words, path, anchor = match[1], match[2], match[3] or ""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
        page = PAGES.get(target)
        if page is None and target.startswith("docs/"):
            page = target.removeprefix("docs/")
        if page is not None:
            return f"[{words}]({posixpath.relpath(page, posixpath.dirname(place) or '.')}{anchor})"
        return f"[{words}]({HOST}/{target}{anchor})" if HOST else words

    return LINK.sub(lead, text)


def copy_pages(app: Any) -> None:
    """Write the copies, those that changed."""
    for path, page in outside_pages().items():
        if not path.endswith(".md"):
            continue
        text = lead_within((ROOT / path).read_text(encoding="utf-8"), path, page)
        copy = DOCS / page
        copy.parent.mkdir(exist_ok=True)
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")


def mend_links(app: Any, docname: str, source: list[str]) -> None:
    """Let the links of a page of docs/ lead within the site."""
    is_page = (DOCS / f"{docname}.md").exists() and not docname.startswith(COPIES)
    if is_page:
        source[0] = lead_within(source[0], f"docs/{docname}.md", f"{docname}.md")


def setup(app: Any) -> dict[str, bool]:
    """Register both with Sphinx."""
    app.connect("builder-inited", copy_pages)
    app.connect("source-read", mend_links)
    return {"parallel_read_safe": True}
