// The posterior of prior trees given sums of numeric responses: evidence, and the moments of the
// predictive distribution in each leaf.
#pragma once

#include <span>
#include <vector>

#include "bayeswood/leaf/normal_inverse_gamma.hpp"
#include "bayeswood/safe_bayes/leaf_kernels.hpp"
#include "bayeswood/safe_bayes/pruning.hpp"

namespace bayeswood {

struct NumberSummary {
  std::vector<double> log_evidence;          // per tree: log W(root)
  std::vector<NumberPredictive> predictive;  // per leaf, averaged over prunings
  std::vector<double> importances;           // n_trees x n_features
};

NumberSummary summarise_numbers(const PriorTrees& trees, std::span<const LeafSums> sums,
                                const NumberPrior& prior, bool average, const Running& run);

// Of a row that is left out, by one tree: mean and variance of its predictive distribution, and the
// log density there of the row's response.
struct LeftOutNumber {
  double mean, variance, log_density;
};

// out: n_trees x n_rows. Every row must have been counted.
void leave_one_out_numbers(const PriorTrees& trees, std::span<const LeafSums> sums,
                           const NumberPrior& prior, bool average, const MatrixView& table,
                           std::span<const std::int32_t> values, LeftOutNumber* out,
                           const LeafKernels& kernels, const Running& run);

}  // namespace bayeswood
