"""H. Chipman, E. George, R. McCulloch. BART: Bayesian additive regression trees. Annals of Applied
Statistics 4, 2010. J. He, P. R. Hahn. Stochastic tree ensembles for regularized nonlinear
regression. JASA 118, 2023.

- The estimators: `regressor`, `classifier`; what they share: `sum_estimator`.
- Offsets and priors that follow the data: `default_prior`.
- Chains over sums of trees: `run_sums`, which calls `core/.../sums` (prior over trees: `sum_law`;
  moves: `tree_moves`; trees from the root: `grow_from_root`; responses: `sum_chain`).
- From sums to answers: `normal_sums` (numbers), `linked_sums` (classes).
- What the chains passed through: `sum_trace`.
"""
