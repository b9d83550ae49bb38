#include "bayeswood/calibration/solve.hpp"

#include <algorithm>
#include <cmath>

namespace bayeswood {
namespace {

// Looks at the map. Where it hardly depends on a parameter, as on the offset of a class that
// nothing is mistaken for, steps lead nowhere, and nothing is lost by an end.
constexpr int MOST_LOOKS = 60, MOST_HALVED = 10;
// No parameter moves further in one step.
constexpr double LONGEST_ROUND = 1.0;

// The inverse of the derivatives: a rough one, then what steps have shown of it.
class RoughInverse {
 public:
  explicit RoughInverse(const Curvature& curvature) : curvature_(curvature) {}

  std::vector<double> rough(std::vector<double> x) const {
    curvature_.divide(x);
    return x;
  }

  std::vector<double> times(const std::vector<double>& values) const {
    std::vector<double> x = rough(values);
    for (const Learnt& one : learnt_) add(one.gap, inner(one.step, x), x);
    return x;
  }

  // That a step changed the values so.
  void learn(const std::vector<double>& step, const std::vector<double>& change) {
    const std::vector<double> foreseen = times(change);
    const double along = inner(step, foreseen);
    if (!(std::abs(along) > 0)) return;
    Learnt one{step, step};
    for (std::size_t i = 0; i < step.size(); ++i) one.gap[i] = (step[i] - foreseen[i]) / along;
    learnt_.push_back(std::move(one));
  }

  static double inner(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  static void add(const std::vector<double>& what, double times, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += times * what[i];
  }

 private:
  struct Learnt {
    std::vector<double> step, gap;
  };
  const Curvature& curvature_;
  std::vector<Learnt> learnt_;
};

double longest(const std::vector<double>& step) {
  double found = 0;
  for (const double move : step) found = std::max(found, std::abs(move));
  return found;
}

}  // namespace

std::vector<double> solve(const SmoothMap& map, std::vector<double> start,
                          const Curvature& curvature, double enough) {
  RoughInverse inverse(curvature);
  std::vector<double> at = std::move(start), values(at.size()), there(at.size());
  map(at, values);
  int looks = 1;
  while (looks < MOST_LOOKS) {
    std::vector<double> step = inverse.times(values);
    const double length = longest(step);
    for (double& move : step) move *= -std::min(1.0, LONGEST_ROUND / length);
    if (!(length > enough)) {
      RoughInverse::add(step, 1.0, at);
      break;
    }
    // How far it is still to go is told by the rough derivatives, whatever was learnt since.
    const double far = longest(inverse.rough(values));
    std::vector<double> to;
    for (int halved = 0; halved <= MOST_HALVED; ++halved) {
      to = at;
      RoughInverse::add(step, 1.0, to);
      map(to, there);
      ++looks;
      if (longest(inverse.rough(there)) < far || halved == MOST_HALVED) break;
      for (double& move : step) move /= 2;
    }
    for (std::size_t i = 0; i < at.size(); ++i) values[i] = there[i] - values[i];
    inverse.learn(step, values);
    at = std::move(to);
    values = there;
  }
  return at;
}

}  // namespace bayeswood
