"""The calibrated forest: ours; `docs/calibrated-forest.md` derives it.

- The estimators: `classifier`, `regressor`.
- Exp(1) weights, 0 below a threshold, so that trees leave rows out: `thresholded_weights`.
- Classes: what trees say of the rows they left out, and the shrinkage of leaves and weights of
  trees that it asks for: `choose_members`; bags of trees, and what another sample would change:
  `class_bags`; the answer: `calibrated_average`.
- Numbers: bags of boosted and averaged trees: `bags`; what they say of the rows they left out:
  `out_of_bag_response`; the answer: `bagged_response`.
- The calibrations fitted to these rows: `bayeswood.uncertainty.calibration`.
- Coverage with a promise: `number_guarantee`, `class_guarantee`, by the rows of `guarantee_rows`.
- How good all this is, by rows left out: `judgement`, `judge_response`, shown by
  `out_of_bag_report`.
"""
