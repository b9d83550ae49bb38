"""Are the forests equally good? Paired differences to scikit-learn over fresh data sets.

    python -m benchmarks.accuracy --sets 24

Each data set has 20,000 training and 60,000 test rows of the `binary-200k` problem; 20 trees each.
"""

import argparse

import numpy as np
from numpy.typing import NDArray
from sklearn import ensemble

import bayeswood
from benchmarks.problems import friedman_mean

N_TRAIN, N_TEST, N_FEATURES, N_TREES = 20_000, 60_000, 20, 20
OURS = {
    "random forest": bayeswood.RandomForestClassifier,
    "Bayesian forest": bayeswood.BayesianForestClassifier,
}


def coin_data(seed: int) -> tuple[NDArray, NDArray]:
    rng = np.random.default_rng(seed)
    X = rng.random((N_TRAIN + N_TEST, N_FEATURES), dtype=np.float32)
    probability = 1 / (1 + np.exp(-(friedman_mean(X) - 14.4) / 2))
    return X, (rng.random(len(X)) < probability).astype(np.int64)


def scores(estimator_class: type, seed: int) -> NDArray:
    """Accuracy and Brier score on the test rows."""
    X, y = coin_data(seed)
    model = estimator_class(N_TREES, random_state=seed, n_jobs=2).fit(X[:N_TRAIN], y[:N_TRAIN])
    proba = model.predict_proba(X[N_TRAIN:])
    truth = y[N_TRAIN:]
    return np.array([(proba.argmax(1) == truth).mean(), ((proba[:, 1] - truth) ** 2).mean()])


def main() -> None:
    parser = argparse.ArgumentParser(description="Paired differences to scikit-learn's forest.")
    parser.add_argument("--sets", type=int, default=24, help="number of data sets")
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.sets)
    theirs = np.array([scores(ensemble.RandomForestClassifier, seed) for seed in seeds])
    for name, estimator_class in OURS.items():
        differences = np.array([scores(estimator_class, seed) for seed in seeds]) - theirs
        error = differences.std(axis=0, ddof=1) / np.sqrt(len(differences))
        for what, mean, se in zip(
            ("accuracy", "Brier"), differences.mean(axis=0), error, strict=True
        ):
            print(f"{name}, {what}: ours - scikit-learn {mean:+.5f} ± {se:.5f}")


if __name__ == "__main__":
    main()
