// Searching the best cut along a list of rows sorted by code.
//
// A list entry packs a code above a row number, so that sorting entries sorts codes and keeps rows
// in order within equal codes: 16 + 16 bits in subtrees of at most 65,536 rows, 32 + 32 bits above.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "bayeswood/grow/impurity/class_impurity.hpp"
#include "bayeswood/grow/search/histograms/row_moves.hpp"
#include "bayeswood/grow/search/lists/list_parting.hpp"
#include "bayeswood/grow/search/lists/sorting_network.hpp"
#include "bayeswood/grow/search/random_cuts/lane_cuts.hpp"
#include "bayeswood/grow/search/two_classes/bin_cuts.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

using SmallEntry = std::uint32_t;
using LargeEntry = std::uint64_t;

constexpr std::uint32_t code_of(SmallEntry e) {
  return e >> 16;
}
constexpr std::uint32_t code_of(LargeEntry e) {
  return static_cast<std::uint32_t>(e >> 32);
}
constexpr std::uint32_t id_of(SmallEntry e) {
  return e & 0xffff;
}
constexpr std::uint32_t id_of(LargeEntry e) {
  return static_cast<std::uint32_t>(e);
}
template <class Entry>
constexpr Entry make_entry(std::uint32_t code, std::uint32_t id) {
  return (static_cast<Entry>(code) << (sizeof(Entry) * 4)) | static_cast<Entry>(id);
}

// Entries of counted rows hold, in place of a row number, the row's weight and class.
constexpr RowTail tail_of(SmallEntry e) {
  return static_cast<RowTail>(e);
}

// A weight below this share of the node's is lost in the rounding of the node's sums.
constexpr double WEIGHT_ROUNDING = 1e-14;
// Scores closer than this share of the node's impurity count as equal.
constexpr double TIE_TOLERANCE = 1e-10;

constexpr double NO_SCORE = -std::numeric_limits<double>::infinity();

struct Limits {
  std::uint32_t min_rows;  // per child
  double min_weight;       // per child
  double tolerance;        // a later cut must be better by more than this
};

struct Cut {
  double score = NO_SCORE;
  std::uint32_t position = 0;  // the last entry that goes left
  bool found() const { return score > NO_SCORE; }
};

// Best cut after one of the positions first_cut .. n - 2; the lowest wins a tie. `right` has length
// n.
template <class Side, class Entry>
Cut scan_list(const Entry* list, std::uint32_t n, std::uint32_t first_cut, Side& side,
              const Limits& limits, double* right) {
  Cut best;
  if (n < 2 * limits.min_rows || n < 2) return best;
  const std::uint32_t first = std::max(first_cut, limits.min_rows - 1);
  const std::uint32_t end = n - limits.min_rows;  // one past the last cut
  if (first >= end) return best;
  side.reset();
  for (std::uint32_t i = n - 1; i > first; --i) {
    side.add(id_of(list[i]));
    if (i > end) continue;
    const bool allowed =
        code_of(list[i]) != code_of(list[i - 1]) && side.weight() >= limits.min_weight;
    right[i - 1] = allowed ? side.score() : NO_SCORE;
  }
  side.reset();
  double to_beat = NO_SCORE;
  for (std::uint32_t i = 0; i < end; ++i) {
    side.add(id_of(list[i]));
    if (i < first || right[i] == NO_SCORE || side.weight() < limits.min_weight) continue;
    const double score = side.score() + right[i];
    if (score > to_beat) {
      best = {score, i};
      to_beat = score + limits.tolerance;
    }
  }
  return best;
}

// Cuts after the places first .. end - 1 of a list.
struct CutRange {
  std::uint32_t first, end;
  bool empty() const { return first >= end; }
};

// Those of a list of n that leave enough rows on both sides.
inline CutRange cuts_within(std::uint32_t n, std::uint32_t first_cut, const Limits& limits) {
  if (n < 2 * limits.min_rows || n < 2) return {0, 0};
  return {std::max(first_cut, limits.min_rows - 1), n - limits.min_rows};
}

