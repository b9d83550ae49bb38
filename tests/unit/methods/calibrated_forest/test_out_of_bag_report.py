"""What calibrated forests report of their calibration."""

import json

import numpy as np
import pytest

from bayeswood import CalibratedForestClassifier, CalibratedForestRegressor


def test_the_report_of_a_classifier(classifier, irises):
    report = classifier.calibration_report()
    text = repr(report)
    assert str(report) == text
    assert max(map(len, text.splitlines())) <= 80
    assert "CalibratedForestClassifier" in text
    assert "calibrated probability of the predicted class" in text
    summary = report.summary
    assert summary.n_left_out == summary.n_training == 150
    assert summary.scores[3, 1] == classifier.oob_score_ > 0.9
    assert summary.happened.mean(axis=0)[1] == pytest.approx(classifier.oob_score_)
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["power"] == classifier.calibration_power_
    slopes = classifier.calibration_slopes_
    assert plain["slopes"] == slopes.tolist()
    assert f"s from {slopes.min():.3f} to {slopes.max():.3f}" in text


def test_the_report_of_two_classes_is_of_the_second(irises):
    X, y = irises
    model = CalibratedForestClassifier(40, random_state=0).fit(X, y == "setosa")
    report = model.calibration_report()
    assert "log p_c = γ log p̃_c + b_c − log Z" in str(report)
    summary = report.summary
    assert summary.event == "True"
    np.testing.assert_array_equal(summary.happened[:, 0], y == "setosa")


def test_the_report_of_a_regressor(regressor):
    report = regressor.calibration_report()
    text = repr(report)
    assert max(map(len, text.splitlines())) <= 80
    assert "90%" in text
    summary = report.summary
    assert summary.covered.shape == (1, 4, 4)
    # Over seeds .9 ± .03 of 200 rows.
    assert 0.75 < summary.covered[0, 2, 0] < 1.0
    assert (np.diff(summary.width[0]) > 0).all()
    assert json.loads(json.dumps(report.to_dict()))["n_trees"] == 20  # bags


def test_many_rows_are_judged_by_a_part(monkeypatch, friedman):
    monkeypatch.setattr("bayeswood.uncertainty.calibration.cross_calibration.MAX_ROWS_JUDGED", 50)
    model = CalibratedForestRegressor(40, random_state=0).fit(*friedman)
    assert len(model.calibration_report().summary.rows) == 50
    assert len(model.scaled_residuals_) > 150


def test_reports_are_drawn(classifier, regressor):
    import matplotlib.pyplot as plt

    for model in (classifier, regressor):
        display = model.calibration_report().plot()
        assert display.ax_.get_ylabel() in ("observed frequency", "truth inside")
        _, ax = plt.subplots()
        assert model.calibration_report().plot(ax).ax_ is ax
    plt.close("all")
