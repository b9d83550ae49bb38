// The rows of a node, sorted by the code of a feature.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/subtree.hpp"

namespace bayeswood {

// Of a subtree: as they are kept there, or made for the features that are asked for.
class NodeLists {
 public:
  using Entry = SmallEntry;
  using Node = SmallNode;
  static constexpr std::size_t GROUP = LANES;

  explicit NodeLists(const Subtree& subtree) : subtree_(subtree) {}

  void set_node(const SmallNode& node);
  std::span<const std::uint16_t> rows() const { return subtree_.ids(node_->begin, n_); }
  // Sorts a small node's rows for a group of features at once; else `of` sorts one by one.
  void sort_group(std::span<const std::uint32_t> features);
  // The list of a feature, the `slot`-th of the group.
  const SmallEntry* of(std::uint32_t feature, std::uint32_t slot);

 private:
  void interleave(std::span<const std::uint32_t> features, SmallEntry* lanes) const;
  SmallEntry* room(std::uint32_t slot) { return lists_.data() + std::size_t{slot} * n_; }

  const Subtree& subtree_;
  const SmallNode* node_ = nullptr;
  std::uint32_t n_ = 0;
  bool group_sorted_ = false;  // the group's lists stand in lists_
  std::vector<SmallEntry> lists_, scratch_;
};

// A node of the whole table.
struct LargeNode {
  std::span<const std::uint32_t> rows;
  const RowData& data;
  const NodeTotals& totals;
  Limits limits;
  const Kernels& kernels;
  MovedNode moved{};  // the same rows, where they stand together
};

class TableLists {
 public:
  using Entry = LargeEntry;
  using Node = LargeNode;
  static constexpr std::size_t GROUP = 1;

  explicit TableLists(const EncodedMatrix& matrix) : matrix_(matrix) {}

  void set_node(const LargeNode& node) { rows_ = node.rows; }
  std::span<const std::uint32_t> rows() const { return rows_; }
  void sort_group(std::span<const std::uint32_t>) {}
  const LargeEntry* of(std::uint32_t feature, std::uint32_t slot);

 private:
  const EncodedMatrix& matrix_;
  std::span<const std::uint32_t> rows_;
  std::vector<LargeEntry> list_, scratch_;
};

}  // namespace bayeswood
