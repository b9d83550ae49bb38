// How a tree weights the training rows: Exp(1) draws (the Bayesian bootstrap), bootstrap counts,
// or 1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bayeswood {

enum class WeightKind { EXPONENTIAL, BOOTSTRAP, UNIT, GIVEN };

WeightKind weight_kind(const std::string& name);

struct WeightScheme {
  WeightKind kind = WeightKind::UNIT;
  std::uint64_t seed = 0;
};

// The weights of one tree before sample_weight. Bootstrap draws among the rows whose sample_weight
// is positive (all rows where `sample_weight` is empty), as many as there are.
void draw_weights(const WeightScheme& scheme, std::uint64_t tree,
                  std::span<const double> sample_weight, std::span<double> out);

}  // namespace bayeswood
