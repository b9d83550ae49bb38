// exp and log of one number, for files that compile them for different machines.
#include <bit>
#include <cstdint>
#include <iterator>
#include <span>

namespace bayeswood {
namespace {

// ln 2 in two parts, of which the first times any exponent is exact.
constexpr double LN2_HIGH = 6.93147180369123816490e-01;
constexpr double LN2_LOW = 1.90821492927058770002e-10;
constexpr double LOG2_E = 1.44269504088896338700;
// Added to a number, it leaves the nearest integer in the low bits.
constexpr double ROUNDER = 6755399441055744.0;
constexpr double LARGEST = 700.0;

// Of exp(r) = 1 + r + r^2 (1/2! + r (1/3! + ...)), from the last one on.
constexpr double EXP_SERIES[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0,
                                 1.0 / 3628800.0,    1.0 / 362880.0,    1.0 / 40320.0,
                                 1.0 / 5040.0,       1.0 / 720.0,       1.0 / 120.0,
                                 1.0 / 24.0,         1.0 / 6.0,         0.5};

// exp(r) for |r| <= ln(2) / 2.
inline double exp_near_zero(double r) {
  double sum = EXP_SERIES[0];
  for (std::size_t i = 1; i < std::size(EXP_SERIES); ++i) sum = sum * r + EXP_SERIES[i];
  return (sum * r) * r + r + 1.0;
}

// x = 2^k e^r with an integer k: r is exact to the last place, and 2^k is made of its bits.
inline double exp_of(double x) {
  x = x < -LARGEST ? -LARGEST : x;
  x = x > LARGEST ? LARGEST : x;
  const double shifted = x * LOG2_E + ROUNDER;
  const double k = shifted - ROUNDER;
  const double r = (x - k * LN2_HIGH) - k * LN2_LOW;
  const std::uint64_t scale = (std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52;
  return exp_near_zero(r) * std::bit_cast<double>(scale);
}

// log x = k ln 2 + log m with m in [sqrt(1/2), sqrt(2)), and log m = 2 artanh(s), s = (m - 1) /
// (m + 1): the series in s^2, whose coefficients are those of FreeBSD's e_log.c.
inline double log_of(double x) {
  constexpr std::uint64_t SQRT_HALF = 0x3fe6a09e00000000ULL;
  constexpr std::uint64_t ONE = 0x3ff0000000000000ULL;
  constexpr std::uint64_t MANTISSA = 0x000fffffffffffffULL;
  const std::uint64_t moved = std::bit_cast<std::uint64_t>(x) + (ONE - SQRT_HALF);
  // The exponent as a number without a conversion of 64-bit integers, which SSE2 lacks.
  const double k =
      std::bit_cast<double>((moved >> 52) | 0x4330000000000000ULL) - (4503599627370496.0 + 1023.0);
  const double m = std::bit_cast<double>((moved & MANTISSA) + SQRT_HALF);
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double sum = 1.479819860511658591e-01;
  sum = sum * z + 1.531383769920937332e-01;
  sum = sum * z + 1.818357216161805012e-01;
  sum = sum * z + 2.222219843214978396e-01;
  sum = sum * z + 2.857142874366239149e-01;
  sum = sum * z + 3.999999999940941908e-01;
  sum = sum * z + 6.666666666666735130e-01;
  sum *= z;
  const double half = 0.5 * f * f;
  return k * LN2_HIGH - ((half - (s * (half + sum) + k * LN2_LOW)) - f);
}

inline void exp_all(std::span<double> values) {
  for (double& value : values) value = exp_of(value);
}

inline void log_all(std::span<double> values) {
  for (double& value : values) value = log_of(value);
}

}  // namespace
}  // namespace bayeswood
