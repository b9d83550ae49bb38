"""The order of the pages, kept apart from them: on a code host a toctree is noise.

Each chapter's page gets a hidden table of its pages at its end. Pages that no chapter names come
last in the last one.
"""

from pathlib import Path
from typing import Any

# Short names for the bar at the top.
NAMES = {
    "getting-started": "Start",
    "methods": "Methods",
    "intervals": "Uncertainty",
    "data": "Data",
    "api/index": "API",
}
CHAPTERS = {
    "index": [
        "getting-started",
        "methods",
        "intervals",
        "data",
        "gallery/index",
        "api/index",
        "inside",
    ],
    "getting-started": [
        "installation",
        "cli",
        "notebooks",
        "datasets",
        "from-scikit-learn",
        "from-lightgbm",
        "from-quantile-forest",
        "from-stochtree",
    ],
    "methods": [
        "calibrated-forest",
        "random-forest",
        "bayesian-forest",
        "empirical-bayesian-forest",
        "subsample-forest",
        "randomized-trees",
        "safe-bayes-forest",
        "mcmc-trees",
        "smc-trees",
        "bart",
        "envelope",
        "growing",
    ],
    "intervals": ["uncertainty", "guarantees", "looking", "report", "attributions"],
    "data": [
        "tables",
        "categories",
        "out-of-core",
        "cluster",
        "deployment",
        "saving",
        "export",
    ],
    "inside": [
        "architecture",
        "notation",
        "errata",
        "modelfile",
        "performance",
        "benchmarks-calibration",
        "outside/papers",
        "outside/contributing",
        "outside/code-of-conduct",
        "outside/security",
        "outside/changelog",
    ],
    "outside/papers": [
        "outside/lakshminarayanan-2013",
        "outside/quadrianto-2015",
        "outside/schetinin-2004",
        "outside/taddy-2015",
        "outside/tierney-lecture",
    ],
}


def chapters() -> dict[str, list[str]]:
    """The pages of each chapter, none left out."""
    named = {"index"}.union(*CHAPTERS.values())
    docs = Path(__file__).parents[1]
    rest = sorted(page.stem for page in docs.glob("*.md") if page.stem not in named)
    return {**CHAPTERS, "inside": [*CHAPTERS["inside"], *rest]}


def add_contents(app: Any, docname: str, source: list[str]) -> None:
    """Append a chapter's hidden table of contents."""
    pages = chapters().get(docname)
    if pages:
        lines = "\n".join(
            f"{NAMES[page]} </{page}>" if page in NAMES else f"/{page}" for page in pages
        )
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n"


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True}
