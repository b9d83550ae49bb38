// Writes a Tree from front to back: whoever has a tree of another form visits its nodes in
// breadth-first order and adds them here one by one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

// Calls visit(node) for all nodes in breadth-first order, and returns them in it. The call gives
// back the two children, or nothing at a leaf. `n_nodes`: for how many to make room. Before each
// visit `look_ahead` is given the nodes that are known to come, this one first.
template <class Node, class Visit, class LookAhead>
std::vector<Node> visit_breadth_first(Node root, std::size_t n_nodes, Visit&& visit,
                                      LookAhead&& look_ahead) {
  std::vector<Node> order{root};
  order.reserve(n_nodes);
  for (std::size_t i = 0; i < order.size(); ++i) {
    look_ahead(std::span<const Node>(order).subspan(i));
    const std::optional<std::array<Node, 2>> children = visit(order[i]);
    if (!children) continue;
    order.push_back(children->front());
    order.push_back(children->back());
  }
  return order;
}
template <class Node, class Visit>
std::vector<Node> visit_breadth_first(Node root, std::size_t n_nodes, Visit&& visit) {
  return visit_breadth_first(root, n_nodes, std::forward<Visit>(visit),
                             [](std::span<const Node>) {});
}

// How much a tree will hold, over all leaves and nodes.
struct TreeSize {
  std::size_t n_leaves, n_values;
  std::size_t n_rows = 0, n_words = 0;
};

class TreeWriter {
 public:
  // `n_levels`: of the features, 0 for numeric ones; it must outlive the writer.
  TreeWriter(const std::vector<std::int32_t>& n_levels, std::size_t n_outputs, bool is_classifier)
      : n_levels_(n_levels), n_outputs_(n_outputs), is_classifier_(is_classifier) {}

  // Makes room: trees are kept, and should take no more memory than they need.
  void reserve(const TreeSize& size) {
    const std::size_t n_nodes = 2 * size.n_leaves - 1;
    feature_.reserve(n_nodes);
    threshold_.reserve(n_nodes);
    missing_left_.reserve(n_nodes);
    tree_.category_words.reserve(size.n_words);
    tree_.leaf_rows.reserve(size.n_rows);
    tree_.leaf_value.reserve(size.n_values);
    n_samples_.reserve(size.n_leaves);
    weight_.reserve(size.n_leaves);
    if (!is_classifier_) return;
    tree_.leaf_class.reserve(size.n_values);
    tree_.leaf_offset.reserve(size.n_leaves + 1);
  }

  // Of a category `left_levels` counts, of a number `threshold`.
  void add_split(std::size_t feature, bool missing_left, double threshold,
                 std::span<const std::uint64_t> left_levels) {
    const bool is_category = n_levels_[feature] > 0;
    add_node(static_cast<std::int32_t>(feature), is_category ? NO_THRESHOLD : threshold,
             missing_left);
    if (is_category) append(left_levels, tree_.category_words);
  }

  // A leaf that names every class, or the next of a regressor's; its values are to be written to
  // where the result points, before anything else is added.
  std::span<double> add_leaf(std::int64_t n_samples, double weight) {
    if (is_classifier_) {
      for (std::size_t c = 0; c < n_outputs_; ++c)
        tree_.leaf_class.push_back(static_cast<std::int32_t>(c));
    }
    const std::size_t begin = tree_.leaf_value.size();
    tree_.leaf_value.resize(begin + n_outputs_);
    end_leaf(n_samples, weight);
    return std::span(tree_.leaf_value).subspan(begin);
  }

  // A leaf with its values; of a classifier those of the classes `labels`, ascending.
  void add_leaf(std::int64_t n_samples, double weight, std::span<const std::int32_t> labels,
                std::span<const double> values) {
    append(labels, tree_.leaf_class);
    append(values, tree_.leaf_value);
    end_leaf(n_samples, weight);
  }

  // A training row of the leaf that was added last.
  void add_row(std::int32_t row) { tree_.leaf_rows.push_back(row); }
  void add_rows(std::span<const std::int32_t> rows) { append(rows, tree_.leaf_rows); }

  // The tree, linked; nothing can be added after that.
  Tree finish() {
    tree_.feature = std::move(feature_);
    tree_.threshold = std::move(threshold_);
    tree_.missing_left = std::move(missing_left_);
    tree_.link(n_samples_, weight_, n_levels_);
    return std::move(tree_);
  }

 private:
  static constexpr double NO_THRESHOLD = std::numeric_limits<double>::quiet_NaN();

  template <class T, class Vector>
  static void append(std::span<const T> values, Vector& to) {
    for (const T value : values) to.push_back(value);  // mostly one: no call for it
  }

  void add_node(std::int32_t feature, double threshold, bool missing_left) {
    feature_.push_back(feature);
    threshold_.push_back(threshold);
    missing_left_.push_back(missing_left ? 1 : 0);
  }

  void end_leaf(std::int64_t n_samples, double weight) {
    add_node(LEAF, NO_THRESHOLD, false);
    n_samples_.push_back(static_cast<std::int32_t>(n_samples));
    weight_.push_back(static_cast<float>(weight));
    if (!is_classifier_) return;
    if (tree_.leaf_offset.empty()) tree_.leaf_offset.push_back(0);
    tree_.leaf_offset.push_back(static_cast<std::int32_t>(tree_.leaf_class.size()));
  }

  const std::vector<std::int32_t>& n_levels_;
  std::size_t n_outputs_;
  bool is_classifier_;
  Tree tree_;
  UnwrittenVector<std::int32_t> feature_;  // of the nodes, as the next two
  UnwrittenVector<double> threshold_;
  UnwrittenVector<std::uint8_t> missing_left_;
  std::vector<std::int32_t> n_samples_;  // of the leaves, as the next
  std::vector<float> weight_;
};

}  // namespace bayeswood
