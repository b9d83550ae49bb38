"""How far to trust particles over trees: spread of the evidence, and what changes it."""
