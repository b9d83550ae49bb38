#include "bayeswood/calibration/class_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bayeswood/calibration/solve.hpp"

namespace bayeswood {
namespace {

using Vector = std::vector<double>;
using Halves = std::vector<LogVotes>;

constexpr double SMALLEST_POWER = 0.2, LARGEST_POWER = 8.0;
constexpr double SD_LOG_POWER = 1.5, SD_LOG_SLOPE = 0.3, SD_OFFSET = 1.0, SD_SHARE = 2.0;
// Classes up to which each has a slope.
constexpr std::size_t MOST_CLASSES_SLOPED = 30;
// Gains per row that are not worth a look at all rows; the step that promises them is taken. So is
// a step of the last search in which no offset changes by more than the second number.
struct Enough {
  double gain, move;
};
constexpr Enough ENOUGH{1e-10, 1e-5}, ENOUGH_TO_JUDGE{1e-9, 1e-4};
constexpr double ENOUGH_TO_COMPARE = 1e-7, ENOUGH_TO_BEGIN = 1e-3;
// Classes up to which curvatures are of pairs of parameters, and the rows that they are taken from:
// they guide the search, so that it has few steps, and say nothing of where it ends. By as many
// rows a search begins.
constexpr std::size_t MOST_CLASSES_PAIRED = 64, MOST_ROWS_BENT = 2048;
// The least part of how fast a class's share changes with its b that halves of the trees may leave.
constexpr double LEAST_LEFT = 0.25;

double precision(double sd) {
  return 1.0 / (sd * sd);
}

class Fit {
 public:
  explicit Fit(const LabelledVotes& rows)
      : rows_(rows), logs_(rows.votes, rows.votes.mean, rows.weights, rows.n_trees) {
    for (std::size_t i = 0; i < rows.votes.n_rows(); ++i) {
      if (rows.weights[i] > 0) weights_.push_back(rows.weights[i]);
    }
    const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    for (double& weight : weights_) weight *= n() / total;
    count_.resize(n_classes());
    moment_.resize(n_classes());
    std::size_t used = 0;
    for (std::size_t i = 0; i < rows.votes.n_rows(); ++i) {
      if (!(rows.weights[i] > 0)) continue;
      const auto c = static_cast<std::size_t>(rows.label[i]);
      count_[c] += weights_[used];
      moment_[c] += weights_[used] * logs_.at(used, rows.label[i]);
      ++used;
    }
  }

  bool is_empty() const { return weights_.empty() || n_classes() == 1; }
  bool has_slopes() const { return n_classes() > 2 && n_classes() <= MOST_CLASSES_SLOPED; }
  double n() const { return static_cast<double>(weights_.size()); }
  std::size_t n_classes() const { return logs_.n_classes(); }

  // The power and b; the loss per row.
  double fit_power(ClassCalibration& found, const Curvature& guide, double enough) const;
  void fit_slopes(ClassCalibration& found, const Curvature& guide, double enough) const;
  void match_shares(ClassCalibration& found, const Halves& halves, const ShareGuide& guide,
                    const Vector& start, double enough) const;
  // Averages over either half of the trees, where a prediction has more than left a row out.
  Halves halves() const;
  // What guides these searches, of parameters nearby.
  Curvature power_curvature(const ClassCalibration& at) const;
  Curvature slope_curvature(const ClassCalibration& at) const;
  ShareGuide share_guide(const ClassCalibration& at, const Halves& halves) const;

 private:
  // The mean of -log q at the truth, and its gradient by slope k and by offset.
  double loss(const ClassMap& map, Vector& by_slope, Vector& by_offset) const;
  double power_loss(std::span<const double> at, std::span<double> gradient) const;
  double offset_loss(double power, std::span<const double> at, std::span<double> gradient) const;
  double slope_loss(double power, std::span<const double> at, std::span<double> gradient) const;
  Vector extra(const ClassMap& map, const Halves& halves, const Vector& all) const;
  Vector second_by_offset(const ClassCalibration& at, const LogVotes& logs) const;
  ClassSums second_sums(const ClassCalibration& at) const;
  bool is_paired() const { return n_classes() <= MOST_CLASSES_PAIRED; }
  Vector second_derivatives(const ClassCalibration& at) const;
  Vector power_diagonal(const ClassCalibration& at) const;
  Vector slope_diagonal(const ClassCalibration& at) const;

