#include "bayeswood/sums/feature_shares.hpp"

#include <algorithm>
#include <cmath>

#include "bayeswood/base/distributions.hpp"

namespace bayeswood {
namespace {

constexpr double LEAST_SHARE = 1e-250;
constexpr std::size_t GRID = 1000;

}  // namespace

FeatureShares::FeatureShares(std::size_t n_features)
    : shares_(n_features, 1.0 / static_cast<double>(n_features)),
      n_splits_(n_features, 0),
      elsewhere_(n_features, 0) {}

void FeatureShares::add(const SumLaw& law, const SumTree& tree, Stream& stream) {
  tree.visit(0, [&](std::int32_t node) {
    const SumNode& at = tree[node];
    if (at.is_leaf()) return;
    ++n_splits_[at.rule.feature];
    const bool all = at.varying.words.empty();
    const double u = draw_exponential(stream) / (total_ * law.sum_varying(at.varying, shares_));
    if (all) {
      everywhere_ += u;
      return;
    }
    for (std::uint32_t j = 0; j < shares_.size(); ++j)
      if (law.varies(at.varying, j)) elsewhere_[j] += u;
  });
}

void FeatureShares::draw(const SumLaw& law, Stream& stream) {
  const std::size_t d = shares_.size();
  std::vector<bool> varies(d);
  for (std::uint32_t j = 0; j < d; ++j) varies[j] = law.varies(law.varying(), j);
  const auto n_varying = static_cast<std::size_t>(std::count(varies.begin(), varies.end(), true));
  if (n_varying == 0) return;
  // Features that are the same everywhere take no part.
  const double each = theta_ / static_cast<double>(n_varying);
  std::vector<double> log_g(d);
  double most = -1e300;
  for (std::size_t j = 0; j < d; ++j) {
    if (!varies[j]) continue;
    const double rate = 1 + everywhere_ + elsewhere_[j];
    log_g[j] = draw_log_gamma(stream, each + n_splits_[j]) - std::log(rate);
    most = std::max(most, log_g[j]);
  }
  double sum = 0;
  for (std::size_t j = 0; j < d; ++j) {
    shares_[j] = varies[j] ? std::max(std::exp(log_g[j] - most), LEAST_SHARE) : 0.0;
    sum += shares_[j];
  }
  for (double& share : shares_) share /= sum;
  draw_theta(varies, n_varying, stream);
  total_ = draw_gamma(stream, theta_);
  total_ = std::max(total_, LEAST_SHARE);
  std::fill(n_splits_.begin(), n_splits_.end(), 0.0);
  std::fill(elsewhere_.begin(), elsewhere_.end(), 0.0);
  everywhere_ = 0;
}

void FeatureShares::draw_theta(const std::vector<bool>& varies, std::size_t n_varying,
                               Stream& stream) {
  const auto d = static_cast<double>(n_varying);
  double logs = 0;
  for (std::size_t j = 0; j < shares_.size(); ++j)
    if (varies[j]) logs += std::log(shares_[j]);
  if (grid_.empty()) make_grid(d);
  double most = -1e300;
  for (GridPoint& at : grid_) {
    at.weight = at.log_norm + at.theta / d * logs + at.log_prior;
    most = std::max(most, at.weight);
  }
  double total = 0;
  for (GridPoint& at : grid_) total += at.weight = std::exp(at.weight - most);
  double left = total * stream.next_uniform();
  std::size_t i = 0;
  while (i + 1 < grid_.size() && (left -= grid_[i].weight) >= 0) ++i;
  theta_ = grid_[i].theta;
}

void FeatureShares::make_grid(double d) {
  grid_.reserve(GRID);
  for (std::size_t i = 1; i <= GRID; ++i) {
    const double x = static_cast<double>(i) / (GRID + 1);  // theta / (theta + d)
    const double theta = d * x / (1 - x);
    const double log_norm = std::lgamma(theta) - d * std::lgamma(theta / d);
    grid_.push_back({theta, log_norm, -0.5 * std::log(x), 0.0});  // Beta(1/2, 1)
  }
}

}  // namespace bayeswood
