// A tree that a chain changes in place. Every node owns a contiguous range of one permutation of
// the rows, so that a change touches the rows of the touched node alone. Node 0 is the root.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "bayeswood/sample/tree_prior.hpp"

namespace bayeswood {

constexpr std::int32_t NO_NODE = -1;

struct RowNode {
  std::int32_t parent = NO_NODE;
  std::int32_t left = NO_NODE;  // NO_NODE: a leaf
  std::int32_t right = NO_NODE;
  std::uint32_t depth = 0;
  std::uint32_t begin = 0, end = 0;  // rows
  std::int64_t n = 0;                // rows, copies included
  // Of a leaf:
  double log_marginal = 0;
  bool varies = false;
  // Of a node that is split:
  Rule rule;
  std::uint32_t n_varying = 0;
  double log_rule = 0, log_absent = 0;
  std::int32_t gap_low = 0, gap_high = 0;

  bool is_leaf() const { return left == NO_NODE; }
};

// A set of nodes from which one can be drawn uniformly; adding and removing take constant time.
class NodeList {
 public:
  std::uint32_t size() const { return static_cast<std::uint32_t>(items_.size()); }
  std::int32_t operator[](std::size_t i) const { return items_[i]; }
  bool holds(std::int32_t node) const {
    return static_cast<std::size_t>(node) < place_.size() && place_[node] >= 0;
  }
  void add(std::int32_t node) {
    if (static_cast<std::size_t>(node) >= place_.size()) place_.resize(node + 1, -1);
    place_[node] = static_cast<std::int32_t>(items_.size());
    items_.push_back(node);
  }
  void remove(std::int32_t node) {
    const std::int32_t last = items_.back();
    items_[place_[node]] = last;
    place_[last] = place_[node];
    place_[node] = -1;
    items_.pop_back();
  }
  void set(std::int32_t node, bool wanted) {
    if (wanted && !holds(node)) add(node);
    if (!wanted && holds(node)) remove(node);
  }

 private:
  std::vector<std::int32_t> items_;
  std::vector<std::int32_t> place_;
};

class RowTree {
 public:
  explicit RowTree(std::size_t n_rows) : rows_(n_rows), nodes_(1), per_depth_(1, 1) {
    std::iota(rows_.begin(), rows_.end(), 0);
    nodes_[0].end = static_cast<std::uint32_t>(n_rows);
  }

  RowNode& operator[](std::int32_t node) { return nodes_[node]; }
  const RowNode& operator[](std::int32_t node) const { return nodes_[node]; }
  std::span<std::uint32_t> rows(std::int32_t node) {
    return std::span(rows_).subspan(nodes_[node].begin, nodes_[node].end - nodes_[node].begin);
  }
  Rows rows(std::int32_t node) const {
    return Rows(rows_).subspan(nodes_[node].begin, nodes_[node].end - nodes_[node].begin);
  }
  std::size_t n_slots() const { return nodes_.size(); }
  std::uint32_t n_leaves() const { return inner.size() + 1; }
  std::uint32_t depth() const { return static_cast<std::uint32_t>(per_depth_.size()) - 1; }
  bool is_prunable(std::int32_t node) const {
    const RowNode& at = nodes_[node];
    return !at.is_leaf() && nodes_[at.left].is_leaf() && nodes_[at.right].is_leaf();
  }
  std::int32_t sibling(std::int32_t node) const {
    const RowNode& parent = nodes_[nodes_[node].parent];
    return parent.left == node ? parent.right : parent.left;
  }

  // Gives a leaf two leaves as children, the first with `n_left` of its rows. The lists of inner
  // and prunable nodes follow; that of growable leaves is the caller's.
  void split(std::int32_t node, std::uint32_t n_left) {
    const std::int32_t left = new_child(node);
    const std::int32_t right = new_child(node);
    RowNode& at = nodes_[node];
    at.left = left;
    at.right = right;
    nodes_[left].begin = at.begin;
    nodes_[left].end = nodes_[right].begin = at.begin + n_left;
    nodes_[right].end = at.end;
    if (per_depth_.size() <= at.depth + 1) per_depth_.push_back(0);
    per_depth_[at.depth + 1] += 2;
    inner.add(node);
    prunable.add(node);
    if (at.parent != NO_NODE) prunable.set(at.parent, false);
  }

  // Makes a prunable node a leaf.
  void merge(std::int32_t node) {
    RowNode& at = nodes_[node];
    free_.push_back(at.left);
    free_.push_back(at.right);
    at.left = at.right = NO_NODE;
    per_depth_[at.depth + 1] -= 2;
    if (per_depth_.back() == 0) per_depth_.pop_back();
    inner.remove(node);
    prunable.remove(node);
    if (at.parent != NO_NODE && is_prunable(at.parent)) prunable.add(at.parent);
  }

  NodeList growable;  // leaves that a birth may choose
  NodeList inner;     // nodes that are split; the root, if it is, comes first
  NodeList prunable;  // those of them with two leaves

 private:
  std::int32_t new_child(std::int32_t parent) {
    auto node = static_cast<std::int32_t>(nodes_.size());
    if (free_.empty()) {
      nodes_.emplace_back();
    } else {
      node = free_.back();
      free_.pop_back();
      nodes_[node] = RowNode{};
    }
    nodes_[node].parent = parent;
    nodes_[node].depth = nodes_[parent].depth + 1;
    return node;
  }

  std::vector<std::uint32_t> rows_;
  std::vector<RowNode> nodes_;
  std::vector<std::int32_t> free_;
  std::vector<std::uint32_t> per_depth_;  // nodes at each depth
};

}  // namespace bayeswood
