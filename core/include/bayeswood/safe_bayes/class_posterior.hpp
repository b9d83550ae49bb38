// The posterior of prior trees given class counts: evidence, predictive probabilities per leaf, and
// exact leave-one-out predictions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/leaf/dirichlet_multinomial.hpp"
#include "bayeswood/safe_bayes/leaf_kernels.hpp"
#include "bayeswood/safe_bayes/pruning.hpp"

namespace bayeswood {

struct ClassCounts {
  std::span<const std::int32_t> counts;  // n_leaves x n_classes
  DirichletPrior prior;
  bool average_prunings;

  std::size_t n_classes() const { return prior.n_classes(); }
};

struct ClassSummary {
  std::vector<double> log_evidence;  // per tree: log W(root)
  std::vector<double> probability;   // n_leaves x n_classes
  std::vector<double> importances;   // n_trees x n_features
};

ClassSummary summarise_classes(const PriorTrees& trees, const ClassCounts& data,
                               const Running& run);

// The class probabilities that each tree gives to each row when the row itself is left out:
// n_trees x n_rows x n_classes. Every row must have been counted; throws std::invalid_argument
// otherwise.
void leave_one_out_classes(const PriorTrees& trees, const ClassCounts& data,
                           const MatrixView& table, std::span<const std::int32_t> labels,
                           double* out, const LeafKernels& kernels, const Running& run);

}  // namespace bayeswood
