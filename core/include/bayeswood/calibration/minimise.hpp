// Minimising a smooth function of a few parameters: L-BFGS with halved steps (Nocedal 1980).
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace bayeswood {

// The value at `at`; writes the gradient.
using SmoothFunction =
    std::function<double(std::span<const double> at, std::span<double> gradient)>;

struct Minimum {
  std::vector<double> at;
  double value = 0;
};

// `curvature`: a rough second derivative in each parameter, positive. Stops where a step promises a
// gain below `enough` times 1 + |value|.
Minimum minimise(const SmoothFunction& function, std::vector<double> start,
                 std::span<const double> curvature, double enough);

}  // namespace bayeswood
