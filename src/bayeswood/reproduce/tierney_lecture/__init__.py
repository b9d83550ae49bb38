"""S. Tierney, "Ensemble Methods 2 - Random Forests", a lecture."""

from pathlib import Path

from bayeswood.reproduce.paper import Paper, Part
from bayeswood.reproduce.tierney_lecture.claims import claim_units, find_claims
from bayeswood.reproduce.tierney_lecture.parts import (
    find_example,
    find_figure,
    find_variances,
    find_votes,
    variance_units,
    vote_units,
)

__all__ = ["PAPER"]

PAPER = Paper(
    name="tierney-lecture",
    title="Random forests, a lecture",
    citation=(
        'S. Tierney, "Ensemble Methods 2 - Random Forests", QBUS6850 week 6, The University of '
        "Sydney Business School."
    ),
    about=Path(__file__).with_name("about.md").read_text(encoding="utf-8"),
    quick="5 data sets of votes in place of 20, 80 training sets of variances in place of 200.",
    sample="variance",
    parts=(
        Part("claims", "Claims", find_claims, claim_units),
        Part("example", "Slide Modelling Mistakes - Example: the mistake model", find_example),
        Part("figure", "Slide Modelling Mistakes - Properties: the figure", find_figure),
        Part(
            "three-trees",
            "Slide Random Forests - Example: three trees on the purchases data",
            words=(
                "the trees and the data set are pictures, of which the text has only the answers; "
                "the vote about these answers is the first claim."
            ),
        ),
        Part(
            "bootstrap",
            "Slide Bootstrap Example: three bootstrap samples of five items",
            words="it is a picture of random draws, without a number to compare.",
        ),
        Part("votes", "Ours: votes of real forests", find_votes, vote_units),
        Part("variance", "Ours: variance of real forests", find_variances, variance_units),
    ),
)
