"""Which paper each estimator implements, by the table of docs/methods.md."""

import re
from pathlib import Path

METHODS = Path(__file__).parents[1] / "methods.md"
# The page of a class, by how its name begins.
PAGES = {
    "Calibrated": "calibrated-forest",
    "Bayesian": "bayesian-forest",
    "Empirical": "empirical-bayesian-forest",
    "Subsample": "subsample-forest",
    "RandomForest": "random-forest",
    "Randomized": "randomized-trees",
    "SMC": "smc-trees",
    "SafeBayes": "safe-bayes-forest",
    "MCMC": "mcmc-trees",
    "BART": "bart",
    "Envelope": "envelope",
    "UncertaintyEnvelope": "envelope",
}


def papers_of_classes() -> dict[str, tuple[str, str]]:
    """The paper of each class, in words, and the page about it."""
    table = METHODS.read_text(encoding="utf-8").partition("| class |")[2].partition("\n\n")[0]
    rows = [line.strip("|").split(" | ") for line in table.splitlines()[2:]]
    found = {}
    for row, (names, _, paper) in enumerate(rows):
        words = _spell_out(paper.strip(), [other[2].strip() for other in rows[:row]])
        for name in re.findall(r"`(\w+)`", names):
            (page,) = [PAGES[start] for start in PAGES if name.startswith(start)]
            found[name] = (words, page)
    return found


def _spell_out(paper: str, above: list[str]) -> str:
    """A paper's words where the table says "the same" of one further up."""
    if not paper.startswith("the same"):
        return paper
    first = next(words for words in reversed(above) if not words.startswith("the same"))
    return f"{first.rpartition(',')[0]}{paper.removeprefix('the same')}"
