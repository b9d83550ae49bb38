#include "bayeswood/calibration/class_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bayeswood/calibration/minimise.hpp"

namespace bayeswood {
namespace {

using Vector = std::vector<double>;

constexpr double SMALLEST_POWER = 0.2, LARGEST_POWER = 8.0;
constexpr double SD_LOG_POWER = 1.5, SD_LOG_SLOPE = 0.3, SD_OFFSET = 1.0, SD_SHARE = 2.0;
// Classes up to which each has a slope.
constexpr std::size_t MOST_CLASSES_SLOPED = 30;
constexpr double ENOUGH = 1e-13, ENOUGH_FOR_SLOPES = 1e-11, ENOUGH_TO_COMPARE = 1e-7,
                 ENOUGH_TO_BEGIN = 1e-3;
// Rounds in which the change from half to all trees is found anew, and the change that is none.
constexpr int MOST_ROUNDS = 8;
constexpr double SAME_OFFSET = 1e-6;
// Classes up to which curvatures are of pairs of parameters, and the rows that they are taken from:
// they guide the search, so that it has few steps, and say nothing of where it ends.
constexpr std::size_t MOST_CLASSES_PAIRED = 64, MOST_ROWS_BENT = 2048;

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
  double fit_power(ClassCalibration& found, double enough) const;
  void fit_slopes(ClassCalibration& found) const;
  void match_shares(ClassCalibration& found) const;

