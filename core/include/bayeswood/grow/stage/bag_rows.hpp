// The rows of a bag and those that it left out, as boosting goes through them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/row_weights.hpp"

namespace bayeswood {

// Random numbers of boosted trees are apart from those of other trees of the same seed, those of
// numbers from those of classes, and room is left for the stages of a bag.
constexpr std::uint64_t FIRST_OF_NUMBERS = 1ULL << 40;
constexpr std::uint64_t FIRST_OF_CLASSES = 1ULL << 41;
constexpr std::uint64_t MOST_STAGES = 1ULL << 20;

struct BagRows {
  std::vector<std::uint32_t> rows;  // ascending: those in the bag, then those left out
  std::size_t n_inside = 0;
  std::vector<double> weights;  // by row; empty: 1 each

  std::span<const std::uint32_t> inside() const { return std::span(rows).first(n_inside); }
  std::span<const std::uint32_t> outside() const { return std::span(rows).subspan(n_inside); }
  double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
};

// The bag of a tree of the scheme. A row that the draw keeps but whose sample_weight is 0 is
// neither in the bag nor left out. mean_one: weights are scaled to a mean of 1 over the rows in the
// bag.
BagRows draw_bag(const WeightScheme& scheme, std::uint64_t tree,
                 std::span<const double> sample_weight, std::size_t n_rows, bool mean_one);

}  // namespace bayeswood
