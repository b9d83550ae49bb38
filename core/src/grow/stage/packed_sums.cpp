// Rows of weight 1 with one response: sum and number of rows in one word.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "bayeswood/grow/stage/bin_sums.hpp"

namespace bayeswood {
namespace {

// More bits than this of a response are noise; and sums of whole numbers stay exact as doubles.
constexpr int MOST_BITS = 40;

class PackedSums final : public BinSums {
 public:
  explicit PackedSums(const ByteBins& bins) : BinSums(bins, 1), value_(bins.n_rows()) {}

  void load(const StageTarget& target, std::span<const std::uint32_t> rows) override {
    count_bits_ = std::bit_width(rows.size());
    exponent_ = scale_exponent(target, rows, std::min(63 - 2 * count_bits_, MOST_BITS));
    const double scale = std::ldexp(1.0, exponent_);
    squares_ = 0;
    for (const auto row : rows) {
      const auto whole = static_cast<std::int64_t>(std::llrint(target.responses[row] * scale));
      value_[row] = (whole << count_bits_) + 1;
      squares_ += static_cast<double>(whole) * static_cast<double>(whole);
    }
  }

  NodeTotals totals(std::span<const std::uint32_t> rows) const override {
    std::int64_t sum = 0;
    for (const auto row : rows) sum += value_[row];
    NodeTotals found;
    found.n = static_cast<std::uint32_t>(rows.size());
    found.wy = response(sum);
    return finished(found, rows);
  }

  NodeTotals rest(const NodeTotals& parent, const NodeTotals& child,
                  std::span<const std::uint32_t> rows) const override {
    NodeTotals found;
    found.n = parent.n - child.n;
    found.wy = parent.wy - child.wy;
    return finished(found, rows);
  }

  void fill(NodeBins& node, std::span<const std::uint32_t> rows) const override {
    node.packed.assign(bins_.n_slots(), 0);
    const std::size_t d = bins_.n_numbers();
    std::size_t place = 0;
    for (; place + 8 <= d; place += 8) add<8>(node, rows, place);
    for (; place + 4 <= d; place += 4) add<4>(node, rows, place);
    for (; place < d; ++place) add<1>(node, rows, place);
  }

  void fill(NodeBins& node, std::span<const std::uint32_t> rows,
            std::uint32_t feature) const override {
    const FeatureBins& own = bins_.feature(feature);
    node.packed.resize(bins_.n_slots());
    std::int64_t* sums = node.packed.data() + own.first_slot;
    const bool missing = bins_.matrix().feature(feature).has_missing;
    std::fill_n(sums, own.n_bins() + (missing ? 1 : 0), 0);
    const std::uint8_t* bin = bins_.column(own.place);
    for (const auto row : rows) sums[bin[row]] += value_[row];
  }

  void subtract(NodeBins& parent, const NodeBins& child) const override {
    for (std::size_t i = 0; i < parent.packed.size(); ++i) parent.packed[i] -= child.packed[i];
  }

