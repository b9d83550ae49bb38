"""Fitting how sure a forest is to the rows its trees left out.

- `class_calibration`: probabilities. `interval_calibration` and `residual_shape`: intervals.
- `member_weighting`: how much leaves shrink and trees weigh.
- `cross_calibration`: judging a calibration on rows it was not fitted to.
"""