  const LabelledVotes& rows_;
  LogVotes logs_;
  Vector weights_;  // of the rows that count, to a mean of 1
  Vector count_;    // of every class, sum of w over its rows
  Vector moment_;   // of every class, sum of w log(C p~_c) over its rows
};

Vector powers(const ClassCalibration& found) {
  Vector slope = found.slopes;
  for (double& s : slope) s *= found.power;
  return slope;
}

double Fit::loss(const ClassMap& map, Vector& by_slope, Vector& by_offset) const {
  const ClassSums sums = logs_.sums(map, weights_);
  double value = sums.log_z;
  by_slope.resize(n_classes());
  by_offset.resize(n_classes());
  for (std::size_t c = 0; c < n_classes(); ++c) {
    value -= map.slope[c] * moment_[c] + map.offset[c] * count_[c];
    by_slope[c] = (sums.moment[c] - moment_[c]) / n();
    by_offset[c] = (sums.mass[c] - count_[c]) / n();
  }
  return value / n();
}

// Adds x^2 / (2 sd^2 n) and its derivative.
double penalty(double x, double sd, double n, double& derivative) {
  derivative += x * precision(sd) / n;
  return 0.5 * x * x * precision(sd) / n;
}

// At b, `at[0]` not counting.
double Fit::offset_loss(double power, std::span<const double> at,
                        std::span<double> gradient) const {
  const Vector slope(n_classes(), power);
  Vector by_slope, by_offset;
  double value = loss({slope, at.subspan(1)}, by_slope, by_offset);
  gradient[0] = 0;
  for (std::size_t c = 0; c < n_classes(); ++c) {
    gradient[0] += power * by_slope[c];
    gradient[c + 1] = by_offset[c];
    value += penalty(at[c + 1], SD_OFFSET, n(), gradient[c + 1]);
  }
  double ignored = 0;
  return value + penalty(std::log(power), SD_LOG_POWER, n(), ignored);
}

// At log power, b. Far beyond the bounds nothing is asked, but a first step may be long.
double Fit::power_loss(std::span<const double> at, std::span<double> gradient) const {
  const double log_power = std::clamp(at[0], -4.0, 4.0);
  const double value = offset_loss(std::exp(log_power), at, gradient);
  penalty(log_power, SD_LOG_POWER, n(), gradient[0]);
  return value;
}

// At log s, b.
double Fit::slope_loss(double power, std::span<const double> at, std::span<double> gradient) const {
  const std::size_t c_all = n_classes();
  Vector slope(c_all);
  for (std::size_t c = 0; c < c_all; ++c) slope[c] = power * std::exp(at[c]);
  Vector by_slope, by_offset;
  double value = loss({slope, at.subspan(c_all)}, by_slope, by_offset);
  for (std::size_t c = 0; c < c_all; ++c) {
    gradient[c] = slope[c] * by_slope[c];
    gradient[c_all + c] = by_offset[c];
    value += penalty(at[c], SD_LOG_SLOPE, n(), gradient[c]);
    value += penalty(at[c_all + c], SD_OFFSET, n(), gradient[c_all + c]);
  }
  return value;
}

ClassSums Fit::second_sums(const ClassCalibration& at) const {
  const Vector slope = powers(at);
  return logs_.sums({slope, at.offset}, weights_, true);
}

Vector Fit::second_derivatives(const ClassCalibration& at) const {
  const Vector slope = powers(at);
  return logs_.second_derivatives({slope, at.offset}, weights_, MOST_ROWS_BENT);
}

Vector Fit::power_diagonal(const ClassCalibration& at) const {
  const ClassSums second = second_sums(at);
  Vector found{precision(SD_LOG_POWER)};
  for (std::size_t c = 0; c < n_classes(); ++c) {
    found[0] += second.bend[c] * at.power * at.power;
    found.push_back(second.spread[c] + precision(SD_OFFSET));
  }
  for (double& value : found) value /= n();
  return found;
}

Vector Fit::slope_diagonal(const ClassCalibration& at) const {
  const ClassSums second = second_sums(at);
  Vector found(2 * n_classes());
  for (std::size_t c = 0; c < n_classes(); ++c) {
    const double slope = at.power * at.slopes[c];
    found[c] = (second.bend[c] * slope * slope + precision(SD_LOG_SLOPE)) / n();
    found[n_classes() + c] = (second.spread[c] + precision(SD_OFFSET)) / n();
  }
  return found;
}

// By log power and b.
Curvature Fit::power_curvature(const ClassCalibration& at) const {
  if (!is_paired()) return power_diagonal(at);
  const Vector second = second_derivatives(at);
  const std::size_t c_all = n_classes(), width = 2 * c_all, n_all = c_all + 1;
  Vector found(n_all * n_all, 0.0);
  for (std::size_t c = 0; c < c_all; ++c) {
    for (std::size_t other = 0; other < c_all; ++other) {
      const double twice = other < c ? 2.0 : 1.0;
      if (other <= c) {
        found[0] += twice * at.power * at.power * second[c * width + other];
        found[(c + 1) * n_all + other + 1] = second[(c_all + c) * width + c_all + other];
      }
      found[(c + 1) * n_all] += at.power * second[(c_all + c) * width + other];
    }
    found[(c + 1) * (n_all + 1)] += precision(SD_OFFSET);
  }
  found[0] += precision(SD_LOG_POWER);
  for (double& value : found) value /= n();
  return Curvature::of_pairs(std::move(found), n_all);
}

// By log s and b.
Curvature Fit::slope_curvature(const ClassCalibration& at) const {
  Vector found = second_derivatives(at);
  const std::size_t c_all = n_classes(), width = 2 * c_all;
  for (std::size_t a = 0; a < width; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (a < c_all) found[a * width + b] *= at.power * at.slopes[a];
      if (b < c_all) found[a * width + b] *= at.power * at.slopes[b];
    }
    found[a * (width + 1)] += precision(a < c_all ? SD_LOG_SLOPE : SD_OFFSET);
  }
  for (double& value : found) value /= n();
  return Curvature::of_pairs(std::move(found), width);
}

// Of the sum of w log Z by b; what is above the diagonal is 0.
Vector Fit::second_by_offset(const ClassCalibration& at, const LogVotes& logs) const {
  const std::size_t c_all = n_classes(), width = 2 * c_all;
  const Vector slope = powers(at);
  const Vector second = logs.second_derivatives({slope, at.offset}, weights_, MOST_ROWS_BENT);
  Vector found(c_all * c_all, 0.0);
  for (std::size_t c = 0; c < c_all; ++c) {
    for (std::size_t other = 0; other <= c; ++other)
      found[c * c_all + other] = second[(c_all + c) * width + c_all + other];
  }
  return found;
}

// By b, of what is above the shares. Averages over halves answer less surely: where a class is all
// but certain, what they say changes faster with b than what all trees say, and no b may give what
// is asked for. Then it is taken as it is before b moves.
ShareGuide Fit::share_guide(const ClassCalibration& at, const Halves& halves) const {
  const std::size_t c_all = n_classes();
  bool is_held = false;
  if (!is_paired()) {
    Vector diagonal = second_sums(at).spread;
    for (double& value : diagonal) value += precision(SD_SHARE);
    return {std::move(diagonal), is_held};
  }
  const Vector all = second_by_offset(at, logs_);
  Vector found = all;
  for (const LogVotes& half : halves) {
    const Vector of_half = second_by_offset(at, half);
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i] -= rows_.beyond * (of_half[i] - all[i]) / 2;
  }
  for (std::size_t own = 0; own < found.size(); own += c_all + 1)
    is_held = is_held || !(found[own] > LEAST_LEFT * all[own]);
  if (is_held) found = all;
  for (std::size_t own = 0; own < found.size(); own += c_all + 1) found[own] += precision(SD_SHARE);
  return {Curvature::of_pairs(std::move(found), c_all), is_held};
}

