"""Promised coverage over many training sets, and what it costs, beside the library MAPIE.

A repetition is a new training set, a fit with a seed of its own, and 200 new rows. Shown are the
mean share of new rows covered, its standard error over repetitions, the mean width of intervals
(relative to the plain ones of the same forest) or the mean number of classes in a set.

    python -m benchmarks.truth.guarantees --rows 100 --repetitions 1000
    python -m benchmarks.truth.guarantees --rows 100 --repetitions 100 --peers
"""

import argparse
import warnings
from collections import defaultdict

import numpy as np

from bayeswood import CalibratedForestClassifier, CalibratedForestRegressor

COVERAGE = 0.9
N_NEW = 200


def uneven_noise(rng, n):
    X = rng.random((n, 6))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 5 * X[:, 2]
    return X, f + (0.3 + 3 * X[:, 3]) * rng.standard_normal(n), None


def friedman(rng, n):
    X = rng.random((n, 10))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, f + 10 * X[:, 3] + 5 * X[:, 4] + rng.standard_normal(n), None


def heavy_tails(rng, n):
    X = rng.random((n, 5))
    return X, X[:, 0] + (0.2 + X[:, 1]) * rng.standard_t(2, n), None


def patients(rng, n):
    """Groups of 1 to 5 rows; large ones are noisier."""
    n_groups = n // 3
    sizes = rng.integers(1, 6, n_groups)
    who = np.repeat(np.arange(n_groups), sizes)
    X = rng.random((n_groups, 4))[who] + 0.02 * rng.standard_normal((len(who), 4))
    own = (0.3 + (sizes >= 4)) * rng.standard_normal(n_groups)
    return X, 3 * X[:, 0] + own[who] + 0.3 * rng.standard_normal(len(who)), who


def noisy_classes(rng, n):
    X = rng.random((n, 6))
    y = np.where(rng.random(n) < 0.2, rng.integers(4, size=n), (4 * X[:, 0]).astype(int))
    return X, y, None


def clear_classes(rng, n):
    y = rng.integers(4, size=n)
    return rng.standard_normal((n, 6)) + 2.5 * np.eye(6)[y], y, None


def rare_class(rng, n):
    X = rng.random((n, 5))
    return X, (rng.random(n) < 0.3 * X[:, 0] ** 2).astype(int), None


def labelled_patients(rng, n):
    X, y, who = patients(rng, n)
    return X, np.digitize(y, [1.0, 2.0]), who


NUMBERS = (uneven_noise, friedman, heavy_tails, patients)
CLASSES = (noisy_classes, clear_classes, rare_class, labelled_patients)


def new_rows(problem, rng):
    """New rows; of groups, a random row of each."""
    X, y, who = problem(rng, N_NEW if problem not in (patients, labelled_patients) else 3 * N_NEW)
    if who is None:
        return X, y
    order = rng.permutation(len(y))
    first = order[np.unique(who[order], return_index=True)[1]]
    return X[first], y[first]


def bayeswood_intervals(X, y, who, X_new, seed):
    """Plain intervals and those with a guarantee."""
    model = CalibratedForestRegressor(random_state=seed).fit(X, y, oob_groups=who)
    yield "plain", model.predict_interval(X_new, COVERAGE)
    yield "guarantee=True", model.predict_interval(X_new, COVERAGE, guarantee=True)


def mapie_intervals(X, y, who, X_new, seed):
    """Random forests in half, in five folds, and in 30 samples; groups by folds alone."""
    from mapie.regression import (
        CrossConformalRegressor,
        JackknifeAfterBootstrapRegressor,
        SplitConformalRegressor,
    )
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.model_selection import GroupKFold

    levels = [COVERAGE, (1 + COVERAGE) / 2]
    forest = RandomForestRegressor(random_state=seed)
    if who is None:
        half = len(y) // 2
        split = SplitConformalRegressor(forest, COVERAGE, prefit=False).fit(X[:half], y[:half])
        yield (
            "MAPIE split",
            split.conformalize(X[half:], y[half:]).predict_interval(X_new)[1][..., 0],
        )
        jackknife = JackknifeAfterBootstrapRegressor(forest, levels, random_state=seed)
        ends = jackknife.fit_conformalize(X, y).predict_interval(X_new)[1]
        yield "MAPIE J+aB, asked .9", ends[..., 0]
        yield "MAPIE J+aB, asked .95", ends[..., 1]
    folds = 5 if who is None else GroupKFold(5)
    cross = CrossConformalRegressor(forest, levels, cv=folds)
    ends = cross.fit_conformalize(X, y, groups=who).predict_interval(X_new)[1]
    yield "MAPIE CV+, asked .9", ends[..., 0]
    yield "MAPIE CV+, asked .95", ends[..., 1]


