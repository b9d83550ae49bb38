// Sums over the two sides of a cut, and over the rows that lack a value, for one node after
// another; and how much a cut gains.
//
// A node's rows are copied together once, numbers centred on the node's mean and classes listed as
// they are first seen: so gains of deep nodes do not drown in large sums, and a node costs no more
// for classes it does not have. With r = sum w (y - mean) over a side, the gain of a cut is
//   r_left^2 / w_left + r_right^2 / w_right
// summed over the outputs; for classes it is the children's score less the node's.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/search/classes/class_gains.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

enum class Place : std::uint8_t { LEFT = 0, RIGHT = 1, MISSING = 2 };

// The codes of a node's rows by one feature, those up to `cut_code` left and all others right.
struct CodeCut {
  const std::uint16_t* codes;
  std::uint32_t cut_code;
  std::size_t stride = 1;
  bool goes_right(std::size_t i) const { return codes[i * stride] > cut_code; }
};

class CutSums {
 public:
  explicit CutSums(const Target& target) : target_(target) {}

  // Whether every row of the tree weighs 1; else nothing is known of it.
  void set_units(bool are_units) { are_units_ = are_units; }
  void load_node(std::span<const std::uint32_t> rows, const RowData& data,
                 const NodeTotals& totals);

  // The same of numbers as they stand in the rows of a block.
  void load_numbers(std::span<const std::uint32_t> rows, const NumberRow* numbers,
                    const NodeTotals& totals);

  // Adds up the rows, of which the i-th lies at places[i].
  void add(std::span<const Place> places);
  // The same by a cut of codes.
  void add_codes(const CodeCut& cut);

  // The gain of left against right; NO_SCORE where the limits forbid it.
  double gain(const Limits& limits) const;
  // The gains of LANES cuts, each as after add_codes: added up together. Not of several numbers.
  template <class Value>
  void find_gains(const LaneRows<Value>& rows, const Value* cuts, const Limits& limits,
                  const LaneKernels<Value>& kernels, double* gains);
  // The same of numbers and twice as many cuts.
  template <class Value>
  void find_wide_gains(const LaneRows<Value>& rows, const Value* cuts, const Limits& limits,
                       const LaneKernels<Value>& kernels, double* gains) const;
  // Of classes: keeps the sums of a cut that find_gains has added up, and writes them by class.
  void keep(std::size_t lane);
  void write_kept(double* left, double* right) const;
  // The gain of sending the places in `left` one way and the others the other.
  double gain(std::array<bool, 3> left, const Limits& limits);

 private:
  struct Side {
    std::uint32_t n = 0;
    double w = 0;
  };

  void load_scalar(std::span<const std::uint32_t> rows, const RowData& data);
  void load_classes(std::span<const std::uint32_t> rows, const RowData& data);
  void load_outputs(std::span<const std::uint32_t> rows, const RowData& data);
  void add_scalar_codes(const CodeCut& cut);
  void add_class_codes(const CodeCut& cut);
  void find_scalar_gains(const std::uint32_t* n_left, const Limits& limits, double* gains) const;
  void clear();
  void clear_lanes();
  double over_node(double children) const;
  double score(const double* sums, double w) const;

  const Target& target_;
  NodeTotals node_;
  bool are_units_ = false;
  std::size_t width_ = 1;              // sums per side
  std::vector<WeightedValue> pair_;    // SCALAR
  std::vector<double> w_;              // CLASSES, MULTI
  std::vector<std::int32_t> class_;    // CLASSES
  std::vector<std::uint8_t> is_seen_;  // by class; 0 between nodes
  // The outputs that the node has, of classes in the order in which they are first seen.
  std::vector<std::int32_t> outputs_;
  std::vector<double> values_, mean_;  // MULTI
  std::array<Side, 3> side_;           // by place
  std::vector<double> sums_;           // by place
  std::vector<double> merged_;         // of the two ways
  std::vector<ClassSlot> lane_sums_;   // as LaneCuts has them
  std::vector<double> kept_;           // left and right, class after class
};

}  // namespace bayeswood
