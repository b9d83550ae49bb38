"""The paper's sentences about the seven data sets (section 5.2, section 6)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayeswood.reproduce.finding import Claim, Finding
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.schetinin_2004.printed import SETS
from bayeswood.reproduce.schetinin_2004.tables import INVALID, column, envelope_units

F64 = NDArray[np.float64]

_NAMES = list(SETS)
_VERY_LARGE = 20.0  # points of 2σ


def conclusion_units(plan: Plan) -> Sequence[Unit]:
    """Both techniques, and the sampler as reconstructed."""
    return envelope_units("randomised", "bayesian", INVALID)(plan)


def find_conclusions(found: Found, plan: Plan) -> Finding:
    """Sections 5.2 and 6."""
    return Finding(
        claims=(
            _beats_best_tree(found, "randomised", "best tree"),
            _beats_best_tree(found, "bayesian", "best tree"),
            _beats_best_tree(found, "randomised", "best tree elsewhere"),
            _large_intervals(found),
            _like_accuracy(found),
            _better_on_two(found),
            _smaller(found),
            _steadier(found),
            _fewer_errors(found, "bayesian", "the valid sampler"),
            _fewer_errors(found, INVALID, "the paper's sampler as reconstructed, not valid"),
        )
    )


def _means(found: Found, kind: str, key: str) -> F64:
    """(n_sets,)."""
    return np.array([np.mean(column(found, kind, name, key)) for name in _NAMES])


def _two_sigma(found: Found, kind: str, key: str) -> F64:
    return np.array([2 * np.std(column(found, kind, name, key), ddof=1) for name in _NAMES])


def _listed(numbers: F64, digits: int = 1) -> str:
    return ", ".join(
        f"{label} {number:.{digits}f}" for label, number in zip(SETS.values(), numbers, strict=True)
    )


_KINDS = {"randomised": "Randomised", "bayesian": "Bayesian"}
_BEST = {
    "best tree": "the best of the 200 randomised trees, scored on the rows that chose it",
    "best tree elsewhere": "the same tree scored on rows that did not choose it",
}


def _beats_best_tree(found: Found, kind: str, best: str) -> Claim:
    gain = _means(found, kind, "accuracy") - _means(found, "randomised", best)
    return Claim(
        f"{_KINDS[kind]} trees outperform the best single tree on every set (5.2, 6)",
        f"accuracy less that of {_BEST[best]}",
        bool(np.all(gain > 0)),
        _listed(gain),
    )


def _large_intervals(found: Found) -> Claim:
    widths = np.maximum(
        _two_sigma(found, "randomised", "correct"), _two_sigma(found, "randomised", "incorrect")
    )
    large = [name not in ("breast_cancer_wisconsin", "house_votes_84") for name in _NAMES]
    return Claim(
        "2σ of the randomised trees' correct and incorrect outcomes is very large on all sets but "
        "Wisconsin and votes (5.2)",
        f"the larger of the two over five parts; holds if over {_VERY_LARGE:.0f} points on these",
        bool(np.all(widths[large] > _VERY_LARGE)),
        _listed(widths),
    )


def _like_accuracy(found: Found) -> Claim:
    gain = _means(found, "bayesian", "accuracy") - _means(found, "randomised", "accuracy")
    rest = [name not in ("breast_cancer_wisconsin", "sonar") for name in _NAMES]
    return Claim(
        "The accuracies are nearly the same on all sets but Wisconsin and sonar (5.2, 6)",
        "Bayesian less randomised; holds if within two points on these",
        bool(np.all(np.abs(gain[rest]) <= 2)),
        _listed(gain),
    )


def _better_on_two(found: Found) -> Claim:
    gain = _means(found, "bayesian", "accuracy") - _means(found, "randomised", "accuracy")
    chosen = [_NAMES.index(name) for name in ("breast_cancer_wisconsin", "sonar")]
    return Claim(
        "On Wisconsin and sonar the Bayesian trees slightly outperform the randomised ones (5.2)",
        "Bayesian less randomised, points of accuracy",
        bool(np.all(gain[chosen] > 0)),
        ", ".join(f"{gain[at]:.1f}" for at in chosen),
    )


def _smaller(found: Found) -> Claim:
    ratio = _means(found, "randomised", "size") / _means(found, "bayesian", "size")
    return Claim(
        "Bayesian trees are smaller than randomised ones (5.2, by 2.4 on average)",
        "ratio of the mean sizes, on every set",
        bool(np.all(ratio > 1)),
        _listed(ratio),
    )


def _steadier(found: Found) -> Claim:
    told, holds = [], True
    for key in ("correct", "incorrect"):
        ours, theirs = (_two_sigma(found, kind, key).mean() for kind in ("bayesian", "randomised"))
        holds &= bool(ours <= 0.5 * theirs)
        told.append(f"{key} {ours:.2f} against {theirs:.2f}")
    return Claim(
        "The outcomes of Bayesian trees vary significantly less over the parts (5.2)",
        "2σ of correct and of incorrect outcomes, mean over the seven sets; holds if both are at "
        "most half as large",
        holds,
        "; ".join(told),
    )


def _fewer_errors(found: Found, kind: str, name: str) -> Claim:
    ours, theirs = (_means(found, each, "incorrect") for each in (kind, "randomised"))
    doubts = [_means(found, each, "uncertain").mean() for each in (kind, "randomised")]
    return Claim(
        f"Bayesian ensembles make far fewer confident but incorrect classifications (6): {name}",
        "mean of the rates over the seven sets; holds if it is at most half of the randomised one",
        bool(ours.mean() <= 0.5 * theirs.mean()),
        f"{ours.mean():.2f} % against {theirs.mean():.2f} %, at {doubts[0]:.0f} % and "
        f"{doubts[1]:.0f} % uncertain",
    )
