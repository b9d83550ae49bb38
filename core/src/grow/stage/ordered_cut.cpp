#include "bayeswood/grow/stage/ordered_cut.hpp"

#include <cmath>
#include <vector>

namespace bayeswood {
namespace {

struct BinTotals {
  std::uint32_t n = 0;
  double w = 0, wy = 0;

  void add(const BinTotals& other) {
    n += other.n;
    w += other.w;
    wy += other.wy;
  }
  double score() const { return wy * wy / w; }
  bool fits(const Limits& limits) const { return n >= limits.min_rows && w >= limits.min_weight; }
};

std::vector<BinTotals> sum_bins(const ByteBins& bins, std::uint32_t feature,
                                std::span<const std::uint32_t> rows, const StageTarget& target,
                                double scale) {
  const FeatureBins& own = bins.feature(feature);
  const std::uint8_t* bin = bins.column(own.place);
  std::vector<BinTotals> sums(own.n_bins() + 1);
  for (const auto row : rows) {
    const double w = target.weights.empty() ? 1.0 : target.weights[row];
    sums[bin[row]].add({1, w, w * target.responses[row] * scale});
  }
  return sums;
}

// The sides of every cut: what lies right of a bin is added up from the end.
std::vector<BinTotals> right_of(const std::vector<BinTotals>& sums, const BinTotals& last) {
  std::vector<BinTotals> right(sums.size());
  BinTotals total = last;
  for (std::size_t b = sums.size() - 1; b-- > 0;) {
    right[b] = total;
    total.add(sums[b]);
  }
  return right;
}

}  // namespace

Split best_ordered_cut(const ByteBins& bins, std::uint32_t feature,
                       std::span<const std::uint32_t> rows, const StageTarget& target, int exponent,
                       int sign, const Limits& limits) {
  const auto sums = sum_bins(bins, feature, rows, target, std::ldexp(1.0, exponent));
  const auto n_bins = static_cast<std::uint32_t>(sums.size() - 1);
  const BinTotals& missing = sums[n_bins];
  Split best;
  for (const bool missing_left : {false, true}) {
    if (missing_left && missing.n == 0) break;
    const auto right = right_of(sums, missing_left ? BinTotals{} : missing);
    BinTotals left = missing_left ? missing : BinTotals{};
    for (std::uint32_t b = 0; b < n_bins; ++b) {
      left.add(sums[b]);
      if (sums[b].n == 0 || !left.fits(limits) || !right[b].fits(limits)) continue;
      std::uint32_t upper = b + 1;
      while (upper < n_bins && sums[upper].n == 0) ++upper;
      const bool along = upper < n_bins;
      if (along && sign * (left.wy * right[b].w - right[b].wy * left.w) > 0) continue;
      const double score = left.score() + right[b].score();
      if (best.found() && !(score > best.score + limits.tolerance)) continue;
      best.score = score;
      best.cut_code = b;
      best.upper_code = upper;
      best.missing_left = missing_left;
    }
  }
  best.missing_seen = missing.n > 0;
  best.feature = feature;
  return best;
}

}  // namespace bayeswood
