#include "bayeswood/leaf/dirichlet_multinomial.hpp"

#include <algorithm>

namespace bayeswood {
namespace {

constexpr std::int64_t TABLE_SIZE = 1 << 14;
constexpr double HALF_LOG_TWO_PI = 0.91893853320467274178;

// Stirling's series; for x >= 16 its error is below 1e-16.
double log_gamma_large(double x) {
  const double inverse = 1 / x;
  const double square = inverse * inverse;
  const double series =
      inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
  return (x - 0.5) * std::log(x) - x + HALF_LOG_TWO_PI + series;
}

// Without lgamma, which writes to a global on some systems.
double log_gamma(double x) {
  double shift = 0;
  while (x < 16) shift += std::log(x++);
  return log_gamma_large(x) - shift;
}

}  // namespace

LogRising::LogRising(double shift, std::int64_t largest) : shift_(shift), base_(log_gamma(shift)) {
  const std::int64_t size = std::min(largest + 1, TABLE_SIZE);
  table_.reserve(static_cast<std::size_t>(size));
  for (std::int64_t n = 0; n < size; ++n)
    table_.push_back(n == 0 ? 0.0 : log_gamma(static_cast<double>(n) + shift) - base_);
}

double LogRising::series(std::int64_t n) const {
  return log_gamma_large(static_cast<double>(n) + shift_) - base_;
}

}  // namespace bayeswood
