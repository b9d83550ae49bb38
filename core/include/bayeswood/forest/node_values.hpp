// Values of the nodes of one tree after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/forest/output_rows.hpp"
#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

// As `node_values` gives them, without the rows of a classifier's leaves: these name a class or a
// few, and are half of the nodes.
class NodeValues {
 public:
  explicit NodeValues(const ForestShape& shape)
      : is_classifier_(shape.is_classifier),
        k_(static_cast<std::size_t>(shape.n_outputs)),
        zeros_(k_, 0.0) {}

  void load(const Tree& tree, std::span<const double> leaf_value);

  // All outputs of a node; null at a leaf of classes.
  const double* row(std::size_t node) const {
    const std::size_t c = tree_->child[node];
    if (tree_->feature[node] != LEAF) return inner_.data() + (c - 1) / 2 * k_;
    return is_classifier_ ? nullptr : leaf_value_.data() + c * k_;
  }
  // out = base + factor * value; out is not base.
  void add(std::size_t node, double factor, const double* base, double* out) const {
    if (const double* own = row(node)) return kernels_.add_row(k_, base, factor, own, out);
    kernels_.add_row(k_, base, 0.0, zeros_.data(),
                     out);  // a copy, without a call for a few numbers
    add_leaf(node, factor, out);
  }
  // Of the nodes that have children, in order, and these.
  const std::vector<std::uint32_t>& inner_nodes() const { return nodes_; }
  const double* inner_row(std::size_t inner) const { return inner_.data() + inner * k_; }
  // Of such a node: base + factor * value takes the place of its value.
  const double* put_above(std::size_t node, double factor, const double* base) {
    double* own = inner_.data() + (tree_->child[node] - 1) / 2 * k_;
    kernels_.scale_onto(k_, base, factor, own);
    return own;
  }

 private:
  // Of a classifier, out += factor * value.
  void add_leaf(std::size_t node, double factor, double* out) const {
    const std::uint32_t leaf = tree_->child[node];
    const double* value = leaf_value_.data() + tree_->leaf_offset[leaf];
    for (const std::int32_t label : tree_->classes_of(leaf)) out[label] += factor * *value++;
  }
  // Of a node that has children.
  void mix(std::size_t node);

  bool is_classifier_;
  std::size_t k_;
  const OutputKernels& kernels_ = output_kernels();
  std::vector<double> zeros_;
  const Tree* tree_ = nullptr;
  std::span<const double> leaf_value_;
  std::vector<std::uint32_t> nodes_;  // that have children
  std::vector<double> inner_;         // of the nodes that have children, in order
};

}  // namespace bayeswood
