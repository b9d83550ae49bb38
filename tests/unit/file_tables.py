"""Small tables on disk, and forests that are quick to fit to them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bayeswood import EmpiricalBayesianForestClassifier, EmpiricalBayesianForestRegressor

FEATURES = ["x0", "x1", "x2", "group", "flag"]


def small_table(n_rows=1200, seed=0):
    """Numbers with gaps, text, truth values, weights with zeros; a number and a class to learn."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 3)).astype(np.float32)
    group = np.array(["north", "south", "east", "west"])[rng.integers(0, 4, n_rows)]
    flag = rng.random(n_rows) < 0.4
    y = np.sin(2 * X[:, 0]) + X[:, 1] * flag + (group == "east") + 0.2 * rng.standard_normal(n_rows)
    kind = np.array(["low", "mid", "top"])[np.digitize(y, [-0.3, 0.8])]
    X[rng.random(X.shape) < 0.05] = np.nan
    columns = {f"x{j}": pa.array(X[:, j], from_pandas=True) for j in range(3)}
    return pa.table(
        {
            **columns,
            "group": pa.array(group, mask=rng.random(n_rows) < 0.03),
            "flag": flag,
            "w": rng.integers(0, 4, n_rows) / 2,
            "y": y,
            "kind": kind,
        }
    )


def write_parts(folder, table, sizes, group_rows=100):
    """Parquet files of the given numbers of rows."""
    folder.mkdir(exist_ok=True)
    start = 0
    for number, size in enumerate(sizes):
        part = table.slice(start, size)
        pq.write_table(part, folder / f"part-{number}.parquet", row_group_size=group_rows)
        start += size
    assert start == table.num_rows
    return folder


def regressor(**parameters):
    """A small forest for `y`."""
    defaults = {"n_estimators": 4, "min_samples_leaf": 5, "random_state": 1, "check_trunk": False}
    return EmpiricalBayesianForestRegressor(**{**defaults, **parameters})


def classifier(**parameters):
    """A small forest for `kind`."""
    defaults = {"n_estimators": 4, "min_samples_leaf": 5, "random_state": 1, "check_trunk": False}
    return EmpiricalBayesianForestClassifier(**{**defaults, **parameters})
