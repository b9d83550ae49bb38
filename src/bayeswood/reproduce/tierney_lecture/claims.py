"""The lecture's sentences, held against numbers."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy import stats

from bayeswood.forest import Forest
from bayeswood.methods import RandomForestClassifier, RandomForestRegressor
from bayeswood.reproduce.checks import Check, check_claims
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.tierney_lecture.measure import (
    LABELS,
    LARGE,
    VOTE_SIZES,
    fit_seconds,
    many_features,
    same_rows,
    tie_shares,
)
from bayeswood.reproduce.tierney_lecture.parts import (
    ERRORS,
    F64,
    VARIANCE_FEATURES,
    mean_and_error,
    variance_units,
    variances,
    vote_units,
    votes,
)
from bayeswood.reproduce.verdict import LEVEL, short_p
from bayeswood.theory import majority_vote_error

_ROWS = (5_000, 40_000)
_N_FEATURES = 2000


def claim_units(plan: Plan) -> Sequence[Unit]:
    """What the claims rest on."""
    return [
        *vote_units(plan),
        *variance_units(plan),
        Unit("ties/2", tie_shares, (plan.seed, 2)),
        Unit("ties/3", tie_shares, (plan.seed, 3)),
        Unit("same-rows", same_rows, (plan.seed,)),
        Unit("many-features", many_features, (plan.seed, _N_FEATURES)),
        *(Unit(f"time/{n_rows}", fit_seconds, (plan.seed, n_rows)) for n_rows in _ROWS),
    ]


def find_claims(found: Found, plan: Plan) -> Finding:
    """Every sentence that numbers can speak for or against."""
    return Finding(claims=check_claims(CHECKS, found, plan))


def _mode(found: Found, plan: Plan) -> tuple[bool, str]:
    trees = [{"counts": [1, 0]}, {"counts": [1, 0]}, {"counts": [0, 1]}]  # no, no, yes
    shares = Forest.from_nested(trees, n_features=1).votes(np.zeros((1, 1)))[0]
    holds = bool(shares.argmax() == 0 and np.allclose(shares, [2 / 3, 1 / 3]))
    return holds, f"shares of votes {shares[0]:.3f} and {shares[1]:.3f}"


def _better_than_one(found: Found, plan: Plan) -> tuple[bool, str]:
    error = float(majority_vote_error(3, 0.25))
    return error < 0.25, f"{error:.5f} against .25"


def _more_trees_odd(found: Found, plan: Plan) -> tuple[bool, str]:
    sizes = np.arange(1, 102, 2)
    curves = [np.asarray(majority_vote_error(sizes, e)) for e in ERRORS if e < 0.5]
    falls = all(bool(np.all(np.diff(curve) < 0)) for curve in curves)
    return falls, f"at B = 101: {', '.join(f'{curve[-1]:.2g}' for curve in curves)}"


def _more_trees_any(found: Found, plan: Plan) -> tuple[bool, str]:
    two, many = float(majority_vote_error(2, 0.25)), float(majority_vote_error(101, 0.6))
    return two < 0.25 and many < 0.6, f"{two:.4f} against .25; {many:.4f} against .6"


def _same_training_set(found: Found, plan: Plan) -> tuple[bool, str]:
    share = found["same-rows"]["unlike"]
    text = f"{share:.1%} of the predictions differ: splits that are equally good are drawn among"
    return share == 0.0, text


def _independent(found: Found, plan: Plan) -> tuple[bool, str]:
    at = VOTE_SIZES.index(11)
    tree, vote = (votes(found, plan, "sqrt", kind)[:, at] for kind in ("tree", "vote"))
    model = np.array([majority_vote_error(11, error) for error in tree])
    p = float(stats.ttest_rel(vote, model).pvalue)
    return p >= LEVEL, f"{mean_and_error(vote)} against {mean_and_error(model)}"


def _low_correlation(found: Found, plan: Plan) -> tuple[bool, str]:
    measured = variances(found, plan, "third", "measured").mean()
    alone = variances(found, plan, "third", "variance").mean() / LARGE
    text = f"{measured:.2f} against {alone:.2f}, {measured / alone:.1f} times as large"
    return bool(measured < 1.1 * alone), text


def _fewer_features(found: Found, plan: Plan) -> tuple[bool, str]:
    rho = [variances(found, plan, name, "correlation") for name in VARIANCE_FEATURES]
    falls = all(_is_below(low, high) for low, high in pairwise(rho))
    return falls, ", ".join(
        f"{LABELS[name]}: {mean_and_error(values)}"
        for name, values in zip(VARIANCE_FEATURES, rho, strict=True)
    )


def _same_bias(found: Found, plan: Plan) -> tuple[bool, str]:
    tree, forest = (variances(found, plan, "third", f"{kind} bias") for kind in ("tree", "forest"))
    p = float(stats.ttest_ind(tree, forest).pvalue)
    return p >= LEVEL, f"{mean_and_error(tree)} and {mean_and_error(forest)} (p {short_p(p)})"


def _variance_formula(found: Found, plan: Plan) -> tuple[bool, str]:
    texts, holds = [], True
    for name in VARIANCE_FEATURES:
        formula, measured = (variances(found, plan, name, kind) for kind in ("formula", "measured"))
        p = float(stats.ttest_ind(formula, measured).pvalue)
        holds &= p >= LEVEL / len(VARIANCE_FEATURES)
        means = f"{formula.mean():.3f} and {measured.mean():.3f}"
        texts.append(f"{LABELS[name]}: {means} (p {short_p(p)})")
    return holds, "; ".join(texts)


def _variance_falls(found: Found, plan: Plan) -> tuple[bool, str]:
    one = variances(found, plan, "third", "variance")
    many = variances(found, plan, "third", "measured")
    return _is_below(many, one), f"{mean_and_error(one, 2)} and {mean_and_error(many, 2)}"


def _odd_with_two_classes(found: Found, plan: Plan) -> tuple[bool, str]:
    return _without_ties(found["ties/2"])


def _odd_with_three_classes(found: Found, plan: Plan) -> tuple[bool, str]:
    return _without_ties(found["ties/3"])


def _without_ties(shares: dict[str, float]) -> tuple[bool, str]:
    odd, even = ([shares[size] for size in s] for s in (("3", "11", "101"), ("2", "10", "100")))
    texts = [", ".join(f"{share:.1%}" for share in each) for each in (odd, even)]
    return not any(odd), f"{texts[0]} (B = 2, 10, 100: {texts[1]})"


def _suggested_features(found: Found, plan: Plan) -> tuple[bool, str]:
    classes, numbers = RandomForestClassifier().max_features, RandomForestRegressor().max_features
    return (classes, numbers) == ("sqrt", 1 / 3), f"max_features = {classes!r} and {numbers!r}"


def _no_overfit(found: Found, plan: Plan) -> tuple[bool, str]:
    errors = votes(found, plan, "sqrt", "vote").mean(axis=0)
    pairs = zip(VOTE_SIZES, errors, strict=True)
    text = "error at B = " + ", ".join(f"{size}: {error:.3f}" for size, error in pairs)
    return bool(np.all(np.diff(errors) <= 0)), text


def _many_features(found: Found, plan: Plan) -> tuple[bool, str]:
    result = found["many-features"]
    accuracy, chance = result["accuracy"], result["larger class"]
    error = float(np.sqrt(accuracy * (1 - accuracy) / 500))
    return accuracy - 2 * error > chance, f"{accuracy:.3f} against {chance:.3f}"


def _efficient(found: Found, plan: Plan) -> tuple[bool, str]:
    few, many = (found[f"time/{n_rows}"]["seconds"] for n_rows in _ROWS)
    fair = _ROWS[1] * np.log(_ROWS[1]) / (_ROWS[0] * np.log(_ROWS[0]))
    text = f"{many:.2f} s over {few:.2f} s = {many / few:.1f}; N log N gives {fair:.1f}"
    return bool(many / few <= 1.5 * fair), text


def _is_below(low: F64, high: F64) -> bool:
    return bool(stats.ttest_ind(low, high, alternative="less").pvalue < LEVEL)


_MORE_TREES = "Generally, the more trees the lower the probability of errors"
_ODD = "You can avoid ties with an odd number of trees"
_TIES = "share of 1,000 test rows with a tie of the most votes, B = 3, 11, 101"
_TASTE = "a matter of taste and of other methods; nothing is run here"

CHECKS = (
    Check(
        "Trees that say No, No, Yes: the forest says No (slide Answer)",
        "the vote of a forest of three such trees",
        _mode,
    ),
    Check(
        "Three trees err less than one, .156 < .25 (slide Modelling Mistakes - Example)",
        "the formula",
        _better_than_one,
    ),
    Check(
        f"{_MORE_TREES}: odd B, ε < 1/2",
        "whether the formula falls at every odd B up to 101, ε = .1, .25, .4",
        _more_trees_odd,
    ),
    Check(
        f"{_MORE_TREES}: any B and ε",
        "two trees against one at ε = .25; 101 against one at ε = .6",
        _more_trees_any,
    ),
    Check(
        "Trees trained on the same data set are identical, since training is deterministic",
        "two CART trees on the same 1,000 rows with all features, of different random states",
        _same_training_set,
    ),
    Check(
        "Bootstrap samples are i.i.d., so we can expect our trees to be i.i.d.",
        "error of the vote of 11 trees against that of independent trees (paired t-test)",
        _independent,
    ),
    Check(
        "Usually the correlation is so low that it doesn't impact the model",
        "variance of forests of 50 trees (d/3 features) against σ²/50, that of uncorrelated ones; "
        "holds if it is less than a tenth larger",
        _low_correlation,
    ),
    Check(
        "Reducing p will reduce the correlation between any pair of trees",
        "ρ at 1, d/3 and all features per node (each step by a one-sided t-test)",
        _fewer_features,
    ),
    Check(
        "The bias of a forest is the same as that of the individual trees",
        "mean error of predictions (d/3 features), trees of 5-tree forests against 50-tree forests "
        "on other training sets",
        _same_bias,
    ),
    Check(
        "Var(mean) = σ²/B + (B - 1)/B ρσ²",
        "the formula against the variance of forests of 50 trees, at 1, d/3 and all features",
        _variance_formula,
    ),
    Check(
        "More trees reduce the variance of the forest to less than that of a single tree",
        "σ² against the variance of forests of 50 trees, d/3 features (one-sided t-test)",
        _variance_falls,
    ),
    Check(f"{_ODD}: 2 classes", _TIES, _odd_with_two_classes),
    Check(f"{_ODD}: 3 classes", _TIES, _odd_with_three_classes),
    Check(
        "Suggested p: √d for classification, d/3 for regression",
        "the defaults of `RandomForestClassifier` and `RandomForestRegressor`",
        _suggested_features,
    ),
    Check(
        "It rarely overfits",
        "whether the vote's mean test error ever rises with more trees, up to 101",
        _no_overfit,
    ),
    Check(
        "It can handle thousands of input variables without prior variable selection",
        f"accuracy on 500 test rows with {_N_FEATURES:,} features, ten of which matter, against "
        "the share of the larger class (two standard errors)",
        _many_features,
    ),
    Check(
        "It runs efficiently on large data sets",
        f"CPU time of a fit at {_ROWS[1]:,} rows over that at {_ROWS[0]:,}; holds if no more than "
        "one and a half times what N log N gives",
        _efficient,
    ),
    Check("It is empirically one of the best performing algorithms available", _TASTE),
    Check("It is harder to interpret than a single tree; more parameters to tune", _TASTE),
)