// The same for classes, both ends of the list added up in one loop: two chains of additions
// overlap.
template <class Impurity, class Entry>
Cut scan_classes(const Entry* list, std::uint32_t n, const CutRange& cuts, const RowData& rows,
                 std::size_t n_classes, const Limits& limits, ClassRun<Impurity>& left,
                 ClassRun<Impurity>& right) {
  Cut best;
  if (cuts.empty()) return best;
  left.reset(n_classes, n);
  right.reset(n_classes, n);
  const std::uint32_t n_left = cuts.end;
  const std::uint32_t n_right = n - 1 - cuts.first;
  const auto add_left = [&](std::uint32_t i) { left.add(rows, id_of(list[i]), i); };
  const auto add_right = [&](std::uint32_t i) {  // what lies right of the cut after n - 2 - i
    right.add(rows, id_of(list[n - 1 - i]), n - 2 - i);
  };
  std::uint32_t at = 0;
  for (; at < std::min(n_left, n_right); ++at) {
    add_left(at);
    add_right(at);
  }
  for (std::uint32_t i = at; i < n_left; ++i) add_left(i);
  for (std::uint32_t i = at; i < n_right; ++i) add_right(i);
  double to_beat = NO_SCORE;
  for (std::uint32_t i = cuts.first; i < cuts.end; ++i) {
    if (code_of(list[i]) == code_of(list[i + 1])) continue;
    const double score =
        Impurity::score(left.sum[i], left.w[i]) + Impurity::score(right.sum[i], right.w[i]);
    if (!(score > to_beat) || std::min(left.w[i], right.w[i]) < limits.min_weight) continue;
    best = {score, i};
    to_beat = score + limits.tolerance;
  }
  return best;
}

// Four features scanned side by side, one per lane, for SCALAR targets. The score of a cut is the
// gain
//   W (wy_left - mean w_left)^2 / (w_left w_right).

struct LaneTask {
  const SmallEntry* list[LANES];
  std::uint32_t n;
  const WeightedValue* pair;
  double w;  // totals of the node
  double wy;
  Limits limits;
};

using LaneScan = void (*)(const LaneTask& task, Cut* best);

// The same of eight.
constexpr std::uint32_t WIDE_LANES = 8;
struct WideTask {
  const SmallEntry* list[WIDE_LANES];
  std::uint32_t n;
  const WeightedValue* pair;
  double w;
  double wy;
  Limits limits;
};
using WideScan = void (*)(const WideTask& task, Cut* best);

// Histogram cuts and bounds, see histogram.hpp.
struct BinTask {
  std::uint32_t n_bins;
  const double* w_before;  // sums left of each bin; one entry more than bins
  const double* wy_before;
  double w;
  double wy;
  double y_min;
  double y_max;
};
using BinBound = void (*)(const BinTask& task, double* cut_score, double* inner_bound);

// Interleaved lists of counted rows, sorted by code: see tail_of.
struct CountLaneTask {
  const SmallEntry* lanes;
  std::uint32_t n;
  double w;  // totals of the node
  double wy;
  Limits limits;
};
using CountLaneScan = void (*)(const CountLaneTask& task, Cut* best);  // in gains

// The cuts of a node of few classes, whose weights stand in lanes, see class_lanes.hpp. Right of a
// cut lies the node less what lies left. Allowed cuts are written in order; returns how many.
constexpr std::uint32_t MAX_CLASS_VECTORS = 4;

