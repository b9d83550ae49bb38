// Normal-inverse-gamma leaves, as samplers of trees use them; see leaf_model.hpp. Responses are
// whole numbers of `prior.unit` from the prior mean, `center`. Statistics: number, sum and sum of
// squares. Leaves predict the mean of a Student distribution.
#pragma once

#include <cstdint>
#include <span>

#include "bayeswood/leaf/normal_inverse_gamma.hpp"
#include "bayeswood/leaf/row_copies.hpp"

namespace bayeswood {

class NumberLeaves {
 public:
  static constexpr bool IS_CLASSIFIER = false;
  using Stats = LeafSums;
  class Walk;

  // Values and copies are looked at, not copied.
  NumberLeaves(std::span<const std::int32_t> values, const RowCopies& copies,
               const NumberPrior& prior, double center, double power)
      : values_(values),
        copies_(copies),
        center_(center),
        power_(power),
        leaf_(prior, copies.total()) {}

  std::size_t n_outputs() const { return 1; }
  const RowCopies& copies() const { return copies_; }
  double power() const { return power_; }

  Stats nothing() const { return {}; }
  void add(std::size_t row, Stats& stats) const { add_value(values_[row], copies_[row], stats); }
  void add_if(bool goes_left, std::size_t row, Stats& stats) const {
    add_value(values_[row], copies_[row] & -static_cast<std::int32_t>(goes_left), stats);
  }
  void add(const Stats& part, Stats& stats) const { stats += part; }
  void subtract(const Stats& part, Stats& stats) const { stats -= part; }

  double log_marginal(const Stats& stats) const { return leaf_.log_marginal(stats); }
  double powered_log_marginal(const Stats& stats) const { return power_ * log_marginal(stats); }
  NumberPredictive predictive(const Stats& stats) const {
    NumberPredictive found = leaf_.predictive(stats);
    found.mean += center_;
    return found;
  }
  double order_share(const Stats& stats, std::size_t) const {
    return static_cast<double>(stats.sum) / static_cast<double>(stats.n);
  }

 private:
  std::span<const std::int32_t> values_;
  RowCopies copies_;
  double center_;
  double power_;
  NormalInverseGamma leaf_;
};

class NumberLeaves::Walk {
 public:
  explicit Walk(const NumberLeaves& model) : model_(model) {}
  void start(const Stats& whole) {
    left_ = {};
    right_ = whole;
  }
  void move(std::size_t row) {
    add_value(model_.values_[row], model_.copies_[row], left_);
    add_value(model_.values_[row], -model_.copies_[row], right_);
  }
  std::int64_t n_left() const { return left_.n; }
  std::int64_t n_right() const { return right_.n; }
  double powered_log_marginals() const {
    return model_.powered_log_marginal(left_) + model_.powered_log_marginal(right_);
  }

 private:
  const NumberLeaves& model_;
  Stats left_{}, right_{};
};

}  // namespace bayeswood
