"""V. Schetinin and others on Bayesian and randomised trees within an Uncertainty Envelope, 2004.

`invalid_sampler.py` holds the paper's sampler as reconstructed: it is not valid, and stands beside
ours for this paper's page only.
"""

from pathlib import Path

from bayeswood.reproduce.paper import Paper, Part
from bayeswood.reproduce.schetinin_2004.claims import claim_units, find_claims
from bayeswood.reproduce.schetinin_2004.conclusions import conclusion_units, find_conclusions
from bayeswood.reproduce.schetinin_2004.figures import (
    boundary_units,
    find_figure_1,
    find_figure_2,
    find_figure_3,
    find_figure_4,
    find_figure_5,
    find_figure_6,
    find_figure_7,
)
from bayeswood.reproduce.schetinin_2004.reasons import REASONS
from bayeswood.reproduce.schetinin_2004.section5 import (
    bayes_units,
    bayesian_units,
    find_approximation,
    find_bayes_error,
    find_bayesian,
    find_growth,
    find_randomised,
    find_table_1,
    growth_units,
    randomised_units,
)
from bayeswood.reproduce.schetinin_2004.tables import (
    INVALID,
    LEAVES,
    OTHERS,
    envelope_units,
    find_others,
    find_table_2,
    find_table_3,
    find_table_4,
    table_2_units,
)

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent

PAPER = Paper(
    name="schetinin-2004",
    title="Bayesian and randomised trees within an Uncertainty Envelope",
    citation=(
        "V. Schetinin, J. E. Fieldsend, D. Partridge, W. J. Krzanowski, R. M. Everson, T. C. "
        'Bailey and A. Hernandez, "Comparison of the Bayesian and Randomised Decision Tree '
        'Ensembles within an Uncertainty Envelope Technique", 2004.'
    ),
    about=(_FOLDER / "about.md").read_text(encoding="utf-8"),
    notes=(_FOLDER / "notes.md").read_text(encoding="utf-8"),
    quick="5 restarts of Markov chains in place of 50, and data grow to 1,000 rows only.",
    sample="section-5.1.2",
    reasons=REASONS,
    parts=(
        Part("conclusion", "Claims about the seven data sets", find_conclusions, conclusion_units),
        Part("claims", "Claims about the five Gaussians", find_claims, claim_units),
        Part("section-4", "Section 4: error of votes", find_approximation),
        Part("figure-1", "Figure 1: the envelope of two Gaussians", find_figure_1),
        Part("section-5.1", "Section 5.1: the Bayes error", find_bayes_error, bayes_units),
        Part("figure-2", "Figure 2: class boundaries", find_figure_2, boundary_units),
        Part(
            "section-5.1.1",
            "Section 5.1.1: Bayesian trees on five Gaussians",
            find_bayesian,
            bayesian_units,
            words=(
                "Over five draws of 250 training and 1,000 test rows. The paper has one, and does "
                "not say over what its 2σ are; five repeats are taken for it."
            ),
        ),
        Part("figure-3", "Figure 3: traces", find_figure_3, bayesian_units),
        Part("figure-4", "Figure 4: diversity", find_figure_4, bayesian_units),
        Part("table-1", "Table 1: the likeliest trees", find_table_1, bayesian_units),
        Part(
            "section-5.1.2",
            "Section 5.1.2: randomised trees on five Gaussians",
            find_randomised,
            randomised_units,
        ),
        Part("figure-5", "Figure 5: the ensemble over five folds", find_figure_5, randomised_units),
        Part("figure-6", "Figure 6: ensemble and single trees", find_figure_6, randomised_units),
        Part("figure-7", "Figure 7: sizes of randomised trees", find_figure_7, randomised_units),
        Part("table-2", "Table 2: data and best single trees", find_table_2, table_2_units),
        Part(
            "table-3",
            "Table 3: randomised trees",
            find_table_3,
            envelope_units("randomised", LEAVES),
        ),
        Part(
            "table-4",
            "Table 4: Bayesian trees",
            find_table_4,
            envelope_units("randomised", "bayesian", INVALID),
        ),
        Part(
            "others",
            "Ours: other ensembles on the same parts",
            find_others,
            envelope_units("randomised", "bayesian", *OTHERS),
        ),
        Part("growth", "Ours: the envelope as data grow", find_growth, growth_units),
    ),
)
