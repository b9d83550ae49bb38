"""The three data sets, the models of section 4, and how a run is scored."""

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from bayeswood import MCMCTreeClassifier, SMCTreeClassifier, datasets

# Section 4.1.
ALPHA, ALPHA_SPLIT, BETA_SPLIT = 5.0, 0.95, 0.5
PRIOR = {"concentration": ALPHA, "alpha_split": ALPHA_SPLIT, "beta_split": BETA_SPLIT}
TRAIN_SHARE = 0.7
MOST_DRAWS = 2000
PAPER_SPLITS = "PAPER_SPLITS.csv.gz"
SPLITS_OF = "lakshminarayanan2013_smc"


@dataclass(frozen=True)
class Split:
    """Training and test rows; classes are numbers from 0."""

    name: str
    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def read(folder: Path | None, name: str) -> Split:
    """The predefined split of pendigits and madelon; 70 % of magic04, as the authors' script drew.

    Without a list of that draw in the folder another one is made.
    """
    data = datasets.load(name, folder=folder)
    y = np.unique(data.target.astype(str), return_inverse=True)[1]
    if data.split is not None:
        is_train = data.split == "train"
    else:
        is_train = _drawn_split(datasets.data_folder(folder), name, len(y))
    X = data.features
    return Split(name, X[is_train], y[is_train], X[~is_train], y[~is_train])


def _drawn_split(folder: Path | None, name: str, n_rows: int) -> np.ndarray:
    if folder is not None and (folder / PAPER_SPLITS).is_file():
        rows = pd.read_csv(folder / PAPER_SPLITS).query("dataset == @name and paper == @SPLITS_OF")
        if len(rows) == n_rows:
            return (rows.sort_values("row")["split"] == "train").to_numpy()
    is_train = np.arange(n_rows) < round(TRAIN_SHARE * n_rows)
    return np.random.default_rng(0).permutation(is_train)


@dataclass(frozen=True)
class Setting:
    """What is run: particles for SMC, iterations for MCMC."""

    method: str
    size: int
    n_islands: int = 1
    expansion: str = "node"

    @property
    def label(self) -> str:
        if self.method in ("prior", "optimal"):
            layers = "" if self.expansion == "node" else ", layer-wise"
            return f"SMC, {self.method}{layers}"
        return self.method


@dataclass(frozen=True)
class Score:
    """One run."""

    data: str
    label: str
    size: int
    n_islands: int
    seed: int
    cpu: float
    accuracy: float
    log_p: float
    log_evidence: float
    n_leaves: float


def make(setting: Setting, seed: int) -> Any:
    """The model of a setting, on one thread."""
    if setting.method == "MCMC":
        # The trees from the first iteration on are averaged; the four moves are equally likely.
        # Of a long chain every tenth tree, say, is as good as all.
        thin = -(-setting.size // MOST_DRAWS)
        return MCMCTreeClassifier(
            n_chains=1, n_burn_in=0, n_draws=setting.size // thin, thin=thin,
            move_probabilities="chipman", random_state=seed, n_jobs=1, **PRIOR,
        )  # fmt: skip
    if setting.method.startswith("CART"):
        criterion = setting.method.split()[1]
        return SmoothedCART(criterion)
    return SMCTreeClassifier(
        n_particles=setting.size, n_islands=setting.n_islands, proposal=setting.method,
        expansion=setting.expansion, resampling="multinomial", ess_threshold=0.1,
        random_state=seed, n_jobs=1, **PRIOR,
    )  # fmt: skip


class SmoothedCART:
    """Section 4.3: scikit-learn's tree, leaves of 10 rows at least, smoothed by α."""

    def __init__(self, criterion: str) -> None:
        self.tree = DecisionTreeClassifier(criterion=criterion, min_samples_leaf=10, random_state=0)

    def fit(self, X: np.ndarray, y: np.ndarray) -> "SmoothedCART":
        self.tree.fit(X, y)
        self.classes_ = self.tree.classes_
        leaves = self.tree.apply(X)
        counts = np.zeros((self.tree.tree_.node_count, len(self.classes_)))
        np.add.at(counts, (leaves, np.searchsorted(self.classes_, y)), 1)
        self.probability_ = (counts + ALPHA / counts.shape[1]) / (
            counts.sum(axis=1, keepdims=True) + ALPHA
        )
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.probability_[self.tree.apply(X)]


def run(split: Split, setting: Setting, seed: int) -> Score:
    """Fit and score; the time is that of the fit alone, as in the paper."""
    model = make(setting, seed)
    start = time.process_time()
    model.fit(split.X_train, split.y_train)
    cpu = time.process_time() - start
    p = np.asarray(model.predict_proba(split.X_test))
    chosen = p[np.arange(len(p)), split.y_test]
    return Score(
        split.name, setting.label, setting.size, setting.n_islands, seed, cpu,
        float(np.mean(p.argmax(axis=1) == split.y_test)), float(np.log(chosen).mean()),
        float(getattr(model, "log_evidence_", np.nan)), _mean_leaves(model),
    )  # fmt: skip


def _mean_leaves(model: Any) -> float:
    if isinstance(model, SmoothedCART):
        return float(model.tree.get_n_leaves())
    return float(model.member_weights_ @ model.forest_.n_leaves)


def run_all(
    splits: Iterable[Split], settings: Iterable[Setting], n_repeats: int,
    tell: Callable[[str], None],
) -> pd.DataFrame:  # fmt: skip
    """A line for each data set, setting and seed."""
    settings, lines = list(settings), []
    for split in splits:
        for setting in settings:
            tell(f"{split.name}: {setting.label} {setting.size} / {setting.n_islands}")
            repeats = 1 if setting.method.startswith("CART") else n_repeats
            lines += [asdict(run(split, setting, seed)) for seed in range(repeats)]
    return pd.DataFrame(lines)


def prior_sizes(max_depth: int = 200) -> tuple[float, float]:
    """Mean depth and mean number of nodes of a tree of the prior's, without data.

    With p_d the probability that a node at depth d splits, the mean number of nodes below and at
    such a node is n_d = 1 + 2 p_d n_{d+1}; its height stays below h with probability
    F_d(h) = 1 - p_d + p_d F_{d+1}(h - 1)².
    """
    split = ALPHA_SPLIT / (1 + np.arange(max_depth)) ** BETA_SPLIT
    n_nodes = 1.0
    for p in split[::-1]:
        n_nodes = 1 + 2 * p * n_nodes
    depth = 0.0
    for h in range(max_depth - 1):  # P(height > h), summed
        at_most = 1 - split[h]
        for p in split[:h][::-1]:
            at_most = 1 - p + p * at_most**2
        depth += 1 - at_most
    return depth, n_nodes
