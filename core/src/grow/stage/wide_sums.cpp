// Weighted rows, or several responses: sums in doubles.
//
// A bin holds the number of its rows, the sums of w and w^2, and of w times each response.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "bayeswood/grow/stage/bin_sums.hpp"

namespace bayeswood {
namespace {

constexpr std::size_t N = 0, W = 1, WW = 2, FIRST = 3;

// K: the number of responses, 0 where it is known only as the program runs.
template <std::uint32_t K>
class WideSums final : public BinSums {
 public:
  WideSums(const ByteBins& bins, std::uint32_t n_outputs)
      : BinSums(bins, n_outputs), record_(bins.n_rows() * stride()) {}

  void load(const StageTarget& target, std::span<const std::uint32_t> rows) override {
    exponent_ = scale_exponent(target, rows, 0);
    const double scale = std::ldexp(1.0, exponent_);
    squares_ = 0;
    for (const auto row : rows) {
      const double w = target.weights.empty() ? 1.0 : target.weights[row];
      const double* r = target.responses.data() + std::size_t{row} * k();
      double* own = record_.data() + std::size_t{row} * stride();
      own[N] = 1;
      own[W] = w;
      own[WW] = w * w;
      for (std::size_t j = 0; j < k(); ++j) {
        own[FIRST + j] = w * (r[j] * scale);
        squares_ += own[FIRST + j] * (r[j] * scale);
      }
    }
  }

  NodeTotals totals(std::span<const std::uint32_t> rows) const override {
    std::vector<double> sum(stride());
    for (const auto row : rows) add(sum.data(), record(row));
    NodeTotals found;
    found.n = static_cast<std::uint32_t>(rows.size());
    found.w = sum[W];
    found.wy = sum[FIRST];
    found.score = score(sum.data());
    if (!has_prices_) return found;
    double squares = 0;
    for (const auto row : rows) squares += score(record(row));
    found.impurity = std::max(0.0, squares - found.score);
    return found;
  }

  NodeTotals rest(const NodeTotals&, const NodeTotals&,
                  std::span<const std::uint32_t> rows) const override {
    return totals(rows);
  }

  void fill(NodeBins& node, std::span<const std::uint32_t> rows) const override {
    node.wide.assign(bins_.n_slots() * stride(), 0.0);
    const std::size_t d = bins_.n_numbers();
    std::vector<double*> first(d);
    for (std::size_t j = 0; j < d; ++j)
      first[j] = node.wide.data() + bins_.feature(bins_.numbers()[j]).first_slot * stride();
    for (const auto row : rows) {
      const std::uint8_t* bin = bins_.row(row);
      for (std::size_t j = 0; j < d; ++j) add(first[j] + bin[j] * stride(), record(row));
    }
  }

  void fill(NodeBins& node, std::span<const std::uint32_t> rows,
            std::uint32_t feature) const override {
    const FeatureBins& own = bins_.feature(feature);
    node.wide.resize(bins_.n_slots() * stride());
    double* sums = node.wide.data() + own.first_slot * stride();
    const bool missing = bins_.matrix().feature(feature).has_missing;
    std::fill_n(sums, (own.n_bins() + (missing ? 1 : 0)) * stride(), 0.0);
    const std::uint8_t* bin = bins_.column(own.place);
    for (const auto row : rows) add(sums + bin[row] * stride(), record(row));
  }

  void subtract(NodeBins& parent, const NodeBins& child) const override {
    for (std::size_t at = 0; at < parent.wide.size(); at += stride()) {
      double* sums = parent.wide.data() + at;
      for (std::size_t j = 0; j < stride(); ++j) sums[j] -= child.wide[at + j];
      if (sums[N] == 0) std::fill_n(sums, stride(), 0.0);  // no dust of rounding in empty bins
    }
  }

  Split best_cut(const NodeBins& node, std::uint32_t feature, const NodeTotals&,
                 const Limits& limits) const override {
    const FeatureBins& own = bins_.feature(feature);
    const double* sums = node.wide.data() + own.first_slot * stride();
    const std::uint32_t n_bins = own.n_bins();
    const bool missing = bins_.matrix().feature(feature).has_missing && sums[n_bins * stride()] > 0;
    std::vector<double> all(stride());
    for (std::uint32_t bin = 0; bin < n_bins + (missing ? 1 : 0); ++bin)
      add(all.data(), sums + bin * stride());
    Split best = scan(sums, n_bins, nullptr, all, limits);
    if (missing) {
      Split left = scan(sums, n_bins, sums + n_bins * stride(), all, limits);
      left.missing_left = true;
      keep_better(best, std::move(left), limits.tolerance);
      best.missing_seen = true;
    }
    best.feature = feature;
    return best;
  }

  Split best_levels(std::span<const std::uint32_t> rows, std::uint32_t feature, double root_trust,
                    const NodeTotals& totals, const Limits& limits) override {
    sum_levels(rows, feature);
    if (k() == 1) return scalar_levels(feature, root_trust, totals, limits);
    Split best = best_order(limits);
    if (best.found() && LevelSpread::pays(levels_.size(), totals, root_trust))
      spread().charge(best, totals, root_trust, limits.tolerance);
    best.feature = feature;
    return best;
  }

  double level_trust(std::span<const std::uint32_t> rows, std::uint32_t feature,
                     const NodeTotals& totals) override {
    sum_levels(rows, feature);
    return spread().trust(totals);
  }

