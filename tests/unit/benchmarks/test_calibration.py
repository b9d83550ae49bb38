"""The calibration benchmark: its metrics, its own recalibration, its records and its page."""

import json

import numpy as np
import pytest

from benchmarks.calibration.__main__ import main
from benchmarks.calibration.classifiers import CLASSIFIERS, OURS, RAW, RIVAL, RIVAL_BY_CLASS
from benchmarks.calibration.comparison import (
    Estimate,
    clearly_better,
    clearly_worse,
    mean_over_sets,
    over_sets,
    paired,
)
from benchmarks.calibration.markdown import number, ratio_with_error, with_error
from benchmarks.calibration.metrics import (
    brier_score,
    by_thirds,
    calibration_error,
    classification_metrics,
    interval_scores,
    regression_metrics,
)
from benchmarks.calibration.models import Model
from benchmarks.calibration.recalibration import (
    fit_scale,
    fit_slopes,
    fit_temperature,
    order_statistics,
    recalibrated,
    smoothed_log,
)
from benchmarks.calibration.regressors import REGRESSORS
from benchmarks.calibration.run import run
from benchmarks.calibration.sets import DataSet, all_sets, as_numbers, make_split
from benchmarks.calibration.store import Store
from benchmarks.calibration.targets import targets


def test_scores_of_two_rows_by_hand():
    probability = np.array([[0.8, 0.2], [1.0, 0.0]])
    found = classification_metrics(np.array([0, 1]), probability)
    assert found["log_p"] == pytest.approx((np.log(0.8) + np.log(1e-3)) / 2)
    assert found["floored"] == 0.5
    assert found["accuracy"] == 0.5
    assert found["brier"] == pytest.approx((2 * 0.2**2 + 2) / 2)


def test_brier_of_certainty_and_of_ignorance():
    codes = np.array([0, 1, 2])
    assert brier_score(codes, np.eye(3)) == 0
    assert brier_score(codes, np.full((3, 3), 1 / 3)) == pytest.approx(2 / 3)


def test_calibration_error_sees_a_shift_and_not_a_permutation(rng):
    truth = rng.random(80)
    codes = (np.arange(80) % 2).astype(np.intp)
    shifted = np.column_stack([np.full(80, 0.3), np.full(80, 0.7)])
    assert calibration_error(codes, shifted) == pytest.approx(0.2)
    order = rng.permutation(80)
    probability = np.column_stack([1 - truth, truth])
    assert calibration_error(codes[order], probability[order]) == pytest.approx(
        calibration_error(codes, probability)
    )


def test_calibration_error_does_not_let_bins_cancel():
    codes = np.repeat([0, 1], 40).astype(np.intp)
    p = np.repeat([0.25, 0.75], 40)
    assert calibration_error(codes, np.column_stack([1 - p, p])) == pytest.approx(0.25)


def test_interval_score_by_hand():
    low, high = np.zeros(3), np.ones(3)
    found = interval_scores(np.array([0.5, -0.1, 1.2]), low, high)
    np.testing.assert_allclose(found, [1, 1 + 20 * 0.1, 1 + 20 * 0.2])


def test_thirds_follow_the_spread():
    covered = np.array([True, False, True, True, False, False])
    spread = np.array([1.0, 6.0, 2.0, 3.0, 5.0, 4.0])
    assert by_thirds(covered, spread) == {"low": 1.0, "middle": 0.5, "high": 0.0}


def test_interval_metrics_are_in_units_of_the_scale():
    y = np.arange(6.0)
    found = regression_metrics(y, y + 2, y - 1, y + 3, spread=y, scale=2.0)
    assert found["rmse"] == 1
    assert found["width"] == found["interval_score"] == 2
    assert found["coverage"] == found["coverage_high"] == 1
    assert "own_low" not in found  # all widths are equal
    assert "own_low" in regression_metrics(y, y, y - 1 - y, y + 1, spread=y, scale=2.0)


