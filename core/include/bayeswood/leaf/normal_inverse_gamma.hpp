// Leaf model for numbers.
//
// Model: y ~ N(mu, s2) in a leaf, mu | s2 ~ N(0, s2 / strength), s2 ~ InverseGamma(shape, scale).
// (Responses are measured from the prior mean.)
// Sufficient statistics: n, sum and sum of squares. With k = strength + n, a = shape + n / 2 and
//   b = scale + (sum of squares about the mean) / 2 + strength n mean^2 / (2 k),
// marginal likelihood:
//   log ML = -n/2 log(2 pi) + log(strength / k) / 2 + shape log(scale) - a log(b)
//            + lgamma(a) - lgamma(shape),
// predictive: Student t with 2 a degrees of freedom about sum / k, squared scale b (k + 1) / (a k).
#pragma once

#include <cstdint>
#include <vector>

namespace bayeswood {

// Of the rows in a leaf: number, sum, and sum of squares as high 2^30 + low. Whole numbers, so that
// the order of adding does not matter; with at most 2^31 rows nothing overflows.
struct LeafSums {
  std::int64_t n, sum, squares_high, squares_low;
  bool operator==(const LeafSums& other) const = default;
};

inline LeafSums& operator+=(LeafSums& a, const LeafSums& b) {
  a.n += b.n;
  a.sum += b.sum;
  a.squares_high += b.squares_high;
  a.squares_low += b.squares_low;
  return a;
}

inline LeafSums operator+(LeafSums a, const LeafSums& b) {
  return a += b;
}

inline LeafSums& operator-=(LeafSums& a, const LeafSums& b) {
  a.n -= b.n;
  a.sum -= b.sum;
  a.squares_high -= b.squares_high;
  a.squares_low -= b.squares_low;
  return a;
}

inline void add_value(std::int64_t value, std::int64_t times, LeafSums& sums) {
  const std::int64_t square = value * value;
  sums.n += times;
  sums.sum += times * value;
  sums.squares_high += times * (square >> 30);
  sums.squares_low += times * (square & ((std::int64_t{1} << 30) - 1));
}

struct NumberPrior {
  double strength;
  double shape;
  double scale;
  double unit;  // of the fixed-point responses
};

// Mean, variance and degrees of freedom of a predictive distribution.
struct NumberPredictive {
  double mean = 0, variance = 0, freedom = 0;
};

class NormalInverseGamma {
 public:
  NormalInverseGamma(const NumberPrior& prior, std::int64_t most_rows);
  double log_marginal(const LeafSums& sums) const;
  NumberPredictive predictive(const LeafSums& sums) const;

 private:
  struct Posterior {
    double strength, shape, scale, mean;
  };
  Posterior posterior(const LeafSums& sums) const;
  double log_gamma_shape(std::int64_t n) const;

  NumberPrior prior_;
  double constant_;
  std::vector<double> table_;  // lgamma(shape + n / 2)
};

}  // namespace bayeswood
