"""Do 80 % mean 80 %, and do 90 % intervals cover 90 %? `python -m benchmarks.calibration`.

Classifiers and regressors of several libraries on repeated random splits of many data sets. Every
(set, split, model) is one record, kept in `benchmarks/results/calibration.json` as soon as it is
measured; an interrupted run goes on where it stopped. The page `docs/benchmarks-calibration.md`
and its picture are made from the records alone. A data set is one entry of `sets.py`; a model is
one function of `classifiers.py` or `regressors.py`.
"""
