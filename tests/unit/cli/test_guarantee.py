"""``predict --guarantee``: intervals and sets with a promise, for models that can give one."""

import numpy as np
import pytest
from cli_cases import rows_of, run, run_json, write_mixed

import bayeswood
from bayeswood.cli.large.predict_large import BatchPredictions


@pytest.fixture
def data(tmp_path):
    write_mixed(tmp_path / "data.csv")
    return tmp_path / "data.csv"


def fit(data, target, out, method="calibrated-forest"):
    run("fit", data, "-t", target, "-m", method, "-n", 40, "--seed", 1, "-j", 1, "-o", out, "-q")


def test_numbers_have_promised_intervals(data, tmp_path):
    fit(data, "price", tmp_path / "model")
    widths = [
        run_json("predict", tmp_path / "model", data, "-o", tmp_path / "out.csv", *options)
        for options in ((), ("--guarantee",))
    ]
    assert widths[0]["mean_width"] != widths[1]["mean_width"]
    found = rows_of(tmp_path / "out.csv")
    assert all(float(row["lower"]) <= float(row["predicted"]) for row in found)


def test_classes_have_promised_sets(data, tmp_path):
    fit(data, "kind", tmp_path / "model")
    run("predict", tmp_path / "model", data, "-o", tmp_path / "out.csv", "--guarantee")
    found = rows_of(tmp_path / "out.csv")
    assert {"set_big", "set_small"} <= set(found[0])
    assert all(row[f"set_{row['predicted']}"] == "true" for row in found)
    run("predict", tmp_path / "model", data, "-o", tmp_path / "out.csv")
    assert "set_big" not in rows_of(tmp_path / "out.csv")[0]


def test_batches_have_promised_sets(rng):
    import pyarrow as pa

    X = rng.random((60, 2))
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    model = bayeswood.CalibratedForestClassifier(20, random_state=0).fit(table, X[:, 0] > 0.5)
    columns = BatchPredictions(model, 0.8, 0.9, guarantee=True)(table)
    wanted = model.predict_set(table, 0.8)
    np.testing.assert_array_equal(np.asarray(columns["set_True"]), wanted[:, 1])


def test_other_models_give_no_guarantee(data, tmp_path):
    fit(data, "price", tmp_path / "model", "bayesian-forest")
    result = run(
        "predict", tmp_path / "model", data, "-o", tmp_path / "out.csv", "--guarantee", code=1
    )
    assert "gives no guarantees" in result.output
