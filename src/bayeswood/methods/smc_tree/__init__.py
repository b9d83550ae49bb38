"""B. Lakshminarayanan, D. Roy, Y. W. Teh. Top-down particle filtering for Bayesian decision trees.
ICML 2013.

- The estimators: `classifier`, `regressor`; what they share: `particle_estimator`.
- Algorithms 1 and 2, proposals, resampling and islands: `particles`, which calls `core/.../smc`.
- Leaves: `bayeswood.methods.conjugate_leaves`.
"""
