"""What the verbs do when all is well, through click's runner."""

import csv
import functools
import gzip
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from cli_cases import rows_of, run, run_json, write_mixed

import bayeswood
from bayeswood.cli.problem import FitRequest
from bayeswood.datasets import load_breast_cancer_wisconsin, load_iris
from bayeswood.modelfile import read_model, write_model


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    path = tmp_path_factory.mktemp("mixed") / "mixed.csv"
    write_mixed(path)
    return path


@pytest.fixture(scope="module")
def classifier(mixed):
    model = mixed.with_name("kind.bw")
    run(
        "fit",
        mixed,
        "--target",
        "kind",
        "--drop",
        "id,price,weight",
        "--out",
        model,
        "-n",
        30,
        "-q",
    )
    return model


@pytest.fixture(scope="module")
def regressor(mixed):
    model = mixed.with_name("price.bw")
    run("fit", mixed, "-t", "price", "--drop", "id,kind,weight", "-o", model, "-n", 30, "-q")
    return model


def test_fit_says_what_it_took_for_what(mixed, tmp_path):
    out = run("fit", mixed, "--target", "kind", "--drop", "id", "--drop", "price",
              "--out", tmp_path / "m", "-n", 20, "--test-size", 0.25).stdout  # fmt: skip
    assert "120 rows, 5 features" in out
    assert "categories     colour, open" in out
    assert "missing cells  20" in out
    assert "taken for classification: its values are text" in out
    assert "--task" not in out
    assert "Fitted 20 trees to 90 rows" in out
    assert "On the 30 rows held out" in out
    assert "confident but wrong" in out
    assert "at least 90% of the trees" in out
    assert max(map(len, out.splitlines())) <= 80


def test_fit_json_is_one_object(mixed, tmp_path):
    result = run_json("fit", mixed, "-t", "price", "--columns", "size,open", "--out",
                      tmp_path / "m", "--n-estimators", 20, "--test-size", 0.2)  # fmt: skip
    assert result["task"] == "regression"
    assert result["features"] == ["size", "open"]
    assert result["categories"] == ["open"]
    assert (result["n_train"], result["n_test"]) == (96, 24)
    assert set(result["test"]) >= {"rmse", "r2", "covered", "mean_width", "coverage"}
    assert result["outputs"] == {"model": str(tmp_path / "m")}
    assert [entry["feature"] for entry in result["importances"]] == ["size", "open"]
    assert sum(entry["mean"] for entry in result["importances"]) == pytest.approx(1)


def test_fit_equals_the_estimator(tmp_path):
    run("fit", "builtin:iris", "--out", tmp_path / "m", "-n", 15, "--seed", 3, "-q",
        "--param", "max_depth=4", "--param", "criterion=entropy")  # fmt: skip
    iris = load_iris(as_frame=True)
    own = bayeswood.CalibratedForestClassifier(
        n_estimators=15, random_state=3, max_depth=4, criterion="entropy"
    ).fit(iris.data, iris.target)
    loaded = bayeswood.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict_proba(iris.data), own.predict_proba(iris.data))
    assert loaded.verbose == 0


def test_every_method_fits_both_tasks(mixed, tmp_path):
    for method in ("calibrated-forest", "bayesian-forest", "random-forest"):
        for target in ("kind", "price"):
            result = run_json(
                "fit", mixed, "-t", target, "-m", method, "-n", 5, "-o", tmp_path / "m"
            )
            assert result["method"] == method
            assert run_json("info", tmp_path / "m")["task"] == result["task"]


def test_fit_without_data_uses_the_bundled_set():
    result = run_json("fit", "-n", 5)
    assert result["data"] == "builtin:breast_cancer_wisconsin"
    assert result["n_train"] == 699
    assert result["test"] is None


