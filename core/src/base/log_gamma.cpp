#include "bayeswood/base/log_gamma.hpp"

#include <cmath>

namespace bayeswood {

// Stirling's series, whose error is below 1e-16 for x >= 16, and the recurrence below that.
double log_gamma(double x) {
  constexpr double HALF_LOG_TWO_PI = 0.91893853320467274178;
  double below = 0;
  while (x < 16) below += std::log(x++);
  const double inverse = 1 / x;
  const double square = inverse * inverse;
  const double series =
      inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
  return (x - 0.5) * std::log(x) - x + HALF_LOG_TWO_PI + series - below;
}

}  // namespace bayeswood
