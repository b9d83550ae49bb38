"""A forest in pieces, whoever carries them: no files, no clusters.

- `row_sample`: the rows a trunk is grown from. `trunk` and `deepen_trunk`: the trunk.
- `route`: which branch a row belongs to. `branch`: the forest of one. `graft`: all into one forest.
- `exact_sum`: sums that do not depend on the order.
"""
