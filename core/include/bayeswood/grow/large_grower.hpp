// Grows the top of a tree: nodes too large for SmallGrower, which takes over below.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/search/histogram.hpp"
#include "bayeswood/grow/search/list_search.hpp"
#include "bayeswood/grow/small_grower.hpp"

namespace bayeswood {

class LargeGrower {
 public:
  LargeGrower(const EncodedMatrix& matrix, const Target& target, const GrowOptions& options);

  // `rows`: training rows of positive weight, ascending; reordered in place.
  void grow(TreeContext& tree, std::vector<std::uint32_t>& rows, const RowData& data,
            const NodeTotals& totals);

 private:
  struct Task {
    std::uint32_t node, depth, begin;
    NodeTotals totals;
    std::unique_ptr<Histogram> histogram;  // where all features are looked at
  };

  void grow_node(TreeContext& tree, Task task);
  void push_children(TreeContext& tree, Task& task, Split& split);
  Split find_split(TreeContext& tree, Task& task);
  Split draw_split(TreeContext& tree, const Task& task, const Limits& limits);
  Split search_sampled(TreeContext& tree, const Task& task, const Limits& limits);
  std::uint32_t search_features(TreeContext& tree, const Task& task, const Limits& limits,
                                std::span<const std::uint32_t> features, Split& best);
  void search_counts(TreeContext& tree, const Task& task, const Limits& limits,
                     std::span<const std::uint32_t> features, Split& best);
  void set_trust(const Task& root);
  void sum_levels(const Task& task, std::uint32_t feature);
  Split search_level_sums(const Task& task, std::uint32_t feature, const Limits& limits);
  const LargeEntry* sorted_list(const Task& task, std::uint32_t feature);
  std::uint32_t partition(Split& split, const Task& task);
  std::unique_ptr<Histogram> take_histogram();
  std::span<const std::uint32_t> rows_of(const Task& task) const {
    return {rows_->data() + task.begin, task.totals.n};
  }

  const EncodedMatrix& matrix_;
  const Target& target_;
  bool all_features_;
  std::uint32_t small_rows_;
  RowData data_;
  std::vector<std::uint32_t>* rows_ = nullptr;
  std::vector<std::uint32_t> scratch_, features_;
  std::vector<LargeEntry> list_, list_scratch_;
  std::vector<LevelSums> levels_, seen_levels_;
  std::vector<double> level_ww_, seen_ww_;
  std::vector<double> trust_;  // by feature, in categories
  std::vector<std::unique_ptr<Histogram>> spare_;
  std::vector<Task> stack_;
  Sides sides_;
  TopSplits top_;
  HistogramSearch histograms_;
  CountSearch count_search_;
  ListSearch<LargeEntry> search_;
  SmallGrower small_;
};

}  // namespace bayeswood
