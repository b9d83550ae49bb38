// Grows a subtree of at most 65,536 rows. The rows' weights and responses are copied together, so
// that a node's work stays in cache, and a row is a 16-bit number.
//
// Where most features are looked at, each has its rows sorted once, in packed (code, row) lists
// that are partitioned stably down the tree. Where few are, a node sorts its rows for just those.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/search/class_bins.hpp"
#include "bayeswood/grow/search/class_histogram.hpp"
#include "bayeswood/grow/search/count_search.hpp"
#include "bayeswood/grow/search/list_search.hpp"
#include "bayeswood/grow/search/weight_search.hpp"
#include "bayeswood/grow/twig_grower.hpp"

namespace bayeswood {

constexpr std::uint32_t MAX_SMALL_ROWS = 65536;
// Above this many rows a node of numbers is large, and its smaller child is grown first, whoever
// grows it: the order in which features are drawn is part of a seed's result.
constexpr std::uint32_t HISTOGRAM_ROWS = 12288;

class SmallGrower {
 public:
  SmallGrower(const EncodedMatrix& matrix, const Target& target, const GrowOptions& options);

  // Whether most features are looked at, so that all are kept sorted.
  static bool presorts(const EncodedMatrix& matrix, const GrowOptions& options) {
    return 2 * std::size_t{options.max_features} >= matrix.n_features();
  }

  // Whether large subtrees' sums are binned by WeightSearch: two classes on few, plain features.
  static bool bins_weights(const EncodedMatrix& matrix, const Target& target,
                           const GrowOptions& options) {
    return !presorts(matrix, options) && target.kind == TargetKind::SCALAR &&
           target.is_classifier && options.min_samples_leaf == 1 && !matrix.has_categories() &&
           !matrix.has_missing();
  }

  // By feature: how far the tree trusts a category, see level_trust.hpp.
  void set_trust(const double* trust) { search_.set_trust(trust); }

  // `rows` are training rows in ascending order, whose data stand in `source` by training row.
  void grow(TreeContext& tree, std::uint32_t root, std::uint32_t depth, const NodeTotals& totals,
            std::span<const std::uint32_t> rows, const RowData& source);

 private:
  static constexpr std::size_t GATHERED = 4;  // columns read together

  struct Task {
    std::uint32_t node, depth, begin;
    NodeTotals totals;
    std::uint32_t n_pushed = 0;  // classes whose weights wait in class_lanes_
  };

  void load_rows(std::span<const std::uint32_t> rows, const RowData& source);
  void load_values(std::span<const std::uint32_t> rows, const RowData& source);
  void gather_codes(std::span<const std::uint32_t> rows, std::size_t first, std::size_t n_columns,
                    std::uint16_t* codes) const;
  void load_features(std::span<const std::uint32_t> rows);
  template <class Entry>
  void fill_sorted(SmallEntry* entries, std::uint32_t n, Entry entry);
  void end(TreeContext& tree, const Task& task);
  bool push_or_end(TreeContext& tree, Task task, const double* class_w);
  void set_classes(const Task& task, const Kernels& kernels);
  void grow_node(TreeContext& tree, const Task& task);
  Split separate_pair(TreeContext& tree, const Task& task);
  NodeTotals child_totals(std::uint32_t begin, std::uint32_t n);
  NodeTotals counted_or_summed(PackedCount rows, std::uint32_t begin, std::uint32_t n,
                               const double* class_w);
  void center(std::span<const std::uint16_t> rows, const NodeTotals& totals);
  Split find_split(TreeContext& tree, const Task& task);
  Split find_plain_split(TreeContext& tree, const Task& task);
  Split draw_split(TreeContext& tree, const Task& task);
  void fill_bins(const Task& task, const Limits& limits);
  void search_group(TreeContext& tree, const Task& task, const Limits& limits,
                    std::uint32_t group_size, Split& best);
  void set_floor(std::uint32_t feature, double floor);
  void sort_group(const Task& task, const Kernels& kernels);
  Split search_feature(std::uint32_t feature, const Task& task, const Limits& limits,
                       std::uint32_t slot);
  void search_lanes(const Task& task, const Limits& limits, const GrowOptions& options,
                    Split& best);
  const SmallEntry* sorted_list(std::uint32_t feature, const Task& task, std::uint32_t slot);
  std::uint32_t assign_sides(const Split& split, const Task& task);
  void partition_order(const Task& task);
  std::uint32_t partition_classes(const Split& split, const Task& task);
  std::uint32_t partition(Split& split, const Task& task);
  std::uint32_t partition_codes(Split& split, const Task& task);
  void partition_lists(const Split& split, const Task& task, bool left_ends, bool right_ends);
  std::span<const std::uint16_t> ids(std::uint32_t begin, std::uint32_t n) const {
    return {order_.data() + begin, n};
  }
  // Whether the feature is split from class counts by code, without a sorted list.
  bool counts_classes(std::uint32_t feature, std::uint32_t n) const {
    if (target_.kind != TargetKind::CLASSES || presorted_) return false;
    const FeatureCodes& codes = matrix_.feature(feature);
    return in_lanes_ ? bins_.fits(codes, n) : classes_.fits(codes, n);
  }
  PlainLists plain_lists(const Task& task) const { return {lists_.data() + task.begin, n_rows_}; }
  SmallEntry* list(std::uint32_t feature) { return lists_.data() + std::size_t{feature} * n_rows_; }

  const EncodedMatrix& matrix_;
  const Target& target_;
  bool presorted_;  // lists for all features, else codes
  bool plain_;      // and PlainSearch and twigs serve them
  bool bins_weights_;
  bool may_screen_;
  bool counting_ = false;        // rows have counts, which is all that is looked at
  bool in_lanes_ = false;        // the node's classes stand in class_lanes_
  std::uint32_t n_refused_ = 0;  // categories of the group that gained less than they had to pay
  bool group_sorted_ = false;    // the group's lists stand in node_lists_
  std::uint32_t n_rows_ = 0;
  RowData rows_;
  std::vector<WeightedValue> pair_;
  std::vector<double> y_, w_, values_;
  std::vector<std::int32_t> label_;
  std::vector<PackedCount> counts_;
  std::vector<RowTail> tails_;
  std::vector<std::uint32_t> row_of_id_;
  std::vector<std::uint16_t> order_, order_scratch_;  // ids in ascending order within each node
  std::vector<std::uint8_t> side_;                    // by id, 1: left
  std::vector<SmallEntry> lists_;                     // presorted: n_features x n_rows
  std::vector<std::uint16_t> codes_;  // otherwise: n_features x n_rows; while loading, some columns
  std::vector<SmallEntry> node_lists_, scratch_;
  std::vector<std::uint32_t> group_;  // features of the lanes under way
  std::vector<Task> stack_;
  Sides sides_;
  ListSearch<SmallEntry> search_;
  TopSplits top_;
  ClassHistogram classes_;
  ClassLanes class_lanes_;
  ClassLanes::Children child_classes_;
  ClassBins bins_;
  ClassScreen screen_;
  CountSearch count_search_;
  WeightSearch weight_search_;
  PlainSearch plain_search_;
  TwigGrower twigs_;
};

}  // namespace bayeswood
