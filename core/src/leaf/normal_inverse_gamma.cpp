#include "bayeswood/leaf/normal_inverse_gamma.hpp"

#include <algorithm>
#include <cmath>

#include "bayeswood/base/log_gamma.hpp"

namespace bayeswood {
namespace {

constexpr double HALF_LOG_TWO_PI = 0.91893853320467274178;

// n times the sum of squares about the mean, n * squares - sum * sum, without cancellation.
double spread_times_n(const LeafSums& s) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = __int128;
  const Wide squares = (static_cast<Wide>(s.squares_high) << 30) + s.squares_low;
  return static_cast<double>(s.n * squares - static_cast<Wide>(s.sum) * s.sum);
#else
  const double squares =
      std::ldexp(static_cast<double>(s.squares_high), 30) + static_cast<double>(s.squares_low);
  const double sum = static_cast<double>(s.sum);
  return std::max(0.0, static_cast<double>(s.n) * squares - sum * sum);
#endif
}

}  // namespace

NormalInverseGamma::NormalInverseGamma(const NumberPrior& prior, std::int64_t most_rows)
    : prior_(prior),
      constant_(0.5 * std::log(prior.strength) + prior.shape * std::log(prior.scale) -
                log_gamma(prior.shape)) {
  for (std::int64_t n = 0; n < std::min(most_rows + 1, MOST_TABLED); ++n)
    table_.push_back(log_gamma(prior.shape + 0.5 * static_cast<double>(n)));
}

double NormalInverseGamma::log_gamma_shape(std::int64_t n) const {
  return n < static_cast<std::int64_t>(table_.size())
             ? table_[n]
             : log_gamma(prior_.shape + 0.5 * static_cast<double>(n));
}

NormalInverseGamma::Posterior NormalInverseGamma::posterior(const LeafSums& sums) const {
  if (sums.n == 0) return {prior_.strength, prior_.shape, prior_.scale, 0.0};
  const auto n = static_cast<double>(sums.n);
  const double strength = prior_.strength + n;
  const double mean = prior_.unit * static_cast<double>(sums.sum) / n;
  const double spread = prior_.unit * prior_.unit * spread_times_n(sums) / n;
  const double scale =
      prior_.scale + 0.5 * spread + 0.5 * prior_.strength * n / strength * mean * mean;
  return {strength, prior_.shape + 0.5 * n, scale, mean * n / strength};
}

double NormalInverseGamma::log_marginal(const LeafSums& sums) const {
  if (sums.n == 0) return 0;
  const Posterior p = posterior(sums);
  return constant_ - static_cast<double>(sums.n) * HALF_LOG_TWO_PI - 0.5 * std::log(p.strength) -
         p.shape * std::log(p.scale) + log_gamma_shape(sums.n);
}

NumberPredictive NormalInverseGamma::predictive(const LeafSums& sums) const {
  const Posterior p = posterior(sums);
  return {p.mean, p.scale / (p.shape - 1) * (p.strength + 1) / p.strength, 2 * p.shape};
}

}  // namespace bayeswood
