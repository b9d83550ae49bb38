// What the particle filter asks of a leaf: its statistics, which add up, and their log marginal
// likelihood, multiplied by a power. One model for classes and one for numbers; a row may count
// several times (`copies`).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/leaf/dirichlet_multinomial.hpp"
#include "bayeswood/leaf/normal_inverse_gamma.hpp"

namespace bayeswood {

// How often each row counts; an empty span: once.
class Copies {
 public:
  Copies(std::span<const std::int32_t> copies, std::size_t n_rows);
  std::int32_t operator[](std::size_t row) const { return copies_.empty() ? 1 : copies_[row]; }
  bool all_once() const { return copies_.empty(); }
  std::int64_t total() const { return total_; }

 private:
  std::span<const std::int32_t> copies_;
  std::int64_t total_;
};

// lgamma(n + shift) - lgamma(shift) and its steps, from tables for all but the largest counts.
class RisingTable {
 public:
  RisingTable(double shift, std::int64_t largest);
  double operator()(std::int64_t n) const {
    return n < static_cast<std::int64_t>(sums_.size()) ? sums_[static_cast<std::size_t>(n)]
                                                       : beyond_(n);
  }
  // From n to n + 1.
  double step(std::int64_t n) const {
    return n < static_cast<std::int64_t>(steps_.size()) ? steps_[static_cast<std::size_t>(n)]
                                                        : beyond_(n + 1) - beyond_(n);
  }

 private:
  std::vector<double> sums_, steps_;
  LogRising beyond_;
};

// Dirichlet-multinomial leaves (Lakshminarayanan, Roy and Teh 2013, eq. 3).
class ClassLeaves {
 public:
  static constexpr bool COUNTS = true;
  struct Stats {
    std::vector<std::int32_t> counts;
    std::int64_t n = 0;
    bool operator==(const Stats& other) const = default;
  };

  ClassLeaves(std::span<const std::int32_t> labels, const Copies& copies, std::size_t n_classes,
              double total_alpha, double power)
      : labels_(labels),
        copies_(copies),
        n_classes_(n_classes),
        power_(power),
        leaf_(total_alpha / static_cast<double>(n_classes), n_classes, copies.total()),
        class_term_(total_alpha / static_cast<double>(n_classes), copies.total()),
        total_term_(total_alpha, copies.total()) {}

  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_outputs() const { return n_classes_; }
  const Copies& copies() const { return copies_; }
  std::int32_t label(std::size_t row) const { return labels_[row]; }
  Stats nothing() const { return {std::vector<std::int32_t>(n_classes_, 0), 0}; }
  void add(std::size_t row, Stats& stats) const {
    stats.counts[static_cast<std::size_t>(labels_[row])] += copies_[row];
    stats.n += copies_[row];
  }
  // Only if `goes_left`, without a branch.
  void add_if(bool goes_left, std::size_t row, Stats& stats) const {
    const std::int32_t times = copies_[row] & -static_cast<std::int32_t>(goes_left);
    stats.counts[static_cast<std::size_t>(labels_[row])] += times;
    stats.n += times;
  }
  void add(const Stats& part, Stats& stats) const {
    for (std::size_t c = 0; c < n_classes_; ++c) stats.counts[c] += part.counts[c];
    stats.n += part.n;
  }
  Stats rest(const Stats& whole, const Stats& part) const;
  double log_marginal(const Stats& stats) const {
    return power_ * leaf_.log_marginal(stats.counts, stats.n);
  }
  void put_predictive(const Stats& stats, double* out) const {
    for (std::size_t c = 0; c < n_classes_; ++c)
      out[c] = leaf_.predictive(stats.counts[c], stats.n);
  }
  // What levels of a category are ordered by: the share of an output.
  double order_share(const Stats& stats, std::size_t c) const {
    return static_cast<double>(stats.counts[c]) / static_cast<double>(stats.n);
  }

  // Rows moved from the right side of a cut to its left, one after another.
  class Walk {
   public:
    explicit Walk(const ClassLeaves& model) : model_(model) {}
    void start(const Stats& whole);
    void move(std::size_t row) {
      const auto c = static_cast<std::size_t>(model_.labels_[row]);
      if (!model_.copies_.all_once()) return move(c, model_.copies_[row]);
      left_sum_ += model_.class_term_.step(left_[c]++);
      right_sum_ -= model_.class_term_.step(--right_[c]);
      ++n_left_;
      --n_right_;
    }
    void move(std::size_t c, std::int32_t times) {
      const RisingTable& term = model_.class_term_;
      left_sum_ += term(left_[c] + times) - term(left_[c]);
      right_sum_ += term(right_[c] - times) - term(right_[c]);
      left_[c] += times;
      right_[c] -= times;
      n_left_ += times;
      n_right_ -= times;
    }
    std::int64_t n_left() const { return n_left_; }
    std::int64_t n_right() const { return n_right_; }
    // Log marginal likelihood of both sides.
    double log_marginals() const {
      return model_.power_ *
             (left_sum_ - model_.total_term_(n_left_) + right_sum_ - model_.total_term_(n_right_));
    }

   private:
    const ClassLeaves& model_;
    std::vector<std::int32_t> left_, right_;
    double left_sum_ = 0, right_sum_ = 0;
    std::int64_t n_left_ = 0, n_right_ = 0;
  };

 private:
  std::span<const std::int32_t> labels_;
  Copies copies_;
  std::size_t n_classes_;
  double power_;
  DirichletMultinomial leaf_;
  RisingTable class_term_;
  RisingTable total_term_;
};

// Normal-inverse-gamma leaves; responses are whole numbers of `prior.unit` from the prior mean.
class NumberLeaves {
 public:
  static constexpr bool COUNTS = false;
  struct Stats : LeafSums {
    bool operator==(const Stats& other) const {
      return n == other.n && sum == other.sum && squares_high == other.squares_high &&
             squares_low == other.squares_low;
    }
  };

  NumberLeaves(std::span<const std::int32_t> values, const Copies& copies, const NumberPrior& prior,
               double center, double power)
      : values_(values),
        copies_(copies),
        center_(center),
        power_(power),
        leaf_(prior, copies.total()) {}

  std::size_t n_outputs() const { return 1; }
  const Copies& copies() const { return copies_; }
  Stats nothing() const { return {}; }
  void add(std::size_t row, Stats& stats) const { add_value(values_[row], copies_[row], stats); }
  void add_if(bool goes_left, std::size_t row, Stats& stats) const {
    add_value(values_[row], copies_[row] & -static_cast<std::int32_t>(goes_left), stats);
  }
  void add(const Stats& part, Stats& stats) const;
  Stats rest(const Stats& whole, const Stats& part) const;
  double log_marginal(const Stats& stats) const { return power_ * leaf_.log_marginal(stats); }
  NumberPredictive predictive(const Stats& stats) const {
    NumberPredictive found = leaf_.predictive(stats);
    found.mean += center_;
    return found;
  }
  void put_predictive(const Stats& stats, double* out) const { *out = predictive(stats).mean; }
  double order_share(const Stats& stats, std::size_t) const {
    return static_cast<double>(stats.sum) / static_cast<double>(stats.n);
  }

  class Walk {
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
    double log_marginals() const {
      return model_.log_marginal(left_) + model_.log_marginal(right_);
    }

   private:
    const NumberLeaves& model_;
    Stats left_{}, right_{};
  };

 private:
  std::span<const std::int32_t> values_;
  Copies copies_;
  double center_;
  double power_;
  NormalInverseGamma leaf_;
};

}  // namespace bayeswood