def test_temperature_comes_back(rng):
    """γ̂ has a standard error near .05 here; six of them."""
    log_p = smoothed_log(rng.dirichlet(np.ones(3), 4000), 100)
    true = recalibrated(log_p, 2.0, np.array([0.3, 0.0, -0.3]))
    codes = np.array([rng.choice(3, p=p) for p in true])
    gamma, offsets = fit_temperature(log_p, codes)
    assert gamma == pytest.approx(2.0, abs=0.3)
    np.testing.assert_allclose(offsets, [0.3, 0.0, -0.3], atol=0.3)


def test_slopes_are_a_minimum(rng):
    means = rng.dirichlet(np.ones(4), 300)
    codes = np.array([rng.choice(4, p=p**2 / (p**2).sum()) for p in means])
    log_p = smoothed_log(means, 50) + np.log(4)
    powers, offsets = fit_slopes(log_p, codes)
    gamma, _ = fit_temperature(log_p, codes)

    def loss(powers, offsets):
        p = recalibrated(log_p, powers, offsets)
        penalty = (np.log(powers / gamma) ** 2).sum() / (2 * 0.3**2)
        return -np.log(p[np.arange(300), codes]).sum() + penalty + (offsets**2).sum() / (2 * 0.5**2)

    least = loss(powers, offsets)
    for shift in (*(0.02 * np.eye(4)), *(-0.02 * np.eye(4))):
        assert loss(powers + shift, offsets) > least
        assert loss(powers, offsets + shift) > least


def test_temperature_is_a_minimum(rng):
    log_p = smoothed_log(rng.dirichlet(np.ones(2), 60), 20)
    codes = rng.integers(2, size=60)
    gamma, offsets = fit_temperature(log_p, codes)

    def loss(gamma, offsets):
        p = recalibrated(log_p, gamma, offsets)[np.arange(60), codes]
        prior = np.log(gamma) ** 2 / (2 * 1.5**2) + (offsets**2).sum() / (2 * 0.5**2)
        return -np.log(p).sum() + prior

    best = loss(gamma, offsets)
    for step in (-0.05, 0.05):
        assert loss(max(gamma + step, 0.2), offsets) >= best - 1e-9
        assert loss(gamma, offsets + np.array([step, 0])) > best
        assert loss(gamma, offsets + np.array([0, step])) > best


def test_scale_comes_back_from_exact_squares():
    variance = np.linspace(0.1, 2, 50)
    assert fit_scale(np.sqrt(0.5 + 3 * variance), variance) == pytest.approx((0.5, 3.0))


def test_scale_is_never_negative():
    variance = np.linspace(0.1, 2, 50)
    u, v = fit_scale(np.sqrt(2.1 - variance), variance)
    assert u > 0
    assert v == 0


def test_order_statistics_have_the_finite_sample_ranks():
    assert order_statistics(np.arange(1.0, 20.0), 0.9) == (1.0, 19.0)
    assert order_statistics(np.arange(1.0, 100.0), 0.9) == (5.0, 95.0)
    assert order_statistics(np.array([2.0, 1.0]), 0.9) == (1.0, 2.0)


def test_text_becomes_level_numbers():
    cells = np.array([["b", 2.5], ["a", 1.0], ["b", None]], dtype=object)
    np.testing.assert_array_equal(as_numbers(cells), [[1, 2.5], [0, 1], [1, np.nan]])


