#include "bayeswood/grow/search/histograms/histogram.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "bayeswood/base/prefetch.hpp"

namespace bayeswood {
namespace {

void add_row(WeightedValue& bin, const WeightedValue& row) {
  bin.w += row.w;
  bin.wy += row.wy;
}

// The slots from `slot` on. A row's codes are read before any bin is written.
template <std::size_t N>
void fill_features(Histogram& histogram, std::size_t slot, const EncodedMatrix& matrix,
                   std::span<const std::uint32_t> rows, const WeightedValue* pair,
                   const std::uint32_t* features) {
  constexpr std::size_t AHEAD = 16;
  WeightedValue* sums = histogram.sums(slot);
  std::uint32_t* counts = histogram.counts(slot);
  std::array<std::uint32_t, N> columns;
  std::copy_n(features, N, columns.begin());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + AHEAD < rows.size()) {
      prefetch(matrix.coarse_row(rows[i + AHEAD]) + columns[0]);
      prefetch(pair + rows[i + AHEAD]);
    }
    const std::uint8_t* codes = matrix.coarse_row(rows[i]);
    const WeightedValue value = pair[rows[i]];
    std::array<std::size_t, N> bins;
    for (std::size_t k = 0; k < N; ++k) bins[k] = k * N_BINS + codes[columns[k]];
    for (const std::size_t bin : bins) {
      add_row(sums[bin], value);
      ++counts[bin];
    }
  }
}

}  // namespace

void Histogram::subtract(const Histogram& child) {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    counts_[i] -= child.counts_[i];
    const bool empty = counts_[i] == 0;  // no dust of rounding in empty bins
    sums_[i].w = empty ? 0 : sums_[i].w - child.sums_[i].w;
    sums_[i].wy = empty ? 0 : sums_[i].wy - child.sums_[i].wy;
  }
}

void fill_histogram(Histogram& histogram, const EncodedMatrix& matrix,
                    std::span<const std::uint32_t> rows, const WeightedValue* pair,
                    std::span<const std::uint32_t> features) {
  constexpr std::size_t GROUP = 8;  // features whose bins stay in the first-level cache together
  histogram.reset(features.size());
  std::size_t begin = 0;
  const auto fill = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    for (; begin + N <= features.size(); begin += N)
      fill_features<N>(histogram, begin, matrix, rows, pair, features.data() + begin);
  };
  fill(std::integral_constant<std::size_t, GROUP>{});
  fill(std::integral_constant<std::size_t, GROUP / 2>{});
  fill(std::integral_constant<std::size_t, 1>{});
}

void fill_histogram(Histogram& histogram, const EncodedMatrix& matrix, const MovedNode& moved,
                    std::uint32_t n, const MoveKernels& moves) {
  const std::size_t d = matrix.n_features();
  histogram.reset(d);
  MovedFill fill{n, moved.pair, {}, {}, {}, {}};
  for (std::size_t j = 0; j < d;) {
    const std::size_t size = j + MOVED_FILL <= d ? MOVED_FILL : 1;
    for (std::size_t k = 0; k < size; ++k, ++j) {
      fill.columns[k] = moved.column(j);
      fill.shifts[k] = matrix.feature(j).shift;
      fill.sums[k] = histogram.sums(j);
      fill.counts[k] = histogram.counts(j);
    }
    size == 1 ? moves.fill_one(fill) : moves.fill(fill);
  }
}

void HistogramSearch::set_sums(Pass& pass, const Node& node, const Histogram& histogram) {
  const FeatureCodes& codes = matrix_.feature(pass.feature);
  const std::uint32_t n_bins = codes.n_coarse;
  const WeightedValue* sums = histogram.sums(pass.slot);
  const std::uint32_t* counts = histogram.counts(pass.slot);
  pass.w_before.resize(n_bins + 1);
  pass.wy_before.resize(n_bins + 1);
  pass.n_before.resize(n_bins + 1);
  pass.cut_score.resize(n_bins);
  pass.inner_bound.resize(n_bins);
  const bool start = pass.missing_left;  // then missing values stand left of every cut
  pass.w_before[0] = start ? sums[n_bins].w : 0;
  pass.wy_before[0] = start ? sums[n_bins].wy : 0;
  pass.n_before[0] = start ? counts[n_bins] : 0;
  for (std::uint32_t b = 0; b < n_bins; ++b) {
    pass.w_before[b + 1] = pass.w_before[b] + sums[b].w;
    pass.wy_before[b + 1] = pass.wy_before[b] + sums[b].wy;
    pass.n_before[b + 1] = pass.n_before[b] + counts[b];
  }
  node.kernels.bound_bins({n_bins, pass.w_before.data(), pass.wy_before.data(), node.totals.w,
                           node.totals.wy, node.totals.y_min, node.totals.y_max},
                          pass.cut_score.data(), pass.inner_bound.data());
}