def test_predictions_of_fit_cover_every_row_in_order(tmp_path):
    run("fit", "builtin:breast_cancer_wisconsin", "-n", 20, "--test-size", 0.25, "-q",
        "--predictions", tmp_path / "p.csv")  # fmt: skip
    rows = rows_of(tmp_path / "p.csv")
    assert [row["actual"] for row in rows] == list(load_breast_cancer_wisconsin().target)
    assert sum(row["split"] == "test" for row in rows) == 175
    test = [row for row in rows if row["split"] == "test"]
    assert np.mean([row["actual"] == row["predicted"] for row in test]) > 0.9


def test_fit_warns_of_predictions_of_training_rows(mixed, tmp_path):
    out = run("fit", mixed, "-t", "kind", "-n", 5, "--predictions", tmp_path / "p.csv").stdout
    assert "look too good" in out


def test_weights_are_used_and_no_feature(mixed, tmp_path):
    plain = run_json(
        "fit", mixed, "-t", "price", "--drop", "weight,id", "-n", 5, "-o", tmp_path / "a"
    )
    weighted = run_json(
        "fit", mixed, "-t", "price", "--drop", "id", "--weights", "weight", "-n", 5,
        "-o", tmp_path / "b",
    )  # fmt: skip
    assert weighted["features"] == plain["features"]
    assert weighted["importances"] != plain["importances"]


def test_groups_are_left_out_and_held_out_together(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    who = np.repeat([f"p{i}" for i in range(40)], 5)
    frame = pd.DataFrame({"who": who, "a": rng.normal(size=200), "y": rng.normal(size=200)})
    frame.to_csv(tmp_path / "d.csv", index=False)
    seen = {}
    fit = bayeswood.CalibratedForestRegressor._fit

    def spy(self, X, y, sample_weight, oob_groups=None):
        seen["groups"] = oob_groups
        return fit(self, X, y, sample_weight, oob_groups)

    monkeypatch.setattr(bayeswood.CalibratedForestRegressor, "_fit", spy)
    result = run_json("fit", tmp_path / "d.csv", "-t", "y", "--groups", "who", "-n", 9,
                      "--test-size", 0.25, "--predictions", tmp_path / "p.csv")  # fmt: skip
    assert result["features"] == ["a"]
    split = np.array([row["split"] for row in rows_of(tmp_path / "p.csv")])
    assert (split == "test").sum() == result["n_test"] == 50
    assert set(who[split == "test"]).isdisjoint(who[split == "train"])
    np.testing.assert_array_equal(seen["groups"], who[split == "train"])


def test_one_group_alone_cannot_be_held_out(tmp_path):
    pd.DataFrame({"g": [1] * 9, "a": range(9), "y": range(9)}).to_csv(tmp_path / "d.csv")
    result = run("fit", tmp_path / "d.csv", "-t", "y", "--groups", "g", "--test-size", 0.3, code=1)
    assert "--groups has one only" in result.stderr


def test_numbers_become_categories_on_request(mixed, tmp_path):
    result = run_json("fit", mixed, "-t", "kind", "--categorical", "grade", "-n", 5,
                      "--drop", "price", "-o", tmp_path / "m")  # fmt: skip
    assert result["categories"] == ["colour", "open", "grade"]
    info = run_json("info", tmp_path / "m")
    assert info["categories"]["grade"] == [1, 2, 3, 4]
    assert info["categories"]["open"] == [False, True]
    assert info["categories"]["colour"] == ["blue", "red", "tan"]
    run("predict", tmp_path / "m", mixed, "-o", tmp_path / "p.csv", "-q")


@pytest.mark.parametrize(("values", "task"), [
    (["1", "0"], "classification"),
    (["true", "false"], "classification"),
    (["0.5", "1"], "regression"),
    (["a", "b"], "classification"),
    ([str(i) for i in range(21)], "regression"),
])  # fmt: skip
def test_task_is_inferred(tmp_path, values, task):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values * 4)))
    result = run_json("fit", path, "-t", "y", "-n", 3)
    assert result["task"] == task
    assert any(task in note for note in result["notes"])
    assert any("--task" in note for note in result["notes"]) == values[0][0].isdigit()


def test_task_can_be_chosen(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "".join(f"{i},{i % 3}\n" for i in range(30)))
    assert run_json("fit", path, "-t", "y", "-n", 3, "--task", "regression")["task"] == "regression"


