"""The papers, run again: every printed number beside what comes out here.

A `Paper` is a list of `Part`s (tables, figures, claims). A part names its `Unit`s of work, each a
function that gives plain data and is kept when done, and finds from them `Cell`s compared with the
printed ones by the rule of `verdict.py`, `Claim`s that hold or do not, `Listing`s and `Picture`s.
`run_paper` does the work and gives a `Record`; `pages.py` writes it, `readmes.py` keeps it.
CONTRIBUTING.md says how a paper is added.
"""

from bayeswood.reproduce.finding import (
    Cell,
    Claim,
    Finding,
    Listing,
    Picture,
    compared,
    not_run,
)
from bayeswood.reproduce.paper import Found, MissingDataError, Paper, Part, Plan, Unit
from bayeswood.reproduce.papers import find_paper, paper_names
from bayeswood.reproduce.record import Record
from bayeswood.reproduce.run import run_paper
from bayeswood.reproduce.verdict import LEVEL, RULE, Reading, Verdict, judge

__all__ = [
    "LEVEL",
    "RULE",
    "Cell",
    "Claim",
    "Finding",
    "Found",
    "Listing",
    "MissingDataError",
    "Paper",
    "Part",
    "Picture",
    "Plan",
    "Reading",
    "Record",
    "Unit",
    "Verdict",
    "compared",
    "find_paper",
    "judge",
    "not_run",
    "paper_names",
    "run_paper",
]
