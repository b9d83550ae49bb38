// The logarithm of the gamma function for positive arguments; unlike std::lgamma it writes to no
// global, so threads may call it, and its bits do not depend on the system's library but for log.
#pragma once

namespace bayeswood {

double log_gamma(double x);

}  // namespace bayeswood
