"""The lecture's numbers and figure, and tables of real forests beside them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayeswood.plots.axes import legend_above, tidy
from bayeswood.reproduce.finding import Finding, Listing, compared
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.pictures import new_figure, picture_of
from bayeswood.reproduce.tierney_lecture.measure import (
    LABELS,
    LARGE,
    VOTE_SIZES,
    forest_variance,
    vote_errors,
)
from bayeswood.reproduce.verdict import Reading
from bayeswood.theory import majority_vote_error

F64 = NDArray[np.float64]

SIZES = (1, 2, 3, 5, 11, 21, 51, 101)
ERRORS = (0.1, 0.25, 0.4, 0.5, 0.6)
# Slide "Modelling Mistakes - Example": B = 3 trees that err in 25 % of the cases.
PRINTED_MISTAKE = 0.156
VOTE_FEATURES, VARIANCE_FEATURES = ("sqrt", "all"), ("one", "third", "all")


def n_vote_repeats(plan: Plan) -> int:
    """Data sets that votes are measured on."""
    return 5 if plan.quick else 20


def n_batches(plan: Plan) -> int:
    """Batches of 20 training sets that variances are measured on."""
    return 4 if plan.quick else 10


def vote_units(plan: Plan) -> Sequence[Unit]:
    """A data set each."""
    return [
        Unit(f"votes/{features}/{repeat}", vote_errors, (features, 1000 * plan.seed + repeat))
        for features in VOTE_FEATURES
        for repeat in range(n_vote_repeats(plan))
    ]


def variance_units(plan: Plan) -> Sequence[Unit]:
    """A batch of training sets each."""
    return [
        Unit(
            f"variance/{features}/{batch}", forest_variance, (features, 20, 100 * plan.seed + batch)
        )
        for features in VARIANCE_FEATURES
        for batch in range(n_batches(plan))
    ]


def votes(found: Found, plan: Plan, features: str, kind: str) -> F64:
    """(n_repeats, n_sizes): errors of trees (``"tree"``) or of votes (``"vote"``)."""
    repeats = found.repeats(f"votes/{features}", n_vote_repeats(plan))
    return np.array([each[kind] for each in repeats])


def variances(found: Found, plan: Plan, features: str, kind: str) -> F64:
    """(n_batches,): one quantity of `forest_variance`."""
    batches = found.repeats(f"variance/{features}", n_batches(plan))
    return np.array([each[kind] for each in batches])


def find_example(found: Found, plan: Plan) -> Finding:
    """The one printed number."""
    ours = float(majority_vote_error(3, 0.25))
    cell = compared(
        ("B = 3, ε = .25", "P(X >= 2)"), (PRINTED_MISTAKE, None), [ours], Reading(unit=0.001),
        digits=3,
    )  # fmt: skip
    rows = tuple(
        (str(size), *(f"{majority_vote_error(size, error):.4g}" for error in ERRORS))
        for size in SIZES
    )
    header = ("B", *(f"ε = {error:g}" for error in ERRORS))
    words = "A tie with an even B counts as a mistake, which is why two trees are worse than one."
    return Finding(cells=(cell,), listings=(Listing(header, rows, words=words),))


def find_figure(found: Found, plan: Plan) -> Finding:
    """The slide's picture: probability of a mistake against the number of trees."""
    figure = new_figure(7, 4)
    ax = figure.subplots()
    n_trees = np.arange(1, 102, 2)
    for error, marker in zip(ERRORS, "osD^v", strict=True):
        ax.plot(
            n_trees, majority_vote_error(n_trees, error), marker=marker, markevery=5,
            label=f"ε = {error:g}",
        )  # fmt: skip
    ax.set(xlabel="trees (odd)", ylabel="probability of a mistake", ylim=(-0.02, 1.02))
    tidy(ax)
    legend_above(ax)
    caption = (
        "Probability that a vote of independent trees is wrong. The slide's own ε is not in the "
        "text that we have."
    )
    return Finding(pictures=(picture_of(figure, "mistakes", caption),))


def find_votes(found: Found, plan: Plan) -> Finding:
    """Real forests beside the mistake model."""
    rows = []
    for at, size in enumerate(VOTE_SIZES):
        row = [str(size)]
        for name in VOTE_FEATURES:
            tree = votes(found, plan, name, "tree")[:, at]
            vote = votes(found, plan, name, "vote")[:, at]
            model = majority_vote_error(size, float(tree.mean()))
            row += [f"{tree.mean():.3f}", mean_and_error(vote), f"{model:.3g}"]
        rows.append(tuple(row))
    header = ["B"]
    for name in VOTE_FEATURES:
        header += [f"error of a tree, {LABELS[name]} features", "of the vote", "if independent"]
    words = (
        f"Means over {n_vote_repeats(plan)} data sets ± their standard errors: 1,000 training and "
        "2,000 test rows, 20 features, two classes. Trees of one forest share their training set "
        "and err together."
    )
    return Finding(listings=(Listing(tuple(header), tuple(rows), words=words),))


def find_variances(found: Found, plan: Plan) -> Finding:
    """The formula for Var(mean) beside what forests of 50 trees do."""
    rows = []
    for name in VARIANCE_FEATURES:
        sigma2 = variances(found, plan, name, "variance")
        rows.append(
            (
                LABELS[name],
                mean_and_error(sigma2, 2),
                mean_and_error(variances(found, plan, name, "correlation")),
                mean_and_error(variances(found, plan, name, "formula")),
                mean_and_error(variances(found, plan, name, "measured")),
                f"{sigma2.mean() / LARGE:.3f}",
            )
        )
    header = (
        "features per node", "σ²", "ρ", "formula at B = 50", "measured at B = 50", "σ²/50",
    )  # fmt: skip
    words = (
        f"Friedman's function, 100 training rows, 50 test rows. σ² and ρ come from "
        f"{20 * n_batches(plan)} forests of 5 trees, the measured variance from as many others of "
        "50 trees, each on a training set of its own; ± are standard errors over batches of 20."
    )
    return Finding(listings=(Listing(header, tuple(rows), words=words),))


def mean_and_error(values: F64, digits: int = 3) -> str:
    """Mean ± standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.{digits}f} ± {error:.{digits}f}"
