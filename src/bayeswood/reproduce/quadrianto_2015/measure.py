"""The nine data sets, how they are split, and what is fitted to them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer
from sklearn.svm import SVC

from bayeswood.methods import MCMCTreeClassifier, SafeBayesForestClassifier, SMCTreeClassifier
from bayeswood.reproduce.data import load_classes

F64 = NDArray[np.float64]
Rows = NDArray[np.intp]
Sizes = dict[str, int]

TEST_SHARE = 0.2
SPLIT_PROBABILITIES = (0.3, 0.35, 0.4, 0.45, 0.475, 0.5)
ROWS_PER_CLASS = (15, 30, 60, 120, 240)
STAND_IN = "mfeat"
_MOST_DRAWS = 2000


@dataclass(frozen=True)
class DataSet:
    """A file, and the training rows of each class; None: all rows that are not test rows.

    In svmguide2 the test rows are balanced too: its accuracies are 33rds.
    """

    file: str
    n_train_per_class: int | None
    n_test_per_class: int | None = None


DATA_SETS = {
    "australian": DataSet("australian", 240),
    "breast-cancer": DataSet("breast_cancer_libsvm", 190),
    "diabetes": DataSet("pima_diabetes", 210),
    "heart": DataSet("heart_statlog", 96),
    "ionosphere": DataSet("ionosphere", 100),
    "german.numer": DataSet("german_numer", 240),
    "iris": DataSet("iris", 20),
    "wine": DataSet("wine", None),
    "svmguide2": DataSet("svmguide2", 42, 11),
}
# What the printed N might mean instead.
READINGS = {
    "heart, all 216 rows": DataSet("heart_statlog", None),
    "iris, 10 of each class": DataSet("iris", 10),
    "wine, 38 of each class": DataSet("wine", 38),
}


@dataclass(frozen=True)
class Fold:
    """One split of a data set; classes are numbers from 0."""

    X_train: F64
    y_train: Rows
    X_test: F64
    y_test: Rows


def make_fold(data: str, seed: int, *, as_in_paper: bool = True) -> Fold:
    """A stratified 80/20 split; as in the paper, with equally many training rows of each class."""
    chosen = {**DATA_SETS, **READINGS}[data]
    X, y = load_classes(chosen.file)
    train, test = _split(y, seed)
    if as_in_paper:
        train, test = _balanced(y, train, test, chosen, np.random.default_rng(seed))
    return Fold(X[train], y[train], X[test], y[test])


def _split(y: Rows, seed: int) -> tuple[Rows, Rows]:
    n_test = round(TEST_SHARE * len(y))
    splits = StratifiedShuffleSplit(1, test_size=n_test, random_state=seed).split(y[:, None], y)
    train, test = next(splits)
    return train, test


def _balanced(
    y: Rows, train: Rows, test: Rows, data: DataSet, rng: np.random.Generator
) -> tuple[Rows, Rows]:
    if data.n_train_per_class is None:
        return train, test
    if data.n_test_per_class is None:
        return _per_class(y, train, data.n_train_per_class), test
    # All of the smallest class, and as many of the others.
    n_rows = data.n_train_per_class + data.n_test_per_class
    rows = _per_class(y, rng.permutation(len(y)), n_rows)
    test = _per_class(y, rows, data.n_test_per_class)
    return np.setdiff1d(rows, test), test


def _per_class(y: Rows, rows: Rows, n: int) -> Rows:
    """The first n rows of each class, in a random order given."""
    return np.concatenate([rows[y[rows] == c][:n] for c in range(int(y.max()) + 1)])


def published(seed: int, n_trees: int, **overrides: Any) -> SafeBayesForestClassifier:
    """The paper's forest."""
    return SafeBayesForestClassifier.as_published(
        n_estimators=n_trees, random_state=seed, **overrides
    )


def _ranked(model: Any, n_rows: int) -> Any:
    """A model on features put on [0, 1] by their ranks, as the paper does."""
    return make_pipeline(QuantileTransformer(n_quantiles=n_rows, subsample=None), model)


def _forest(kind: type, **settings: Any) -> Callable[[int, Sizes, int], Any]:
    return lambda seed, sizes, n_rows: kind(
        sizes["trees"], max_features=0.5, random_state=seed, **settings
    )


def _particles(proposal: str) -> Callable[[int, Sizes, int], Any]:
    return lambda seed, sizes, n_rows: SMCTreeClassifier(
        sizes["particles"], n_islands=1, proposal=proposal, random_state=seed
    )


