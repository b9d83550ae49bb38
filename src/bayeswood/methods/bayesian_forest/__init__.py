"""M. Taddy, C.-S. Chen, J. Yu, M. Wyle. Bayesian and Empirical Bayesian Forests. ICML 2015.

- Algorithm 1, Exp(1) weights on the rows: `bayesian_forest`.
- Section 3.2, how stable the trunk of a tree is: `trunk_check`, and `bayeswood.theory.trunk`.
- Section 4, a trunk that all trees share and a forest in each of its leaves: `empirical`, the
  estimators; `trunk_plan` and `trunk_and_branches`, how they grow; pieces of it in
  `bayeswood.distributed.pieces`.
- Section 4, forests of disjoint sub-samples, to compare with: `subsample` and `row_parts`.
- Section 4.2, how large a trunk to take: `suggest_trunk`.
- Section 5, more rows than memory holds: `fit_files`; `files_fitter`, what files, clusters and
  Spark need of an estimator; `predict_on_cluster`.
"""
