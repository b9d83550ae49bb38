"""The hand-over object: trees, their weights, and what they say about rows."""

from bayeswood.forest.evidence import weigh_trees
from bayeswood.forest.forest import Forest
from bayeswood.forest.labels import Labels
from bayeswood.forest.tree import Tree
from bayeswood.forest.weights import normalise

__all__ = ["Forest", "Labels", "Tree", "normalise", "weigh_trees"]
