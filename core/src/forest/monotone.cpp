#include "bayeswood/forest/monotone.hpp"

#include <algorithm>
#include <cmath>

namespace bayeswood {
namespace {

// The bounds of every leaf, in leaf order.
std::vector<ValueBounds> leaf_bounds(const Tree& tree, const std::vector<double>& values,
                                     std::size_t n_outputs, std::span<const std::int8_t> monotone) {
  std::vector<ValueBounds> bounds(tree.n_nodes()), of_leaves(tree.n_leaves());
  const std::size_t last = n_outputs - 1;
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    const std::uint32_t c = tree.child[i];
    if (tree.feature[i] == LEAF) {
      of_leaves[c] = bounds[i];
      continue;
    }
    bounds[c] = bounds[c + 1] = bounds[i];
    const int sign = monotone[tree.feature[i]];
    if (sign == 0 || !std::isfinite(tree.threshold[i])) continue;
    const auto held = [&](std::size_t child) {
      return std::clamp(values[child * n_outputs + last], bounds[i].low, bounds[i].high);
    };
    bound_children(sign, held(c), held(c + 1), bounds[c], bounds[c + 1]);
  }
  return of_leaves;
}

// Leaves of two classes again, with this share of the second in each.
void set_shares(Tree& tree, const std::vector<double>& shares) {
  tree.leaf_class.clear();
  tree.leaf_value.clear();
  for (std::size_t leaf = 0; leaf < shares.size(); ++leaf) {
    for (const std::int32_t label : {0, 1}) {
      const double share = label == 1 ? shares[leaf] : 1 - shares[leaf];
      if (!(share > 0)) continue;
      tree.leaf_class.push_back(label);
      tree.leaf_value.push_back(share);
    }
    tree.leaf_offset[leaf + 1] = static_cast<std::int32_t>(tree.leaf_value.size());
  }
}

}  // namespace

void bound_children(int sign, double left_value, double right_value, ValueBounds& left,
                    ValueBounds& right) {
  const double middle = left_value / 2 + right_value / 2;
  // Halves of the smallest numbers are rounded.
  const double within =
      std::clamp(middle, std::max(left.low, right.low), std::min(left.high, right.high));
  ValueBounds& lower = sign > 0 ? left : right;
  ValueBounds& upper = sign > 0 ? right : left;
  lower.high = within;
  upper.low = within;
}

void bound_leaves(Tree& tree, const ForestShape& shape, std::span<const std::int8_t> monotone) {
  if (monotone.empty()) return;
  const auto n_outputs = static_cast<std::size_t>(shape.n_outputs);
  const std::vector<double> values = node_values(tree, shape, tree.leaf_value);
  const auto bounds = leaf_bounds(tree, values, n_outputs, monotone);
  std::vector<double> moved(tree.n_leaves());
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    if (tree.feature[i] != LEAF) continue;
    const ValueBounds& own = bounds[tree.child[i]];
    moved[tree.child[i]] = std::clamp(values[(i + 1) * n_outputs - 1], own.low, own.high);
  }
  if (shape.is_classifier) {
    set_shares(tree, moved);
  } else {
    tree.leaf_value.assign(moved.begin(), moved.end());
  }
}

}  // namespace bayeswood
