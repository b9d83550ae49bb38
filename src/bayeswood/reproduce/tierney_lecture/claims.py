"""The lecture's sentences, held against numbers."""

from collections.abc import Sequence

import numpy as np
from scipy import stats

from bayeswood.forest import Forest
from bayeswood.methods import RandomForestClassifier, RandomForestRegressor
from bayeswood.reproduce.finding import Claim, Finding
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
from bayeswood.reproduce.verdict import LEVEL
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
        Unit("same rows", same_rows, (plan.seed,)),
        Unit("many features", many_features, (plan.seed, _N_FEATURES)),
        *(Unit(f"time/{n_rows}", fit_seconds, (plan.seed, n_rows)) for n_rows in _ROWS),
    ]


def find_claims(found: Found, plan: Plan) -> Finding:
    """Every sentence that numbers can speak for or against."""
    return Finding(
        claims=(
            _mode(),
            _better_than_one(),
            _more_trees_odd(),
            _more_trees_any(),
            _same_training_set(found),
            _independent(found, plan),
            _low_correlation(found, plan),
            _fewer_features(found, plan),
            _same_bias(found, plan),
            _variance_formula(found, plan),
            _variance_falls(found, plan),
            _odd_without_ties(found, 2),
            _odd_without_ties(found, 3),
            _suggested_features(),
            _no_overfit(found, plan),
            _many_features(found),
            _efficient(found),
            _unchecked("It is empirically one of the best performing algorithms available."),
            _unchecked("It is harder to interpret than a single tree; more parameters to tune."),
        )
    )


def _mode() -> Claim:
    trees = [{"counts": [1, 0]}, {"counts": [1, 0]}, {"counts": [0, 1]}]  # no, no, yes
    shares = Forest.from_nested(trees, n_features=1).votes(np.zeros((1, 1)))[0]
    return Claim(
        "Trees that say No, No, Yes: the forest says No (slide Answer)",
        "the vote of a forest of three such trees",
        bool(shares.argmax() == 0 and np.allclose(shares, [2 / 3, 1 / 3])),
        f"shares of votes {shares[0]:.3f} and {shares[1]:.3f}",
    )


def _better_than_one() -> Claim:
    error = float(majority_vote_error(3, 0.25))
    return Claim(
        "Three trees err less than one, .156 < .25 (slide Modelling Mistakes - Example)",
        "the formula",
        error < 0.25,
        f"{error:.5f} < .25",
    )


def _more_trees_odd() -> Claim:
    sizes = np.arange(1, 102, 2)
    curves = [np.asarray(majority_vote_error(sizes, e)) for e in ERRORS if e < 0.5]
    falls = all(bool(np.all(np.diff(curve) < 0)) for curve in curves)
    return Claim(
        "Generally, the more trees the lower the probability of errors: odd B, ε < 1/2",
        "whether the formula falls at every odd B up to 101, ε = .1, .25, .4",
        falls,
        f"at B = 101: {', '.join(f'{curve[-1]:.2g}' for curve in curves)}",
    )


def _more_trees_any() -> Claim:
    two, one = float(majority_vote_error(2, 0.25)), 0.25
    many = float(majority_vote_error(101, 0.6))
    return Claim(
        "Generally, the more trees the lower the probability of errors: any B and ε",
        "two trees against one at ε = .25; 101 against one at ε = .6",
        two < one and many < 0.6,
        f"{two:.4f} against .25; {many:.4f} against .6",
    )


def _same_training_set(found: Found) -> Claim:
    share = found["same rows"]["unlike"]
    return Claim(
        "Trees trained on the same data set are identical, since training is deterministic",
        "two CART trees on the same 1,000 rows with all features, of different random states",
        share == 0.0,
        f"{share:.1%} of the predictions differ: splits that are equally good are drawn among",
    )


def _independent(found: Found, plan: Plan) -> Claim:
    at = VOTE_SIZES.index(11)
    tree, vote = (votes(found, plan, "sqrt", kind)[:, at] for kind in ("tree", "vote"))
    model = np.array([majority_vote_error(11, error) for error in tree])
    p = float(stats.ttest_rel(vote, model).pvalue)
    return Claim(
        "Bootstrap samples are i.i.d., so we can expect our trees to be i.i.d.",
        "error of the vote of 11 trees against that of independent trees (paired t-test)",
        p >= LEVEL,
        f"{mean_and_error(vote)} against {mean_and_error(model)}",
    )


def _low_correlation(found: Found, plan: Plan) -> Claim:
    measured = variances(found, plan, "third", "measured").mean()
    alone = variances(found, plan, "third", "variance").mean() / LARGE
    return Claim(
        "Usually the correlation is so low that it doesn't impact the model",
        "variance of forests of 50 trees (d/3 features) against σ²/50, that of uncorrelated ones;"
        " holds if it is less than a tenth larger",
        bool(measured < 1.1 * alone),
        f"{measured:.2f} against {alone:.2f}, {measured / alone:.1f} times as large",
    )


