// Prior trees with values in their leaves, as the hand-over Forest.
#pragma once

#include <span>

#include "bayeswood/forest/forest.hpp"
#include "bayeswood/safe_bayes/prior_trees.hpp"

namespace bayeswood {

struct LeafValues {
  std::span<const double> value;         // n_leaves x n_outputs
  std::span<const std::int32_t> n_rows;  // per leaf
  std::int32_t n_outputs;
  bool is_classifier;
};

// Full trees become smaller: a subtree without rows says the same everywhere and becomes one leaf.
std::vector<Tree> to_trees(const PriorTrees& trees, const LeafValues& leaves, const Running& run);

ForestShape forest_shape(const PriorTrees& trees, const LeafValues& leaves);

}  // namespace bayeswood
