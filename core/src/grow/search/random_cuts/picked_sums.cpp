#include "bayeswood/grow/search/random_cuts/picked_sums.hpp"

namespace bayeswood {

template <class Value>
void PickedSums::find_gains(PickedCuts<Value> task, const LaneKernels<Value>& kernels,
                            const NodeTotals& node, const Limits& limits, double* gains) {
  std::uint32_t n_left[LANES];
  for (const std::int32_t own : seen()) slots_[own] = {};
  task.sums = slots_[0].sums;
  task.n_left = n_left;
  task.sides = sides_.last(node.n);
  task.seen = seen_.data();
  n_seen_ = kernels.pick_classes(task);
  find_class_gains({slots_[0].sums, seen(), n_left}, target_.criterion, node, limits, gains);
}

template void PickedSums::find_gains(PickedCuts<float>, const LaneKernels<float>&,
                                     const NodeTotals&, const Limits&, double*);
template void PickedSums::find_gains(PickedCuts<double>, const LaneKernels<double>&,
                                     const NodeTotals&, const Limits&, double*);

void PickedSums::keep(std::uint32_t lane) {
  kept_.resize(2 * n_seen_);
  double* to = kept_.data();
  for (const std::int32_t own : seen()) {
    const double* from = slots_[own].sums + lane;
    *to++ = from[0];
    *to++ = from[LANES];
  }
  sides_.keep(lane);
}

void PickedSums::write_kept(double* left, double* right) const {
  const double* from = kept_.data();
  for (const std::int32_t own : seen()) {
    left[own] = *from++;
    right[own] = *from++;
  }
}

}  // namespace bayeswood
