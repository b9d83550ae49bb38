// Random numbers of the distributions that samplers draw from, each from a stream.
#pragma once

#include "bayeswood/base/random.hpp"

namespace bayeswood {

inline double draw_exponential(Stream& stream) {
  return -std::log(stream.next_uniform());
}

// Standard normal (Box and Muller).
double draw_normal(Stream& stream);
// Standard normal given that it is above `low` (Robert 1995).
double draw_normal_above(Stream& stream, double low);
// Gamma with scale 1 (Marsaglia and Tsang 2000); a shape below 1 may give 0.
double draw_gamma(Stream& stream, double shape);
// Its logarithm, which does not underflow.
double draw_log_gamma(Stream& stream, double shape);
// Polya-gamma PG(1, z) (Polson, Scott and Windle 2013): mean tanh(z / 2) / (2 z).
double draw_polya_gamma(Stream& stream, double z);

}  // namespace bayeswood