 private:
  // The mean of -log q at the truth, and its gradient by slope k and by offset.
  double loss(const ClassMap& map, Vector& by_slope, Vector& by_offset) const;
  double power_loss(std::span<const double> at, std::span<double> gradient) const;
  double offset_loss(double power, std::span<const double> at, std::span<double> gradient) const;
  double slope_loss(double power, std::span<const double> at, std::span<double> gradient) const;
  // At offsets that were asked for last, what was found then.
  struct LastSums {
    Vector offset;
    ClassSums sums;
  };
  const ClassSums& sums_at(const Vector& slope, std::span<const double> offset,
                           LastSums& last) const;
  double share_loss(const Vector& slope, const Vector& target, std::span<const double> offset,
                    std::span<double> gradient, LastSums& last) const;
  Vector extra(const Vector& slope, const Vector& offset, const std::vector<LogVotes>& halves,
               LastSums& last) const;
  ClassSums second_sums(const ClassCalibration& at) const;
  bool is_paired() const { return n_classes() <= MOST_CLASSES_PAIRED; }
  Vector second_derivatives(const ClassCalibration& at) const;
  Curvature power_curvature(const ClassCalibration& at, const Vector& diagonal) const;
  Curvature slope_curvature(const ClassCalibration& at, const Vector& diagonal) const;
  Curvature share_curvature(const ClassCalibration& at) const;

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

const ClassSums& Fit::sums_at(const Vector& slope, std::span<const double> offset,
                              LastSums& last) const {
  if (!std::equal(offset.begin(), offset.end(), last.offset.begin(), last.offset.end())) {
    last.sums = logs_.sums({slope, offset}, weights_);
    last.offset.assign(offset.begin(), offset.end());
  }
  return last.sums;
}

// Convex in b; its gradient is 0 where the mean probabilities are the target, but for the pull.
double Fit::share_loss(const Vector& slope, const Vector& target, std::span<const double> offset,
                       std::span<double> gradient, LastSums& last) const {
  const ClassSums& sums = sums_at(slope, offset, last);
  double value = sums.log_z / n();
  for (std::size_t c = 0; c < n_classes(); ++c) {
    value -= offset[c] * target[c] / n();
    gradient[c] = (sums.mass[c] - target[c]) / n();
    value += penalty(offset[c], SD_SHARE, n(), gradient[c]);
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

// By log power and b.
Curvature Fit::power_curvature(const ClassCalibration& at, const Vector& diagonal) const {
  if (!is_paired()) return diagonal;
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
Curvature Fit::slope_curvature(const ClassCalibration& at, const Vector& diagonal) const {
  if (!is_paired()) return diagonal;
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

// By b.
Curvature Fit::share_curvature(const ClassCalibration& at) const {
  const std::size_t c_all = n_classes(), width = 2 * c_all;
  if (!is_paired()) {
    Vector diagonal = second_sums(at).spread;
    for (double& value : diagonal) value = (value + precision(SD_SHARE)) / n();
    return diagonal;
  }
  const Vector second = second_derivatives(at);
  Vector found(c_all * c_all, 0.0);
  for (std::size_t c = 0; c < c_all; ++c) {
    for (std::size_t other = 0; other <= c; ++other)
      found[c * c_all + other] = second[(c_all + c) * width + c_all + other] / n();
    found[c * (c_all + 1)] += precision(SD_SHARE) / n();
  }
  return Curvature::of_pairs(std::move(found), c_all);
}

double Fit::fit_power(ClassCalibration& found, double enough) const {
  const ClassSums second = second_sums(found);
  Vector curvature{precision(SD_LOG_POWER)}, start{std::log(found.power)};
  for (std::size_t c = 0; c < n_classes(); ++c) {
    curvature[0] += second.bend[c] * found.power * found.power;
    curvature.push_back((second.spread[c] + precision(SD_OFFSET)) / n());
    start.push_back(found.offset[c]);
  }
  curvature[0] /= n();
  const auto free = [&](auto at, auto gradient) { return power_loss(at, gradient); };
  Minimum best = minimise(free, start, power_curvature(found, curvature), enough);
  const double wanted = std::exp(best.at[0]);
  found.power = std::clamp(wanted, SMALLEST_POWER, LARGEST_POWER);
  if (found.power != wanted) {
    // On its bound; the offsets follow, for the sum has no other valley.
    const auto bound = [&](auto at, auto gradient) {
      const double value = offset_loss(found.power, at, gradient);
      gradient[0] = 0;
      return value;
    };
    best = minimise(bound, best.at, curvature, enough);
  }
  found.offset.assign(best.at.begin() + 1, best.at.end());
  return best.value;
}

// Log slopes for which power times slope is within the bounds of the power.
void bound_slopes(Vector& at, std::size_t n_classes, double power) {
  const double low = std::log(SMALLEST_POWER / power), high = std::log(LARGEST_POWER / power);
  for (std::size_t c = 0; c < n_classes; ++c) at[c] = std::clamp(at[c], low, high);
}

void Fit::fit_slopes(ClassCalibration& found) const {
  const ClassSums second = second_sums(found);
  const std::size_t c_all = n_classes();
  Vector curvature(2 * c_all), start(2 * c_all);
  for (std::size_t c = 0; c < c_all; ++c) {
    const double slope = found.power * found.slopes[c];
    curvature[c] = (second.bend[c] * slope * slope + precision(SD_LOG_SLOPE)) / n();
    curvature[c_all + c] = (second.spread[c] + precision(SD_OFFSET)) / n();
    start[c] = std::log(found.slopes[c]);
    start[c_all + c] = found.offset[c];
  }
  const auto free = [&](auto at, auto gradient) { return slope_loss(found.power, at, gradient); };
  Vector best = minimise(free, start, slope_curvature(found, curvature), ENOUGH_FOR_SLOPES).at;
  Vector within = best;
  bound_slopes(within, c_all, found.power);
  if (within != best) {
    // Some are on their bounds; the others, and the offsets, follow.
    const auto along = [&](auto at, auto gradient) {
      const double value = slope_loss(found.power, at, gradient);
      for (std::size_t i = 0; i < best.size(); ++i) gradient[i] *= within[i] == best[i];
      return value;
    };
    best = minimise(along, within, curvature, ENOUGH_FOR_SLOPES).at;
    bound_slopes(best, c_all, found.power);
  }
  for (std::size_t c = 0; c < c_all; ++c) found.slopes[c] = std::exp(best[c]);
  found.offset.assign(best.begin() + static_cast<std::ptrdiff_t>(c_all), best.end());
}

// What halves of the trees give more than all, as much of it as a prediction has more trees.
Vector Fit::extra(const Vector& slope, const Vector& offset, const std::vector<LogVotes>& halves,
                  LastSums& last) const {
  Vector found(n_classes(), 0.0);
  if (halves.empty()) return found;
  const Vector& all = sums_at(slope, offset, last).mass;
  const Vector one = halves[0].sums({slope, offset}, weights_).mass;
  const Vector other = halves[1].sums({slope, offset}, weights_).mass;
  for (std::size_t c = 0; c < n_classes(); ++c) {
    // Far from small it is no first-order change, and is not to be trusted.
    const double gap = rows_.beyond * ((one[c] + other[c]) / 2 - all[c]);
    found[c] = std::clamp(gap, -0.5 * count_[c], 0.5 * count_[c]);
  }
  return found;
}

void Fit::match_shares(ClassCalibration& found) const {
  std::vector<LogVotes> halves;
  if (!rows_.votes.first_half.empty() && rows_.beyond > 0) {
    for (const auto mean : {rows_.votes.first_half, rows_.votes.second_half})
      halves.emplace_back(rows_.votes, mean, rows_.weights, rows_.n_trees);
  }
  const Vector slope = powers(found);
  const Curvature curvature = share_curvature(found);
  LastSums last;
  for (int round = 0; round < MOST_ROUNDS; ++round) {
    Vector target = extra(slope, found.offset, halves, last);
    for (std::size_t c = 0; c < n_classes(); ++c) target[c] += count_[c];
    const auto shares = [&](auto at, auto gradient) {
      return share_loss(slope, target, at, gradient, last);
    };
    const Vector before = found.offset;
    found.offset = minimise(shares, before, curvature, ENOUGH).at;
    double change = 0;
    for (std::size_t c = 0; c < n_classes(); ++c)
      change = std::max(change, std::abs(found.offset[c] - before[c]));
    if (halves.empty() || change < SAME_OFFSET) break;
  }
}

ClassCalibration identity(std::size_t n_classes) {
  return {1.0, Vector(n_classes, 0.0), Vector(n_classes, 1.0)};
}

}  // namespace

ClassCalibration fit_class_calibration(const LabelledVotes& rows, const ClassCalibration* start) {
  ClassCalibration found = identity(rows.votes.n_classes);
  const Fit fit(rows);
  if (fit.is_empty()) return found;
  if (start != nullptr) {
    found.power = start->power;
    found.offset = start->offset;
  } else {
    fit.fit_power(found, ENOUGH_TO_BEGIN);  // curvatures there are those of the end
  }
  fit.fit_power(found, ENOUGH);
  if (fit.has_slopes()) {
    if (start != nullptr) found.slopes = start->slopes;
    fit.fit_slopes(found);
  }
  fit.match_shares(found);
  return found;
}

double calibration_loss(const LabelledVotes& rows) {
  ClassCalibration found = identity(rows.votes.n_classes);
  const Fit fit(rows);
  return fit.is_empty() ? 0.0 : fit.fit_power(found, ENOUGH_TO_COMPARE) * fit.n();
}

}  // namespace bayeswood