bool HistogramSearch::allowed(const Node& node, std::uint32_t n_left, double w_left) const {
  return n_left >= node.limits.min_rows && node.totals.n - n_left >= node.limits.min_rows &&
         n_left > 0 && n_left < node.totals.n && w_left >= node.limits.min_weight &&
         node.totals.w - w_left >= node.limits.min_weight;
}

double HistogramSearch::best_between_bins(const Pass& pass, const Node& node) const {
  double best = NO_SCORE;
  for (std::uint32_t b = 0; b < pass.cut_score.size(); ++b) {
    if (pass.cut_score[b] > best && allowed(node, pass.n_before[b + 1], pass.w_before[b + 1])) {
      best = pass.cut_score[b];
    }
  }
  return best;
}

// Counts the rows of every bin that might hide a better cut by their full code.
void HistogramSearch::open_bins(const Pass& pass, const Node& node, double to_beat) {
  const FeatureCodes& codes = matrix_.feature(pass.feature);
  opened_.clear();
  opened_at_.assign(N_BINS, -1);
  if (codes.shift == 0) return;
  for (std::uint32_t b = 0; b < codes.n_coarse; ++b) {
    const bool several = pass.n_before[b + 1] - pass.n_before[b] > 1;
    if (!several || pass.inner_bound[b] <= to_beat) continue;
    opened_at_[b] = static_cast<std::int32_t>(opened_.size());
    opened_.push_back(b);
  }
  if (opened_.empty()) return;
  const std::uint32_t width = 1U << codes.shift;
  fine_sums_.assign(opened_.size() * width, WeightedValue{0, 0});
  fine_counts_.assign(opened_.size() * width, 0);
  node.moved.exists() ? add_moved(node, pass.feature) : add_opened(node, pass.feature);
}

void HistogramSearch::add_fine(std::uint32_t code, std::uint32_t shift, const WeightedValue& row) {
  const std::int32_t at = opened_at_[code >> shift];
  if (at < 0) return;
  const std::size_t fine = (static_cast<std::size_t>(at) << shift) + (code & ((1U << shift) - 1));
  add_row(fine_sums_[fine], row);
  ++fine_counts_[fine];
}

void HistogramSearch::add_opened(const Node& node, std::uint32_t feature) {
  const std::uint32_t shift = matrix_.feature(feature).shift;
  const std::uint16_t* column = matrix_.column(feature);
  // Found first, without a branch. With missing values there are fewer bins: the last is closed.
  inside_.resize(node.rows.size());
  std::size_t n_inside = 0;
  for (const auto row : node.rows) {
    inside_[n_inside] = row;
    n_inside += opened_at_[std::min(column[row] >> shift, int{N_BINS - 1})] >= 0 ? 1 : 0;
  }
  for (const auto row : std::span(inside_).first(n_inside))
    add_fine(column[row], shift, node.data.pair[row]);
}

// The opened bins are mostly neighbours.
void HistogramSearch::add_moved(const Node& node, std::uint32_t feature) {
  constexpr std::uint32_t VECTOR = 16;
  constexpr std::uint32_t BLOCK = 4096;
  const std::uint32_t shift = matrix_.feature(feature).shift;
  const std::uint16_t* column = node.moved.column(feature);
  inside_.resize(std::max<std::size_t>(inside_.size(), BLOCK + VECTOR));
  const auto low = static_cast<std::uint16_t>(opened_.front() << shift);
  const auto high = static_cast<std::uint16_t>(((opened_.back() + 1) << shift) - 1);
  for (std::uint32_t begin = 0; begin < node.totals.n; begin += BLOCK) {
    const std::uint32_t size = std::min(BLOCK, node.totals.n - begin);
    const std::uint16_t* codes = column + begin;
    const std::uint32_t n = node.kernels.moves->within({codes, size, low, high, inside_.data()});
    for (const auto place : std::span(inside_).first(n))
      add_fine(codes[place], shift, node.moved.pair[begin + place]);
  }
}

