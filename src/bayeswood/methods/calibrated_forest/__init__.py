"""The calibrated forest: ours; `docs/calibrated-forest.md` derives it.

- The estimators: `classifier`, `regressor`.
- Exp(1) weights, 0 below a threshold, so that trees leave rows out: `thresholded_weights`.
- What trees say of the rows they left out: `out_of_bag_sums`.
- Shrinkage of leaves and weights of trees, chosen by these rows: `choose_members`.
- Bags of trees, and what another sample would change: `class_bags`; of numbers `bags`.
- The calibrations fitted to them: `bayeswood.uncertainty.checks.calibration`.
- Coverage with a promise: `number_guarantee`, `class_guarantee`, by the rows of `guarantee_rows`.
- How good these are, row by row left out: `judgement`, shown by `out_of_bag_report`.
"""
