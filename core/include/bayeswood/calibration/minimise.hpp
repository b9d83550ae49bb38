// Minimising a smooth function of a few parameters: L-BFGS with halved steps (Nocedal 1980).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace bayeswood {

// The value at `at`; writes the gradient.
using SmoothFunction =
    std::function<double(std::span<const double> at, std::span<double> gradient)>;

struct Minimum {
  std::vector<double> at;
  double value = 0;
};

// Rough second derivatives, positive definite: of each parameter alone, or of all pairs.
class Curvature {
 public:
  Curvature(std::vector<double> diagonal) : values_(std::move(diagonal)) {}
  // `matrix`: n x n, symmetric; what is above the diagonal is not looked at.
  static Curvature of_pairs(std::vector<double> matrix, std::size_t n);

  // The inverse times x, in place.
  void divide(std::span<double> x) const;

 private:
  std::vector<double> values_;  // or the factor of Cholesky, below and on the diagonal
  bool is_factor_ = false;
};

// Ends with a step that promises a gain below `enough` times 1 + |value|: its end, and the value
// there, are not looked at but taken for what they promise.
Minimum minimise(const SmoothFunction& function, std::vector<double> start,
                 const Curvature& curvature, double enough);

}  // namespace bayeswood