def _fewer_features(found: Found, plan: Plan) -> Claim:
    rho = {LABELS[name]: variances(found, plan, name, "correlation") for name in VARIANCE_FEATURES}
    few, middle, many = rho.values()
    falls = _is_below(few, middle) and _is_below(middle, many)
    return Claim(
        "Reducing p will reduce the correlation between any pair of trees",
        "ρ at 1, d/3 and all features per node (each step by a one-sided t-test)",
        falls,
        ", ".join(f"{name}: {mean_and_error(values)}" for name, values in rho.items()),
    )


def _same_bias(found: Found, plan: Plan) -> Claim:
    tree, forest = (variances(found, plan, "third", f"{kind} bias") for kind in ("tree", "forest"))
    p = float(stats.ttest_ind(tree, forest).pvalue)
    return Claim(
        "The bias of a forest is the same as that of the individual trees",
        "mean error of predictions (d/3 features), trees of 5-tree forests against 50-tree forests "
        "on other training sets",
        p >= LEVEL,
        f"{mean_and_error(tree)} and {mean_and_error(forest)}, p = {p:.2f}",
    )


def _variance_formula(found: Found, plan: Plan) -> Claim:
    texts, holds = [], True
    for name in VARIANCE_FEATURES:
        formula, measured = (variances(found, plan, name, kind) for kind in ("formula", "measured"))
        p = float(stats.ttest_ind(formula, measured).pvalue)
        holds &= p >= LEVEL / len(VARIANCE_FEATURES)
        texts.append(
            f"{LABELS[name]}: {formula.mean():.3f} and {measured.mean():.3f} (p = {p:.2f})"
        )
    return Claim(
        "Var(mean) = σ²/B + (B - 1)/B ρσ²",
        "the formula against the variance of forests of 50 trees, at 1, d/3 and all features",
        holds,
        "; ".join(texts),
    )


def _variance_falls(found: Found, plan: Plan) -> Claim:
    one = variances(found, plan, "third", "variance")
    many = variances(found, plan, "third", "measured")
    return Claim(
        "More trees reduce the variance of the forest to less than that of a single tree",
        "σ² against the variance of forests of 50 trees, d/3 features (one-sided t-test)",
        _is_below(many, one),
        f"{mean_and_error(one, 2)} and {mean_and_error(many, 2)}",
    )


def _odd_without_ties(found: Found, n_classes: int) -> Claim:
    shares = found[f"ties/{n_classes}"]
    odd = {size: shares[size] for size in ("3", "11", "101")}
    return Claim(
        f"You can avoid ties with an odd number of trees: {n_classes} classes",
        "share of 1,000 test rows with a tie of the most votes, B = 3, 11, 101",
        not any(odd.values()),
        ", ".join(f"{share:.1%}" for share in odd.values())
        + f" (B = 2, 10, 100: {', '.join(f'{shares[size]:.1%}' for size in ('2', '10', '100'))})",
    )


def _suggested_features() -> Claim:
    classes, numbers = RandomForestClassifier().max_features, RandomForestRegressor().max_features
    return Claim(
        "Suggested p: √d for classification, d/3 for regression",
        "the defaults of `RandomForestClassifier` and `RandomForestRegressor`",
        (classes, numbers) == ("sqrt", 1 / 3),
        f"max_features = {classes!r} and {numbers!r}",
    )


def _no_overfit(found: Found, plan: Plan) -> Claim:
    vote = votes(found, plan, "sqrt", "vote")
    best = int(vote.mean(axis=0).argmin())
    return Claim(
        "It rarely overfits",
        "whether the vote's test error is ever higher with more trees, up to 101",
        best == len(VOTE_SIZES) - 1,
        "error at B = "
        + ", ".join(
            f"{size}: {error:.3f}"
            for size, error in zip(VOTE_SIZES, vote.mean(axis=0), strict=True)
        ),
    )


def _many_features(found: Found) -> Claim:
    result = found["many features"]
    accuracy, chance = result["accuracy"], result["larger class"]
    error = float(np.sqrt(accuracy * (1 - accuracy) / 500))
    return Claim(
        "It can handle thousands of input variables without prior variable selection",
        f"accuracy on 500 test rows with {_N_FEATURES:,} features, ten of which matter, against "
        "the share of the larger class (two standard errors)",
        accuracy - 2 * error > chance,
        f"{accuracy:.3f} against {chance:.3f}",
    )


def _efficient(found: Found) -> Claim:
    few, many = (found[f"time/{n_rows}"]["seconds"] for n_rows in _ROWS)
    fair = _ROWS[1] * np.log(_ROWS[1]) / (_ROWS[0] * np.log(_ROWS[0]))
    return Claim(
        "It runs efficiently on large data sets",
        f"CPU time of a fit at {_ROWS[1]:,} rows over that at {_ROWS[0]:,}; holds if no more than "
        "one and a half times what N log N gives",
        bool(many / few <= 1.5 * fair),
        f"{many:.2f} s over {few:.2f} s = {many / few:.1f}; N log N gives {fair:.1f}",
    )


def _unchecked(text: str) -> Claim:
    return Claim(text, "", None, "a matter of taste and of other methods; nothing is run here")


def _is_below(low: F64, high: F64) -> bool:
    return bool(stats.ttest_ind(low, high, alternative="less").pvalue < LEVEL)
