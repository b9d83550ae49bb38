"""Leaves with a conjugate prior, which trees by Markov chains and by particles share.

- `dirichlet_classifier`: the base of classifiers with such leaves. `response_scale`: what the
  prior of a number is measured by.
- `leaf_table`: all leaves of a forest in one table. `student_leaves`: their predictive
  distributions of a number. `student_regressor`: the base of regressors with such leaves.
"""
