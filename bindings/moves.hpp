// The moves of chains over trees, as Python names their numbers.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "bayeswood/mcmc/metropolis.hpp"

namespace bayeswood::bindings {

inline std::array<double, N_MOVES> numbers_of_moves(const Vector<double>& values,
                                                    const char* name) {
  if (values.shape(0) != N_MOVES)
    throw std::invalid_argument(std::string(name) + ": one number per move");
  std::array<double, N_MOVES> out{};
  std::copy_n(values.data(), N_MOVES, out.begin());
  return out;
}

inline void check_probabilities(const std::array<double, N_MOVES>& p) {
  if (!(p[0] > 0 && p[1] > 0) ||
      std::any_of(p.begin(), p.end(), [](double x) { return !(x >= 0); }))
    throw std::invalid_argument("move_probabilities: not negative, births and deaths positive");
}

}  // namespace bayeswood::bindings
