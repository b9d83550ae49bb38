// Recalibrating averaged class probabilities on rows that the trees left out.
//
// The map of log_votes.hpp with k_c = power * slope_c. Three fits, each with the former's result,
// over rows of weights w scaled to a mean of 1:
//
//   1. power and b minimise  sum_i w_i (-log q_{i, y_i}) + (log power)^2 / (2 1.5^2)
//      + sum_c b_c^2 / (2 1^2),  0.2 <= power <= 8, slopes 1;
//   2. with three classes or more, up to 30, slopes and b minimise the same sum +
//      sum_c (log slope_c)^2 / (2 0.3^2) + sum_c b_c^2 / (2 1^2), 0.2 <= power slope_c <= 8;
//   3. b solves  sum_i w_i q_ic + b_c / 2^2 = sum_i w_i 1[y_i = c] + extra_c: the mean probability
//      of a class is its share of the rows, but for a pull that is weak beside some tens of rows.
//
// A prediction averages over more trees than left a row out. The mean of a power of an average
// changes with the number of trees like 1/B, at a rate that averages over half of the trees tell:
// extra_c = beyond * sum_i w_i ((q_ic of one half + q_ic of the other) / 2 - q_ic), with beyond =
// 1 - B / (trees in a prediction). Where classes are all but certain, extra_c is taken at the b of
// the second fit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bayeswood/calibration/log_votes.hpp"
#include "bayeswood/calibration/minimise.hpp"

namespace bayeswood {

struct ClassCalibration {
  double power = 1;
  std::vector<double> offset;
  std::vector<double> slopes;
};

// Rows with their true classes; those of weight 0 take no part.
struct LabelledVotes {
  VotesView votes;
  std::span<const std::int32_t> label;
  std::span<const double> weights;
  double n_trees = 1;  // B
  double beyond = 0;   // 1 - B / (trees in a prediction)
};

// What guides the search for shares: second derivatives, and whether extra_c is held.
struct ShareGuide {
  Curvature curvature;
  bool is_held;
};

// A fit on its way: what each of the three came to, and the second derivatives that guided it.
// Fits to much the same rows begin there.
struct CalibrationPath {
  ClassCalibration powered, sloped, matched;
  std::optional<Curvature> by_power, by_slopes;
  std::optional<ShareGuide> by_shares;
};

ClassCalibration fit_class_calibration(const LabelledVotes& rows);

// To judge a calibration by: with log probabilities to some thousandths. The first begins at a fit
// to all rows, the second where the first, on much the same rows, came by.
CalibrationPath calibration_path(const LabelledVotes& rows, const ClassCalibration& start);
ClassCalibration fit_nearby(const LabelledVotes& rows, CalibrationPath path);

// The least value of the first of the sums: how good averages are, to some thousandths of a nat.
double calibration_loss(const LabelledVotes& rows);

}  // namespace bayeswood
