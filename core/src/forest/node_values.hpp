// Values of the nodes of one tree after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

// As `node_values` gives them, without the rows of a classifier's leaves: these name a class or a
// few, and are half of the nodes.
class NodeValues {
 public:
  explicit NodeValues(const ForestShape& shape)
      : is_classifier_(shape.is_classifier), k_(static_cast<std::size_t>(shape.n_outputs)) {}

  void load(const Tree& tree, std::span<const double> leaf_value);

  // All outputs of a node; null at a leaf of classes.
  const double* row(std::size_t node) const {
    const std::size_t c = tree_->child[node];
    if (tree_->feature[node] != LEAF) return inner_.data() + (c - 1) / 2 * k_;
    return is_classifier_ ? nullptr : leaf_value_.data() + c * k_;
  }
  // out = base + factor * value.
  void add(std::size_t node, double factor, const double* base, double* out) const {
    if (const double* own = row(node)) {
      for (std::size_t j = 0; j < k_; ++j) out[j] = base[j] + factor * own[j];
      return;
    }
    for (std::size_t j = 0; j < k_; ++j) out[j] = base[j];
    const std::uint32_t leaf = tree_->child[node];
    for (std::int32_t e = tree_->leaf_offset[leaf]; e < tree_->leaf_offset[leaf + 1]; ++e)
      out[tree_->leaf_class[e]] += factor * leaf_value_[e];
  }

 private:
  // Of a node that has children.
  void mix(std::size_t node);

  bool is_classifier_;
  std::size_t k_;
  const Tree* tree_ = nullptr;
  std::span<const double> leaf_value_;
  std::vector<double> inner_;  // of the nodes that have children, in order
};

}  // namespace bayeswood
