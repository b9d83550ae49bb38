// How good a calibration is, judged on rows that it was not fitted to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/parallel.hpp"
#include "bayeswood/calibration/class_calibration.hpp"

namespace bayeswood {

// What is said of a row, before (p~) and after calibration: the probability of the true class,
// that of the most probable class, 1 if that is the true one, sum_c q_c^2, and the probability of
// the second class.
constexpr std::size_t N_ROW_SCORES = 5;

struct JudgedVotes {
  std::vector<double> scores;      // N_ROW_SCORES x n_rows x 2; 0 where a row is not judged
  std::vector<double> mean_proba;  // of every class, as a prediction over more trees would have it
};

// Every row is calibrated by a fit to the rows of other folds. `fold`: 0, ..., n_folds - 1, or
// negative where a row is not to be used. The only fold that has rows is judged by itself.
// mean_proba is weighted; from averages over B trees to those of a prediction it is moved as the
// third fit of class_calibration.hpp is.
JudgedVotes judge_votes(const LabelledVotes& rows, std::span<const std::int32_t> fold,
                        std::size_t n_folds, const ClassCalibration& start, unsigned n_threads);

}  // namespace bayeswood
