// Exact splits of two-class nodes of any weights, on numeric features without missing values: what
// CountSearch does with whole numbers. Cuts between bins are scored from sums; a bin inside which a
// better cut might still hide is opened, its rows sorted by code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/search/split_search.hpp"
#include "bayeswood/grow/subtree.hpp"

namespace bayeswood {

class WeightSearch {
 public:
  using Node = SmallNode;
  static constexpr std::size_t GROUP = LANES;

  explicit WeightSearch(const Subtree& subtree) : subtree_(subtree) {}

  void prepare(const SmallNode& node) {
    node_ = &node;
    ids_ = subtree_.ids(node.begin, node.totals.n);
  }
  // Rows are not counted: children of one row must do. Where the upper_code of `best` is 0, its
  // cut_code may lie between the codes of the node.
  std::uint32_t search(std::span<const std::uint32_t> features, Split& best);

 private:
  struct Slot {
    std::uint32_t feature, shift, n_bins, n_cuts;
    double top_gain;  // of the cuts between bins
    std::vector<WeightedValue> bins;
    std::vector<double> w, wy;         // left of each bin; one entry more than bins
    std::vector<double> gain;          // of the cut after each bin, -1 where not allowed
    std::vector<std::uint16_t> codes;  // of the node's rows
    WeightBins view(const Node& node);
  };
  struct Found {
    double gain = -1;
    std::uint32_t code = 0;
  };

  void set_slot(Slot& slot, std::uint32_t feature);
  void fill(std::size_t n_slots);
  std::size_t open_bins(const Slot& slot);
  Found best_cut(Slot& slot, double to_beat);

  const Subtree& subtree_;
  const SmallNode* node_ = nullptr;
  std::span<const std::uint16_t> ids_;
  Slot slots_[LANES];
  std::vector<WeightedValue> idle_bins_;  // of lanes without a feature
  std::vector<std::uint16_t> idle_codes_;
  BinMarks marks_;
  std::vector<std::uint32_t> places_;
  std::vector<SmallEntry> entries_, scratch_;
};

static_assert(SplitSearch<WeightSearch>);

}  // namespace bayeswood
