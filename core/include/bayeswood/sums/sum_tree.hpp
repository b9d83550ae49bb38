// One tree of a sum, as a chain changes it. Its rows are not in it: a row holds the slot of its
// leaf (row_kernels.hpp).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "bayeswood/sample/tree_prior.hpp"
#include "bayeswood/sums/row_kernels.hpp"

namespace bayeswood {

constexpr std::int32_t NOWHERE = -1;

// The features that vary among a node's rows.
struct Varying {
  std::uint32_t n = 0;
  std::vector<std::uint64_t> words;  // a bit per feature; empty: all that vary in the table
};

struct SumNode {
  std::int32_t parent = NOWHERE;
  std::int32_t left = NOWHERE;  // NOWHERE: a leaf
  std::int32_t right = NOWHERE;
  std::uint32_t depth = 0;
  std::uint32_t n = 0;  // rows
  Slot slot = 0;        // of the leaf, or of the node's first leaf
  // Which features vary is looked for when it is asked for, whether any does always.
  bool knows_varying = false;
  bool varies = false;
  Varying varying;
  // Of a node that is split:
  Rule rule;
  double log_cut = 0;  // log probability of the rule given its feature

  bool is_leaf() const { return left == NOWHERE; }
};

class SumTree {
 public:
  SumTree() : nodes_(1) { used_.set(0); }

  SumNode& operator[](std::int32_t node) { return nodes_[node]; }
  const SumNode& operator[](std::int32_t node) const { return nodes_[node]; }
  std::uint32_t n_leaves() const { return n_leaves_; }
  std::uint32_t n_inner() const { return n_leaves_ - 1; }
  bool is_full() const { return n_leaves_ == MOST_SLOTS; }
  // Slots in use lie below it.
  std::size_t n_slots() const { return n_slots_; }
  bool is_prunable(std::int32_t node) const {
    const SumNode& at = nodes_[node];
    return !at.is_leaf() && nodes_[at.left].is_leaf() && nodes_[at.right].is_leaf();
  }

  // Calls visit(node) for all nodes below `top`, itself included, parents first, left before right.
  template <class Visit>
  void visit(std::int32_t top, Visit&& visit) const {
    for (std::int32_t node = top; node != NOWHERE; node = next(node, top)) visit(node);
  }

  // The free slot that the next split takes.
  Slot free_slot() const {
    std::size_t slot = 0;
    while (used_[slot]) ++slot;
    return static_cast<Slot>(slot);
  }
  // Gives a leaf two leaves; the left one keeps the slot.
  void split(std::int32_t node) {
    const Slot slot = free_slot();
    used_.set(slot);
    if (slot + std::size_t{1} > n_slots_) n_slots_ = slot + std::size_t{1};
    const std::int32_t left = new_child(node, nodes_[node].slot);
    const std::int32_t right = new_child(node, slot);
    nodes_[node].left = left;
    nodes_[node].right = right;
    ++n_leaves_;
  }
  // Makes a prunable node a leaf.
  void merge(std::int32_t node) {
    SumNode& at = nodes_[node];
    used_.reset(nodes_[at.right].slot);
    while (!used_[n_slots_ - 1]) --n_slots_;
    free_.push_back(at.left);
    free_.push_back(at.right);
    at.left = at.right = NOWHERE;
    --n_leaves_;
  }

  // Whether its shape was recorded and is the same still.
  bool is_recorded = false;

 private:
  std::int32_t next(std::int32_t node, std::int32_t top) const {
    if (!nodes_[node].is_leaf()) return nodes_[node].left;
    while (node != top) {
      const std::int32_t parent = nodes_[node].parent;
      if (nodes_[parent].left == node) return nodes_[parent].right;
      node = parent;
    }
    return NOWHERE;
  }
  std::int32_t new_child(std::int32_t parent, Slot slot) {
    auto node = static_cast<std::int32_t>(nodes_.size());
    if (free_.empty()) {
      nodes_.emplace_back();
    } else {
      node = free_.back();
      free_.pop_back();
      nodes_[node] = SumNode{};
    }
    nodes_[node].parent = parent;
    nodes_[node].depth = nodes_[parent].depth + 1;
    nodes_[node].slot = slot;
    return node;
  }

  std::vector<SumNode> nodes_;
  std::vector<std::int32_t> free_;
  std::bitset<MOST_SLOTS> used_;
  std::size_t n_slots_ = 1;
  std::uint32_t n_leaves_ = 1;
};

}  // namespace bayeswood