// Every cut between and inside the bins, from the lowest up.
Split HistogramSearch::best_cut(const Pass& pass, const Node& node, double floor) {
  Split best;
  best.feature = pass.feature;
  best.missing_left = pass.missing_left;
  best.missing_seen = pass.missing_seen;
  open_bins(pass, node, floor);
  const std::uint32_t shift = matrix_.feature(pass.feature).shift;
  const auto offer = [&](double score, std::uint32_t code) {
    if (score <= best.score + node.limits.tolerance) return;
    best.score = score;
    best.cut_code = code;
  };
  for (std::uint32_t b = 0; b < pass.cut_score.size(); ++b) {
    if (opened_at_[b] >= 0) offer_inside(pass, node, b, offer);
    const bool empty = pass.n_before[b + 1] == pass.n_before[b];
    if (empty || !allowed(node, pass.n_before[b + 1], pass.w_before[b + 1])) continue;
    offer(pass.cut_score[b], ((b + 1) << shift) - 1);
  }
  return best;
}

template <class Offer>
void HistogramSearch::offer_inside(const Pass& pass, const Node& node, std::uint32_t bin,
                                   Offer offer) const {
  const std::uint32_t shift = matrix_.feature(pass.feature).shift;
  const auto first = static_cast<std::size_t>(opened_at_[bin]) << shift;
  double w = pass.w_before[bin];
  double wy = pass.wy_before[bin];
  std::uint32_t n = pass.n_before[bin];
  for (std::uint32_t c = 0; c < (1U << shift); ++c) {
    if (fine_counts_[first + c] == 0) continue;
    w += fine_sums_[first + c].w;
    wy += fine_sums_[first + c].wy;
    n += fine_counts_[first + c];
    if (n == pass.n_before[bin + 1]) return;  // the rest is the cut after the bin
    if (!allowed(node, n, w)) continue;
    const double right = node.totals.wy - wy;
    offer(wy * wy / w + right * right / (node.totals.w - w), (bin << shift) + c);
  }
}

std::uint32_t HistogramSearch::search(std::span<const std::uint32_t> features, Split& best) {
  fill_histogram(histogram_, matrix_, node_->rows, node_->data.pair, features);
  return search(histogram_, features, best);
}

std::uint32_t HistogramSearch::search(const Histogram& histogram,
                                      std::span<const std::uint32_t> features, Split& best) {
  const double tolerance = node_->limits.tolerance;
  keep_better(best, search_numeric(*node_, histogram, features), tolerance);
  std::uint32_t n_refused = 0;
  for (const auto feature : features) {
    if (!matrix_.feature(feature).is_category) continue;
    Split split = levels_.search(*node_, feature, trust_[feature]);
    n_refused += split.refused ? 1 : 0;
    keep_better(best, std::move(split), tolerance);
  }
  return n_refused;
}

// Best over the numeric features; earlier ones win ties.
Split HistogramSearch::search_numeric(const Node& node, const Histogram& histogram,
                                      std::span<const std::uint32_t> features) {
  std::size_t n_passes = 0;
  for (std::uint32_t k = 0; k < features.size(); ++k) {
    const FeatureCodes& codes = matrix_.feature(features[k]);
    if (codes.is_category) continue;
    const bool missing = codes.has_missing && histogram.counts(k)[codes.n_coarse] > 0;
    for (int side = 0; side <= (missing ? 1 : 0); ++side) {
      if (passes_.size() == n_passes) passes_.emplace_back();
      Pass& pass = passes_[n_passes++];
      pass.slot = k;
      pass.feature = features[k];
      pass.missing_left = side == 1;
      pass.missing_seen = missing;
      set_sums(pass, node, histogram);
    }
  }
  double floor = NO_SCORE;
  for (std::size_t p = 0; p < n_passes; ++p)
    floor = std::max(floor, best_between_bins(passes_[p], node));
  Split best;
  for (std::size_t p = 0; p < n_passes; ++p) {
    const double slack = 2 * node.limits.tolerance;  // ties are opened too
    keep_better(best, best_cut(passes_[p], node, std::max(floor, best.score) - slack),
                node.limits.tolerance);
  }
  return best;
}

}  // namespace bayeswood
