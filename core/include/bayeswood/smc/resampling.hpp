// Weights of particles, and the ways of drawing particles by their weights.
//
// Each scheme gives every particle an expected number of offspring equal to its normalised weight
// times their number, which is M (Douc, Cappe and Moulines 2005), so that estimates of evidence
// stay unbiased.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/random.hpp"

namespace bayeswood {

enum class Resampling { MULTINOMIAL, SYSTEMATIC, STRATIFIED, RESIDUAL };

// Log-weights and what follows from them. A weight may be 0 (-inf).
struct WeightSummary {
  std::vector<double> weights;  // normalised
  double log_mean = 0;          // log of the mean weight; -inf if all are 0
  double ess = 0;               // effective sample size, 1 / sum of squares
};
WeightSummary summarise_weights(std::span<const double> log_weights);

// The ancestors of the `n` particles of the next generation, ascending.
std::vector<std::uint32_t> draw_ancestors(Resampling scheme, std::span<const double> weights,
                                          std::size_t n, Stream& stream);

}  // namespace bayeswood
