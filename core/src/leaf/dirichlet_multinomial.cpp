#include "bayeswood/leaf/dirichlet_multinomial.hpp"

#include <algorithm>

#include "bayeswood/base/log_gamma.hpp"

namespace bayeswood {
namespace {

constexpr std::int64_t TABLE_SIZE = 1 << 14;

}  // namespace

LogRising::LogRising(double shift, std::int64_t largest) : shift_(shift), base_(log_gamma(shift)) {
  const std::int64_t size = std::min(largest + 1, TABLE_SIZE);
  table_.reserve(static_cast<std::size_t>(size));
  for (std::int64_t n = 0; n < size; ++n)
    table_.push_back(n == 0 ? 0.0 : log_gamma(static_cast<double>(n) + shift) - base_);
}

double LogRising::beyond(std::int64_t n) const {
  return log_gamma(static_cast<double>(n) + shift_) - base_;
}

}  // namespace bayeswood
