#include "bayeswood/safe_bayes/pruning.hpp"

#include <algorithm>

namespace bayeswood {
namespace {

constexpr double LOG_HALF = -0.69314718055994530942;

}  // namespace

Pruning average_prunings(const PriorTree& tree, std::span<const double> log_marginal,
                         std::span<const std::int32_t> n_rows, bool average) {
  Pruning pruning{std::vector<double>(log_marginal.begin(), log_marginal.end()),
                  std::vector<double>(tree.n_nodes(), 1.0)};
  for (std::uint32_t v = tree.n_nodes(); v-- > 0;) {
    if (tree.is_leaf(v)) continue;
    const std::uint32_t left = tree.left(v);
    const double both = pruning.log_w[left] + pruning.log_w[left + 1];
    if (!average) {
      pruning.log_w[v] = both;
      pruning.stop[v] = 0;
    } else if (n_rows[v] <= 1) {
      pruning.stop[v] = 0.5;
    } else {
      // The log Bayes factor for splitting, and the odds of the less likely side.
      const double gain = both - log_marginal[v];
      const double odds = std::exp(-std::abs(gain));
      pruning.log_w[v] = LOG_HALF + std::max(both, log_marginal[v]) + std::log1p(odds);
      pruning.stop[v] = (gain > 0 ? odds : 1.0) / (1 + odds);
    }
  }
  return pruning;
}

std::vector<double> reach(const PriorTree& tree, const Pruning& pruning) {
  std::vector<double> reached(tree.n_nodes(), 1.0);
  for (std::uint32_t v = 0; v < tree.n_nodes(); ++v) {
    if (tree.is_leaf(v)) continue;
    const std::uint32_t left = tree.left(v);
    reached[left] = reached[left + 1] = reached[v] * (1 - pruning.stop[v]);
  }
  return reached;
}

void add_importances(const PriorTree& tree, const Pruning& pruning,
                     std::span<const double> log_marginal, std::span<const double> reached,
                     double* importances) {
  for (std::uint32_t v = 0; v < tree.n_nodes(); ++v) {
    if (tree.is_leaf(v)) continue;
    const std::uint32_t left = tree.left(v);
    const double gain = pruning.log_w[left] + pruning.log_w[left + 1] - log_marginal[v];
    importances[tree.feature(v)] += reached[left] * std::max(0.0, gain);
  }
}

PathUp::PathUp(const PriorTree& tree) : first_leaf_(tree.n_leaves - 1) {
  if (tree.is_full) return;
  leaf_node_.resize(tree.n_leaves);
  parent_.resize(tree.n_nodes());
  for (std::uint32_t v = 0; v < tree.n_nodes(); ++v) {
    if (tree.is_leaf(v)) {
      leaf_node_[tree.leaf_number(v)] = v;
    } else {
      parent_[tree.left(v)] = parent_[tree.left(v) + 1] = v;
    }
  }
}

}  // namespace bayeswood
