// Extremely randomised trees (Geurts, Ernst and Wehenkel 2006): a node draws features that vary in
// it and one cut of each, and is split by the best of these.
//
// Numeric feature: a threshold v, uniform between the least and the largest value of the node's
// rows. Where a code is one value, the rows with x <= v are exactly those whose code's value is;
// where codes are quantile bins, a v inside a bin is moved to the bin's edge, for what lies on
// which side of v within a bin is not known. Category: a proper subset of the levels present, each
// as likely. Missing values go to the better side of the cut; and where there are any, they against
// the rest are one more candidate, as in the search for the best cut.
//
// Nothing is sorted: per feature one pass over the node's codes for their range and one for the
// sums of both sides. Where all features are numbers and none is missing, up to four are passed
// over together: the random numbers, and the sums, are those of one after another. Small subtrees
// are grown from copies of their values, see value_grower.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/search/random_cuts/code_grid.hpp"
#include "bayeswood/grow/search/random_cuts/cut_sums.hpp"
#include "bayeswood/grow/value_grower.hpp"

namespace bayeswood {

class RandomGrower {
 public:
  // `values`: of the matrix, or none.
  RandomGrower(const EncodedMatrix& matrix, const Target& target, const ValueTable& values);

  // `rows`: training rows of positive weight, ascending; reordered in place. `draws` gives the
  // thresholds and subsets.
  void grow(TreeContext& tree, std::vector<std::uint32_t>& rows, const RowData& data,
            const NodeTotals& totals, const Stream& draws);

 private:
  // A feature's codes of the node's rows, their range and the rows that lack one.
  struct NodeCodes {
    std::vector<std::uint16_t> codes;
    std::uint32_t least = 0;
    std::uint32_t largest = 0;
    std::uint32_t n_missing = 0;
    bool present_vary() const { return least < largest; }
  };
  // Up to LANES features, looked at together; others repeat the first.
  struct FeatureLanes {
    std::size_t size;
    std::array<std::uint32_t, LANES> feature;
    LaneRanges range;
    std::array<double, LANES> threshold;
    std::array<std::uint16_t, LANES> cut_code;
    bool varies(std::size_t k) const { return range.least[k] < range.largest[k]; }
  };

  void push_or_end(TreeContext& tree, const GrowTask& task);
  void grow_node(TreeContext& tree, const GrowTask& task);
  void end(TreeContext& tree, const GrowTask& task);
  void load_scalars();
  bool grow_copied(TreeContext& tree, const GrowTask& task);
  Split find_split(TreeContext& tree, const GrowTask& task);
  void load_node(const GrowTask& task);
  std::size_t try_next(TreeContext& tree, const GrowTask& task, const Limits& limits, Split& best);
  std::size_t try_plain(TreeContext& tree, const GrowTask& task, const Limits& limits,
                        std::size_t size, Split& best);
  Split try_feature(std::uint32_t feature, const Limits& limits);
  void load_codes(std::uint32_t feature, const GrowTask& task);
  LaneCodes load_plain(const FeatureLanes& lanes, const GrowTask& task);
  void ask_for_values(const FeatureLanes& lanes) const;
  void find_cuts(FeatureLanes& lanes, const LaneCodes& rows, const Kernels& kernels);
  void load_levels();
  double draw_threshold(std::uint32_t feature, std::uint32_t least, std::uint32_t largest);
  Split draw_cut(std::uint32_t feature);
  void settle(Split& split, std::uint32_t least, std::uint32_t largest) const;
  Split draw_levels();
  Split missing_apart(bool is_category) const;
  void place_rows(const Split& split, bool is_category);
  Split better_side(Split split, const Limits& limits);
  void part(TreeContext& tree, const Split& split, const GrowTask& task, GrowTask& left,
            GrowTask& right);
  void find_gains(const GrowTask& task, const FeatureLanes& lanes, const LaneCodes& rows,
                  const Limits& limits, const Kernels& kernels, double* gains);
  std::span<const std::uint32_t> rows_of(const GrowTask& task) const {
    return parts_.rows_of(task);
  }

  const EncodedMatrix& matrix_;
  const Target& target_;
  Stream draws_;
  RowData data_;
  std::vector<CodeGrid> grids_;  // by feature
  std::vector<std::uint32_t>* rows_ = nullptr;
  std::vector<GrowTask> stack_;
  RowPartition parts_;
  Sides sides_;
  CutSums sums_;
  OnesSums one_sums_;
  bool is_loaded_ = false;  // whether the node stands in sums_

  bool is_plain_;  // numbers all, and none missing
  std::vector<std::uint16_t> lane_codes_;
  // Plain and SCALAR: by row, in one of two forms.
  std::vector<NumberRow> numbers_;
  std::vector<std::uint8_t> ones_;
  ScalarRows scalars_;
  // For small subtrees; one of them, or none.
  std::unique_ptr<ValueGrower<float>> narrow_;
  std::unique_ptr<ValueGrower<double>> wide_;

  NodeCodes own_;  // of the feature under way
  std::vector<Place> places_;
  std::vector<std::uint16_t> levels_;     // those present, in the order of the rows
  std::vector<std::uint8_t> level_seen_;  // by level; 0 between features
  std::vector<Place> level_place_;        // by level
};

}  // namespace bayeswood
