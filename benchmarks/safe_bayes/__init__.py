"""Safe-Bayesian forests: how fast they count, and what they learn from more rows."""
