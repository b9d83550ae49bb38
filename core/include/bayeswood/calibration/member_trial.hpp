// How good averages are that weigh the kinds of trees, and shrink their leaves, in several ways.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/parallel.hpp"

namespace bayeswood {

// Class probabilities of rows, summed over the trees of each kind that left them out.
struct KindSums {
  std::span<const double> sums;          // n_kinds x n_strengths x n_rows x n_classes
  std::span<const std::int32_t> counts;  // trees, n_kinds x n_rows
  std::size_t n_kinds, n_strengths, n_rows, n_classes;
};

// One way to average: which strength, and the weight of one tree of each kind.
struct MemberTrial {
  std::size_t strength;
  std::span<const double> kind_weight;
};

// `calibration_loss` of each trial. An average with tree weights w varies like one over B =
// (sum w)^2 / sum w^2 equal trees (Kish's effective number); the mean of these over the rows is
// the calibration's B. Rows that no tree left out take no part.
std::vector<double> trial_losses(const KindSums& kinds, std::span<const std::int32_t> label,
                                 std::span<const double> weights,
                                 std::span<const MemberTrial> trials, unsigned n_threads);

}  // namespace bayeswood
