"""B. Lakshminarayanan, D. M. Roy and Y. W. Teh on particle filtering for Bayesian trees, 2013."""

from pathlib import Path

from bayeswood.reproduce.lakshminarayanan_2013.algorithm import (
    algorithm_units,
    find_algorithm,
    find_figure_1,
)
from bayeswood.reproduce.lakshminarayanan_2013.appendix_e import find_appendix_e
from bayeswood.reproduce.lakshminarayanan_2013.cart import cart_units, find_cart
from bayeswood.reproduce.lakshminarayanan_2013.comparison import (
    evidence_units,
    figure_5_units,
    find_appendix_d,
    find_figure_5,
)
from bayeswood.reproduce.lakshminarayanan_2013.figure_2 import (
    depth_units,
    figure_2_units,
    find_appendix_b,
    find_figure_2,
)
from bayeswood.reproduce.lakshminarayanan_2013.figure_3 import figure_3_units, find_figure_3
from bayeswood.reproduce.lakshminarayanan_2013.islands import find_islands, islands_units
from bayeswood.reproduce.lakshminarayanan_2013.runs import MAGIC, PENDIGITS, varied_units
from bayeswood.reproduce.lakshminarayanan_2013.tables import (
    REASONS,
    data_units,
    find_data,
    find_prior,
    find_scripts,
    prior_units,
    script_units,
)
from bayeswood.reproduce.lakshminarayanan_2013.variants import alike_units, find_alike
from bayeswood.reproduce.paper import Paper, Part

__all__ = ["PAPER"]


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


PAPER = Paper(
    name="lakshminarayanan-2013",
    title="Top-down particle filtering for Bayesian decision trees",
    citation=(
        'B. Lakshminarayanan, D. M. Roy and Y. W. Teh, "Top-down Particle Filtering for Bayesian '
        'Decision Trees", ICML 2013.'
    ),
    about=_text("about.md"),
    notes=_text("notes.md"),
    quick=(
        "3 random initialisations in place of 10 (2 in place of 5 in Appendix E), fewer numbers of "
        "particles and islands in each figure, at most 1,000 particles in Figure 2, 5,000 in the "
        "others, chains of 500,000 iterations in place of 1,000,000, in Appendix E 100,000 and one "
        "change of each hyper-parameter in place of two, 100 filters for the evidence in place of "
        "500. Over three initialisations tests find less, so that claims about depth, variances, "
        "resampling and the drop beyond M = 2,000 may come out otherwise than in a whole run, and "
        "shorter chains are sooner caught up with."
    ),
    sample="section-4-1",
    reasons=REASONS,
    parts=(
        Part("section-3", "Sections 2 and 3: the algorithm", find_algorithm, algorithm_units),
        Part("figure-1", "Figure 1: a tree and its partition", find_figure_1),
        Part(
            "appendix-a",
            "Appendix A: pseudocode",
            words=(
                "it is the algorithm itself, and has no numbers: `SMCTreeClassifier` is it, and "
                "the part before this one holds its evidence against sums over all trees."
            ),
        ),
        Part("section-4", "Section 4: data", find_data, data_units),
        Part("section-4-1", "Section 4.1: trees of the prior", find_prior, prior_units),
        Part(
            "figure-2",
            "Figure 2: proposals and expansion",
            find_figure_2,
            lambda plan: [*figure_2_units(plan), *depth_units(plan)],
        ),
        Part("appendix-b", "Appendix B: accuracy", find_appendix_b, figure_2_units),
        Part("alike", "Section 4.1.1: variants that are alike", find_alike, alike_units),
        Part("figure-3", "Figure 3: irrelevant features", find_figure_3, figure_3_units),
        Part(
            "figure-4",
            "Figure 4: islands",
            find_islands(PENDIGITS, "figure-4", "Figure 4"),
            islands_units(PENDIGITS),
        ),
        Part(
            "appendix-c",
            "Appendix C: islands on magic-04",
            find_islands(MAGIC, "appendix-c", "Appendix C"),
            islands_units(MAGIC),
        ),
        Part("figure-5", "Figure 5: SMC and MCMC", find_figure_5, figure_5_units),
        Part("appendix-d", "Appendix D: marginal likelihood", find_appendix_d, evidence_units),
        Part("appendix-e", "Appendix E: hyper-parameters", find_appendix_e, varied_units),
        Part("section-4-3", "Section 4.3 and footnote 4: CART", find_cart, cart_units),
        Part(
            "section-5",
            "Section 5: additive trees and the Mondrian prior",
            words=(
                "the paper names them as further work and has no results: sums of trees are "
                "`BARTRegressor` and `BARTClassifier`, by particles too "
                "([docs](../../docs/bart.md)); trees of the Mondrian process are not offered. What "
                "it wishes for "
                'between prior and optimal proposals is offered as `proposal="tempered"`, exact; '
                "it does not pay ([docs](../../docs/smc-trees.md))."
            ),
        ),
        Part("scripts", "Ours: beside the authors' scripts", find_scripts, script_units),
    ),
)
