"""Every estimator, fitted to a small table with categories and missing values."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

from bayeswood.methods.registry import ESTIMATORS

pandas = pytest.importorskip("pandas")

SMALL = {
    "BART": {"n_estimators": 4, "n_chains": 2, "n_burn_in": 10, "n_draws": 10},
    "MCMC": {"n_chains": 2, "n_burn_in": 20, "n_draws": 20},
    "SMC": {"n_particles": 20, "n_islands": 2},
    "": {"n_estimators": 8},
}
HIGHEST = 1e300


@dataclass
class Case:
    """A fitted model, and rows to ask it about."""

    name: str
    model: object
    rows: object

    @property
    def answer(self):
        if hasattr(self.model, "classes_"):
            return self.model.predict_proba(self.rows)
        return self.model.predict(self.rows).reshape(len(self.rows), -1)


def table(n_rows=240):
    rng = np.random.default_rng(7)
    found = pandas.DataFrame(
        {
            "age": rng.normal(size=n_rows),
            "dose": rng.normal(size=n_rows).round(1),
            "kind": rng.choice([f"kind {i:02}" for i in range(70)], n_rows),
            "sex": rng.choice(["f", "m", 'odd "*/ \\?'], n_rows),
        }
    )
    signal = found["age"] + found["dose"] + (found["sex"] == "f") + 0.3 * rng.normal(size=n_rows)
    found.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    found.loc[rng.random(n_rows) < 0.1, "sex"] = None
    return found, signal.to_numpy()


def labels(signal, n_classes=3):
    cuts = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1])
    return np.array([f"class {k}" for k in range(n_classes)])[np.searchsorted(cuts, signal)]


def forests_of(model):
    """All forests that answers and their intervals are made of."""
    found = [part.forest for part in model.predictive_.additive(model.forest_).parts]
    if hasattr(model, "classes_"):
        return found
    interval = model.predictive_.response_interval(model.forest_, np.array([0.1, 0.9]))
    if interval is not None and interval.residuals is not None:
        found += [interval.residuals.mean, interval.residuals.sizes]
    if interval is not None and interval.leaves is not None:
        found.append(interval.leaves.forest)
    return [forest for forest in dict.fromkeys(found) if forest is not None]


def rows_to_ask(model, training):
    """Training rows; rows at every cut and next to it; missing values and unseen levels."""
    blocks = [training]
    for forest in forests_of(model):
        arrays = forest.core.to_arrays()
        blocks.append(decoded(np.concatenate(list(rows_at_cuts(arrays))), model.schema_))
    odd = training.iloc[:20].copy()
    blocks += [odd.assign(sex="never seen"), odd.assign(kind=None), odd.assign(age=np.nan, sex="m")]
    return pandas.concat(blocks, ignore_index=True)


def rows_at_cuts(arrays):
    """For every split a row that comes to it, with the cut, what is next to it, and nothing."""
    n_levels, set_words = arrays["n_levels"], -(-arrays["n_levels"] // 64)
    everything = [(-np.inf, np.inf) if n == 0 else frozenset(range(n)) for n in n_levels]
    root = first_word = 0
    for n_nodes in arrays["n_nodes"]:
        bounds = {0: everything}
        inner = 0
        for node in range(n_nodes):
            here, j = bounds[node], arrays["feature"][root + node]
            if j < 0:
                continue
            if n_levels[j] == 0:
                # A cut beyond all numbers parts them from missing values.
                cut = np.clip(arrays["threshold"][root + node], -HIGHEST, HIGHEST)
                sides = at_cut(here[j], cut)
                yield asked(here, j, [cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf)])
            else:
                words = arrays["category_words"][first_word : first_word + set_words[j]].tolist()
                first_word += set_words[j]
                left = {i for i in range(n_levels[j]) if words[i // 64] >> (i % 64) & 1}
                sides = here[j] & left, here[j] - left
                yield asked(here, j, [min(side) for side in sides if side])
            for side, allowed in enumerate(sides):
                bounds[1 + 2 * inner + side] = [*here[:j], allowed, *here[j + 1 :]]
            inner += 1
        root += n_nodes


def at_cut(bounds, cut):
    low, high = bounds
    return (low, min(high, cut)), (max(low, cut), high)


def asked(bounds, column, values):
    """A row within bounds, with each of the values in a column, and without one there."""
    rows = np.tile([within(one) for one in bounds], (len(values) + 1, 1))
    rows[:, column] = [*values, np.nan]
    return rows


def within(bounds):
    """Some value; none where no level or number is left."""
    if isinstance(bounds, frozenset):
        return min(bounds, default=np.nan)
    low, high = bounds
    if low >= HIGHEST or high <= -HIGHEST:
        return np.nan
    return high if np.isfinite(high) else np.nextafter(low, np.inf) if np.isfinite(low) else 0.0


def decoded(rows, schema):
    """A table of encoded rows."""
    found = {}
    for column, values in zip(schema.columns, rows.T, strict=True):
        levels = [*column.levels, None]
        is_word = column.kind == "category"
        at = np.where(np.isnan(values), len(levels) - 1, values).astype(int) if is_word else []
        found[column.name] = [levels[i] for i in at] if is_word else values
    return pandas.DataFrame(found)


def fit(name, **parameters):
    training, signal = table()
    kind = ESTIMATORS[name]
    sizes = next(sizes for start, sizes in SMALL.items() if name.startswith(start))
    model = kind(random_state=0, **{**sizes, **parameters})
    y = labels(signal) if name.endswith("Classifier") else signal
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such short runs are warned of
        model.fit(training, y)
    return Case(name, model, rows_to_ask(model, training))


@pytest.fixture(scope="session", params=sorted(ESTIMATORS))
def case(request):
    return fit(request.param)


@pytest.fixture(scope="session")
def fit_case():
    return fit
