#include "bayeswood/calibration/minimise.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

namespace bayeswood {
namespace {

using Vector = std::vector<double>;

constexpr int MOST_STEPS = 200;
constexpr std::size_t MEMORY = 10;
constexpr int MOST_HALVINGS = 40;
// No parameter moves further in one step, so that exponentials stay finite.
constexpr double LONGEST_STEP = 4.0;
constexpr double ARMIJO = 1e-4;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add(Vector& to, double times, const Vector& what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += times * what[i];
}

struct Place {
  Vector at, gradient;
  double value = 0;
};

// A step that was taken, and how the gradient turned.
struct Pair {
  Vector change, turn;
  double product = 0;
};

// Minus the inverse Hessian, as far as the last steps know it, times the gradient.
Vector direction(const Vector& gradient, const std::deque<Pair>& pairs,
                 const Curvature& curvature) {
  Vector found = gradient;
  Vector shares(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    shares[i] = dot(pairs[i].change, found) / pairs[i].product;
    add(found, -shares[i], pairs[i].turn);
  }
  curvature.divide(found);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    add(found, shares[i] - dot(pairs[i].turn, found) / pairs[i].product, pairs[i].change);
  }
  double longest = 0;
  for (const double step : found) longest = std::max(longest, std::abs(step));
  const double scale = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1.0;
  for (double& step : found) step *= -scale;
  return found;
}

// The first of the steps 1, 1/2, 1/4, ... that gains enough (Armijo's rule).
std::optional<Place> moved(const SmoothFunction& function, const Place& from, const Vector& step,
                           double slope) {
  double length = 1.0;
  Place to{from.at, from.gradient};
  for (int i = 0; i < MOST_HALVINGS; ++i, length /= 2) {
    to.at = from.at;
    add(to.at, length, step);
    to.value = function(to.at, to.gradient);
    if (to.value <= from.value + ARMIJO * length * slope) return to;
  }
  return std::nullopt;
}

void remember(std::deque<Pair>& pairs, const Place& from, const Place& to) {
  Pair pair{to.at, to.gradient};
  add(pair.change, -1.0, from.at);
  add(pair.turn, -1.0, from.gradient);
  pair.product = dot(pair.change, pair.turn);
  if (pair.product <= 0) return;
  if (pairs.size() == MEMORY) pairs.pop_front();
  pairs.push_back(std::move(pair));
}

}  // namespace

// Where rounding leaves nothing of a pivot, the parameter counts as if it stood alone.
Curvature Curvature::of_pairs(std::vector<double> matrix, std::size_t n) {
  constexpr double NOTHING = 1e-12;
  for (std::size_t j = 0; j < n; ++j) {
    double* row = matrix.data() + j * n;
    for (std::size_t k = 0; k < j; ++k) {
      const double* other = matrix.data() + k * n;
      for (std::size_t i = 0; i < k; ++i) row[k] -= row[i] * other[i];
      row[k] /= other[k];
    }
    double left = row[j];
    for (std::size_t i = 0; i < j; ++i) left -= row[i] * row[i];
    if (!(left > NOTHING * row[j])) {
      std::fill(row, row + j, 0.0);
      left = row[j];
    }
    row[j] = std::sqrt(left);
  }
  Curvature found(std::move(matrix));
  found.is_factor_ = true;
  return found;
}

void Curvature::divide(std::span<double> x) const {
  const std::size_t n = x.size();
  if (!is_factor_) {
    for (std::size_t i = 0; i < n; ++i) x[i] /= values_[i];
    return;
  }
  for (std::size_t j = 0; j < n; ++j) {
    const double* row = values_.data() + j * n;
    for (std::size_t i = 0; i < j; ++i) x[j] -= row[i] * x[i];
    x[j] /= row[j];
  }
  for (std::size_t j = n; j-- > 0;) {
    const double* row = values_.data() + j * n;
    x[j] /= row[j];
    for (std::size_t i = 0; i < j; ++i) x[i] -= row[i] * x[j];
  }
}

Minimum minimise(const SmoothFunction& function, std::vector<double> start,
                 const Curvature& curvature, double enough) {
  Place place{std::move(start), {}};
  place.gradient.resize(place.at.size());
  place.value = function(place.at, place.gradient);
  std::deque<Pair> pairs;
  for (int i = 0; i < MOST_STEPS; ++i) {
    const Vector step = direction(place.gradient, pairs, curvature);
    const double slope = dot(place.gradient, step);
    if (-slope < enough * (1.0 + std::abs(place.value))) {
      add(place.at, 1.0, step);
      place.value += slope / 2;
      break;
    }
    auto next = moved(function, place, step, slope);
    if (!next) break;
    remember(pairs, place, *next);
    place = std::move(*next);
  }
  return {std::move(place.at), place.value};
}

}  // namespace bayeswood