def bayeswood_sets(X, y, who, X_new, seed):
    """Classes that make up the coverage by their probabilities, and sets with a promise."""
    model = CalibratedForestClassifier(random_state=seed).fit(X, y, oob_groups=who)
    yield "most probable classes", most_probable(model.predict_proba(X_new))
    yield "predict_set", model.predict_set(X_new, COVERAGE)
    yield "conditional=True", model.predict_set(X_new, COVERAGE, conditional=True)


def most_probable(proba):
    """The fewest classes whose probabilities sum to the coverage."""
    order = np.argsort(-proba, axis=1)
    ordered = np.take_along_axis(proba, order, axis=1)
    before = np.cumsum(ordered, axis=1) - ordered
    found = np.zeros(proba.shape, dtype=bool)
    np.put_along_axis(found, order, before < COVERAGE, axis=1)
    return found


def mapie_sets(X, y, who, X_new, seed):
    """Random forests in half and in five folds."""
    from mapie.classification import CrossConformalClassifier, SplitConformalClassifier
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import GroupKFold

    forest = RandomForestClassifier(random_state=seed)
    if who is None:
        half = len(y) // 2
        split = SplitConformalClassifier(forest, COVERAGE, prefit=False, random_state=seed)
        split.fit(X[:half], y[:half]).conformalize(X[half:], y[half:])
        yield "MAPIE split", split.predict_set(X_new)[1][..., 0]
    folds = 5 if who is None else GroupKFold(5)
    levels = [COVERAGE, (1 + COVERAGE) / 2]
    cross = CrossConformalClassifier(forest, levels, cv=folds, random_state=seed)
    sets = cross.fit_conformalize(X, y, groups=who).predict_set(X_new, agg_scores="crossval")[1]
    yield "MAPIE cross, asked .9", sets[..., 0]
    yield "MAPIE cross, asked .95", sets[..., 1]


def judged_interval(ends, y):
    low, high = ends[:, 0], ends[:, 1]
    return np.mean((low <= y) & (y <= high)), np.mean(high - low)


def judged_set(sets, y):
    """Covered, size, and covered among the rows of the rarest class."""
    inside = sets[np.arange(len(y)), y]
    rare = y == y.max()
    return np.mean(inside), sets.sum(axis=1).mean(), inside[rare].mean() if rare.any() else np.nan


def study(problem, contenders, judge, options):
    """What each contender reached in each repetition."""
    found = defaultdict(list)
    for repetition in range(options.repetitions):
        rng = np.random.default_rng([options.seed, repetition])
        X, y, who = problem(rng, options.rows)
        X_new, y_new = new_rows(problem, rng)
        for contender in contenders:
            for name, answer in contender(X, y, who, X_new, repetition):
                found[name].append(judge(answer, y_new))
    return found


def show(problem, found, options):
    first = next(iter(found.values()))
    unit = np.mean([one[1] for one in first]) if len(first[0]) == 2 else 1.0
    for name, values in found.items():
        covered, size, *rare = np.nanmean(values, axis=0)
        error = np.std([one[0] for one in values]) / np.sqrt(len(values))
        cells = [problem.__name__, name, f"{covered:.3f} ± {error:.3f}", f"{size / unit:.2f}"]
        print("|", " | ".join([*cells, *(f"{one:.3f}" for one in rare)]), "|", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peers", action="store_true", help="beside MAPIE, which must be there")
    parser.add_argument("--only", help="name of one problem")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    kinds = [
        (NUMBERS, [bayeswood_intervals, mapie_intervals], judged_interval),
        (CLASSES, [bayeswood_sets, mapie_sets], judged_set),
    ]
    for problems, contenders, judge in kinds:
        for problem in problems:
            if options.only in (None, problem.__name__):
                own = contenders if options.peers else contenders[:1]
                show(problem, study(problem, own, judge, options), options)


if __name__ == "__main__":
    main()