double Fit::fit_power(ClassCalibration& found, const Curvature& guide, double enough) const {
  Vector start{std::log(found.power)};
  start.insert(start.end(), found.offset.begin(), found.offset.end());
  const auto free = [&](auto at, auto gradient) { return power_loss(at, gradient); };
  Minimum best = minimise(free, start, guide, enough);
  const double wanted = std::exp(best.at[0]);
  found.power = std::clamp(wanted, SMALLEST_POWER, LARGEST_POWER);
  found.offset.assign(best.at.begin() + 1, best.at.end());
  if (found.power != wanted) {
    // On its bound; the offsets follow, for the sum has no other valley.
    const auto bound = [&](auto at, auto gradient) {
      const double value = offset_loss(found.power, at, gradient);
      gradient[0] = 0;
      return value;
    };
    best = minimise(bound, best.at, power_diagonal(found), enough);
    found.offset.assign(best.at.begin() + 1, best.at.end());
  }
  return best.value;
}

// Log slopes for which power times slope is within the bounds of the power.
void bound_slopes(Vector& at, std::size_t n_classes, double power) {
  const double low = std::log(SMALLEST_POWER / power), high = std::log(LARGEST_POWER / power);
  for (std::size_t c = 0; c < n_classes; ++c) at[c] = std::clamp(at[c], low, high);
}

