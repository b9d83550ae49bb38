"""The units of work, and what they gave as arrays."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.taddy_2015.measure import (
    CALIFORNIA,
    N_FOLDS,
    WINE,
    fold_error,
    friedman_errors,
    wine_sizes,
)
from bayeswood.reproduce.taddy_2015.measure_trees import (
    COVERTYPE,
    MOTORCYCLE,
    california_first_split,
    first_splits,
    motorcycle,
    response,
    stand_in_errors,
    trunk,
    trunk_shares,
)
from bayeswood.reproduce.taddy_2015.printed import BEER_ROWS, TABLE_2

F64 = NDArray[np.float64]
Errors = Mapping[str, F64]

CALIFORNIA_MODELS = (
    "BF", "RF", "EBF 6000", "EBF 3000", "EBF 1500", "ET", "SSF", "DT", "BCART", "BART",
)  # fmt: skip
WINE_MODELS = (
    "BF", "RF", "EBF 2000", "EBF 1000", "EBF 500", "ET", "SSF", "DT", "trunk 1000",
)  # fmt: skip
WHITE_MODELS = ("BF", "EBF 2000", "EBF 1000", "EBF 500")
SCRIPT_MODELS = tuple(
    f"{name}, script" for name in ("BF", "RF", "EBF", "ET", "SSF", "DT", "BCART", "BART")
)
FRIEDMAN_MODELS = ("BF", "RF", "ET", "DT", "BCART", "BART")
FRIEDMAN_OTHERS = (
    "BF of scikit-learn's trees", "RF of scikit-learn", "BCART, script", "BART, script",
)  # fmt: skip
SUMS_OTHERS = ("BART, cuts at quantiles", "BART, burn-in of 1,000", "BART, defaults")
SPLIT_ROWS = (25, 50, 100, 200, 400, 800)
TRUNK_SIZES = (7000, 3500, 1750, 875, 437)
_SETS = {"california": CALIFORNIA, "wine": WINE, "white wine": WINE}
_BATCH = 10


def n_folds(plan: Plan) -> int:
    """How many of the ten folds are run."""
    return 3 if plan.quick else N_FOLDS


def n_friedman(plan: Plan) -> int:
    """Repeats of the experiment on Friedman's function."""
    return 20 if plan.quick else 100


def n_sums_folds(plan: Plan) -> int:
    """How many of the ten folds sums of trees are fitted to in other ways."""
    return 1 if plan.quick else 3


def n_sums_friedman(plan: Plan) -> int:
    """Repeats on Friedman's function for sums of trees in other ways."""
    return 2 if plan.quick else 20


def n_trunk_draws(plan: Plan) -> int:
    """Posterior draws of a trunk."""
    return 200 if plan.quick else 1000


def n_split_sets(plan: Plan) -> int:
    """Data sets of each size that first splits are measured on."""
    return 5 if plan.quick else 20


