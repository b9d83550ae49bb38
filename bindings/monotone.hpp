// Monotone constraints as they come from Python.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace bayeswood::bindings {

// Raises unless there is one of -1, 0, 1 per feature, 0 for categories, and one number to
// constrain.
inline void check_monotone(const std::vector<std::int8_t>& monotone,
                           const std::vector<std::int32_t>& n_levels, std::size_t n_numbers) {
  if (monotone.size() != n_levels.size() || n_numbers != 1)
    throw std::invalid_argument("monotonic_cst: one per feature, one response or two classes");
  for (std::size_t j = 0; j < monotone.size(); ++j) {
    if (monotone[j] < -1 || monotone[j] > 1 || (monotone[j] != 0 && n_levels[j] > 0))
      throw std::invalid_argument("monotonic_cst: -1, 0 or 1, and 0 for a category");
  }
}

}  // namespace bayeswood::bindings