void Fit::fit_slopes(ClassCalibration& found, const Curvature& guide, double enough) const {
  const std::size_t c_all = n_classes();
  Vector start;
  for (const double slope : found.slopes) start.push_back(std::log(slope));
  start.insert(start.end(), found.offset.begin(), found.offset.end());
  const auto free = [&](auto at, auto gradient) { return slope_loss(found.power, at, gradient); };
  Vector best = minimise(free, start, guide, enough).at;
  Vector within = best;
  bound_slopes(within, c_all, found.power);
  if (within != best) {
    // Some are on their bounds; the others, and the offsets, follow.
    const auto along = [&](auto at, auto gradient) {
      const double value = slope_loss(found.power, at, gradient);
      for (std::size_t i = 0; i < best.size(); ++i) gradient[i] *= within[i] == best[i];
      return value;
    };
    best = minimise(along, within, slope_diagonal(found), enough).at;
    bound_slopes(best, c_all, found.power);
  }
  for (std::size_t c = 0; c < c_all; ++c) found.slopes[c] = std::exp(best[c]);
  found.offset.assign(best.begin() + static_cast<std::ptrdiff_t>(c_all), best.end());
}

// What halves of the trees give more than all, as much of it as a prediction has more trees. Far
// from small it is no first-order change, and is not to be trusted.
Vector Fit::extra(const ClassMap& map, const Halves& halves, const Vector& all) const {
  Vector found(n_classes(), 0.0);
  for (const LogVotes& half : halves) {
    const Vector mass = half.sums(map, weights_).mass;
    for (std::size_t c = 0; c < n_classes(); ++c) found[c] += mass[c] / 2;
  }
  if (halves.empty()) return found;
  for (std::size_t c = 0; c < n_classes(); ++c) {
    const double beyond = rows_.beyond * (found[c] - all[c]);
    found[c] = std::clamp(beyond, -0.5 * count_[c], 0.5 * count_[c]);
  }
  return found;
}

Halves Fit::halves() const {
  Halves found;
  if (rows_.votes.first_half.empty() || !(rows_.beyond > 0)) return found;
  for (const auto mean : {rows_.votes.first_half, rows_.votes.second_half})
    found.emplace_back(rows_.votes, mean, rows_.weights, rows_.n_trees);
  return found;
}

// From `start`. At a zero the shares of classes, with the pull, are those they are to have.
void Fit::match_shares(ClassCalibration& found, const Halves& halves, const ShareGuide& guide,
                       const Vector& start, double enough) const {
  const Vector slope = powers(found);
  Vector held;
  if (guide.is_held) {
    const ClassMap before{slope, found.offset};
    held = extra(before, halves, logs_.sums(before, weights_).mass);
  }
  const auto gaps = [&](std::span<const double> at, std::span<double> out) {
    const ClassMap map{slope, at};
    const Vector all = logs_.sums(map, weights_).mass;
    const Vector beyond = guide.is_held ? held : extra(map, halves, all);
    for (std::size_t c = 0; c < n_classes(); ++c)
      out[c] = all[c] + precision(SD_SHARE) * at[c] - count_[c] - beyond[c];
  };
  found.offset = solve(gaps, start, guide.curvature, enough);
}