struct ClassCuts {
  const double* total;      // of the node, n_vectors x LANES
  std::uint32_t n_vectors;  // at most MAX_CLASS_VECTORS
  double min_weight;        // per child
  double* score;            // sum over both sides of (sum of squared class weights) / weight
  std::uint32_t* place;     // after which entry or bin
};
struct ClassListTask {
  ClassCuts cuts;
  const SmallEntry* list;
  std::uint32_t first, end;   // cuts lie after the places first .. end - 1
  const double* w;            // by id
  const std::int32_t* label;  // by id
  const std::uint8_t* lane;   // by label
};
struct ClassBinTask {
  ClassCuts cuts;
  const double* bins;   // n_vectors x LANES each
  const double* start;  // what lies left of all bins, n_vectors x LANES
  std::uint32_t n_bins;
};
// A sorted list, of whose cuts most are to be ruled out, see class_screen.hpp.
struct ScreenCell {
  double sum = 0;  // of what was added of a class
  double total;    // the node's weight of it
};
struct ClassScreenTask {
  const SmallEntry* list;
  std::uint32_t n;
  CutRange cuts;
  const double* tagged;  // by id: the row's weight, its label in the last bits
  ScreenCell* left;      // by label
  ScreenCell* right;
  double w;        // of the node
  double squares;  // of its class weights
  double slack;    // a bound of the error of the larger side's squares
  double floor;    // cuts that score less are not wanted,
  double below;    // nor are those further than this below the best
  // By place, room for n each: squares, products with the node's class weights and weight of the
  // end of the list that is nearer; what the score after it cannot exceed.
  double *end_squares, *end_products, *end_w, *bound;
};
using ClassScreening = CutRange (*)(const ClassScreenTask& task);  // between which the others lie

// Rows of a node, to be partitioned stably; sums class weights by lane on the way.
struct ClassPartTask {
  std::uint16_t* order;    // the node's ids, reordered in place
  std::uint16_t* scratch;  // room for as many
  std::uint32_t n;
  const std::uint8_t* side;     // by id, 1: left; or null, and codes up to the cut go left
  const std::uint16_t* column;  // by id
  std::uint32_t cut_code;
  const double* w;            // by id
  const std::int32_t* label;  // by id
  const std::uint8_t* lane;   // by label
  std::uint32_t n_vectors;
  double* left;  // sums in the order of rows, n_vectors x LANES
  double* right;
};
using ClassPart = std::uint32_t (*)(const ClassPartTask& task);  // how many go left
using ClassListScan = std::uint32_t (*)(const ClassListTask& task);
using ClassBinScan = std::uint32_t (*)(const ClassBinTask& task);

// Sorts four interleaved lists (entry i of lane l at 4 i + l) by a network's exchanges.
using LaneSort = void (*)(SmallEntry* lanes, const Network& network);

struct Kernels {
  LaneScan scan_lanes;
  BinBound bound_bins;
  LaneSort sort_lanes;  // null where sorting one list after another is faster
  BinFiller<PackedCount> fill_counts;
  BinFiller<WeightedValue> fill_weights;
  CountGains count_gains;
  CountMarking mark_counts;
  CountLaneScan scan_count_lanes;
  ClassListScan scan_class_list;
  ClassBinScan scan_class_bins;
  ClassScreening screen_classes;
  ClassPart part_classes;
  WeightGains weight_gains;
  WeightMarking mark_weights;
  BinOpener open_bins;
  FewSort sort_few;
  LaneRanging lane_ranges;
  LaneWithin lanes_within;
  LaneKernels<std::uint16_t> codes;
  LaneKernels<float> narrow;
  LaneKernels<double> wide;
  // For twigs, see twig_grower.hpp; null where none are grown.
  WideScan scan_wide = nullptr;
  ListParts part_lists{}, part_long_lists{};  // by bits, by bytes
  SidePacking pack_sides = nullptr;
  ListPicking pick_list = nullptr;
  // For rows of large nodes that stand together.
  const MoveKernels* moves = &portable_moves();

  template <class Value>
  const LaneKernels<Value>& lanes() const {
    if constexpr (std::is_same_v<Value, float>)
      return narrow;
    else if constexpr (std::is_same_v<Value, double>)
      return wide;
    else
      return codes;
  }
};

const Kernels& portable_kernels();
// nullptr where the compiler or the machine has no AVX2.
const Kernels* avx2_kernels();
// The same for AVX-512.
const Kernels* avx512_kernels();

}  // namespace bayeswood
