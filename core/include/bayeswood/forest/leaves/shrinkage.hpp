// Hierarchical shrinkage: a leaf's value moved toward those of its ancestors.
//
// On the path t_0 (root), ..., t_L (leaf) with values v and numbers of rows N,
//
//   v_0 + sum_l (v_l - v_{l-1}) / (1 + strength / N(t_{l-1})),
//
// that is a weighted mean of v_0, ..., v_L: with a_0 = 1, a_l = N(t_{l-1}) / (N(t_{l-1}) +
// strength) and a_{L+1} = 0, which fall, the weight of v_l is a_l - a_{l+1} >= 0. Strength 0
// changes nothing. (Agarwal, Tan, Ronen, Singh, Yu: Hierarchical Shrinkage, ICML 2022.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

// The same trees with shrunk leaves. A leaf of a classifier then holds every class of its tree.
std::vector<Tree> shrink_leaves(const Forest& forest, double strength, const Running& run);

// Trees in kinds 0, ..., n_kinds - 1, and strengths to try.
struct ShrinkageTrial {
  std::span<const double> strengths;
  std::span<const std::int32_t> kind;  // of each tree
  std::size_t n_kinds = 1;
};

// Sums over the trees in which the training row had weight 0, by kind and strength, n_kinds x
// n_strengths x n_rows x n_outputs, and their number, n_kinds x n_rows.
void predict_oob_shrunk(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                        const ShrinkageTrial& trial, double* sums, std::int32_t* counts,
                        const Running& run);

}  // namespace bayeswood
