#include "bayeswood/base/distributions.hpp"

#include <numbers>

namespace bayeswood {
namespace {

constexpr double PI = std::numbers::pi;
// Where the two series of the density of PG(1, 0) meet.
constexpr double MEETING = 0.64;

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

// Terms of the alternating series of the Jacobi density, in the form that falls fast at x.
double series_term(int n, double x) {
  const double k = n + 0.5;
  if (x > MEETING) return PI * k * std::exp(-k * k * PI * PI * x / 2);
  return PI * k * std::pow(2 / (PI * x), 1.5) * std::exp(-2 * k * k / x);
}

// Inverse Gaussian with mean 1 / z and shape 1, below MEETING.
double draw_low_inverse_gaussian(Stream& stream, double z) {
  if (z * MEETING < 1) {  // the mean is above: an inverse chi square below it, thinned
    while (true) {
      double first = 0, second = 0;
      do {
        first = draw_exponential(stream);
        second = draw_exponential(stream);
      } while (first * first > 2 * second / MEETING);
      const double root = 1 + first * MEETING;
      const double x = MEETING / (root * root);
      if (stream.next_uniform() <= std::exp(-0.5 * z * z * x)) return x;
    }
  }
  const double mean = 1 / z;
  while (true) {
    const double normal = draw_normal(stream);
    const double y = mean * normal * normal;
    double x = mean + 0.5 * mean * (y - std::sqrt(4 * y + y * y));
    if (stream.next_uniform() > mean / (mean + x)) x = mean * mean / x;
    if (x <= MEETING) return x;
  }
}

// Share of the proposals that lie above MEETING.
double share_above(double z, double rate) {
  const double above = PI / (2 * rate) * std::exp(-rate * MEETING);
  const double root = std::sqrt(1 / MEETING);
  double below = normal_cdf(root * (MEETING * z - 1));
  // Of a larger z the other part is below 1e-46, and one of its factors beyond all numbers.
  if (z < 20) below += std::exp(2 * z) * normal_cdf(-root * (MEETING * z + 1));
  below *= 2 * std::exp(-z);
  return above / (above + below);
}

// Whether a proposal is kept: partial sums close in on the density from both sides.
bool keeps(Stream& stream, double x) {
  double sum = series_term(0, x);
  const double y = stream.next_uniform() * sum;
  for (int n = 1;; ++n) {
    const double term = series_term(n, x);
    sum += n % 2 == 1 ? -term : term;
    if (n % 2 == 1 && y <= sum) return true;
    if (n % 2 == 0 && y > sum) return false;
  }
}

}  // namespace

double draw_normal(Stream& stream) {
  const double radius = std::sqrt(2 * draw_exponential(stream));
  return radius * std::cos(2 * PI * stream.next_uniform());
}

double draw_normal_above(Stream& stream, double low) {
  if (low < 0.4) {
    while (true) {
      const double x = draw_normal(stream);
      if (x > low) return x;
    }
  }
  const double rate = (low + std::sqrt(low * low + 4)) / 2;
  while (true) {
    const double x = low + draw_exponential(stream) / rate;
    if (stream.next_uniform() <= std::exp(-0.5 * (x - rate) * (x - rate))) return x;
  }
}

double draw_gamma(Stream& stream, double shape) {
  if (shape < 1) return std::exp(draw_log_gamma(stream, shape));
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = draw_normal(stream);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(stream.next_uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double draw_log_gamma(Stream& stream, double shape) {
  if (shape >= 1) return std::log(draw_gamma(stream, shape));
  return std::log(draw_gamma(stream, shape + 1)) - draw_exponential(stream) / shape;
}

double draw_polya_gamma(Stream& stream, double z) {
  z = std::abs(z) / 2;
  const double rate = PI * PI / 8 + z * z / 2;
  const double above = share_above(z, rate);
  while (true) {
    const double x = stream.next_uniform() < above ? MEETING + draw_exponential(stream) / rate
                                                   : draw_low_inverse_gaussian(stream, z);
    if (keeps(stream, x)) return x / 4;
  }
}

}  // namespace bayeswood
