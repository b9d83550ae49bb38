"""V. Schetinin and others. Comparison of the Bayesian and randomised decision tree ensembles within
an uncertainty envelope technique. 2004.

- Section 4, which cases of an ensemble may be trusted: `bayeswood.uncertainty.envelope.envelope`.
- A classifier that declines the others: `envelope_classifier`.
- Section 5, envelopes of several methods on the same folds: `compare_envelopes`.
- Section 3, randomised trees: `bayeswood.methods.randomized_trees`; section 2: `mcmc_tree`.
"""