 private:
  std::size_t k() const { return K > 0 ? K : n_outputs_; }
  std::size_t stride() const { return FIRST + k(); }
  const double* record(std::size_t row) const { return record_.data() + row * stride(); }

  void add(double* sums, const double* more) const {
    for (std::size_t j = 0; j < stride(); ++j) sums[j] += more[j];
  }
  double score(const double* sums) const {
    double found = 0;
    for (std::size_t j = FIRST; j < stride(); ++j) found += sums[j] * sums[j];
    return found / sums[W];
  }
  // Of the cut that has `left` on its left, `all` in all; NO_SCORE where it is not allowed.
  double cut_score(const double* left, const double* all, const Limits& limits) const {
    const double w_right = all[W] - left[W];
    const double n_right = all[N] - left[N];
    if (std::min(left[N], n_right) < limits.min_rows) return NO_SCORE;
    if (std::min(left[W], w_right) < limits.min_weight) return NO_SCORE;
    double right = 0;
    for (std::size_t j = FIRST; j < stride(); ++j) right += (all[j] - left[j]) * (all[j] - left[j]);
    return score(left) + right / w_right;
  }

  // Cuts after each bin that has rows, from the lowest up; `start`: what stands left of all.
  Split scan(const double* sums, std::uint32_t n_bins, const double* start,
             const std::vector<double>& all, const Limits& limits) const {
    Split best;
    double to_beat = NO_SCORE;
    std::vector<double> left(stride());
    if (start != nullptr) add(left.data(), start);
    for (std::uint32_t bin = 0; bin < n_bins; ++bin) {
      if (sums[bin * stride() + N] == 0) continue;
      add(left.data(), sums + bin * stride());
      const double found = cut_score(left.data(), all.data(), limits);
      if (found > to_beat) {
        best.score = found;
        best.cut_code = bin;
        to_beat = found + limits.tolerance;
      }
    }
    best.upper_code = best.cut_code + 1;
    while (best.upper_code < n_bins && sums[best.upper_code * stride() + N] == 0) ++best.upper_code;
    return best;
  }

  void sum_levels(std::span<const std::uint32_t> rows, std::uint32_t feature) {
    const std::uint32_t n_codes = bins_.matrix().feature(feature).n_codes;
    const std::uint16_t* code = bins_.matrix().column(feature);
    by_level_.assign((std::size_t{n_codes} + 1) * stride(), 0.0);  // the last for missing values
    for (const auto row : rows)
      add(by_level_.data() + std::min<std::uint32_t>(code[row], n_codes) * stride(), record(row));
    levels_.clear();
    for (std::uint32_t level = 0; level <= n_codes; ++level)
      if (by_level_[level * stride() + N] > 0) levels_.push_back(level);
    missing_level_ = n_codes;
  }

  const double* level(std::size_t i) const { return by_level_.data() + levels_[i] * stride(); }
  std::uint16_t code_of_level(std::size_t i) const {
    return levels_[i] == missing_level_ ? MISSING_CODE : static_cast<std::uint16_t>(levels_[i]);
  }

  LevelSpread spread() const {
    LevelSpread found;
    for (std::size_t i = 0; i < levels_.size(); ++i)
      found.add(level(i)[W], level(i)[WW], score(level(i)));
    return found;
  }

  Split scalar_levels(std::uint32_t feature, double root_trust, const NodeTotals& totals,
                      const Limits& limits) {
    std::vector<LevelSums> sums;
    std::vector<double> ww;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const double* own = level(i);
      sums.push_back({code_of_level(i), static_cast<std::uint32_t>(own[N]), own[W], own[FIRST]});
      ww.push_back(own[WW]);
    }
    return best_paid_prefix(sums, ww, feature, root_trust, totals, limits);
  }

  // The best prefix over the orders by the mean of each of the first responses.
  Split best_order(const Limits& limits) const {
    Split best;
    std::vector<double> all(stride());
    for (std::size_t i = 0; i < levels_.size(); ++i) add(all.data(), level(i));
    std::vector<std::size_t> order(levels_.size());
    for (std::size_t j = 0; j < std::min(k(), MAX_ORDERS); ++j) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return level(a)[FIRST + j] / level(a)[W] < level(b)[FIRST + j] / level(b)[W];
      });
      offer_prefixes(order, all, limits, best);
    }
    note_missing_level(best);
    return best;
  }

  void offer_prefixes(const std::vector<std::size_t>& order, const std::vector<double>& all,
                      const Limits& limits, Split& best) const {
    std::vector<double> left(stride());
    std::size_t length = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      add(left.data(), level(order[i]));
      const double found = cut_score(left.data(), all.data(), limits);
      if (found == NO_SCORE || (best.found() && found <= best.score + limits.tolerance)) continue;
      best.score = found;
      length = i + 1;
    }
    if (length == 0) return;
    best.levels = std::make_unique<LevelSides>();
    for (std::size_t i = 0; i < order.size(); ++i)
      (i < length ? best.levels->left : best.levels->right).push_back(code_of_level(order[i]));
  }

  std::vector<double> record_;  // by row
  std::vector<double> by_level_;
  std::vector<std::uint32_t> levels_;  // that have rows, ascending; missing values last
  std::uint32_t missing_level_ = 0;
};

}  // namespace

std::unique_ptr<BinSums> make_wide_sums(const ByteBins& bins, std::uint32_t n_outputs) {
  if (n_outputs == 1) return std::make_unique<WideSums<1>>(bins, n_outputs);
  return std::make_unique<WideSums<0>>(bins, n_outputs);
}

}  // namespace bayeswood
