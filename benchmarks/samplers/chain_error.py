"""How uncertain are averages over Markov chains of trees, and does the fit's own warning say so?

    python -m benchmarks.samplers.chain_error [--seeds N] [--only NAME ...]

For each data set, 70 % of the rows train.
`monte_carlo_error_` of a fit at the defaults stands beside what it is to tell: the standard error
on new rows, and how far fits with other seeds really differ there (standard deviation over seeds).
Numbers are in standard deviations of the response.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.model_selection import train_test_split

from bayeswood import MCMCTreeClassifier, MCMCTreeRegressor, datasets
from bayeswood.posterior import MonteCarloWarning

CLASSES = (
    "iris", "wine", "heart_statlog", "sonar", "ionosphere", "svmguide2", "breast_cancer_wisconsin",
    "australian", "pima_diabetes", "vehicle", "german_numer", "house_votes_84",
)  # fmt: skip
NUMBERS = ("mcycle", "galton_height", "clothing_sales", "griliches", "budget_uk", "nlschools")


def read(name):
    found = datasets.load(name, as_frame=True)
    X, y = found.features, np.asarray(found.target)
    stratify = y if name in CLASSES else None
    return train_test_split(X, y, test_size=0.3, random_state=0, stratify=stratify)


def fits(name, seeds):
    X, X_new, y, _ = read(name)
    kind = MCMCTreeClassifier if name in CLASSES else MCMCTreeRegressor
    unit = 1.0 if name in CLASSES else float(np.std(y))
    told, new, warned, answers = [], [], 0, []
    start = time.process_time()
    for seed in range(seeds):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", MonteCarloWarning)
            model = kind(random_state=seed).fit(X, y)
        warned += any(issubclass(w.category, MonteCarloWarning) for w in caught)
        told.append(model.monte_carlo_error_ / unit)
        error = np.atleast_2d(model.monte_carlo_error(X_new).T).T
        new.append(error.max(axis=1).mean() / unit)
        answer = model.predict_proba(X_new) if name in CLASSES else model.predict(X_new)
        answers.append(np.atleast_2d(answer.T).T / unit)
    seconds = (time.process_time() - start) / seeds
    really = np.std(answers, axis=0, ddof=1).max(axis=1).mean()
    return len(X), np.mean(told), np.mean(new), really, warned / seeds, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--only", nargs="+", choices=CLASSES + NUMBERS, default=CLASSES + NUMBERS)
    options = parser.parse_args()
    print("| data set | rows | told | on new rows | between fits | warned | CPU s |")
    print("|---|---|---|---|---|---|---|")
    for name in options.only:
        rows, told, new, really, warned, seconds = fits(name, options.seeds)
        print(
            f"| {name} | {rows} | {told:.3f} | {new:.3f} | {really:.3f} | {warned:.0%} "
            f"| {seconds:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    with datasets.exit_without_data():
        main()
