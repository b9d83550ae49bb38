"""N. Quadrianto, Z. Ghahramani. A very simple safe-Bayesian random forest. IEEE TPAMI 37, 2015.

- The estimators: `classifier`, `regressor`; what they share, streaming included: `prior_forest`.
- Section 3, trees drawn before any data: `prior_trees`; cuts by the probability integral
  transform: `bayeswood.table.pit`.
- Section 3, leaves, evidence and weights given the data (eq. 3 and Algorithm 2): `class_posterior`;
  for numbers `number_posterior`.
- From many trees one prediction, as published and beyond: `pool_classes`, `pool_numbers`.
- Section 4 and Figure 4, quality over the power β: `operating_curve`, `choose_power`.
- Beyond the paper: rows kept for later (`reservoir`), `conformal_sets`.
"""
