"""The hand-over object: trees, their weights, and what they say about rows."""

from bayeswood.forest.evidence import weigh_trees
from bayeswood.forest.forest import Forest, normalise
from bayeswood.forest.labels import Labels
from bayeswood.forest.row_weights import SCHEMES, RowWeights
from bayeswood.forest.tree import Tree

__all__ = ["SCHEMES", "Forest", "Labels", "RowWeights", "Tree", "normalise", "weigh_trees"]
