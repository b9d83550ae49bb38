// Grows the top of a tree: nodes too large for SmallGrower, which takes over below.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/grow/moved_rows.hpp"
#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/search/node_search.hpp"
#include "bayeswood/grow/small_grower.hpp"

namespace bayeswood {

class LargeGrower {
 public:
  LargeGrower(const EncodedMatrix& matrix, const Target& target, const SearchChoice& choice);

  // `rows`: training rows of positive weight, ascending; reordered in place, and so may be `pair`,
  // which is that of `data`.
  void grow(TreeContext& tree, std::vector<std::uint32_t>& rows, std::span<WeightedValue> pair,
            const RowData& data, const NodeTotals& totals);

 private:
  struct Task {
    std::uint32_t node, depth, begin;
    NodeTotals totals;
    std::unique_ptr<Histogram> histogram;  // where all features are looked at
  };

  void grow_node(TreeContext& tree, Task task);
  void set_leaf(TreeContext& tree, const Task& task);
  void push_children(TreeContext& tree, Task& task, Split& split);
  void keep_histograms(Task& task, Task& small, Task& large, const TreeContext& tree);
  void part_rows(const TreeContext& tree, const Task& task, Split& split, Task& left, Task& right);
  std::uint32_t partition(Split& split, const Task& task);
  std::unique_ptr<Histogram> take_histogram();
  std::span<const std::uint32_t> rows_of(const Task& task) const {
    return {rows_->data() + task.begin, task.totals.n};
  }

  LargeNode node_of(const Task& task, const TreeContext& tree) const {
    return {rows_of(task),         data_,         task.totals, tree.limits(task.totals),
            *tree.options.kernels, moved_of(task)};
  }
  MovedNode moved_of(const Task& task) const {
    return moves_ ? moved_.node(task.begin) : MovedNode{};
  }
  bool is_small(const Task& task) const {
    return task.totals.n <= choice_.subtree_rows(data_.counted.counts != nullptr);
  }

  const EncodedMatrix& matrix_;
  const Target& target_;
  const SearchChoice& choice_;
  RowData data_;
  std::vector<std::uint32_t>* rows_ = nullptr;
  bool moves_ = false;
  MovedRows moved_;
  std::vector<std::uint32_t> scratch_;
  std::vector<std::unique_ptr<Histogram>> spare_;
  std::vector<Task> stack_;
  Sides sides_;
  SideSet sums_;
  TableSearch search_;
  SmallGrower small_;
};

}  // namespace bayeswood
