// Grows trees that keep GrowthRules: one node after another, the one that gains most first where
// leaves are limited; then prunes. Rows of a node lie together whatever is grown below it, so that
// any node can still become a leaf.
//
// Monotone constraints bound the values of leaves as in forest/monotone.hpp.
//
// Pruning (minimal cost complexity, Breiman et al. 1984, Chapter 3): of all subtrees with the same
// root the smallest that minimises impurity per weight + ccp_alpha times the number of leaves.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/grow/rules/ruled_search.hpp"

namespace bayeswood {

class RuledGrower {
 public:
  RuledGrower(const EncodedMatrix& matrix, const Target& target, const GrowthRules& rules);

  // `rows`: training rows of positive weight, ascending; reordered in place.
  void grow(TreeContext& tree, std::vector<std::uint32_t>& rows);
  // Of the rows at the root of the tree to grow.
  NodeTotals root_totals(std::span<const std::uint32_t> rows, const RowData& data);

 private:
  using Sets = std::vector<std::uint32_t>;  // numbers of sets of features
  static constexpr std::uint32_t NO_CHILD = 0;

  struct Node {
    std::uint32_t begin, depth;
    NodeTotals totals;
    ValueBounds bounds;
    std::shared_ptr<const Sets> sets;  // that hold all features on the way here; null: all
    Split split;                       // the best, found or not
    std::uint32_t left = NO_CHILD;     // the right child comes next
  };
  struct Waiting {
    double gain;
    std::uint32_t node;
    bool operator<(const Waiting& other) const {
      return gain != other.gain ? gain < other.gain : node > other.node;
    }
  };

  void add_node(TreeContext& tree, Node node);
  void split_node(TreeContext& tree, std::uint32_t number);
  Split find_split(TreeContext& tree, const Node& node);
  void mark_allowed(const Node& node);
  bool is_worth(const Node& node) const;
  std::uint32_t next_node();
  std::uint32_t partition(Split& split, const Node& node);
  void bound(const Node& parent, Node& left, Node& right);
  double value_of(const Node& node);
  std::shared_ptr<const Sets> sets_with(const Node& node) const;
  void prune();
  void write(TreeContext& tree);
  void write_leaf(TreeContext& tree, const Node& node, std::uint32_t place);
  double per_weight(double impurity) const;
  RuledNode seen(const Node& node) const {
    return {{rows_->data() + node.begin, node.totals.n}, node.totals, node.bounds};
  }

  const EncodedMatrix& matrix_;
  const Target& target_;
  const GrowthRules& rules_;
  RowData data_;
  RuledSearch search_;
  std::vector<std::uint32_t>* rows_ = nullptr;
  std::vector<std::uint32_t> scratch_;
  std::vector<std::vector<std::uint32_t>> sets_of_;  // by feature, ascending
  std::vector<std::uint8_t> allowed_;                // by feature, in the node under way
  Sides sides_;
  std::vector<Node> nodes_;       // children after their parents
  std::vector<Waiting> waiting_;  // a heap where leaves are limited, else a stack
};

}  // namespace bayeswood
