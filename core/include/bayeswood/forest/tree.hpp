// One tree as parallel arrays.
//
// Laws (checked by `check_tree`):
//   - Nodes are in breadth-first order: the k-th internal node has its left child at 1 + 2k and its
//     right child at 2 + 2k. Leaves are numbered 0, 1, ... in node order.
//   - Numeric node: x <= threshold goes left. Categorical node: the level's bit in its set says
//   left.
//     A missing value, and a level without a bit, goes left where missing_left is 1.
//   - n_samples and weight of an internal node are the sums over its children.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bayeswood/base/shared_array.hpp"
#include "bayeswood/base/unwritten_vector.hpp"

namespace bayeswood {

constexpr std::int32_t LEAF = -1;
constexpr std::int64_t NO_SET = -1;

struct Tree {
  // Of the nodes; trees that differ in what their leaves say have these in common.
  SharedArray<std::int32_t> feature;  // LEAF at leaves
  SharedArray<double> threshold;      // NaN at leaves and at categorical nodes
  SharedArray<std::uint32_t> child;   // left child at internal nodes, leaf number at leaves
  SharedArray<std::uint8_t> missing_left;
  SharedArray<std::int32_t> n_samples;
  SharedArray<float> weight;
  std::vector<std::int64_t> category_offset;  // first word of the node's set; empty: no categories
  std::vector<std::uint64_t> category_words;
  UnwrittenVector<std::int32_t>
      leaf_offset;  // classifier: entries of leaf l are [offset l, offset l + 1)
  // Classifier: classes of positive probability, ascending, entry by entry; or, where every leaf
  // has all classes, these once.
  UnwrittenVector<std::int32_t> leaf_class;
  UnwrittenVector<double>
      leaf_value;  // classifier: probability per entry; else n_leaves x n_outputs
  UnwrittenVector<std::int32_t> leaf_rows;  // training rows, leaf after leaf; empty if not kept

  std::size_t n_nodes() const { return feature.size(); }
  std::size_t n_leaves() const { return (feature.size() + 1) / 2; }
  // Of a classifier, the classes of a leaf's entries.
  std::span<const std::int32_t> classes_of(std::size_t leaf) const {
    const auto begin = static_cast<std::size_t>(leaf_offset[leaf]);
    const auto end = static_cast<std::size_t>(leaf_offset[leaf + 1]);
    const bool by_entry = leaf_class.size() == leaf_value.size();
    return {leaf_class.data() + (by_entry ? begin : 0), end - begin};
  }
  std::size_t nbytes() const;
  std::int32_t depth() const;

  // Sets `child`, inner n_samples and weight, and category offsets from the rest, given the leaves'
  // own n_samples and weight in leaf order.
  void link(const std::vector<std::int32_t>& leaf_n_samples, const std::vector<float>& leaf_weight,
            const std::vector<std::int32_t>& n_levels);
};

inline std::size_t set_words(std::int32_t n_levels) {
  return (static_cast<std::size_t>(n_levels) + 63) / 64;
}

inline bool in_set(const std::uint64_t* words, std::uint32_t level) {
  return ((words[level >> 6] >> (level & 63)) & 1) != 0;
}

// Trees never change once they are made: forests may have some in common.
using Trees = std::vector<std::shared_ptr<const Tree>>;

struct ForestShape {
  std::int32_t n_features = 0;
  std::int32_t n_outputs = 1;
  bool is_classifier = false;
  std::vector<std::int32_t> n_levels;  // 0 for numeric features
};

// Values of all nodes, n_nodes x n_outputs, classes dense; internal ones are weighted means of
// their children. `leaf_value`: the tree's own, or those that a forest has for it.
std::vector<double> node_values(const Tree& tree, const ForestShape& shape,
                                std::span<const double> leaf_value);

// Empty if the tree is lawful, else what is wrong. Structure (`feature`) is checked before `link`.
std::string check_structure(const Tree& tree, const ForestShape& shape);
std::string check_tree(const Tree& tree, const ForestShape& shape);

}  // namespace bayeswood
