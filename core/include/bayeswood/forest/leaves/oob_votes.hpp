// What the trees of a classifier say of the rows they left out, averaged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

// Averages as the classes of positive probability: row i has entries start[i], ..., start[i + 1] -
// 1, their labels ascending. A row that no tree left out has none.
struct OobVotes {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> label;
  std::vector<double> mean;
  std::vector<double> half[2];  // the same over the trees of either half; `mean` if there are none
  std::vector<std::int32_t> counts;  // trees that left the row out
  std::vector<double> n_effective;   // (sum w)^2 / sum w^2 of their weights
};

// `half` of each tree: 0 or 1. `block_entries`: rows times classes that are summed at a time, for
// which 16 bytes each are taken, besides a bit per row and tree.
OobVotes predict_oob_votes(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                           std::span<const double> tree_weights, std::span<const std::int32_t> half,
                           const Running& run, std::size_t block_entries = std::size_t{1} << 23);

}  // namespace bayeswood
