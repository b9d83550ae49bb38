#include "bayeswood/grow/search/random_cuts/ones_sums.hpp"

#include "bayeswood/grow/search/classes/class_gains.hpp"

namespace bayeswood {

template <class Value>
void OnesSums::find_gains(OnesCuts<Value> task, const LaneKernels<Value>& kernels,
                          const NodeTotals& node, const Limits& limits, double* gains) {
  const double mean = node.wy / node.w;
  double sums[2 * LANES], left[LANES], right[LANES];
  std::uint32_t n_left[LANES];
  task.wy[0] = 0 - mean;
  task.wy[1] = 1 - mean;
  task.sums = sums;
  task.n_left = n_left;
  task.n_left_ones = left_ones_.data();
  task.sides = sides_.last(node.n);
  kernels.sum_ones(task);
  for (std::size_t k = 0; k < LANES; ++k) {
    left[k] = n_left[k];
    right[k] = node.n - n_left[k];
  }
  find_number_gains({left, sums, right, sums + LANES}, node.n, n_left, limits, gains);
}

template void OnesSums::find_gains(OnesCuts<std::uint16_t>, const LaneKernels<std::uint16_t>&,
                                   const NodeTotals&, const Limits&, double*);
template void OnesSums::find_gains(OnesCuts<float>, const LaneKernels<float>&, const NodeTotals&,
                                   const Limits&, double*);
template void OnesSums::find_gains(OnesCuts<double>, const LaneKernels<double>&, const NodeTotals&,
                                   const Limits&, double*);

void OnesSums::keep(std::uint32_t lane) {
  sides_.keep(lane);
  kept_left_ones_ = left_ones_[lane];
}

}  // namespace bayeswood
