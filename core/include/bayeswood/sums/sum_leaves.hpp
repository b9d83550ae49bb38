// What the leaves of a sum's trees hold, given what the other trees leave over.
//
// Mean leaves: rest_i = value + noise, noise ~ N(0, noise / weight_i), value ~ N(0, prior). With
// s = sum of weight * rest and w = sum of weight over a leaf's rows, its likelihood with the value
// integrated out is, but for factors that do not depend on how rows are divided,
//   (1 + w prior / noise)^-1/2 exp(s^2 / (2 noise (w + noise / prior))),
// and the value's posterior N(s / (w + noise / prior), noise / (w + noise / prior)).
//
// Variance leaves: squared errors rest_i = value * chi square with 1 degree of freedom, value ~
// inverse gamma with shape a and scale b. With s = sum of rest and n rows, the likelihood is
// b^a Gamma(a + n/2) / (Gamma(a) (b + s/2)^(a + n/2)), and the value's posterior inverse gamma with
// shape a + n/2 and scale b + s/2.
#pragma once

#include <cmath>

#include "bayeswood/base/distributions.hpp"

namespace bayeswood {

struct MeanLeaves {
  static constexpr bool MULTIPLY = false;
  double noise;  // variance of a row of weight 1
  double prior;  // variance of a value

  double log_marginal(double rest, double weight) const {
    const double precision = weight + noise / prior;
    return 0.5 * (rest * rest / (noise * precision) - std::log(precision * prior / noise));
  }
  double draw(double rest, double weight, Stream& stream) const {
    const double precision = weight + noise / prior;
    return rest / precision + std::sqrt(noise / precision) * draw_normal(stream);
  }
};

struct VarianceLeaves {
  static constexpr bool MULTIPLY = true;
  double shape, scale;

  double log_marginal(double rest, double weight) const {
    const double a = shape + 0.5 * weight;
    return shape * std::log(scale) - std::lgamma(shape) + std::lgamma(a) -
           a * std::log(scale + 0.5 * rest);
  }
  double draw(double rest, double weight, Stream& stream) const {
    return (scale + 0.5 * rest) / draw_gamma(stream, shape + 0.5 * weight);
  }
};

}  // namespace bayeswood
