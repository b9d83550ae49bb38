// Sums over both sides of cuts as CutSums has them, of two classes whose rows weigh 1: nothing is
// copied together, children are counted, and what a row was found to lie on is kept for the
// partition.
#pragma once

#include <array>

#include "bayeswood/grow/search/random_cuts/cut_sides.hpp"
#include "bayeswood/grow/search/scan.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

class OnesSums {
 public:
  // The gains of LANES cuts: `task` with rows, their numbers and labels, and cuts.
  template <class Value>
  void find_gains(OnesCuts<Value> task, const LaneKernels<Value>& kernels, const NodeTotals& node,
                  const Limits& limits, double* gains);

  // Keeps one of the cuts that were added up last.
  void keep(std::uint32_t lane);
  const CutSides& sides() const { return sides_; }
  std::uint32_t kept_left_ones() const { return kept_left_ones_; }

 private:
  CutSides sides_;
  std::array<std::uint32_t, LANES> left_ones_{};
  std::uint32_t kept_left_ones_ = 0;
};

}  // namespace bayeswood