def test_splits_are_disjoint_repeatable_and_in_proportion():
    X = np.arange(90.0)[:, None]
    data = DataSet("toy", "classification", "", table=lambda: (X, np.arange(90) % 3 // 2))
    first, again, other = (make_split(data, split) for split in (0, 0, 1))
    assert len(first.y) == 60
    assert set(first.X.ravel()).isdisjoint(first.X_test.ravel())
    np.testing.assert_array_equal(first.X, again.X)
    assert not np.array_equal(first.X, other.X)
    assert first.y.mean() == pytest.approx(1 / 3)
    assert first.y_test.mean() == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", [n for n, d in all_sets().items() if d.origin != "file"])
def test_sets_at_hand_can_be_split(name):
    parts = make_split(all_sets()[name], 0)
    assert len(parts.X) == len(parts.y)
    assert len(parts.X_test) == len(parts.y_test) > 100
    assert np.isfinite(parts.X).all()


def test_there_are_sets_enough():
    tasks = [data.task for data in all_sets().values()]
    assert tasks.count("classification") >= 11
    assert tasks.count("regression") >= 5


def store_with(tmp_path, figures, metric="log_p", task="classification"):
    """A store from {(set, model): values by split}."""
    store = Store(tmp_path / "kept.json", 10)
    for (name, model), numbers in figures.items():
        about = {"task": task, "origin": "", "features": 1, "classes": 2, "train": 1, "test": 1}
        store.sets[name] = about
        for split, value in enumerate(numbers):
            store.add({"set": name, "split": split, "model": model, "cpu": 1.0, metric: value})
    return store


def test_differences_are_paired_by_split(tmp_path):
    store = store_with(tmp_path, {("s", "a"): [1.0, 2.0, 9.0], ("s", "b"): [0.5, 1.0]})
    found = paired(store, "s", "a", "b", "log_p")
    assert found == Estimate(0.75, 0.25, 2)
    assert paired(store, "s", "a", "nobody", "log_p") is None


def test_ratios_are_averaged_as_logarithms(tmp_path):
    figures = {("s", "a"): [1.0, 4.0, 99.0], ("s", "b"): [2.0, 2.0], ("t", "a"): [1.0]}
    store = store_with(tmp_path, figures, "width")
    found = paired(store, "s", "a", "b", "width")
    assert found.mean == pytest.approx(0, abs=1e-12)
    assert ratio_with_error(found) == "1.000 ± .693"
    assert np.isnan(mean_over_sets(store, ["s", "t"], "b", "width"))
    assert mean_over_sets(store, ["s", "t"], "a", "width") == pytest.approx(np.sqrt(2.5))


def test_each_set_counts_once():
    by_set = {"s": Estimate(1.0, 0.1, 50), "t": Estimate(3.0, 0.1, 2)}
    assert over_sets(by_set) == Estimate(2.0, 1.0, 2)
    assert over_sets({}) is None


def test_clear_differences_know_the_direction():
    found = Estimate(0.3, 0.1, 5)
    assert clearly_better("log_p", found)
    assert clearly_worse("brier", found)
    assert not clearly_worse("brier", Estimate(0.3, 0.1, 2))
    assert not clearly_better("log_p", Estimate(0.1, 0.1, 5))


def test_numbers_are_written_without_a_leading_zero():
    assert number(-0.366) == "-.366"
    assert number(0.25, 2, sign=True) == "+.25"
    assert number(10.25, 1) == "10.2"
    assert number(float("nan")) == ""
    assert with_error(Estimate(0.5, float("nan"), 1)) == ".500"


def test_records_survive_and_are_gone_on_with(tmp_path):
    store = store_with(tmp_path, {("s", "a"): [1.0], ("s", "b"): [2.0]})
    again = Store.open(store.path, 10)
    assert again.records == store.records
    assert again.sets == store.sets
    with pytest.raises(ValueError, match="10 trees, not 20"):
        Store.open(store.path, 20)


def test_a_run_measures_only_what_is_missing(tmp_path, monkeypatch, capsys):
    calls = []

    def half(X, y, n_trees, seed):
        calls.append(n_trees)
        return lambda X: np.full((len(X), 2), 0.5)

    def absent(X, y, n_trees, seed):
        raise ImportError("No module named 'absent'")

    models = {"half": half, "absent": absent}
    for name, fit in models.items():
        monkeypatch.setitem(CLASSIFIERS, name, Model(name, "classification", fit, ""))
    store = Store(tmp_path / "kept.json", 7)
    coin = all_sets()["coin"]
    run(store, [coin], list(models), 2)
    assert calls == [7, 7]
    assert capsys.readouterr().err.count("absent left out: No module named 'absent'") == 1
    assert store.records["coin", 1, "half"]["log_p"] == pytest.approx(np.log(0.5))
    run(Store.open(store.path), [coin], ["half"], 3)
    assert len(calls) == 3


def test_only_what_is_chosen_is_measured_again(tmp_path, monkeypatch):
    model = Model("half", "classification", lambda *_: lambda X: np.full((len(X), 2), 0.5), "")
    monkeypatch.setitem(CLASSIFIERS, "half", model)
    store = store_with(tmp_path, {("coin", "half"): [1.0, 1.0], ("other", "half"): [1.0]})
    run(store, [all_sets()["coin"]], ["half"], 1, again=["half"])
    assert {key: record["log_p"] for key, record in store.records.items()} == {
        ("coin", 0, "half"): pytest.approx(np.log(0.5)),
        ("coin", 1, "half"): 1.0,
        ("other", 0, "half"): 1.0,
    }
    assert set(store.sets) == {"coin", "other"}


def test_targets_are_judged(tmp_path):
    figures = {(s, m): [-0.3 + 0.02 * (m == OURS), -0.31 + 0.02 * (m == OURS)]
               for s in ("s", "t") for m in (OURS, RIVAL, RAW)}  # fmt: skip
    reached = {target.words: target for target in targets(store_with(tmp_path, figures))}
    log_p = reached["log p at least .015 better than the recalibrated random forest's"]
    assert log_p.reached
    assert log_p.measured == "+.0200 ± .0000 over 2 sets"
    cpu = reached["less CPU than one uncalibrated scikit-learn forest (classification)"]
    assert not cpu.reached


def test_the_rival_with_slopes_is_named_beside(tmp_path):
    scores = {OURS: -0.3, RIVAL: -0.32, RIVAL_BY_CLASS: -0.31}
    figures = {(s, m): [score, score] for s in ("s", "t") for m, score in scores.items()}
    log_p = targets(store_with(tmp_path, figures))[0]
    assert log_p.measured == (
        "+.0200 ± .0000 over 2 sets; +.0100 ± .0000 where that has a slope per class, too"
    )


def test_a_set_outside_the_margin_is_named(tmp_path):
    figures = {("inside", OURS): [0.89, 0.92], ("outside", OURS): [0.87, 0.89]}
    (target,) = targets(store_with(tmp_path, figures, "coverage", "regression"))
    assert not target.reached
    assert target.measured == "outside: outside .880 ± .010"


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("name", "models"), [("iris", CLASSIFIERS), ("diabetes", REGRESSORS)])
def test_every_model_that_is_installed_gives_sane_scores(name, models, tmp_path):
    """Small forests on scikit-learn's tables: far better than chance, whatever the model."""
    from sklearn import datasets

    table = getattr(datasets, f"load_{name}")(return_X_y=True)
    data = DataSet(name, "regression" if models is REGRESSORS else "classification", "",
                   table=lambda: table)  # fmt: skip
    store = Store(tmp_path / "kept.json", 20)
    run(store, [data], None, 1)
    assert {RAW, RIVAL} & {model for _, _, model in store.records}
    for record in store.records.values():
        assert record["cpu"] > 0
        if models is REGRESSORS:
            assert 0.5 < record["coverage"] <= 1
            assert record["rmse"] < 1
        else:
            assert record["accuracy"] > 0.8
            assert record["log_p"] > np.log(1 / 3)


def test_the_page_is_made_from_records_alone(tmp_path):
    scores = {"brier": 0.2, "calibration_error": 0.02, "accuracy": 0.9, "floored": 0.0}
    store = store_with(tmp_path, {("s", OURS): [-0.3, -0.2, -0.1], ("s", RIVAL): [-0.2, -0.1, 0.0]})
    for record in store.records.values():
        record.update(scores)
    store.write()
    page = tmp_path / "page.md"
    assert main(["--show", "--results", str(store.path), "--page", str(page)]) == 0
    text = page.read_text()
    assert "| s | -.200 | **-.100** | -.1000 ± .0000 |" in text
    assert "| log p | **random forest, recalibrated** | -.1000 | s |" in text
    assert (tmp_path / "images" / "page.png").stat().st_size > 10_000


@pytest.mark.parametrize("arguments", [["--sets", "nothing"], ["--models", "nobody"]])
def test_unknown_names_are_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert f"unknown {arguments[0][2:-1]} '{arguments[1]}'" in capsys.readouterr().err


def test_records_are_valid_json(tmp_path):
    store = store_with(tmp_path, {("s", "a"): [1.0]})
    assert json.loads(store.path.read_text())["records"][0]["model"] == "a"
