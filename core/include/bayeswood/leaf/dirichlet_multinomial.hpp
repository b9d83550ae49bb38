// Leaf model for classes.
//
// Model: the classes in a leaf are independent given theta ~ Dirichlet(alpha, ..., alpha).
// Sufficient statistics: m_c, the number of rows of each class; n = sum of m_c.
// Marginal likelihood (Quadrianto and Ghahramani 2015, eq. 3):
//   log ML = lgamma(C alpha) - lgamma(n + C alpha) + sum_c [lgamma(m_c + alpha) - lgamma(alpha)].
// Predictive probability (eq. 7): (m_c + alpha) / (n + C alpha).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace bayeswood {

// lgamma(n + shift) - lgamma(shift) for counts n, from a table where n is small.
class LogRising {
 public:
  LogRising(double shift, std::int64_t largest);
  double operator()(std::int64_t n) const {
    return n < static_cast<std::int64_t>(table_.size()) ? table_[n] : beyond(n);
  }

 private:
  double beyond(std::int64_t n) const;
  double shift_;
  double base_;
  std::vector<double> table_;
};

class DirichletMultinomial {
 public:
  DirichletMultinomial(double alpha, std::size_t n_classes, std::int64_t most_rows)
      : alpha_(alpha),
        total_alpha_(alpha * static_cast<double>(n_classes)),
        class_term_(alpha, most_rows),
        total_term_(total_alpha_, most_rows) {}

  double log_marginal(std::span<const std::int32_t> counts, std::int64_t n) const {
    double sum = -total_term_(n);
    for (const auto m : counts) sum += class_term_(m);
    return sum;
  }
  // Probability of a class with m of n rows.
  double predictive(std::int64_t m, std::int64_t n) const {
    return (static_cast<double>(m) + alpha_) / (static_cast<double>(n) + total_alpha_);
  }

 private:
  double alpha_;
  double total_alpha_;
  LogRising class_term_;
  LogRising total_term_;
};

}  // namespace bayeswood
