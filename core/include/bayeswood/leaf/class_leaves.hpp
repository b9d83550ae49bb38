// Dirichlet-multinomial leaves (Lakshminarayanan, Roy and Teh 2013, eq. 3), as samplers of trees
// use them; see leaf_model.hpp. Statistics: rows of each class. Leaves predict
// (m_c + alpha_c) / (n + A), A the sum of the alpha_c.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bayeswood/leaf/dirichlet_multinomial.hpp"
#include "bayeswood/leaf/row_copies.hpp"

namespace bayeswood {

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

class ClassLeaves {
 public:
  static constexpr bool IS_CLASSIFIER = true;
  struct Stats {
    std::vector<std::int32_t> counts;
    std::int64_t n = 0;
    bool operator==(const Stats& other) const = default;
  };
  class Walk;

  // Labels and copies are looked at, not copied.
  ClassLeaves(std::span<const std::int32_t> labels, const RowCopies& copies,
              const DirichletPrior& prior, double power)
      : labels_(labels),
        copies_(copies),
        n_classes_(prior.n_classes()),
        power_(power),
        leaf_(prior, copies.total()) {}

  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_outputs() const { return n_classes_; }
  const RowCopies& copies() const { return copies_; }
  double power() const { return power_; }
  std::int32_t label(std::size_t row) const { return labels_[row]; }

  Stats nothing() const { return {std::vector<std::int32_t>(n_classes_, 0), 0}; }
  void add(std::size_t row, Stats& stats) const {
    stats.counts[static_cast<std::size_t>(labels_[row])] += copies_[row];
    stats.n += copies_[row];
  }
  void add_if(bool goes_left, std::size_t row, Stats& stats) const {
    const std::int32_t times = copies_[row] & -static_cast<std::int32_t>(goes_left);
    stats.counts[static_cast<std::size_t>(labels_[row])] += times;
    stats.n += times;
  }
  void add(const Stats& part, Stats& stats) const {
    for (std::size_t c = 0; c < n_classes_; ++c) stats.counts[c] += part.counts[c];
    stats.n += part.n;
  }
  void subtract(const Stats& part, Stats& stats) const {
    for (std::size_t c = 0; c < n_classes_; ++c) stats.counts[c] -= part.counts[c];
    stats.n -= part.n;
  }

  double log_marginal(const Stats& stats) const {
    return leaf_.log_marginal(stats.counts, stats.n);
  }
  double powered_log_marginal(const Stats& stats) const { return power_ * log_marginal(stats); }
  void put_predictive(const Stats& stats, double* out) const {
    for (std::size_t c = 0; c < n_classes_; ++c)
      out[c] = leaf_.predictive(c, stats.counts[c], stats.n);
  }
  double order_share(const Stats& stats, std::size_t c) const {
    return static_cast<double>(stats.counts[c]) / static_cast<double>(stats.n);
  }

 private:
  struct CutTerms {
    std::vector<RisingTable> of_class;
    RisingTable of_total;
  };
  // Made for the first walk: the tables are long, and who takes no walk needs none.
  const CutTerms& cut_terms() const;

  std::span<const std::int32_t> labels_;
  RowCopies copies_;
  std::size_t n_classes_;
  double power_;
  DirichletMultinomial leaf_;
  mutable std::once_flag cut_terms_once_;
  mutable std::unique_ptr<const CutTerms> cut_terms_;
};

class ClassLeaves::Walk {
 public:
  explicit Walk(const ClassLeaves& model) : model_(model), terms_(model.cut_terms()) {}
  void start(const Stats& whole);
  void move(std::size_t row) {
    const auto c = static_cast<std::size_t>(model_.labels_[row]);
    if (!model_.copies_.all_once()) return move(c, model_.copies_[row]);
    const RisingTable& term = of_class(c);
    left_sum_ += term.step(left_[c]++);
    right_sum_ -= term.step(--right_[c]);
    ++n_left_;
    --n_right_;
  }
  // Several rows of one class.
  void move(std::size_t c, std::int32_t times) {
    const RisingTable& term = of_class(c);
    left_sum_ += term(left_[c] + times) - term(left_[c]);
    right_sum_ += term(right_[c] - times) - term(right_[c]);
    left_[c] += times;
    right_[c] -= times;
    n_left_ += times;
    n_right_ -= times;
  }
  std::int64_t n_left() const { return n_left_; }
  std::int64_t n_right() const { return n_right_; }
  double powered_log_marginals() const {
    return model_.power_ *
           (left_sum_ - terms_.of_total(n_left_) + right_sum_ - terms_.of_total(n_right_));
  }

 private:
  const RisingTable& of_class(std::size_t c) const {
    return terms_.of_class[model_.leaf_.prior().table(c)];
  }

  const ClassLeaves& model_;
  const CutTerms& terms_;
  std::vector<std::int32_t> left_, right_;
  double left_sum_ = 0, right_sum_ = 0;
  std::int64_t n_left_ = 0, n_right_ = 0;
};

}  // namespace bayeswood
