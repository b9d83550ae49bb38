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
#include <type_traits>
#include <vector>

#include "bayeswood/grow/search/lists/node_lists.hpp"
#include "bayeswood/grow/search/split_search.hpp"

namespace bayeswood {

// The rows of a node in a subtree: codes and counts by id.
struct LocalRows {
  using Node = SmallNode;

  const Subtree& subtree;
  std::span<const std::uint16_t> ids = {};
  CountedRows data = {};

  void set_node(const SmallNode& node) {
    ids = subtree.ids(node.begin, node.totals.n);
    data = subtree.rows().counted;
  }
  const EncodedMatrix& matrix() const { return subtree.matrix(); }
  const std::uint16_t* column(std::uint32_t feature) const { return subtree.column(feature); }
};

// The rows of a node of the whole table.
struct TableRows {
  using Node = LargeNode;

  const EncodedMatrix& table;
  std::span<const std::uint32_t> ids = {};
  CountedRows data = {};

  void set_node(const LargeNode& node) {
    ids = node.rows;
    data = node.data.counted;
  }
  const EncodedMatrix& matrix() const { return table; }
  const std::uint16_t* column(std::uint32_t feature) const { return table.column(feature); }
};

template <class Rows>
class CountSearch {
 public:
  using Node = typename Rows::Node;
  static constexpr std::size_t GROUP = LANES;

  explicit CountSearch(const Rows& rows) : rows_(rows), matrix_(rows.matrix()) {}

  void prepare(const Node& node) {
    node_ = &node;
    rows_.set_node(node);
  }
  // Where the upper_code of `best` is 0, its cut_code may lie between the codes of the node.
  std::uint32_t search(std::span<const std::uint32_t> features, Split& best);

 private:
  static constexpr bool LOCAL = std::is_same_v<Rows, LocalRows>;

  struct Slot {
    std::uint32_t feature, shift, n_bins;
    double top_gain;                        // of the cuts between bins
    std::vector<PackedCount> bins, before;  // before: what lies left of each bin
    std::vector<double> gain;               // of the cut after each bin, -1 where not allowed
    std::vector<std::uint16_t> codes;       // of the node's rows; of the whole table coarse ones
    CountBins view(const Node& node);
  };
  struct Found {
    double gain = -1;
    std::uint32_t code = 0;
    PackedCount left = 0;
  };

  void set_slot(Slot& slot, std::uint32_t feature);
  void fill(std::size_t n_slots);
  void search_bins(std::size_t n_slots, Split& best);
  Found best_cut(Slot& slot, double to_beat);
  std::size_t open_bins(const Slot& slot);
  void sort_each_lane(SmallEntry* lanes, std::uint32_t n);
  void search_lanes(std::span<const std::uint32_t> features, Split& best);

  Rows rows_;
  const EncodedMatrix& matrix_;
  const Node* node_ = nullptr;
  Slot slots_[LANES];
  std::vector<PackedCount> idle_bins_;  // of lanes without a feature
  std::vector<std::uint16_t> idle_codes_;
  BinMarks marks_;
  std::vector<std::uint32_t> places_;
  std::vector<SmallEntry> entries_, scratch_;
};

static_assert(SplitSearch<CountSearch<LocalRows>>);
static_assert(SplitSearch<CountSearch<TableRows>>);

}  // namespace bayeswood
