"""Lawful random forests for the tests of the model file, and the laws that they obey."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bayeswood.modelfile.laws import check_forest, check_log_weights, tree_sizes
from bayeswood.modelfile.layout import FormatError


@dataclass
class PlainForest:
    """Arrays and log weights: what the writer needs of a forest."""

    arrays: dict[str, Any]
    log_weights: np.ndarray

    def to_arrays(self) -> dict[str, Any]:
        return self.arrays


@dataclass(frozen=True)
class Recipe:
    """What kind of random forest to make."""

    is_classifier: bool = False
    n_outputs: int = 1
    n_trees: int = 4
    n_splits: int = 12
    n_levels: tuple[int, ...] = (0, 0, 5, 0, 130)
    keep_rows: bool = False
    grid: int | None = 16  # thresholds on a grid of this many values; None: all different
    whole_weights: bool = False


RECIPES = {
    "regressor": Recipe(),
    "regressor-rows": Recipe(keep_rows=True, n_outputs=1, whole_weights=True),
    "regressor-multi-output": Recipe(n_outputs=3, grid=None),
    "regressor-numeric": Recipe(n_levels=(0,) * 4, n_splits=300, grid=None),
    "regressor-tables": Recipe(n_levels=(0, 0, 3), n_splits=150, grid=9),
    "regressor-categories": Recipe(n_levels=(64, 65, 1, 8, 9)),
    "regressor-stumps": Recipe(n_trees=30, n_splits=0),
    "regressor-many-features": Recipe(n_levels=(0,) * 400, n_splits=200),
    "classifier": Recipe(is_classifier=True, n_outputs=3),
    "classifier-rows": Recipe(is_classifier=True, n_outputs=2, keep_rows=True),
    "classifier-many-classes": Recipe(is_classifier=True, n_outputs=1000, n_splits=100),
    "classifier-one-class": Recipe(is_classifier=True, n_outputs=1),
}


def random_forest(recipe: Recipe, seed: int) -> PlainForest:
    rng = np.random.default_rng(seed)
    internal = [_random_structure(recipe.n_splits, rng) for _ in range(recipe.n_trees)]
    n_nodes = np.array([len(tree) for tree in internal], dtype=np.int64)
    is_split = np.concatenate(internal)
    arrays = {
        "n_features": len(recipe.n_levels),
        "n_outputs": recipe.n_outputs,
        "is_classifier": recipe.is_classifier,
        "n_levels": np.array(recipe.n_levels, dtype=np.int32),
        "n_nodes": n_nodes,
        **_random_splits(recipe, is_split, rng),
        **_random_leaves(recipe, int(np.sum(~is_split)), rng),
    }
    return PlainForest(arrays, rng.normal(size=recipe.n_trees) * rng.integers(0, 2))


def _random_structure(max_splits: int, rng: np.random.Generator) -> np.ndarray:
    """Open places breadth-first until the splits are spent."""
    left, is_split, n_open = int(rng.integers(0, max_splits + 1)), [], 1
    while n_open:
        split = left > 0 and (n_open == 1 or rng.random() < 0.6)
        left -= split
        n_open += 1 if split else -1
        is_split.append(split)
    return np.array(is_split, dtype=bool)


def _random_splits(recipe: Recipe, is_split: np.ndarray, rng: np.random.Generator) -> dict:
    n_nodes = len(is_split)
    n_levels = np.array(recipe.n_levels)
    feature = np.where(is_split, rng.integers(0, len(n_levels), n_nodes), -1).astype(np.int32)
    threshold = rng.normal(size=n_nodes)
    if recipe.grid is not None:
        grid = np.array([*rng.normal(size=recipe.grid).astype(np.float32), -0.0, 0.0, np.inf])
        threshold = rng.choice(grid, n_nodes) * np.where(feature == 0, 1.0, 1.1)
    threshold[~is_split | (n_levels[feature] > 0)] = np.nan
    words = [_random_words(int(n_levels[f]), rng) for f in feature if f >= 0 and n_levels[f] > 0]
    return {
        "feature": feature,
        "threshold": threshold,
        "missing_left": (is_split & (rng.random(n_nodes) < 0.5)).astype(np.uint8),
        "category_words": np.array([w for part in words for w in part], dtype=np.uint64),
    }


def _random_words(n_levels: int, rng: np.random.Generator) -> list[int]:
    bits = int.from_bytes(rng.bytes(n_levels // 8 + 1), "little") % (1 << n_levels)
    return [bits >> shift & (1 << 64) - 1 for shift in range(0, n_levels, 64)]


def _random_leaves(recipe: Recipe, n_leaves: int, rng: np.random.Generator) -> dict:
    n_samples = rng.integers(0, 9, n_leaves).astype(np.int32)
    weight = rng.exponential(size=n_leaves).astype(np.float32)
    n_rows = int(n_samples.sum()) if recipe.keep_rows else 0
    return {
        "leaf_n_samples": n_samples,
        "leaf_weight": n_samples.astype(np.float32) if recipe.whole_weights else weight,
        **(_random_classes if recipe.is_classifier else _random_means)(recipe, n_leaves, rng),
        "leaf_rows": rng.integers(0, 70_000, n_rows).astype(np.int32),
    }


def _random_classes(recipe: Recipe, n_leaves: int, rng: np.random.Generator) -> dict:
    most = min(recipe.n_outputs, 4)
    n_entries = np.where(rng.random(n_leaves) < 0.6, 1, rng.integers(1, most + 1, n_leaves))
    classes = [np.sort(rng.permutation(recipe.n_outputs)[:n]) for n in n_entries]
    shares = [rng.dirichlet(np.ones(n)) for n in n_entries]
    return {
        "leaf_n_entries": n_entries.astype(np.int32),
        "leaf_class": np.concatenate(classes).astype(np.int32),
        "leaf_value": np.concatenate(shares),
    }


def _random_means(recipe: Recipe, n_leaves: int, rng: np.random.Generator) -> dict:
    return {
        "leaf_n_entries": np.empty(0, dtype=np.int32),
        "leaf_class": np.empty(0, dtype=np.int32),
        "leaf_value": rng.normal(size=n_leaves * recipe.n_outputs),
    }


def random_rows(forest: PlainForest, n_rows: int, seed: int) -> np.ndarray:
    """Rows to predict: numbers, levels (some unseen) and missing values."""
    rng = np.random.default_rng(seed)
    n_levels = forest.arrays["n_levels"]
    X = rng.normal(size=(n_rows, len(n_levels)))
    for j in np.flatnonzero(n_levels):
        X[:, j] = rng.integers(0, n_levels[j], n_rows)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("seed", range(5))
def test_random_forests_are_lawful(name: str, seed: int) -> None:
    forest = random_forest(RECIPES[name], seed)
    check_forest(forest.arrays)
    check_log_weights(forest.log_weights, RECIPES[name].n_trees)


def test_tree_sizes_do_not_depend_on_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = random_forest(RECIPES["regressor-numeric"], seed=1).arrays
    for block in (1, 7, 601, 10**6):
        monkeypatch.setattr("bayeswood.modelfile.laws._BLOCK", block)
        np.testing.assert_array_equal(tree_sizes(arrays["feature"] != -1), arrays["n_nodes"])


def test_tree_sizes_of_two_trees() -> None:
    np.testing.assert_array_equal(tree_sizes(np.array([True, False, False, False])), [3, 1])


@pytest.mark.parametrize("bits", [[], [1], [1, 0], [0, 1], [1, 1, 0, 0], [0, 1, 0]])
def test_tree_sizes_refuses_parts_of_trees(bits: list[int]) -> None:
    with pytest.raises(FormatError, match="whole trees"):
        tree_sizes(np.array(bits, dtype=bool))


def _set(name: str, index: int, value: Any) -> Any:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name][index] = value

    return change


def _resize(name: str, by: int) -> Any:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name] = np.resize(arrays[name], len(arrays[name]) + by)

    return change


def _put_all(name: str, value: Any) -> Any:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name] = np.full_like(arrays[name], value)

    return change


def _put(name: str, value: Any) -> Any:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name] = value

    return change


def _first(name: str, wanted: Any) -> Any:
    """Set the threshold, feature, ... of the first node of a kind."""
    where, field, value = wanted

    def change(arrays: dict[str, Any]) -> None:
        feature, levels = arrays["feature"], arrays["n_levels"]
        masks = {
            "leaf": feature == -1,
            "numeric": (feature != -1) & (levels[feature] == 0),
            "category": (feature != -1) & (levels[feature] > 0),
        }
        _set(field, int(np.flatnonzero(masks[where])[0]), value)(arrays)

    return change


def _high_bit(arrays: dict[str, Any]) -> None:
    arrays["category_words"] = arrays["category_words"] | np.uint64(1 << 63)


def _drop(arrays: dict[str, Any]) -> None:
    del arrays["leaf_rows"]


BROKEN = {
    "unknown key": (_put("gini", 0), "'gini'"),
    "lacking key": (_drop, "'leaf_rows'"),
    "scalar of wrong type": (_put("n_features", 5.0), "'n_features' must be of type int"),
    "bool for int": (_put("n_outputs", True), "'n_outputs' must be of type int"),
    "array of wrong type": (_put("n_levels", np.zeros(5)), "'n_levels' must be a 1-D array"),
    "array of wrong rank": (_put("feature", np.zeros((1, 1), np.int32)), "'feature' must be"),
    "no outputs": (_put("n_outputs", 0), "at least one feature and one output"),
    "levels too short": (_resize("n_levels", -1), "levels"),
    "too many levels": (_set("n_levels", 2, 65_536), "levels, 0 to 65535"),
    "negative levels": (_set("n_levels", 0, -1), "levels"),
    "thresholds too long": (_resize("threshold", 1), "'threshold' must have one item per node"),
    "leaf weights too short": (_resize("leaf_weight", -1), "'leaf_weight' must have one item"),
    "tree size wrong": (_set("n_nodes", 0, 2), "sizes of the trees"),
    "no trees": (_put("n_nodes", np.empty(0, np.int64)), "no trees"),
    "feature too large": (_first("", ("numeric", "feature", 5)), "feature that does not exist"),
    "feature below -1": (_first("", ("numeric", "feature", -2)), "feature that does not exist"),
    "NaN threshold": (_first("", ("numeric", "threshold", np.nan)), "threshold"),
    "-inf threshold": (_first("", ("numeric", "threshold", -np.inf)), "threshold"),
    "leaf threshold": (_first("", ("leaf", "threshold", 0.0)), "threshold"),
    "category threshold": (_first("", ("category", "threshold", 0.0)), "threshold"),
    "missing on leaf": (_first("", ("leaf", "missing_left", 1)), "missing-value direction"),
    "missing is 2": (_first("", ("numeric", "missing_left", 2)), "missing-value direction"),
    "words too short": (_resize("category_words", -1), "one bit per level"),
    "words too long": (_resize("category_words", 1), "one bit per level"),
    "level too high": (_high_bit, "level that does not exist"),
    "negative samples": (_set("leaf_n_samples", 0, -1), "fewer than 0 samples"),
    "negative weight": (_set("leaf_weight", 0, -1), "weight of a leaf"),
    "NaN weight": (_set("leaf_weight", 0, np.nan), "weight of a leaf"),
    "infinite weight": (_set("leaf_weight", 0, np.inf), "weight of a leaf"),
    "too many samples": (_put_all("leaf_n_samples", 2**30), "more than 2147483647 samples"),
    "too much weight": (_put_all("leaf_weight", 3e38), "weight of a tree"),
    "too many rows": (_resize("leaf_rows", 1), "training rows"),
    "negative row": (_set("leaf_rows", 0, -1), "negative number"),
}
BROKEN_CLASSIFIER = {
    "no entry": (_set("leaf_n_entries", 0, 0), "has no class"),
    "entries too short": (_resize("leaf_n_entries", -1), "has no class"),
    "entries do not add up": (_resize("leaf_class", 1), "do not add up"),
    "class too large": (_set("leaf_class", -1, 2), "class that does not exist"),
    "negative class": (_set("leaf_class", 0, -1), "class that does not exist"),
    "values too short": (_resize("leaf_value", -1), "one probability per class"),
    "probability 0": (_set("leaf_value", 0, 0.0), "not above 0"),
    "probability 2": (_set("leaf_value", 0, 2.0), "not above 0 and at most 1"),
    "probability NaN": (_set("leaf_value", 0, np.nan), "not above 0"),
    "sum not 1": (_set("leaf_value", 0, 0.001), "do not sum to 1"),
}
BROKEN_REGRESSOR = {
    "values too short": (_resize("leaf_value", -1), "one mean per output"),
    "infinite mean": (_set("leaf_value", 0, np.inf), "not a finite number"),
    "class entries": (_put("leaf_class", np.zeros(1, np.int32)), "class entries"),
}
CASES = [
    *(("classifier-rows", name, *case) for name, case in BROKEN.items()),
    *(("classifier-rows", name, *case) for name, case in BROKEN_CLASSIFIER.items()),
    *(("regressor-rows", name, *case) for name, case in BROKEN_REGRESSOR.items()),
]


@pytest.mark.parametrize(
    ("recipe", "name", "change", "message"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_each_broken_law_is_refused(recipe: str, name: str, change: Any, message: str) -> None:
    arrays = dict(random_forest(RECIPES[recipe], 3).arrays)
    change(arrays)
    with pytest.raises(FormatError, match=message):
        check_forest(arrays)


def test_classes_of_a_leaf_must_ascend() -> None:
    arrays = dict(random_forest(RECIPES["classifier-rows"], 3).arrays)
    start = np.cumsum(arrays["leaf_n_entries"]) - arrays["leaf_n_entries"]
    pair = start[np.flatnonzero(arrays["leaf_n_entries"] == 2)[0]]
    arrays["leaf_class"] = arrays["leaf_class"].copy()
    arrays["leaf_class"][pair : pair + 2] = [1, 1]
    with pytest.raises(FormatError, match="do not ascend"):
        check_forest(arrays)


@pytest.mark.parametrize(
    "log_weights", [np.zeros(3), np.zeros(4, np.float32), [0, 0, 0, np.nan], [0, 0, 0, np.inf]]
)
def test_bad_log_weights_are_refused(log_weights: Any) -> None:
    with pytest.raises(FormatError, match="log weights"):
        check_log_weights(np.asarray(log_weights), 4)


def test_one_tree_of_four_may_have_weight() -> None:
    check_log_weights(np.array([-np.inf, 0.0, -np.inf, -np.inf]), 4)
    with pytest.raises(FormatError, match="finite"):
        check_log_weights(np.full(4, -np.inf), 4)
