// How the members of a forest differ at a row: quantiles and moments of what they say, without
// keeping it. A member is a tree, or the sum of so many trees that follow one another.
#pragma once

#include <span>

#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

// The quantile at level a of values v with weights w (of sum 1) is the smallest v whose cumulative
// weight is at least a: always one of the values. Members of weight 0 take no part. out: n_rows x
// n_outputs x n_levels.
void predict_member_quantiles(const Forest& forest, const MatrixView& table,
                              std::size_t trees_per_member, std::span<const double> member_weights,
                              std::span<const double> levels, double* out, const Running& run);

// Weighted mean and variance of the members' values, each n_rows x n_outputs.
void predict_member_moments(const Forest& forest, const MatrixView& table,
                            std::size_t trees_per_member, std::span<const double> member_weights,
                            double* mean, double* variance, const Running& run);

}  // namespace bayeswood
