// Exact splits of two-class nodes of any weights, on numeric features without missing values: what
// CountSearch does with whole numbers. Cuts between bins are scored from sums; a bin inside which a
// better cut might still hide is opened, its rows sorted by code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/search/scan.hpp"

namespace bayeswood {

class WeightSearch {
 public:
  explicit WeightSearch(const EncodedMatrix& matrix) : matrix_(matrix) {}

  // The rows of a node in a subtree: codes and sums by local number.
  struct Node {
    std::span<const std::uint16_t> ids;
    const std::uint16_t* codes;  // column after column
    std::size_t n_rows;          // of the subtree
    const WeightedValue* pair;
    const NodeTotals& totals;
    Limits limits;
    const Kernels& kernels;
    const std::uint16_t* column(std::uint32_t feature) const { return codes + feature * n_rows; }
  };

  // Whether it pays and rounding stays far below the tolerance. Rows are not counted: children of
  // one row must do.
  static bool fits(const NodeTotals& node) {
    return node.n >= MIN_ROWS && node.impurity > NEARLY_PURE * node.w;
  }

  // Keeps in `best` the best over the features, at most LANES; earlier ones win ties. Where its
  // upper_code is 0, the cut_code may lie between the codes of the node.
  void search(const Node& node, std::span<const std::uint32_t> features, Split& best);

 private:
  static constexpr std::uint32_t MIN_ROWS = 160;
  static constexpr double NEARLY_PURE = 1e-3;

  struct Slot {
    std::uint32_t feature, shift, n_bins, n_cuts;
    double top_gain;  // of the cuts between bins
    std::vector<WeightedValue> bins;
    std::vector<double> w, wy;  // left of each bin; one entry more than bins
    std::vector<double> gain;   // of the cut after each bin, -1 where not allowed
    std::vector<double> excess;
    WeightBins view(const Node& node);
  };
  struct Found {
    double gain = -1;
    std::uint32_t code = 0;
  };

  void set_slot(Slot& slot, std::uint32_t feature, std::size_t n_rows);
  void fill(const Node& node, std::size_t n_slots);
  std::size_t open_bins(const Slot& slot, const Node& node);
  Found best_cut(Slot& slot, const Node& node, double to_beat);

  const EncodedMatrix& matrix_;
  Slot slots_[LANES];
  std::vector<WeightedValue> idle_bins_;  // of lanes without a feature
  std::vector<std::uint8_t> opened_;      // by bin
  std::vector<SmallEntry> entries_, scratch_;
};

}  // namespace bayeswood
