#include "bayeswood/leaf/dirichlet_multinomial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "bayeswood/base/log_gamma.hpp"

namespace bayeswood {
LogRising::LogRising(double shift, std::int64_t largest) : shift_(shift), base_(log_gamma(shift)) {
  const std::int64_t size = std::min(largest + 1, MOST_TABLED);
  table_.reserve(static_cast<std::size_t>(size));
  for (std::int64_t n = 0; n < size; ++n)
    table_.push_back(n == 0 ? 0.0 : log_gamma(static_cast<double>(n) + shift) - base_);
}

double LogRising::beyond(std::int64_t n) const {
  return log_gamma(static_cast<double>(n) + shift_) - base_;
}

DirichletPrior::DirichletPrior(std::span<const double> alpha) : alpha_(alpha.begin(), alpha.end()) {
  if (alpha_.empty()) throw std::invalid_argument("alpha: one for each class");
  for (const double a : alpha_) {
    if (!(a > 0 && std::isfinite(a))) throw std::invalid_argument("alpha: positive");
  }
  const bool even = std::ranges::all_of(alpha_, [&](double a) { return a == alpha_[0]; });
  mask_ = even ? 0 : ~std::size_t{0};
  total_ = even ? alpha_[0] * static_cast<double>(alpha_.size())
                : std::accumulate(alpha_.begin(), alpha_.end(), 0.0);
}

DirichletMultinomial::DirichletMultinomial(const DirichletPrior& prior, std::int64_t most_rows)
    : prior_(prior), total_term_(prior.total(), most_rows) {
  for (std::size_t i = 0; i < prior_.n_tables(); ++i)
    class_terms_.emplace_back(prior_[i], most_rows);
}

}  // namespace bayeswood
