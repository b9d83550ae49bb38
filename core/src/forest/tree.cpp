#include "bayeswood/forest/tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bayeswood/forest/inner_nodes.hpp"
#include "bayeswood/forest/node_values.hpp"

namespace bayeswood {
namespace {

template <class Values>
std::size_t bytes_of(const Values& values) {
  return values.size() * sizeof(values[0]);
}

std::string at_node(std::size_t node, const char* what) {
  return "node " + std::to_string(node) + ": " + what;
}

std::string check_class_leaf(const Tree& tree, const ForestShape& shape, std::size_t leaf) {
  double total = 0;
  std::int32_t previous = -1;
  std::size_t e = static_cast<std::size_t>(tree.leaf_offset[leaf]);
  for (const std::int32_t label : tree.classes_of(leaf)) {
    if (label <= previous || label >= shape.n_outputs) return "leaf classes out of order or range";
    if (!(tree.leaf_value[e] > 0 && tree.leaf_value[e] <= 1)) return "probability outside (0, 1]";
    total += tree.leaf_value[e++];
    previous = label;
  }
  return std::abs(total - 1) < 1e-6 ? "" : "probabilities do not sum to 1";
}

std::string check_classes(const Tree& tree, const ForestShape& shape) {
  const auto k = static_cast<std::size_t>(shape.n_outputs);
  const bool once = tree.leaf_class.size() == k && tree.leaf_value.size() == tree.n_leaves() * k;
  if (tree.leaf_offset.size() != tree.n_leaves() + 1 || tree.leaf_offset[0] != 0 ||
      (!once && tree.leaf_class.size() != tree.leaf_value.size()) ||
      static_cast<std::size_t>(tree.leaf_offset.back()) != tree.leaf_value.size()) {
    return "leaf entries do not add up";
  }
  for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    if (tree.leaf_offset[leaf + 1] < tree.leaf_offset[leaf]) return "leaf entries do not add up";
  }
  for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    const std::string wrong = check_class_leaf(tree, shape, leaf);
    if (!wrong.empty()) return "leaf " + std::to_string(leaf) + ": " + wrong;
  }
  return "";
}

std::string check_numbers(const Tree& tree, const ForestShape& shape) {
  if (!tree.leaf_offset.empty() || !tree.leaf_class.empty())
    return "a regressor has no leaf classes";
  if (tree.leaf_value.size() != tree.n_leaves() * static_cast<std::size_t>(shape.n_outputs)) {
    return "leaf values do not match leaves x outputs";
  }
  for (const double value : tree.leaf_value) {
    if (!std::isfinite(value)) return "a leaf value is not finite";
  }
  return "";
}

std::string check_rows(const Tree& tree) {
  if (tree.leaf_rows.empty()) return "";
  if (tree.leaf_rows.size() != static_cast<std::size_t>(tree.n_samples[0])) {
    return "leaf rows do not match the leaves' sample counts";
  }
  for (const auto row : tree.leaf_rows) {
    if (row < 0) return "a leaf row is negative";
  }
  return "";
}

}  // namespace

std::size_t Tree::nbytes() const {
  return bytes_of(feature) + bytes_of(threshold) + bytes_of(child) + bytes_of(missing_left) +
         bytes_of(n_samples) + bytes_of(weight) + bytes_of(category_offset) +
         bytes_of(category_words) + bytes_of(leaf_offset) + bytes_of(leaf_class) +
         bytes_of(leaf_value) + bytes_of(leaf_rows);
}

std::int32_t Tree::depth() const {
  std::vector<std::int32_t> level(n_nodes(), 0);
  std::int32_t deepest = 0;
  for (std::size_t i = 0; i < n_nodes(); ++i) {
    deepest = std::max(deepest, level[i]);
    if (feature[i] != LEAF) level[child[i]] = level[child[i] + 1] = level[i] + 1;
  }
  return deepest;
}