def _chain(seed: int, sizes: Sizes, n_rows: int) -> Any:
    """One chain, averaged from its first iteration on; of long ones evenly spaced trees."""
    thin = -(-sizes["iterations"] // _MOST_DRAWS)
    return MCMCTreeClassifier(
        1, n_burn_in=0, n_draws=sizes["iterations"] // thin, thin=thin,
        move_probabilities="chipman", random_state=seed,
    )  # fmt: skip


# Section 5; each takes a seed, the sizes and the number of training rows.
MODELS: dict[str, Callable[[int, Sizes, int], Any]] = {
    "kNN": lambda seed, sizes, n_rows: _ranked(KNeighborsClassifier(3), n_rows),
    "SVM": lambda seed, sizes, n_rows: _ranked(
        GridSearchCV(SVC(kernel="linear"), {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}, cv=5), n_rows
    ),
    "RF: Gini": _forest(RandomForestClassifier),
    "RF: entropy": _forest(RandomForestClassifier, criterion="entropy"),
    "ExtraTrees": _forest(ExtraTreesClassifier),
    "MCMC": _chain,
    "SMC: prior": _particles("prior"),
    "SMC: post.": _particles("optimal"),
    "S-Bayes": lambda seed, sizes, n_rows: published(seed, sizes["trees"]),
    "S-Bayes, m = 1": lambda seed, sizes, n_rows: published(
        seed, sizes["trees"], effective_sample_size=1
    ),
    "S-Bayes, ties at random": lambda seed, sizes, n_rows: published(
        seed, sizes["trees"], ties="random"
    ),
    "calibrated": lambda seed, sizes, n_rows: SafeBayesForestClassifier(random_state=seed),
    "RF": lambda seed, sizes, n_rows: RandomForestClassifier(sizes["trees"], random_state=seed),
}
_VOTE = ("RF: Gini", "RF: entropy", "ExtraTrees", "RF")


def score(method: str, data: str, seed: int, sizes: Sizes, natural: bool) -> dict[str, float]:
    """Accuracy (%) and mean log probability on test rows, and CPU seconds of the fit.

    Of S-Bayes also the accuracy of its best tree and of Bayesian model averaging (Table 2).
    """
    fold = make_fold(data, seed, as_in_paper=not natural)
    model = MODELS[method](seed, sizes, len(fold.y_train))
    found = _fit_and_score(model, fold, sizes["trees"] if method in _VOTE else None)
    if method == "S-Bayes":
        draws, evidence = model.predict_draws(fold.X_test), model.log_evidence_
        averaging = np.exp(evidence - np.logaddexp.reduce(evidence))
        mean = np.einsum("k,knc->nc", averaging, draws)
        found["best tree"] = accuracy(draws[evidence.argmax()], fold.y_test)
        found["BMA"] = accuracy(mean, fold.y_test)
    return found


def _fit_and_score(model: Any, fold: Fold, n_votes: int | None) -> dict[str, float]:
    start = time.process_time()
    model.fit(fold.X_train, fold.y_train)
    seconds = time.process_time() - start
    if not hasattr(model, "predict_proba"):  # the SVM decides without probabilities
        return {"accuracy": 100 * model.score(fold.X_test, fold.y_test), "seconds": seconds}
    p = np.asarray(model.predict_proba(fold.X_test))
    found = {"accuracy": accuracy(p, fold.y_test), "seconds": seconds}
    if p.min() > 0 or n_votes is not None:
        found["log p"] = log_probability(p, fold.y_test, n_votes)
    return found


def accuracy(p: F64, y: Rows) -> float:
    """Share of rows whose class is the most probable, in %."""
    return float(100 * np.mean(p.argmax(axis=1) == y))


def log_probability(p: F64, y: Rows, n_votes: int | None = None) -> float:
    """Mean log probability of the true class.

    A forest that votes may give 0; one vote in `n_votes` + 1, shared by all classes, is then
    counted for the class that got none.
    """
    if n_votes is not None:
        p = (n_votes * p + 1 / p.shape[1]) / (n_votes + 1)
    return float(np.log(p[np.arange(len(y)), y]).mean())


def stand_in(method: str, seed: int, sizes: Sizes) -> dict[str, float]:
    """The scores on 2,000 images of digits by 649 features, in place of Table 4's data."""
    X, y = load_classes(STAND_IN)
    train, test = _split(y, seed)
    fold = Fold(X[train], y[train], X[test], y[test])
    return _fit_and_score(MODELS[method](seed, sizes, len(train)), fold, None)


def operating_curve(data: str, seed: int, n_trees: int) -> dict[str, list[float]]:
    """Figure 4: accuracy over β on the training rows, and on the same rows left out."""
    fold = make_fold(data, seed)
    forest = published(seed, n_trees).fit(fold.X_train, fold.y_train)
    seen, left_out = forest.operating_curve(), forest.operating_curve(on="loo")
    return {
        "power": seen.power.tolist(),
        "train": (100 * seen.accuracy).tolist(),
        "left out": (100 * left_out.accuracy).tolist(),
    }


def sensitivity(data: str, seed: int, numbers_of_trees: list[int]) -> list[list[float]]:
    """Figure 5: test accuracy, a row per λ and a column per number of trees.

    The first trees of a large forest are a smaller one.
    """
    fold = make_fold(data, seed)
    found = []
    for split_probability in SPLIT_PROBABILITIES:
        forest = published(seed, max(numbers_of_trees), split_probability=split_probability)
        draws = forest.fit(fold.X_train, fold.y_train).predict_draws(fold.X_test)
        log_weights = forest.power_ * forest.log_evidence_
        row = []
        for n_trees in numbers_of_trees:
            weights = np.exp(log_weights[:n_trees] - log_weights[:n_trees].max())
            p = np.einsum("k,knc->nc", weights, draws[:n_trees])
            row.append(accuracy(p, fold.y_test))
        found.append(row)
    return found


def largest_weights(data: str, seed: int, n_trees: int) -> dict[str, list[float]]:
    """The largest weight of a tree as rows come in: model averaging, and m = 5 in its place."""
    fold = make_fold(data, seed)
    found: dict[str, list[float]] = {"BMA": [], "S-Bayes": []}
    for n_rows in ROWS_PER_CLASS:
        rows = _per_class(fold.y_train, np.arange(len(fold.y_train)), n_rows)
        for name, power in (("BMA", 1.0), ("S-Bayes", None)):
            forest = published(seed, n_trees, power=power)
            forest.fit(fold.X_train[rows], fold.y_train[rows])
            found[name].append(float(forest.member_weights_.max()))
    return found
