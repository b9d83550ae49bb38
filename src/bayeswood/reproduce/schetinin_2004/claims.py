"""The paper's sentences about the five Gaussians and about its formulas, held against numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from bayeswood.reproduce.finding import Claim, Finding
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.schetinin_2004.figures import incorrect_at_equal_doubt
from bayeswood.reproduce.schetinin_2004.measure import N_REPEATS, pruned_trees
from bayeswood.reproduce.schetinin_2004.section5 import (
    RANDOMISED,
    VALID,
    bayes_units,
    bayesian_units,
    randomised_units,
)

F64 = NDArray[np.float64]

# Pruning factors of section 3: the paper's, and 10 % of the 250 training rows.
_PRUNING = (5, 25)
# Accuracies that differ by less are called the same, in points.
_SAME = 1.0


def claim_units(plan: Plan) -> Sequence[Unit]:
    """What the claims rest on."""
    return [
        *bayesian_units(plan),
        *randomised_units(plan),
        *bayes_units(plan),
        *(
            Unit(f"pruned/{p_min}/{repeat}", pruned_trees, (repeat, plan.seed, p_min))
            for p_min in _PRUNING
            for repeat in range(N_REPEATS)
        ),
    ]


def find_claims(found: Found, plan: Plan) -> Finding:
    """Sections 2 to 4 and 5.1."""
    return Finding(
        claims=(
            _catalan(),
            _birth_ratio(),
            _death_ratio(),
            _change_moves(found),
            _restarts(found),
            _pruning(found),
            _bayes_envelope(),
            _converged(found),
            _diverse(found),
            _small_trees_first(found),
            _below_bayes_rule(found),
            _hundred_trees(found),
            _above_best_tree(found),
            _same_accuracy(found),
            _third_of_the_size(found),
            _steadier(found),
        )
    )


def _of(found: Found, name: str, key: str) -> F64:
    return np.array([each[key] for each in found.repeats(name, N_REPEATS)], dtype=np.float64)


def _told(values: F64, digits: int = 1) -> str:
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1):.{digits}f}"


def _catalan() -> Claim:
    number = float(comb(50, 25)) / 26
    return Claim(
        "For k >= 25 the number of trees is astronomically large, S_k >= (4.8)^12 (section 2.1)",
        "eq. 8 at k = 25; what is meant is 4.8 · 10^12",
        number >= 4.8e12,
        f"{number:.3e}",
    )


def _catalan_ratio(k: int) -> float:
    """S_{k+1}/S_k of eq. 8."""
    return (4 * k + 2) / (k + 2)


def _birth_ratio() -> Claim:
    k = 100
    ratios = [k / prunable / _catalan_ratio(k) for prunable in (1, k // 4, k // 2)]
    return Claim(
        "As trees grow, the R of a birth tends to a constant between 0 and 1 (section 2.1)",
        "eq. 11 at k = 100 for the fewest nodes with two leaves, for a quarter, and for the most",
        max(ratios) < 1,
        ", ".join(f"{ratio:.2f}" for ratio in ratios),
    )


def _death_ratio() -> Claim:
    k = 100
    ratios = [prunable / (k - 1) * _catalan_ratio(k - 1) for prunable in (1, k // 4, k // 2)]
    return Claim(
        "For deaths R >= 1 (section 2.1)",
        "eq. 12 as printed at k = 100, likewise",
        min(ratios) >= 1,
        ", ".join(f"{ratio:.2f}" for ratio in ratios),
    )


def _change_moves(found: Found) -> Claim:
    moves = [each["acceptance by move"] for each in found.repeats(VALID, N_REPEATS)]
    rates = [np.mean([each[name] for each in moves]) for name in ("change_split", "change_rule")]
    return Claim(
        "Once a tree has grown, change moves are accepted with a very small probability (2.1)",
        "acceptance of change-split and change-rule after the burn-in; holds if both are under .05",
        bool(max(rates) < 0.05),
        f"{rates[0]:.3f} and {rates[1]:.3f}",
    )


def _restarts(found: Found) -> Claim:
    together, alone = _of(found, VALID, "accuracy"), _of(found, VALID, "chain accuracy")
    return Claim(
        "Averaging over restarts improves the performance (section 2.2)",
        "accuracy of all chains together less that of one, in the mean over five draws",
        bool(np.mean(together - alone) > 0),
        f"{_told(together - alone)} points ({_told(together)} against {_told(alone)})",
    )


def _pruning(found: Found) -> Claim:
    few, many = (_of(found, f"pruned/{p_min}", "accuracy") for p_min in _PRUNING)
    small, large = (_of(found, f"pruned/{p_min}", "size") for p_min in _PRUNING)
    return Claim(
        "Up to 10 % of the training rows the pruning factor matters little for the performance of "
        "randomised trees, and much for their size (section 3)",
        "leaves of 5 and of 25 of 250 rows; holds if accuracies are within a point and the sizes "
        "differ by half",
        bool(abs(few.mean() - many.mean()) < _SAME and large.mean() < 0.5 * small.mean()),
        f"accuracy {_told(few)} and {_told(many)}; splits {_told(small)} and {_told(large)}",
    )


def _bayes_envelope() -> Claim:
    best = incorrect_at_equal_doubt(0.0)
    others = [incorrect_at_equal_doubt(shift) for shift in (-0.5, -0.2, 0.2, 0.5)]
    return Claim(
        "For the Bayesian classifier the incorrect outcomes are minimal (section 4, Figure 1)",
        "confident errors in % of rules that misplace the second Gaussian by -.5, -.2, .2 and .5, "
        "uncertain as often as the Bayes rule; holds if it has the fewest",
        best <= min(others),
        f"{best:.3f} against {', '.join(f'{other:.3f}' for other in others)}",
    )


def _converged(found: Found) -> Claim:
    rhat = _of(found, VALID, "R-hat")
    return Claim(
        "The log likelihood fluctuates around a stable value: the sampling works well (5.1.1)",
        "R-hat of the log likelihood after the burn-in; holds if at most 1.1 on every draw",
        bool(np.all(rhat <= 1.1)),
        ", ".join(f"{each:.2f}" for each in rhat),
    )


def _diverse(found: Found) -> Claim:
    ours, theirs = _of(found, VALID, "distinct"), _of(found, "five/invalid", "distinct")
    return Claim(
        "The diversity is very large, more than 8,000 distinct trees (5.1.1)",
        "distinct trees among the draws, in the mean over five draws of the data",
        bool(ours.mean() > 8000),
        f"{ours.mean():,.0f}; the paper's sampler as reconstructed (not valid): "
        f"{theirs.mean():,.0f}",
    )


def _small_trees_first(found: Found) -> Claim:
    falls = []
    for each in found.repeats(VALID, N_REPEATS):
        sizes, masses = np.array(each["distinct sizes"]), np.array(each["distinct masses"])
        middle = np.median(sizes)
        falls.append([masses[sizes <= middle].mean(), masses[sizes > middle].mean()])
    small, large = np.array(falls).T
    return Claim(
        "The posterior weight of a tree decreases with its size (5.1.1)",
        "mean weight of the smaller half of the distinct trees against the larger, on every draw",
        bool(np.all(small > large)),
        f"{small.mean():.2e} against {large.mean():.2e}",
    )


def _below_bayes_rule(found: Found) -> Claim:
    gap = 100 - np.array(found.repeats("five/bayes", N_REPEATS)) - _of(found, VALID, "accuracy")
    return Claim(
        "In some regions the averaged boundary does not fit as well as the Bayesian rule (5.1.1)",
        "points of accuracy that the Bayes rule has more, on the same test rows",
        bool(gap.mean() > 0),
        _told(gap),
    )


def _hundred_trees(found: Found) -> Claim:
    curves = np.array([each["ensemble"] for each in found.repeats(RANDOMISED, N_REPEATS)])
    moved = np.abs(curves[:, 100:] - curves[:, -1:]).max(axis=1)
    early = np.abs(curves[:, :10] - curves[:, -1:]).max(axis=1)
    return Claim(
        "The ensemble stabilises after about 100 trees (5.1.2, Figure 5)",
        "largest distance from the final accuracy after 100 trees; holds if under a point on every "
        "draw",
        bool(np.all(moved < _SAME)),
        f"{moved.max():.1f} points; among the first ten trees {early.max():.1f}",
    )


def _above_best_tree(found: Found) -> Claim:
    told = found.repeats(RANDOMISED, N_REPEATS)
    least = min(
        float(
            np.min(np.array(each["ensemble"])[129:] - np.maximum.accumulate(each["single"])[129:])
        )
        for each in told
    )
    last = [each["ensemble"][-1] - max(each["single"]) for each in told]
    return Claim(
        "From 130 trees on the ensemble stays above the best single tree (5.1.2, Figure 6)",
        "accuracy of the ensemble less that of the best tree so far on the same rows, on each draw",
        bool(least > 0),
        f"at least {least:.1f} points; with all 200 trees {np.mean(last):.1f} in the mean",
    )


def _same_accuracy(found: Found) -> Claim:
    ours, theirs = _of(found, VALID, "accuracy"), _of(found, RANDOMISED, "accuracy")
    return Claim(
        "Both techniques have the same accuracy on the synthetic data (5.1.3)",
        "within a point in the mean",
        bool(abs(np.mean(ours - theirs)) < _SAME),
        f"Bayesian {_told(ours)}, randomised {_told(theirs)}",
    )


def _third_of_the_size(found: Found) -> Claim:
    share = _of(found, VALID, "size") / _of(found, RANDOMISED, "size")
    return Claim(
        "Bayesian trees have a third of the size of the randomised ones (5.1.3)",
        "ratio of the mean sizes; holds if it is a third or less on every draw",
        bool(np.all(share <= 1 / 3)),
        _told(share, 2),
    )


def _steadier(found: Found) -> Claim:
    spreads = {
        key: [2 * _of(found, name, key).std(ddof=1) for name in (VALID, RANDOMISED)]
        for key in ("correct", "uncertain", "incorrect")
    }
    return Claim(
        "The rates of Bayesian trees vary significantly less than those of randomised ones (5.1.3)",
        "2σ over the five draws of each rate; holds if all three are at most half as large",
        all(ours <= 0.5 * theirs for ours, theirs in spreads.values()),
        "; ".join(f"{key} {a:.1f} against {b:.1f}" for key, (a, b) in spreads.items()),
    )