void Tree::link(const std::vector<std::int32_t>& leaf_n_samples,
                const std::vector<float>& leaf_weight, const std::vector<std::int32_t>& n_levels) {
  UnwrittenVector<std::uint32_t> to(n_nodes());
  UnwrittenVector<std::int32_t> n(n_nodes());
  UnwrittenVector<float> w(n_nodes());
  category_offset.clear();
  const auto is_category = [](std::int32_t levels) { return levels > 0; };
  const bool has_categories = std::any_of(n_levels.begin(), n_levels.end(), is_category);
  std::size_t words = 0;
  for (std::size_t i = 0; has_categories && i < n_nodes(); ++i) {
    if (feature[i] == LEAF || n_levels[feature[i]] == 0) continue;
    if (category_offset.empty()) category_offset.assign(n_nodes(), NO_SET);
    category_offset[i] = static_cast<std::int64_t>(words);
    words += set_words(n_levels[feature[i]]);
  }
  std::vector<std::uint32_t> nodes;
  list_leaves(*this, nodes);
  for (std::size_t leaf = 0; leaf < nodes.size(); ++leaf) {
    const std::uint32_t i = nodes[leaf];
    to[i] = static_cast<std::uint32_t>(leaf);
    n[i] = leaf_n_samples[leaf];
    w[i] = leaf_weight[leaf];
  }
  list_inner_nodes(*this, nodes);
  for (std::size_t inner = nodes.size(); inner-- > 0;) {
    const std::uint32_t i = nodes[inner], c = static_cast<std::uint32_t>(1 + 2 * inner);
    to[i] = c;
    n[i] = n[c] + n[c + 1];
    w[i] = w[c] + w[c + 1];
  }
  child = std::move(to);
  n_samples = std::move(n);
  weight = std::move(w);
}

std::string check_structure(const Tree& tree, const ForestShape& shape) {
  const std::size_t n = tree.n_nodes();
  if (n == 0 || n % 2 == 0 || n > 0x7fffffff) return "a tree has an odd number of nodes";
  if (tree.threshold.size() != n || tree.missing_left.size() != n)
    return "node arrays differ in length";
  std::size_t inner = 0;
  std::size_t words = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t f = tree.feature[i];
    if (tree.missing_left[i] > 1) return at_node(i, "missing_left is not 0 or 1");
    if (f == LEAF) {
      if (i == 2 * inner && n != 2 * inner + 1) return at_node(i, "nodes are not reachable");
      continue;
    }
    if (f < 0 || f >= shape.n_features) return at_node(i, "feature out of range");
    ++inner;
    const bool categorical = shape.n_levels[f] > 0;
    if (categorical) words += set_words(shape.n_levels[f]);
    if (std::isnan(tree.threshold[i]) != categorical) return at_node(i, "threshold is wrong");
  }
  if (n != 2 * inner + 1) return "internal nodes and leaves do not make a tree";
  if (words != tree.category_words.size()) return "category sets do not match the nodes";
  return "";
}

std::string check_tree(const Tree& tree, const ForestShape& shape) {
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    if (tree.n_samples[i] < 0) return at_node(i, "n_samples is negative or too large");
    if (!(tree.weight[i] >= 0)) return at_node(i, "weight is negative or not a number");
  }
  const std::string wrong =
      shape.is_classifier ? check_classes(tree, shape) : check_numbers(tree, shape);
  return wrong.empty() ? check_rows(tree) : wrong;
}

void NodeValues::load(const Tree& tree, std::span<const double> leaf_value) {
  tree_ = &tree;
  leaf_value_ = leaf_value;
  list_inner_nodes(tree, nodes_);
  inner_.resize(nodes_.size() * k_);
  for (std::size_t inner = nodes_.size(); inner-- > 0;) mix(nodes_[inner]);
}

void NodeValues::mix(std::size_t node) {
  const std::size_t c = tree_->child[node];
  const double left = tree_->weight[c];
  const double total = left + tree_->weight[c + 1];
  const double share = total > 0 ? left / total : 0.5;
  double* out = inner_.data() + (c - 1) / 2 * k_;
  const double *of_left = row(c), *of_right = row(c + 1);
  mix_known(kernels_, share, of_left, of_right, zeros_, out);
  if (of_left == nullptr) add_leaf(c, share, out);
  if (of_right == nullptr) add_leaf(c + 1, 1 - share, out);
}

std::vector<double> node_values(const Tree& tree, const ForestShape& shape,
                                std::span<const double> leaf_value) {
  NodeValues values(shape);
  values.load(tree, leaf_value);
  const auto k = static_cast<std::size_t>(shape.n_outputs);
  const std::vector<double> nothing(k, 0.0);
  std::vector<double> found(tree.n_nodes() * k);
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    double* out = found.data() + i * k;
    if (const double* own = values.row(i)) {
      std::copy_n(own, k, out);
    } else {
      values.add(i, 1.0, nothing.data(), out);
    }
  }
  return found;
}

}  // namespace bayeswood
