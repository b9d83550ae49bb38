// Sums over both sides of cuts as CutSums has them, of classes, straight from rows of values:
// nothing is copied together, and what a row was found to lie on is kept for the partition.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/grow/search/classes/class_gains.hpp"
#include "bayeswood/grow/search/random_cuts/cut_sides.hpp"

namespace bayeswood {

class PickedSums {
 public:
  explicit PickedSums(const Target& target)
      : target_(target), slots_(target.n_outputs), seen_(target.n_outputs + 1) {}

  // The gains of LANES cuts: `task` without what is written.
  template <class Value>
  void find_gains(PickedCuts<Value> task, const LaneKernels<Value>& kernels, const NodeTotals& node,
                  const Limits& limits, double* gains);

  // Keeps sums and sides of one of the cuts that were added up last.
  void keep(std::uint32_t lane);
  void write_kept(double* left, double* right) const;
  const CutSides& sides() const { return sides_; }

 private:
  std::span<const std::int32_t> seen() const { return std::span(seen_).first(n_seen_); }

  const Target& target_;
  std::vector<ClassSlot> slots_;    // by class; 0 but for those seen last
  std::vector<std::int32_t> seen_;  // classes, in order
  std::uint32_t n_seen_ = 0;
  std::vector<double> kept_;  // left and right, class after class
  CutSides sides_;
};

}  // namespace bayeswood
