// Leaf model for classes.
//
// Model: the classes in a leaf are independent given theta ~ Dirichlet(alpha_1, ..., alpha_C), and
// A is the sum of the alpha_c. Sufficient statistics: m_c, the number of rows of each class; n =
// sum of m_c. Marginal likelihood (Quadrianto and Ghahramani 2015, eq. 3):
//   log ML = lgamma(A) - lgamma(n + A) + sum_c [lgamma(m_c + alpha_c) - lgamma(alpha_c)].
// Predictive probability (eq. 7): (m_c + alpha_c) / (n + A).
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

// alpha_c of every class. Where they are all alike, one table serves all classes.
class DirichletPrior {
 public:
  // Throws std::invalid_argument unless all are positive and finite.
  explicit DirichletPrior(std::span<const double> alpha);

  std::size_t n_classes() const { return alpha_.size(); }
  double operator[](std::size_t c) const { return alpha_[c]; }
  double total() const { return total_; }
  bool is_even() const { return mask_ == 0; }
  // Which table is that of class c.
  std::size_t table(std::size_t c) const { return c & mask_; }
  std::size_t n_tables() const { return is_even() ? 1 : n_classes(); }

 private:
  std::vector<double> alpha_;
  double total_;
  std::size_t mask_;
};

class DirichletMultinomial {
 public:
  DirichletMultinomial(const DirichletPrior& prior, std::int64_t most_rows);

  const DirichletPrior& prior() const { return prior_; }
  double log_marginal(std::span<const std::int32_t> counts, std::int64_t n) const {
    double sum = -total_term_(n);
    for (std::size_t c = 0; c < counts.size(); ++c) sum += class_terms_[prior_.table(c)](counts[c]);
    return sum;
  }
  // Probability of class c with m of n rows.
  double predictive(std::size_t c, std::int64_t m, std::int64_t n) const {
    return (static_cast<double>(m) + prior_[c]) / (static_cast<double>(n) + prior_.total());
  }

 private:
  DirichletPrior prior_;
  std::vector<LogRising> class_terms_;
  LogRising total_term_;
};

}  // namespace bayeswood
