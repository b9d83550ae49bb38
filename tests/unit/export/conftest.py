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
MOST_CUTS = 150


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


def rows_to_ask(model, training):
    """Training rows, rows at and next to the cuts, missing values and unseen levels."""
    parts = model.predictive_.additive(model.forest_).parts
    blocks = [training]
    for part in parts:
        for column, values in cuts_of(part.forest).items():
            for shifted in (values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)):
                block = training.iloc[np.arange(len(values)) % len(training)].copy()
                blocks.append(block.assign(**{training.columns[column]: shifted}))
    odd = training.iloc[:20].copy()
    blocks += [odd.assign(sex="never seen"), odd.assign(kind=None), odd.assign(age=np.nan, sex="m")]
    return pandas.concat(blocks, ignore_index=True)


def cuts_of(forest):
    """Some cuts of each numeric column."""
    arrays = forest.core.to_arrays()
    found = {}
    for column in np.flatnonzero(arrays["n_levels"] == 0):
        values = np.unique(arrays["threshold"][arrays["feature"] == column])
        values = values[np.abs(values) < 1e300]  # a cut at the highest number has no next
        found[int(column)] = values[:: max(1, len(values) // MOST_CUTS)]
    return found


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
