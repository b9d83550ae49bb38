#include "bayeswood/calibration/member_trial.hpp"

#include "bayeswood/calibration/class_calibration.hpp"

namespace bayeswood {
namespace {

struct Average {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> label;
  std::vector<double> mean;
  std::vector<double> weights;  // of rows, 0 where no tree left the row out
  double sum_trees = 0;
  std::size_t n_counted = 0;
};

void append_row(const KindSums& kinds, const MemberTrial& trial, std::size_t row, double weight,
                std::vector<double>& summed, Average& out) {
  const std::size_t k = kinds.n_classes;
  double sum_w = 0, sum_ww = 0;
  summed.assign(k, 0.0);
  for (std::size_t g = 0; g < kinds.n_kinds; ++g) {
    const double w = trial.kind_weight[g], count = kinds.counts[g * kinds.n_rows + row];
    sum_w += w * count;
    sum_ww += w * w * count;
    const std::size_t at = (g * kinds.n_strengths + trial.strength) * kinds.n_rows + row;
    for (std::size_t c = 0; c < k; ++c) summed[c] += w * kinds.sums[at * k + c];
  }
  const bool counts = sum_w > 0 && weight > 0;
  for (std::size_t c = 0; counts && c < k; ++c) {
    if (!(summed[c] > 0)) continue;
    out.label.push_back(static_cast<std::int32_t>(c));
    out.mean.push_back(summed[c] / sum_w);
  }
  out.start.push_back(static_cast<std::int64_t>(out.label.size()));
  out.weights.push_back(counts ? weight : 0.0);
  if (counts) out.sum_trees += sum_w * sum_w / sum_ww;
  out.n_counted += counts;
}

}  // namespace

std::vector<double> trial_losses(const KindSums& kinds, std::span<const std::int32_t> label,
                                 std::span<const double> weights,
                                 std::span<const MemberTrial> trials, unsigned n_threads) {
  std::vector<double> losses(trials.size());
  parallel_for(trials.size(), n_threads, [&](std::size_t i, unsigned, const StopFlag&) {
    Average found;
    std::vector<double> summed;
    for (std::size_t row = 0; row < kinds.n_rows; ++row)
      append_row(kinds, trials[i], row, weights[row], summed, found);
    if (found.n_counted == 0) return;
    const VotesView votes{found.start, found.label, found.mean, {}, {}, kinds.n_classes};
    const double n_trees = found.sum_trees / static_cast<double>(found.n_counted);
    losses[i] = calibration_loss({votes, label, found.weights, n_trees});
  });
  return losses;
}

}  // namespace bayeswood
