"""What the paper says of its images, held against the stand-in."""

from collections.abc import Sequence

import numpy as np

from bayeswood.reproduce.checks import Check
from bayeswood.reproduce.paper import Found, Plan
from bayeswood.reproduce.quadrianto_2015.claims_about_tables import fastest, listed
from bayeswood.reproduce.quadrianto_2015.ours import stand_in_scores


def _stand_in_means(found: Found, plan: Plan, key: str, methods: Sequence[str]) -> dict[str, float]:
    return {m: float(np.mean(stand_in_scores(found, plan, m, key))) for m in methods}


def _stand_in_fastest(found: Found, plan: Plan) -> tuple[bool, str]:
    methods = ("S-Bayes, m = 1", "SMC: prior", "MCMC", "RF: Gini", "ExtraTrees")
    return fastest(_stand_in_means(found, plan, "seconds", methods))


def _stand_in_slowest(found: Found, plan: Plan) -> tuple[bool, str]:
    methods = ("MCMC", "S-Bayes, m = 1", "SMC: prior", "RF: Gini", "ExtraTrees")
    seconds = _stand_in_means(found, plan, "seconds", methods)
    return max(seconds, key=seconds.__getitem__) == "MCMC", listed(seconds, "s", 2)


def _stand_in_beats_neighbours(found: Found, plan: Plan) -> tuple[bool, str]:
    methods = ("kNN", "RF: Gini", "ExtraTrees", "S-Bayes, m = 1")
    means = _stand_in_means(found, plan, "accuracy", methods)
    return min(means[m] for m in methods[1:]) > means["kNN"], listed(means, "%", 1)


def _stand_in_bayesian_trees(found: Found, plan: Plan) -> tuple[bool, str]:
    means = _stand_in_means(found, plan, "accuracy", ("kNN", "MCMC", "SMC: prior"))
    return max(means["MCMC"], means["SMC: prior"]) <= means["kNN"] + 1, listed(means, "%", 1)


_OTHER_DATA = "Its data are not here. On the stand-in (images of digits): "

STAND_IN_CHECKS = (
    Check(
        "Among trees and forests S-Bayes is the fastest to train (Table 4's data)",
        _OTHER_DATA + "CPU seconds of a fit",
        _stand_in_fastest,
    ),
    Check(
        "MCMC is the most time consuming (Table 4's data)",
        _OTHER_DATA + "CPU seconds of a fit; scikit-learn's forests are compiled today",
        _stand_in_slowest,
    ),
    Check(
        "Random forests and S-Bayes outperform kNN (Table 4's data)",
        _OTHER_DATA + "mean accuracies",
        _stand_in_beats_neighbours,
    ),
    Check(
        "Bayesian decision trees are comparable to kNN, or poorer (Table 4's data)",
        _OTHER_DATA + "mean accuracies; holds if no more than a point above",
        _stand_in_bayesian_trees,
    ),
    Check(
        "SMC with optimal proposals does not finish in three days (Table 4's data)",
        "a statement about the authors' program",
    ),
)
