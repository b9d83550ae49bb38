// Exact splits of two-class nodes whose weights are whole numbers, such as bootstrap counts, on
// numeric features without missing values.
//
// A row, and any set of rows, is one 64-bit word: rows, weight and weight of class 1 side by side,
// so that a bin of a histogram takes one addition. Cuts between bins are scored from the histogram;
// a bin inside which a better cut might still hide is opened, its rows sorted by code. Small nodes
// are sorted as they are, four features side by side, by a network. The gain of a cut is
//   (wy - mean w)^2 / (w w_right),
// with the sums of the left side; times the node's weight it is the decrease of impurity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/search/scan.hpp"

namespace bayeswood {

// The rows of a node in a subtree: codes and counts by local number.
struct LocalRows {
  std::span<const std::uint16_t> ids;
  const std::uint16_t* codes;  // column after column
  std::size_t n_rows;          // of the subtree
  CountedRows data;

  std::size_t size() const { return ids.size(); }
  const std::uint16_t* column(std::uint32_t feature) const { return codes + feature * n_rows; }
};

// The rows of a node of the whole table.
struct TableRows {
  std::span<const std::uint32_t> ids;
  const EncodedMatrix& matrix;
  CountedRows data;

  std::size_t size() const { return ids.size(); }
  const std::uint16_t* column(std::uint32_t feature) const { return matrix.column(feature); }
};

class CountSearch {
 public:
  explicit CountSearch(const EncodedMatrix& matrix) : matrix_(matrix) {}

  struct Node {
    const NodeTotals& totals;
    Limits limits;
    const Kernels& kernels;
  };
  // Keeps in `best` the best over the features, at most LANES; earlier ones win ties. Where its
  // upper_code is 0, the cut_code may lie between the codes of the node.
  void search(const LocalRows& rows, const Node& node, std::span<const std::uint32_t> features,
              Split& best);
  void search(const TableRows& rows, const Node& node, std::span<const std::uint32_t> features,
              Split& best);

 private:
  struct Slot {
    std::uint32_t feature, shift, n_bins;
    double top_gain;  // of the cuts between bins
    std::vector<PackedCount> bins;
    std::vector<std::int32_t> n, w, wy;  // left of each bin; one entry more than bins
    std::vector<double> gain;            // of the cut after each bin, -1 where not allowed
    std::vector<double> excess;          // of the bin's bound over what is to be beaten
    CountBins view(const Node& node);
  };
  struct Found {
    double gain = -1;
    std::uint32_t code = 0;
    PackedCount left = 0;
  };

  void set_slot(Slot& slot, std::uint32_t feature, std::uint32_t shift);
  void fill(const LocalRows& rows, const Node& node, std::size_t n_slots);
  void fill(const TableRows& rows, const Node& node, std::size_t n_slots);
  template <class Rows>
  void search_bins(const Rows& rows, const Node& node, std::size_t n_slots, Split& best);
  template <class Rows>
  Found best_cut(Slot& slot, const Rows& rows, const Node& node, double to_beat);
  std::size_t open_bins(const Slot& slot, const LocalRows& rows, const Node& node);
  std::size_t open_bins(const Slot& slot, const TableRows& rows, const Node& node);
  void sort_each_lane(SmallEntry* lanes, std::uint32_t n);
  void search_lanes(const LocalRows& rows, const Node& node,
                    std::span<const std::uint32_t> features, Split& best);

  const EncodedMatrix& matrix_;
  Slot slots_[LANES];
  std::vector<PackedCount> idle_bins_;  // of lanes without a feature
  std::vector<std::uint8_t> opened_;    // by bin
  std::vector<SmallEntry> entries_, scratch_;
};

}  // namespace bayeswood
