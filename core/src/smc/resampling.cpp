#include "bayeswood/smc/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bayeswood {
namespace {

// For ascending points in (0, 1), the particle in whose share of the total each falls.
std::vector<std::uint32_t> at_points(std::span<const double> weights,
                                     const std::vector<double>& points) {
  double total = 0;
  std::size_t last = 0;  // of positive weight
  for (std::size_t m = 0; m < weights.size(); ++m) {
    total += weights[m];
    if (weights[m] > 0) last = m;
  }
  std::vector<std::uint32_t> found;
  found.reserve(points.size());
  std::size_t m = 0;
  double below = weights[0];
  for (const double point : points) {
    while (m < last && below <= point * total) below += weights[++m];
    found.push_back(static_cast<std::uint32_t>(m));
  }
  return found;
}

std::vector<double> uniform_points(std::size_t n, Stream& stream) {
  std::vector<double> points(n);
  for (auto& point : points) point = stream.next_uniform();
  std::sort(points.begin(), points.end());
  return points;
}

std::vector<double> strata(std::size_t n, Stream& stream, bool one_draw) {
  std::vector<double> points(n);
  const double shared = one_draw ? stream.next_uniform() : 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double place = one_draw ? shared : stream.next_uniform();
    points[k] = (static_cast<double>(k) + place) / static_cast<double>(n);
  }
  return points;
}

// The whole parts of the expected numbers, and the rest by multinomial draws.
std::vector<std::uint32_t> residual(std::span<const double> weights, std::size_t n_drawn,
                                    Stream& stream) {
  const auto n = static_cast<double>(n_drawn);
  std::vector<std::uint32_t> found;
  std::vector<double> rest(weights.begin(), weights.end());
  for (std::size_t m = 0; m < rest.size(); ++m) {
    const double whole = std::floor(n * weights[m]);
    found.insert(found.end(), static_cast<std::size_t>(whole), static_cast<std::uint32_t>(m));
    rest[m] = n * weights[m] - whole;
  }
  if (found.size() < n_drawn) {
    const auto more = at_points(rest, uniform_points(n_drawn - found.size(), stream));
    found.insert(found.end(), more.begin(), more.end());
  }
  found.resize(n_drawn);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

WeightSummary summarise_weights(std::span<const double> log_weights) {
  WeightSummary out;
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  out.log_mean = largest;
  if (std::isinf(largest)) return out;
  double sum = 0;
  double squares = 0;
  for (const double log_weight : log_weights) {
    out.weights.push_back(std::exp(log_weight - largest));
    sum += out.weights.back();
    squares += out.weights.back() * out.weights.back();
  }
  for (auto& weight : out.weights) weight /= sum;
  out.log_mean += std::log(sum / static_cast<double>(log_weights.size()));
  out.ess = sum * sum / squares;
  return out;
}

std::vector<std::uint32_t> draw_ancestors(Resampling scheme, std::span<const double> weights,
                                          std::size_t n, Stream& stream) {
  switch (scheme) {
    case Resampling::MULTINOMIAL:
      return at_points(weights, uniform_points(n, stream));
    case Resampling::SYSTEMATIC:
      return at_points(weights, strata(n, stream, true));
    case Resampling::STRATIFIED:
      return at_points(weights, strata(n, stream, false));
    case Resampling::RESIDUAL:
      break;
  }
  return residual(weights, n, stream);
}

}  // namespace bayeswood
