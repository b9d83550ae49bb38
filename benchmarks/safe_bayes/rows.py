"""Does a forest of trees drawn before any response is seen go on learning as rows come in?

    python -m benchmarks.safe_bayes.rows [--rows N ...]

Covertype, 20,000 test rows: accuracy, log probability and CPU seconds (fit and prediction) of the
safe-Bayesian forest with trees drawn without data (``tree_prior="full"``) and over the rows
(``"rows"``), beside a random forest of 100 trees, which sees the responses.
"""

import argparse
import time

import numpy as np

from bayeswood import RandomForestClassifier, SafeBayesForestClassifier, datasets

ROWS = (1_000, 10_000, 100_000, 500_000)
N_TEST = 20_000
MODELS = {
    "full": lambda: SafeBayesForestClassifier(random_state=0),
    "rows": lambda: SafeBayesForestClassifier(tree_prior="rows", random_state=0),
    "random forest": lambda: RandomForestClassifier(100, random_state=0),
}


def score(model, X, y, X_new, y_new):
    start = time.process_time()
    p = model.fit(X, y).predict_proba(X_new)
    seconds = time.process_time() - start
    own = p[np.arange(len(y_new)), np.searchsorted(model.classes_, y_new)]
    right = (model.classes_[np.argmax(p, axis=1)] == y_new).mean()
    # A random forest may say 0.
    return right, np.log(np.maximum(own, 1e-3)).mean(), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    options = parser.parse_args()
    found = datasets.load("covertype")
    X, y = np.asarray(found.features, dtype=np.float64), found.target
    order = np.random.default_rng(0).permutation(len(y))
    test = order[:N_TEST]
    print("| rows | " + " | ".join(f"{name}: accuracy, log p, s" for name in MODELS) + " |")
    print("|---|" + "---|" * len(MODELS))
    for n in options.rows:
        train = order[N_TEST : N_TEST + n]
        cells = []
        for make in MODELS.values():
            right, log_p, seconds = score(make(), X[train], y[train], X[test], y[test])
            cells.append(f"{right:.3f}, {log_p:.3f}, {seconds:.1f}")
        print(f"| {n:,} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    with datasets.exit_without_data():
        main()