ClassCalibration identity(std::size_t n_classes) {
  return {1.0, Vector(n_classes, 0.0), Vector(n_classes, 1.0)};
}

// The weights, 0 but for some evenly spaced ones.
Vector thinned(std::span<const double> weights, std::size_t most) {
  Vector found(weights.begin(), weights.end());
  const auto counts = [](double weight) { return weight > 0; };
  const auto n = static_cast<std::size_t>(std::count_if(found.begin(), found.end(), counts));
  std::size_t place = 0, taken = 0;
  for (double& weight : found) {
    if (!counts(weight) || n <= most) continue;
    if (place++ == taken * n / most) {
      ++taken;
    } else {
      weight = 0;
    }
  }
  return found;
}

// Where searches may begin: from some of the rows, roughly.
CalibrationPath rough_path(const LabelledVotes& rows) {
  const Vector weights = thinned(rows.weights, MOST_ROWS_BENT);
  LabelledVotes some = rows;
  some.weights = weights;
  const Fit fit(some);
  ClassCalibration found = identity(rows.votes.n_classes);
  fit.fit_power(found, fit.power_curvature(found), ENOUGH_TO_BEGIN);
  CalibrationPath path{found, found, {}, {}, {}, {}};
  if (fit.has_slopes()) fit.fit_slopes(path.sloped, fit.slope_curvature(found), ENOUGH_TO_BEGIN);
  return path;
}

// All three fits, from where the path has them; what it lacks is found.
void go(const Fit& fit, CalibrationPath& path, const Enough& enough) {
  if (!path.by_power) path.by_power = fit.power_curvature(path.powered);
  fit.fit_power(path.powered, *path.by_power, enough.gain);
  path.sloped.power = path.powered.power;
  if (fit.has_slopes()) {
    if (!path.by_slopes) path.by_slopes = fit.slope_curvature(path.sloped);
    fit.fit_slopes(path.sloped, *path.by_slopes, enough.gain);
  } else {
    path.sloped.offset = path.powered.offset;
  }
  const Halves halves = fit.halves();
  const bool is_new = !path.by_shares;
  if (is_new) path.by_shares = fit.share_guide(path.sloped, halves);
  const Vector start = is_new ? path.sloped.offset : path.matched.offset;
  path.matched = path.sloped;
  fit.match_shares(path.matched, halves, *path.by_shares, start, enough.move);
}

}  // namespace

CalibrationPath calibration_path(const LabelledVotes& rows, const ClassCalibration& start) {
  const Fit fit(rows);
  const ClassCalibration none = identity(rows.votes.n_classes);
  if (fit.is_empty()) return {none, none, none, {}, {}, {}};
  CalibrationPath path{{start.power, start.offset, none.slopes}, start, {}, {}, {}, {}};
  go(fit, path, ENOUGH_TO_JUDGE);
  return path;
}

ClassCalibration fit_nearby(const LabelledVotes& rows, CalibrationPath path) {
  const Fit fit(rows);
  if (fit.is_empty()) return identity(rows.votes.n_classes);
  go(fit, path, ENOUGH_TO_JUDGE);
  return path.matched;
}

ClassCalibration fit_class_calibration(const LabelledVotes& rows) {
  const Fit fit(rows);
  if (fit.is_empty()) return identity(rows.votes.n_classes);
  CalibrationPath path = rough_path(rows);
  go(fit, path, ENOUGH);
  return path.matched;
}

double calibration_loss(const LabelledVotes& rows) {
  ClassCalibration found = identity(rows.votes.n_classes);
  const Fit fit(rows);
  if (fit.is_empty()) return 0.0;
  return fit.fit_power(found, fit.power_curvature(found), ENOUGH_TO_COMPARE) * fit.n();
}

}  // namespace bayeswood
