"""The sentences of the page."""

METRICS = {
    "log_p": "log p",
    "floored": "floored",
    "brier": "Brier",
    "calibration_error": "calibration error",
    "accuracy": "accuracy",
    "coverage": "coverage",
    "coverage_low": "low third",
    "coverage_middle": "middle third",
    "coverage_high": "high third",
    "interval_score": "interval score",
    "width": "width",
    "rmse": "RMSE",
    "crps": "CRPS",
    "cpu": "CPU",
}

FRAME = """\
# Calibration, compared

Do 80 % mean 80 %, and do 90 % intervals cover 90 %? `CalibratedForestClassifier` and
`CalibratedForestRegressor` beside other libraries, as they come: no tuning, no held-out rows.
This page and its picture are written by

```
python -m benchmarks.calibration
```

from the records in `benchmarks/results/calibration.json`. The command goes on where it was
interrupted; `--sets`, `--models`, `--only` and `--repeats` narrow it down, `--again MODEL`
measures a model once more, `--show` writes the page from what is there. Data come by name
([data sets](datasets.md)); sets that are not to be had and models whose library is not installed
(`pip install ".[peers]"`) are left out with a line on the terminal.

## What was to be reached

{targets}

## Where it does not win

Every score in which a model is ahead of ours in the mean over the sets (in bold), or clearly on
some set: by more than two standard errors over at least three splits. Differences are ours less
theirs; interval scores, CRPS, RMSE and CPU are ratios, ours to theirs.

{losses}

{picture}

Left: each set's mean difference with its standard error; the dotted line is what was to be reached.
Middle and right: the grey band is 3 points either side of 90 %.

## Class probabilities

Means over the sets, each set counting once; CPU seconds as a geometric mean.

{class_means}

- **log p**: mean log probability of the true class, with probabilities below .001 counted as .001
  (**floored** is the share of rows where that happened). **Brier**: squared distance to the true
  class, summed over classes.
- **calibration error**: per class, |frequency − mean probability| in bins of equally many rows
  (about 40, 2 to 15 bins), averaged over bins and classes. Chance alone gives it a few hundredths
  on a small test set; compare models, set by set.
- **CPU**: of fit and calibration, all of the process, one thread, one model at a
  time. Boosting makes 100 rounds of small trees and is no forest; its time is there for
  completeness.

Paired differences, ours less theirs on the same splits, mean over sets ± standard error over sets
(CPU: ratio):

{class_differences}

### log p by set

{log_p}

### Accuracy by set

{accuracy}

## Intervals

90 % prediction intervals. Means over the sets; scores, widths, RMSE and CPU as geometric means.

{interval_means}

- **interval score** (Winkler): width + 20 times what lies outside; smaller is better. Scores,
  widths and RMSE are in standard deviations of the training responses.
- **CRPS**: twice the mean quantile loss at 5 %, 10 %, …, 95 %; of models that give these
  quantiles. Boosted trees fit a model for them all (CatBoost, XGBoost) or for each (LightGBM)
  besides those whose time is shown, which are of the mean and of both ends.
- **thirds**: coverage where a yardstick of spread is low, middle and high. The yardstick is the
  same for all: the standard deviation over the trees of a random forest of 100 trees. An interval
  of constant width covers too much in the first and too little in the last.

Ratios, ours to theirs on the same splits, geometric mean over sets ± standard error over sets:

{interval_differences}

### Coverage of the calibrated forest by set

Over all rows, in thirds by its own width, and in thirds by the common yardstick; ± standard error
over splits. Splits of one small table share rows, so their errors are a little larger than shown.
Where responses are few whole numbers (wine_quality, health_hours) an interval ends on one of them
and holds more than was asked.

{coverage}

### Interval score by set

{interval_score}

### RMSE by set

{rmse}

## How it was measured

- Every forest has {n_trees} trees and its library's other defaults unless said below.
- Rows are split at random: two thirds to train on (at most 5,000 for classes and 2,500 for
  intervals, where some models grow many slow forests), the rest to test on (at most 5,000); classes
  in proportion. Generated sets are drawn anew for every split: 1,000 rows to train on, 4,000 to
  test on. All models see the same splits.
- Ours is measured on more splits than the others where coverage in thirds needs them: a third of a
  small test set has few rows. What compares models uses the splits that both have.
- How ours fits its calibration was chosen on other splits of these sets than the ones shown.
- Text columns go as categories to the models that have them (ours, CatBoost, LightGBM, XGBoost,
  BART), to the others as level numbers. Missing values are left to the models; BART, which takes
  none, gets means. BART has no model of several classes, and is left out there.
- Rows are exchangeable in all sets, by the random splits. What happens when they are not is no
  part of this page.

### The models

Class probabilities:

{classifiers}

Intervals:

{regressors}

### The data

Sets called *file* are described by `bayeswood datasets NAME`. *fan* has noise whose standard
deviation grows sixfold along a column, *skewed* exponential noise, *coin* a known probability,
*wdbc* is scikit-learn's breast-cancer set, *nycflights* is without the departure delay.

{sets}

Measured with {machine}.
"""