def stand_in_size(plan: Plan) -> tuple[int, int]:
    """Rows of the beer data's stand-in, and how many of its ten folds are run."""
    return (BEER_ROWS // 6, 1) if plan.quick else (BEER_ROWS, 3)


def stand_in_leaves(plan: Plan) -> list[int]:
    """Leaf sizes of the stand-in's trunks: Table 2's, in a quick run the same shares of rows."""
    n_rows, _ = stand_in_size(plan)
    return [round(size * n_rows / BEER_ROWS) for size in TABLE_2["Beer"]]


def friedman_units(plan: Plan) -> Sequence[Unit]:
    """Ten repeats each."""
    names = [*FRIEDMAN_MODELS, *FRIEDMAN_OTHERS]
    return _friedman_batches("friedman", names, n_friedman(plan), plan.seed)


def _friedman_batches(name: str, models: list[str], n_repeats: int, seed: int) -> list[Unit]:
    return [
        Unit(
            f"{name}/{first}",
            friedman_errors,
            (models, first, min(_BATCH, n_repeats - first), seed),
        )
        for first in range(0, n_repeats, _BATCH)
    ]


def fold_units(
    plan: Plan, data: str, names: Sequence[str], n_run: int | None = None
) -> Sequence[Unit]:
    """A model on a fold each."""
    return [
        Unit(f"{data}/{name}/{fold}", fold_error, (data, name, fold, plan.seed), (_SETS[data],))
        for name in names
        for fold in range(n_run or n_folds(plan))
    ]


def sums_units(plan: Plan) -> Sequence[Unit]:
    """Sums of trees with other cuts and chains, beside the text's."""
    names = list(SUMS_OTHERS)
    return [
        *friedman_units(plan),
        *_friedman_batches("friedman sums", names, n_sums_friedman(plan), plan.seed),
        *fold_units(plan, "california", ("BF", "BART", "BART, script")),
        *fold_units(plan, "california", SUMS_OTHERS, n_sums_folds(plan)),
    ]


def california_units(plan: Plan) -> Sequence[Unit]:
    """Of Table 1, Table 2 and Figure 3."""
    return fold_units(plan, "california", CALIFORNIA_MODELS)


def wine_units(plan: Plan) -> Sequence[Unit]:
    """Of Table 2 and Figure 5."""
    return fold_units(plan, "wine", WINE_MODELS)


def size_units(plan: Plan) -> Sequence[Unit]:
    """How large the data are."""
    return [
        Unit("response", response, (), (CALIFORNIA,)),
        Unit("wine sizes", wine_sizes, (), (WINE,)),
    ]


def response_units(plan: Plan) -> Sequence[Unit]:
    """Of Figure 3."""
    return [*california_units(plan), size_units(plan)[0]]


def section_4_units(plan: Plan) -> Sequence[Unit]:
    """Of section 4.1 and Table 2."""
    return [*california_units(plan), *wine_units(plan), size_units(plan)[1]]


def script_units(plan: Plan) -> Sequence[Unit]:
    """With other settings than the text's."""
    return [
        *friedman_units(plan),
        *california_units(plan),
        *wine_units(plan),
        *fold_units(plan, "california", SCRIPT_MODELS),
        *fold_units(plan, "white wine", WHITE_MODELS),
        size_units(plan)[1],
    ]


def trunk_units(plan: Plan) -> Sequence[Unit]:
    """Of section 3.2."""
    n_draws = n_trunk_draws(plan)
    return [
        Unit("trunk", trunk, (n_draws, plan.seed), (CALIFORNIA,)),
        Unit("trunk shares", trunk_shares, (list(TRUNK_SIZES), n_draws, plan.seed), (CALIFORNIA,)),
    ]


def split_units(plan: Plan) -> Sequence[Unit]:
    """Of section 3.1, without data of others."""
    return [
        Unit(f"splits/{n_rows}", first_splits, (n_rows, n_split_sets(plan), 2000, plan.seed))
        for n_rows in SPLIT_ROWS
    ]


def first_split_units(plan: Plan) -> Sequence[Unit]:
    """The first split of California."""
    return [Unit("first split", california_first_split, (1000, plan.seed), (CALIFORNIA,))]


def motorcycle_units(plan: Plan) -> Sequence[Unit]:
    """Of Figure 1."""
    return [Unit("motorcycle", motorcycle, (plan.seed,), (MOTORCYCLE,))]


def stand_in_units(plan: Plan) -> Sequence[Unit]:
    """A fold each."""
    n_rows, n_run = stand_in_size(plan)
    leaves = stand_in_leaves(plan)
    return [
        Unit(f"stand-in/{fold}", stand_in_errors, (leaves, fold, n_rows, plan.seed), (COVERTYPE,))
        for fold in range(n_run)
    ]


def claim_units(plan: Plan) -> Sequence[Unit]:
    """What the claims rest on."""
    return [
        *sums_units(plan),
        *section_4_units(plan),
        *trunk_units(plan),
        *split_units(plan),
    ]


def friedman_run(found: Found, plan: Plan) -> Errors:
    """RMSE of each model over the repeats."""
    return _joined(found, "friedman", n_friedman(plan))


def _joined(found: Found, name: str, n_repeats: int) -> Errors:
    batches = [found[f"{name}/{first}"] for first in range(0, n_repeats, _BATCH)]
    return {
        model: np.concatenate([np.asarray(batch[model]) for batch in batches])
        for model in batches[0]
    }


def sums_friedman(found: Found, plan: Plan) -> Errors:
    """RMSE of sums of trees over the repeats that all ways have."""
    n_repeats = n_sums_friedman(plan)
    errors = {**friedman_run(found, plan), **_joined(found, "friedman sums", n_repeats)}
    return {name: errors[name][:n_repeats] for name in ("BART", "BART, script", *SUMS_OTHERS)}


def sums_california(found: Found, plan: Plan) -> Errors:
    """RMSE in $1,000 of sums of trees, and of the Bayesian forest, over the folds that all have."""
    names = ("BF", "BART", "BART, script", *SUMS_OTHERS)
    return fold_run(found, plan, "california", names, n_run=n_sums_folds(plan))


def fold_run(
    found: Found,
    plan: Plan,
    data: str,
    names: Sequence[str],
    kind: str = "error",
    n_run: int | None = None,
) -> Errors:
    """RMSE of each model over the folds; `kind` ``"seconds"``: what the fits took."""
    n_repeats = n_run or n_folds(plan)
    return {
        name: np.array([each[kind] for each in found.repeats(f"{data}/{name}", n_repeats)])
        for name in names
    }


def california_run(found: Found, plan: Plan) -> Errors:
    """RMSE in $1,000."""
    return fold_run(found, plan, "california", CALIFORNIA_MODELS)


def wine_run(found: Found, plan: Plan) -> Errors:
    """RMSE."""
    return fold_run(found, plan, "wine", WINE_MODELS)


def worse(errors: Errors, name: str, best: str | None = None) -> F64:
    """% by which a mean error is larger than the best, as one number per repeat.

    The mean is 100 (r - 1) of the ratio r of the two mean errors; the spread is that of r by the
    delta method, since both are measured on the same repeats.

    Parameters
    ----------
    errors : mapping of str to ndarray
    name : str
    best : str, optional
        What it is compared with; by default what has the smallest mean.

    Examples
    --------
    >>> found = {"a": np.array([1.0, 3.0]), "b": np.array([2.0, 3.0])}
    >>> worse(found, "b").tolist()
    [62.5, -12.5]
    """
    least = errors[best or min(errors, key=lambda each: float(errors[each].mean()))]
    ratio = errors[name].mean() / least.mean()
    return np.asarray(100 * (ratio - 1 + (errors[name] - ratio * least) / least.mean()))


def mean_and_error(values: F64, digits: int = 2) -> str:
    """Mean ± standard error, where there are repeats."""
    if len(values) < 2:
        return f"{values.mean():.{digits}f}"
    error = values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.{digits}f} ± {error:.{digits}f}"
