// The logarithm of the gamma function for positive arguments; unlike std::lgamma it writes to no
// global, so threads may call it, and its bits do not depend on the system's library but for log.
#pragma once

#include <cstdint>

namespace bayeswood {

// Tables of its values hold no more than so many.
constexpr std::int64_t MOST_TABLED = 1 << 14;

double log_gamma(double x);

}  // namespace bayeswood
