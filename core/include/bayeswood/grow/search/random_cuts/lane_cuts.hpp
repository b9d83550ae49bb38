// One cut of each of four features, which a node of a tree of random cuts looks at together: their
// codes, or the values that these stand for, lie row after row, four to a row.
#pragma once

#include <cstdint>
#include <span>

#include "bayeswood/base/random.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

constexpr std::uint32_t LANES = 4;

template <class Value>
struct LaneRows {
  const Value* lanes;  // of row i by feature l at LANES i + l
  std::uint32_t n;
  const std::uint32_t* rows = nullptr;  // else of rows[i], `stride` apart
  std::size_t stride = LANES;
};
using LaneCodes = LaneRows<std::uint16_t>;

// By feature: from which code to which.
struct LaneRanges {
  std::uint16_t least[LANES], largest[LANES];
};
using LaneRanging = LaneRanges (*)(const LaneCodes& rows);
// Bit l is set where a row lies within the l-th range.
using LaneWithin = std::uint32_t (*)(const LaneCodes& rows, const LaneRanges& ranges);

// Rows whose values stand row after row, to be copied for four features.
template <class Value>
struct LaneLoad {
  const Value* values;  // of row 0
  std::size_t stride;   // from row to row
  std::span<const std::uint32_t> rows;
  std::uint32_t place[LANES];  // of the features within a row
  Value* lanes;                // as LaneRows has them
};
// By feature: the least and the largest value of the rows. Where values are bins, whose largest
// values stand behind their least ones, the largest of all those; else that again.
template <class Value>
struct ValueRanges {
  Value least[LANES], largest[LANES], end[LANES];
};

// A threshold of each feature that varies, and what lies at or below it: see random_cut.hpp.
template <class Value>
struct DrawnCuts {
  double threshold[LANES];
  Value cut[LANES];
};

// Rows whose values stand row after row: the ranges of `n_values` of them, a multiple of LANES.
template <class Value>
struct RowRanges {
  const Value* values;  // of row 0
  std::size_t stride;
  std::span<const std::uint32_t> rows;
  std::size_t n_values;
  Value *least, *largest;  // to be written
};

// What lies at or below a feature's cut goes left. Sums are written for left and right, LANES each:
// of numbers those of w and of w y, of classes those of w by class, which must be 0 before.
template <class Value>
struct LaneCuts {
  LaneRows<Value> rows;
  Value cut[LANES];
  const WeightedValue* pair;
  const double* w;
  const std::int32_t* label;
  double* sums;
  std::uint32_t* n_left;
  bool are_units = false;  // every row weighs 1: sums of w are counts
};

// The same of numbers and of twice as many features that stand side by side in a row.
template <class Value>
struct WideCuts {
  LaneRows<Value> rows;
  Value cut[2 * LANES];
  const WeightedValue* pair;
  bool are_units;
  double* sums;           // 2 LANES each
  std::uint32_t* n_left;  // 2 LANES
};

// Cuts of two classes whose rows weigh 1: labels are by row number, sums of w are counts.
template <class Value>
struct OnesCuts {
  LaneRows<Value> rows;
  std::span<const std::uint32_t> numbers;
  Value cut[LANES];
  const std::uint8_t* ones;
  double wy[2];  // by label
  double* sums = nullptr;
  std::uint32_t* n_left = nullptr;
  std::uint32_t* n_left_ones = nullptr;
  // Of the i-th row: bit l is set where it goes left by the l-th cut; bit LANES is its label.
  std::uint8_t* sides = nullptr;
};

// Cuts of features wherever they stand in a row, of classes, 64 at most. Weights and classes are by
// row, sums as LaneCuts has them.
constexpr std::uint32_t MOST_PICKED_CLASSES = 64;
template <class Value>
struct PickedCuts {
  const Value* values;  // of row 0; MOST_PICKED_BYTES may be read from every row on
  std::size_t stride;
  std::span<const std::uint32_t> rows;
  std::uint32_t place[LANES];
  Value cut[LANES];
  const double* w;
  const std::int32_t* label;
  double* sums = nullptr;
  std::uint32_t* n_left = nullptr;
  std::uint8_t* sides =
      nullptr;  // of the i-th row: bit l is set where it goes left by the l-th cut
  // The classes in the order in which they are first seen; room for one more.
  std::int32_t* seen = nullptr;
};
// What a row takes at most.
constexpr std::size_t MOST_PICKED_BYTES = 128;

// Rows of a node, to be partitioned stably by a bit of their sides.
struct SidePart {
  std::uint32_t* rows;     // reordered in place
  std::uint32_t* scratch;  // room for as many and 16
  std::uint32_t n;
  const std::uint8_t* sides;  // of the i-th row
  std::uint32_t bit;
};

// A row of numbers, as the totals of a node add it up.
struct alignas(32) NumberRow {
  double w, wy, wyy, y;
};
// Rows of a SCALAR target by number; of two classes that weigh 1 the labels, else numbers.
struct ScalarRows {
  const NumberRow* numbers = nullptr;
  const std::uint8_t* ones = nullptr;
};
// The sums of a side in the order of its rows, and the range of y.
struct NumberSums {
  double w = 0, wy = 0, wyy = 0, y_min = 0, y_max = 0;
};

// Rows of a node, to be partitioned stably by the cut of one feature.
template <class Value>
struct RowPart {
  std::uint32_t* rows;     // reordered in place
  std::uint32_t* scratch;  // room for as many
  std::uint32_t n;
  const Value* column;  // the feature's value of row 0, from row to row as LaneLoad has it
  std::size_t stride;
  Value cut;
  const NumberRow* numbers = nullptr;  // to be summed up, by row
  NumberSums *left = nullptr, *right = nullptr;
};

template <class Value>
struct LaneKernels {
  using Loading = ValueRanges<Value> (*)(const LaneLoad<Value>& task);
  using Ranging = void (*)(const RowRanges<Value>& task);
  using Parting = std::uint32_t (*)(const RowPart<Value>& task);
  using CutSumming = void (*)(const LaneCuts<Value>& task);
  CutSumming sum_numbers;
  CutSumming sum_classes;
  void (*sum_ones)(const OnesCuts<Value>& task);
  Loading load = nullptr;  // of values
  Loading load_bins = nullptr;
  // For the first `size` features, of which it returns how many vary: these take a random number.
  std::uint32_t (*draw_cuts)(const ValueRanges<Value>& range, std::size_t size, Stream& draws,
                             DrawnCuts<Value>& to) = nullptr;
  Ranging find_ranges = nullptr;
  Parting part = nullptr;  // returns how many go left
  Parting part_numbers = nullptr;
  std::uint32_t (*part_sides)(const SidePart& task) = nullptr;  // returns how many go left
  void (*sum_wide)(const WideCuts<Value>& task) = nullptr;      // null where that is no faster
  // Null where it is faster to copy features together before they are cut.
  std::uint32_t (*pick_classes)(const PickedCuts<Value>& task) = nullptr;  // returns how many
};

}  // namespace bayeswood
