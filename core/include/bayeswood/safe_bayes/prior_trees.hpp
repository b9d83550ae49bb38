// Trees drawn from a prior before any data are seen: label-blind, functions of (seed, tree number)
// and, for the rules, of the features' kinds and cut scales alone.
//
// Two priors. Full: binary trees of a fixed depth; the cut is uniform within the block, that is in
// the interval that the ancestors' cuts leave on the feature. Galton-Watson (Quadrianto and
// Ghahramani 2015, section 2.1): in depth-first order each node below the root splits with a fixed
// probability, the root always, cuts are uniform on [0, 1]; the shapes depend on the seed alone. A
// tree that reaches the greatest number of leaves has all its open nodes closed.
// Features are drawn uniformly. A category's cut is a uniformly random subset of the levels; a coin
// drawn with the node decides the side of missing values and unseen levels.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/forest/forest.hpp"
#include "bayeswood/forest/tree.hpp"
#include "bayeswood/safe_bayes/cut_codes.hpp"

namespace bayeswood {

struct TreePrior {
  bool is_full = true;
  std::uint32_t depth = 10;          // of full trees
  double split_probability = 0.475;  // of Galton-Watson trees
  std::uint32_t max_leaves = 10000;  // of Galton-Watson trees
};

constexpr std::uint32_t MOST_DEPTH = 24;

// Nodes in breadth-first order, leaves numbered in node order, as in Tree.
struct PriorTree {
  static constexpr std::uint32_t LEAF_RULE = 0xffffffff;

  bool is_full = false;
  std::uint32_t depth = 0;  // of a full tree
  std::uint32_t n_leaves = 1;
  // column | place << 16, where column = 2 feature + (missing goes right). Full: inner nodes only.
  std::vector<std::uint32_t> rule;
  std::vector<std::uint32_t> child;      // left child, or leaf number; empty in full trees
  std::vector<std::uint32_t> set_begin;  // per inner node of a table with categories
  std::vector<std::uint64_t> set_words;  // bit = code; bit 0: missing

  std::uint32_t n_nodes() const { return 2 * n_leaves - 1; }
  bool is_leaf(std::uint32_t node) const {
    return is_full ? node >= n_leaves - 1 : rule[node] == LEAF_RULE;
  }
  std::uint32_t left(std::uint32_t node) const { return is_full ? 2 * node + 1 : child[node]; }
  std::uint32_t leaf_number(std::uint32_t node) const {
    return is_full ? node - (n_leaves - 1) : child[node];
  }
  std::size_t feature(std::uint32_t node) const { return (rule[node] & 0xffff) >> 1; }
  std::uint16_t place(std::uint32_t node) const {
    return static_cast<std::uint16_t>(rule[node] >> 16);
  }
  bool missing_left(std::uint32_t node) const { return (rule[node] & 1) == 0; }
  bool in_left_set(std::uint32_t node, std::uint16_t code) const {
    return in_set(set_words.data() + set_begin[node], code);
  }
  std::size_t nbytes() const;
};

class PriorTrees {
 public:
  PriorTrees(const TreePrior& prior, std::uint64_t seed, std::size_t n_trees, CutCodes codes,
             const Running& run);
  // Trees made otherwise, see row_trees.hpp.
  PriorTrees(CutCodes codes, std::vector<PriorTree> trees);

  const CutCodes& codes() const { return codes_; }
  std::size_t n_trees() const { return trees_.size(); }
  const PriorTree& tree(std::size_t t) const { return trees_[t]; }
  // Leaves of all trees are numbered one after another; n_trees() + 1 offsets.
  const std::vector<std::size_t>& first_leaf() const { return first_leaf_; }
  std::size_t n_leaves() const { return first_leaf_.back(); }
  std::size_t nbytes() const;

 private:
  void number_leaves();

  CutCodes codes_;
  std::vector<PriorTree> trees_;
  std::vector<std::size_t> first_leaf_;
};

}  // namespace bayeswood