  Split best_cut(const NodeBins& node, std::uint32_t feature, const NodeTotals& totals,
                 const Limits& limits) const override {
    const FeatureBins& own = bins_.feature(feature);
    const std::int64_t* sums = node.packed.data() + own.first_slot;
    const std::uint32_t n_bins = own.n_bins();
    const std::int64_t missing = bins_.matrix().feature(feature).has_missing ? sums[n_bins] : 0;
    Split best = scan(sums, n_bins, 0, totals, limits);
    if (missing != 0) {
      Split left = scan(sums, n_bins, missing, totals, limits);
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
    return best_paid_prefix(levels_, level_ww_, feature, root_trust, totals, limits);
  }

  double level_trust(std::span<const std::uint32_t> rows, std::uint32_t feature,
                     const NodeTotals& totals) override {
    sum_levels(rows, feature);
    return level_spread(levels_, level_ww_).trust(totals);
  }

 private:
  // Fills the bins of so many numbers: those of a few stay in the first-level cache.
  template <std::size_t N>
  void add(NodeBins& node, std::span<const std::uint32_t> rows, std::size_t place) const {
    std::array<std::int64_t*, N> first;
    for (std::size_t j = 0; j < N; ++j)
      first[j] = node.packed.data() + bins_.feature(bins_.numbers()[place + j]).first_slot;
    for (const auto row : rows) {
      const std::uint8_t* bin = bins_.row(row) + place;
      const std::int64_t value = value_[row];
      for (std::size_t j = 0; j < N; ++j) first[j][bin[j]] += value;
    }
  }

  std::uint32_t count(std::int64_t sum) const {
    return static_cast<std::uint32_t>(sum & ((std::int64_t{1} << count_bits_) - 1));
  }
  double response(std::int64_t sum) const { return static_cast<double>(sum >> count_bits_); }

  NodeTotals finished(NodeTotals found, std::span<const std::uint32_t> rows) const {
    found.w = found.n;
    found.score = found.wy * found.wy / found.w;
    if (!has_prices_) return found;
    double squares = 0;
    for (const auto row : rows) squares += response(value_[row]) * response(value_[row]);
    found.impurity = std::max(0.0, squares - found.score);
    return found;
  }

  // Cuts after each bin that has rows, from the lowest up; `left`: what stands left of all. Scores
  // are divided out together.
  Split scan(const std::int64_t* sums, std::uint32_t n_bins, std::int64_t left,
             const NodeTotals& totals, const Limits& limits) const {
    std::array<double, MOST_BINS> w, wy, score;
    std::array<std::uint8_t, MOST_BINS> place;
    std::uint32_t n_cuts = 0;
    for (std::uint32_t bin = 0; bin < n_bins; ++bin) {
      left += sums[bin];
      const std::uint32_t n = count(left);
      if (totals.n < n + limits.min_rows) break;
      place[n_cuts] = static_cast<std::uint8_t>(bin);
      w[n_cuts] = n;
      wy[n_cuts] = response(left);
      n_cuts += sums[bin] != 0 && n >= limits.min_rows ? 1 : 0;
    }
    for (std::uint32_t k = 0; k < n_cuts; ++k) {
      const double w_right = totals.w - w[k];
      const double right = totals.wy - wy[k];
      score[k] = (wy[k] * wy[k] * w_right + right * right * w[k]) / (w[k] * w_right);
    }
    Split best;
    double to_beat = NO_SCORE;
    for (std::uint32_t k = 0; k < n_cuts; ++k) {
      if (!(score[k] > to_beat) || std::min(w[k], totals.w - w[k]) < limits.min_weight) continue;
      best.score = score[k];
      best.cut_code = place[k];
      to_beat = score[k] + limits.tolerance;
    }
    best.upper_code = best.cut_code + 1;
    while (best.upper_code < n_bins && sums[best.upper_code] == 0) ++best.upper_code;
    return best;
  }

  void sum_levels(std::span<const std::uint32_t> rows, std::uint32_t feature) {
    const std::uint32_t n_codes = bins_.matrix().feature(feature).n_codes;
    const std::uint16_t* code = bins_.matrix().column(feature);
    by_level_.assign(n_codes + 1, 0);  // the last one for missing values
    for (const auto row : rows)
      by_level_[std::min<std::uint32_t>(code[row], n_codes)] += value_[row];
    levels_.clear();
    level_ww_.clear();
    for (std::uint32_t level = 0; level <= n_codes; ++level) {
      const std::uint32_t n = count(by_level_[level]);
      if (n == 0) continue;
      const std::uint32_t shown = level == n_codes ? std::uint32_t{MISSING_CODE} : level;
      levels_.push_back({shown, n, static_cast<double>(n), response(by_level_[level])});
      level_ww_.push_back(n);
    }
  }

  int count_bits_ = 0;
  std::vector<std::int64_t> value_;  // by row: response, then 1
  std::vector<std::int64_t> by_level_;
  std::vector<LevelSums> levels_;
  std::vector<double> level_ww_;
};

}  // namespace

std::unique_ptr<BinSums> make_packed_sums(const ByteBins& bins) {
  return std::make_unique<PackedSums>(bins);
}

}  // namespace bayeswood