def test_classes_come_with_probabilities_and_confidence(classifier, mixed, tmp_path):
    run("predict", classifier, mixed, "--out", tmp_path / "p.csv", "-q", "--gamma0", 0.8)
    rows = rows_of(tmp_path / "p.csv")
    assert list(rows[0]) == [
        "predicted", "confident", "agreement", "p_big", "p_small",
        "p_big_lower", "p_big_upper", "p_small_lower", "p_small_upper", "support",
    ]  # fmt: skip
    assert len(rows) == 120
    for row in rows:
        assert float(row["p_big"]) + float(row["p_small"]) == pytest.approx(1)
        assert row["predicted"] == ("big" if float(row["p_big"]) >= 0.5 else "small")
        assert (row["confident"] == "true") == (float(row["agreement"]) >= 0.8)
        assert float(row["p_big_lower"]) <= float(row["p_big_upper"])


def test_rows_without_data_near_are_counted(tmp_path):
    trained, asked = tmp_path / "d.csv", tmp_path / "asked.csv"
    inside = [(i % 100) / 100 + 3 * (i // 100) for i in range(200)]
    trained.write_text("x,y\n" + "".join(f"{x},{x * x}\n" for x in inside))
    asked.write_text("x\n0.415\n2\n3.615\n-4\n")
    run("fit", trained, "-t", "y", "-n", 10, "-o", tmp_path / "m.bw", "-q")
    shown = run("predict", tmp_path / "m.bw", asked, "-o", tmp_path / "p.csv").output
    assert "2 of 4 rows (support < 0.05; 5% are usual)" in shown
    found = [float(row["support"]) < 0.05 for row in rows_of(tmp_path / "p.csv")]
    assert found == [False, True, False, True]
    facts = run_json("predict", tmp_path / "m.bw", asked, "-o", tmp_path / "p.csv")
    assert facts["n_no_data"] == 2


def test_levels_that_are_new_are_far_away(tmp_path, rng):
    """Also where training rows lacked the value, as which such levels are predicted."""
    colour = np.resize(np.array(["red", "blue", None], dtype=object), 90)
    code = pd.Categorical(np.resize([3, 7], 90))
    rows = pd.DataFrame({"x": rng.random(90), "colour": colour, "code": code})
    forest = bayeswood.BayesianForestRegressor(5, random_state=0).fit(rows, rows["x"])
    forest.save(tmp_path / "m.bw")
    (tmp_path / "asked.csv").write_text("x,colour,code\n.5,red,3\n.5,,3\n.5,violet,3\n.5,red,5\n")
    result = run_json(
        "predict", tmp_path / "m.bw", tmp_path / "asked.csv", "-o", tmp_path / "p.csv"
    )
    found = rows_of(tmp_path / "p.csv")
    assert [float(row["support"]) < 0.05 for row in found] == [False, False, True, True]
    assert found[1]["predicted"] == found[2]["predicted"]
    assert [note.split(":")[0] for note in result["notes"]] == ["column 'colour'", "column 'code'"]


def test_a_model_without_a_sample_predicts_without_support(tmp_path):
    trained = tmp_path / "d.csv"
    trained.write_text("x,y\n" + "".join(f"{i},{i * i}\n" for i in range(40)))
    run("fit", trained, "-t", "y", "-n", 5, "-o", tmp_path / "m.bw", "-q")
    name, meta, arrays, forest = read_model(tmp_path / "m.bw")
    arrays.pop("sample_rows")
    write_model(tmp_path / "older.bw", name, meta, arrays, forest)
    facts = run_json("predict", tmp_path / "older.bw", trained, "-o", tmp_path / "p.csv")
    assert "n_no_data" not in facts
    assert "there is no column 'support'" in facts["notes"][0]
    assert "support" not in rows_of(tmp_path / "p.csv")[0]


def test_numbers_come_with_intervals(regressor, mixed, tmp_path):
    widths = {}
    for coverage in (0.5, 0.9):
        place = tmp_path / f"{coverage}.csv"
        run("predict", regressor, mixed, "-o", place, "--coverage", coverage, "-q")
        rows = rows_of(place)
        assert list(rows[0]) == ["predicted", "lower", "upper", "support"]
        widths[coverage] = np.mean([float(r["upper"]) - float(r["lower"]) for r in rows])
    assert widths[0.5] < widths[0.9]


def test_csv_gz_and_parquet_hold_the_same(regressor, mixed, tmp_path):
    for ending in ("csv", "csv.gz", "parquet"):
        run("predict", regressor, mixed, "-o", tmp_path / f"p.{ending}", "-q")
    plain, zipped = rows_of(tmp_path / "p.csv"), rows_of(tmp_path / "p.csv.gz")
    assert plain == zipped
    parquet = pq.read_table(tmp_path / "p.parquet").to_pylist()
    assert [float(row["upper"]) for row in plain] == [row["upper"] for row in parquet]


def test_parquet_in_gives_the_same_model(mixed, tmp_path):
    table = pa.csv.read_csv(mixed, convert_options=pa.csv.ConvertOptions(strings_can_be_null=True))
    coded = table.set_column(2, "colour", table["colour"].dictionary_encode())
    pq.write_table(coded, tmp_path / "d.parquet")
    (tmp_path / "d.csv.gz").write_bytes(gzip.compress(mixed.read_bytes()))
    results = [
        run_json("fit", path, "-t", "kind", "-n", 5)["importances"]
        for path in (mixed, tmp_path / "d.parquet", tmp_path / "d.csv.gz")
    ]
    assert results[0] == results[1] == results[2]


def test_predict_keeps_columns_and_writes_to_stdout(classifier, mixed):
    result = run("predict", classifier, mixed, "--out", "-", "--keep", "id,kind")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["id"] for row in rows] == [str(i) for i in range(120)]
    assert list(rows[0])[:3] == ["id", "kind", "predicted"]
    assert "Wrote 120 predictions" in result.stderr


def test_column_order_and_other_columns_do_not_matter(regressor, mixed, tmp_path):
    table = pa.csv.read_csv(mixed)
    shuffled = table.select(["grade", "open", "id", "colour", "size"])
    pq.write_table(shuffled, tmp_path / "s.parquet")
    run("predict", regressor, mixed, "-o", tmp_path / "a.csv", "-q")
    run("predict", regressor, tmp_path / "s.parquet", "-o", tmp_path / "b.csv", "-q")
    a = [float(row["predicted"]) for row in rows_of(tmp_path / "a.csv")]
    b = [float(row["predicted"]) for row in rows_of(tmp_path / "b.csv")]
    assert np.mean(np.isclose(a, b)) > 0.9  # an empty string in Parquet is a level, not missing


def test_text_categories_stay_text_though_they_look_like_numbers(tmp_path):
    train = tmp_path / "train.csv"
    train.write_text("code,y\n" + "".join(f"{c},{c}\n" for c in ["a", "1", "2"] * 10))
    run("fit", train, "-t", "y", "-o", tmp_path / "m", "-n", 10, "-q")
    (tmp_path / "new.csv").write_text("code\n1\n2\n1\n")
    run("predict", tmp_path / "m", tmp_path / "new.csv", "-o", tmp_path / "p.csv", "-q")
    assert [row["predicted"] for row in rows_of(tmp_path / "p.csv")] == ["1", "2", "1"]


def test_unseen_levels_are_missing_and_noted(classifier, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("size,colour,open,grade\n1,pink,true,2\n,red,maybe,3\n1,,,2\n")
    result = run_json("predict", classifier, path, "-o", tmp_path / "p.csv")
    assert result["n_rows"] == 3
    assert len(result["notes"]) == 2
    assert "'colour': levels" in result["notes"][0]
    assert "1 of 3 rows" in result["notes"][0]


def test_a_column_that_is_empty_in_new_data(classifier, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("size,colour,open,grade\n,,,\n,,,\n")
    assert run_json("predict", classifier, path, "-o", tmp_path / "p.csv")["n_rows"] == 2


def test_evaluate_a_classifier(classifier, mixed):
    data = ("evaluate", classifier, mixed, "--target", "kind")
    result = run_json(*data)
    assert set(result) >= {"accuracy", "log_predictive_probability", "brier", "gamma0"}
    shares = [result[k] for k in ("confident_correct", "uncertain", "confident_incorrect")]
    assert sum(shares) == pytest.approx(1)
    assert run_json(*data, "--gamma0", 0.6)["uncertain"] < result["uncertain"]
    assert "Brier score" in run(*data).stdout


def test_evaluate_a_regressor_finds_the_target(regressor, mixed, tmp_path):
    path = tmp_path / "d.csv"
    table = pa.csv.read_csv(mixed).drop_columns(["id", "kind", "weight"])
    pa.csv.write_csv(table, path)
    result = run_json("evaluate", regressor, path)
    assert result["target"] == "price"
    assert result["r2"] > 0.8
    assert 0.8 < result["covered"] <= 1
    assert "in the 90% interval" in run("evaluate", regressor, path).stdout


def test_evaluate_agrees_with_the_estimator(tmp_path):
    run("fit", "builtin:iris", "-o", tmp_path / "m", "-n", 10, "-q")
    iris = load_iris(as_frame=True)
    result = run_json("evaluate", tmp_path / "m", "builtin:iris")
    assert result["accuracy"] == bayeswood.load(tmp_path / "m").score(iris.data, iris.target)


def test_number_classes_and_bool_classes_evaluate(tmp_path):
    for values in (("0", "1"), ("true", "false")):
        path = tmp_path / "d.csv"
        path.write_text("x,y\n" + "".join(f"{i % 2},{values[i % 2]}\n" for i in range(40)))
        run("fit", path, "-t", "y", "-o", tmp_path / "m", "-n", 5, "-q")
        assert run_json("evaluate", tmp_path / "m", path)["accuracy"] == 1


def test_evaluate_names_classes_the_model_never_saw(tmp_path):
    run("fit", "builtin:iris", "-o", tmp_path / "m", "-n", 5, "-q")
    rows = "".join(f"5,3,{i},0.2,{name}\n" for i, name in enumerate(["setosa", "rosa", "rosa"]))
    data = tmp_path / "d.csv"
    data.write_text("sepal_length,sepal_width,petal_length,petal_width,target\n" + rows)
    (note,) = run_json("evaluate", tmp_path / "m", data)["notes"]
    assert "never saw, in" in note
    assert "rosa" in note


def test_warnings_of_the_fit_are_notes():
    forest = ("fit", "builtin:iris", "-m", "random-forest", "-n", 2, "-p", "oob_score=true")
    shown = run(*forest)
    assert shown.stderr == ""
    assert "Note: " in shown.stdout
    assert "Grow more trees" in shown.stdout
    assert any("Grow more trees" in note for note in run_json(*forest)["notes"])


def test_info(classifier):
    out = run("info", classifier).stdout
    assert "CalibratedForestClassifier (classification)" in out
    assert "big, small" in out
    assert "n_estimators" in out
    result = run_json("info", classifier)
    assert result["n_trees"] == 30
    assert result["bytes"] == classifier.stat().st_size
    assert result["parameters"]["n_estimators"] == 30


def test_models_of_unnamed_arrays_read_files(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 2))
    bayeswood.BayesianForestRegressor(n_estimators=5).fit(X, X[:, 0]).save(tmp_path / "m")
    (tmp_path / "d.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in X))
    run("predict", tmp_path / "m", tmp_path / "d.csv", "-o", tmp_path / "p.csv", "-q")
    predicted = [float(row["predicted"]) for row in rows_of(tmp_path / "p.csv")]
    np.testing.assert_allclose(predicted, bayeswood.load(tmp_path / "m").predict(X))


@pytest.mark.parametrize("name", ["breast_cancer_wisconsin", "wine_quality", "iris"])
def test_demo(tmp_path, name, monkeypatch):
    if name == "wine_quality":  # which has ten times the rows of the others
        few_trees = functools.partial(FitRequest, n_estimators=20)
        monkeypatch.setattr("bayeswood.cli.verbs.demo.FitRequest", few_trees)
    folder = tmp_path / "new" / "folder"
    out = run("demo", "--out", folder, "--data", name).stdout
    assert {path.name for path in folder.iterdir()} == {
        "model.bayeswood", "predictions.csv", f"{name}.png", "report.html"
    }  # fmt: skip
    assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "rows held out" in out
    assert max(len(line) for line in out.splitlines() if str(tmp_path) not in line) <= 80


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_plot_formats(mixed, tmp_path, ending):
    place = tmp_path / f"plot.{ending}"
    run("fit", mixed, "-t", "price", "--plot", place, "-n", 5, "--test-size", 0.3, "-q")
    start = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[ending]
    assert place.read_bytes().startswith(start)


def test_quiet_prints_nothing(mixed, tmp_path):
    result = run("fit", mixed, "-t", "price", "-n", 3, "-o", tmp_path / "m", "--quiet")
    assert result.output == ""


def test_other_delimiters_are_noticed(tmp_path):
    for mark in ";\t|":
        path = tmp_path / "d.csv"
        path.write_text(f"a{mark}y\n" + "".join(f"{i}{mark}{i}.5\n" for i in range(9)))
        assert run_json("fit", path, "-t", "y", "-n", 2)["features"] == ["a"]


def test_types_that_change_late_in_the_file(tmp_path):
    path = tmp_path / "d.csv"
    lines = [f"{i % 1000},{i % 7}.5,,{i % 5}\n" for i in range(150_000)]
    path.write_text("a,y,b,c\n" + "".join(lines) + "n/k,1.5,3,0.25\n")
    result = run_json("fit", path, "-t", "y", "-m", "random-forest", "-n", 1)
    assert result["categories"] == ["a"]
    assert result["features"] == ["a", "b", "c"]


def test_names_of_rows_are_noticed(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("name,y\n" + "".join(f"person {i},{i}.5\n" for i in range(99)))
    result = run_json("fit", path, "-t", "y", "-n", 1)
    assert any("--drop name" in note for note in result["notes"])


def test_same_seed_same_answer_for_any_n_jobs(mixed):
    results = [
        run_json("fit", mixed, "-t", "price", "-n", 8, "--test-size", 0.5, "--n-jobs", jobs)["test"]
        for jobs in (1, 2)
    ]
    assert results[0] == results[1]


def test_version_and_help():
    assert run("--version").stdout.split()[-1] == bayeswood.__version__
    for verb in ("fit", "predict", "evaluate", "info", "report", "demo"):
        out = run(verb, "--help").stdout
        assert "--json" in out
        assert max(map(len, out.splitlines())) <= 80


def test_row_labels_of_a_data_frame_are_no_feature(tmp_path):
    frame = pd.DataFrame({"a": range(40), "y": [0.5, 1.5] * 20}, index=range(100, 140))
    frame.to_csv(tmp_path / "d.csv")
    frame[frame.a != 7].to_parquet(tmp_path / "d.parquet")
    for name in ("d.csv", "d.parquet"):
        assert run_json("fit", tmp_path / name, "-t", "y", "-n", 2)["features"] == ["a"]


def test_shares_are_said_with_all_their_digits(classifier, mixed):
    data = ("evaluate", classifier, mixed, "--target", "kind")
    assert "at least 99.5% of the trees" in run(*data, "--gamma0", 0.995).stdout


def test_predict_sums_up_many_classes(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "".join(f"{i},c{i % 25}\n" for i in range(100)))
    run(
        "fit", path, "-t", "y", "-o", tmp_path / "m", "-n", 5, "-q", "--param", "min_samples_leaf=1"
    )
    out = run("predict", tmp_path / "m", path, "-o", tmp_path / "p.csv").stdout
    assert "more classes" in out
    assert out.count("predicted c") == 10
