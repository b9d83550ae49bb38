"""When to trust a case: the Uncertainty Envelope (Schetinin and others, 2004, section 4).

- `envelope`: confident, uncertain, correct and wrong cases of an ensemble. `votes`: its members'.
- `choice`: the threshold γ₀ with a bound on confident errors, or of the least cost.
- `curve`: rates over γ₀. `comparison`: several ensembles on the same folds.
"""
