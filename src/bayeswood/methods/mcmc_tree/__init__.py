"""H. Chipman, E. George, R. McCulloch. Bayesian CART model search. JASA 93, 1998. D. Denison and
others. Bayesian methods for nonlinear classification and regression. 2002. V. Schetinin and
others. Comparison of the Bayesian and randomised decision tree ensembles. 2004, section 2.

- The estimators: `classifier`, `regressor`; what they share: `chain_estimator`.
- Priors over trees, moves and restarts: `run_chains`, which calls `core/.../mcmc`.
- What the chains passed through: `trace`. How much each chain counts: `chain_weights`.
- Leaves: `bayeswood.methods.conjugate_leaves`. Diagnostics: `bayeswood.posterior.diagnostics`.
"""
