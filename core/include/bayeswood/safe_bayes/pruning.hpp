// The exact average over all prunings of a tree in which every inner node is a leaf with
// probability 1/2:
//   W(leaf) = ML(leaf),  W(v) = ML(v) / 2 + W(left) W(right) / 2,
//   stop_v = P(v is a leaf | v is reached, data) = ML(v) / (2 W(v)).
// Without averaging, stop_v = 0 at inner nodes and W(v) = W(left) W(right).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/safe_bayes/prior_trees.hpp"

namespace bayeswood {

struct Pruning {
  std::vector<double> log_w;  // per node
  std::vector<double> stop;   // per node; 1 at leaves
};

// `log_marginal` per node; nodes with at most one row say nothing about splitting: stop = 1/2.
Pruning average_prunings(const PriorTree& tree, std::span<const double> log_marginal,
                         std::span<const std::int32_t> n_rows, bool average);

// Posterior probability that each node is in the pruned tree.
std::vector<double> reach(const PriorTree& tree, const Pruning& pruning);

// Adds, per feature, the posterior probability that each split is in the pruned tree times the log
// Bayes factor in its favour, where that is positive.
void add_importances(const PriorTree& tree, const Pruning& pruning,
                     std::span<const double> log_marginal, std::span<const double> reached,
                     double* importances);

// The way up from a leaf.
class PathUp {
 public:
  explicit PathUp(const PriorTree& tree);
  std::uint32_t leaf_node(std::uint32_t leaf) const {
    return leaf_node_.empty() ? leaf + first_leaf_ : leaf_node_[leaf];
  }
  std::uint32_t parent(std::uint32_t node) const {
    return parent_.empty() ? (node - 1) / 2 : parent_[node];
  }

 private:
  std::uint32_t first_leaf_;  // of a full tree
  std::vector<std::uint32_t> leaf_node_, parent_;
};

}  // namespace bayeswood
