#include <algorithm>

#include "bayeswood/grow/scan.hpp"
#include "bin_bounds.inl"

namespace bayeswood {
namespace {

void scan_lane(const LaneTask& t, const SmallEntry* list, Cut& best) {
  const double mean = t.wy / t.w;
  const double tolerance = t.limits.tolerance / t.w;
  double w = 0;
  double wy = 0;
  double to_beat = -1;
  for (std::uint32_t i = 0; i < t.n - t.limits.min_rows; ++i) {
    const WeightedValue& row = t.pair[id_of(list[i])];
    w += row.w;
    wy += row.wy;
    if (i + 1 < t.limits.min_rows || code_of(list[i]) == code_of(list[i + 1])) continue;
    const double shift = wy - mean * w;
    const double w_right = t.w - w;
    const double gain = shift * shift / (w * w_right);
    if (!(gain > to_beat) || !(std::min(w, w_right) >= t.limits.min_weight)) continue;
    to_beat = gain + tolerance;
    best = {t.w * gain, i};
  }
}

void scan_lanes(const LaneTask& t, Cut* best) {
  for (std::uint32_t lane = 0; lane < LANES; ++lane) {
    best[lane] = Cut{};
    if (t.n >= 2 * t.limits.min_rows && t.n >= 2) scan_lane(t, t.list[lane], best[lane]);
  }
}

void scan_count_lanes(const CountLaneTask& t, Cut* best) {
  const double mean = t.wy / t.w;
  const double tolerance = t.limits.tolerance / t.w;
  for (std::uint32_t lane = 0; lane < LANES; ++lane) {
    best[lane] = Cut{};
    double to_beat = -1;
    PackedCount left = 0;
    for (std::uint32_t i = 0; i + t.limits.min_rows < t.n; ++i) {
      const SmallEntry entry = t.lanes[i * LANES + lane];
      left += count_of(tail_of(entry));
      const bool same = code_of(entry) == code_of(t.lanes[(i + 1) * LANES + lane]);
      if (i + 1 < t.limits.min_rows || same) continue;
      const double w = count_w(left);
      const double shift = count_wy(left) - mean * w;
      const double w_right = t.w - w;
      const double gain = shift * shift / (w * w_right);
      if (!(gain > to_beat) || !(std::min(w, w_right) >= t.limits.min_weight)) continue;
      to_beat = gain + tolerance;
      best[lane] = {gain, i};
    }
  }
}

}  // namespace

const Kernels& portable_kernels() {
  static const Kernels kernels{scan_lanes,  bound_bins,  nullptr,      fill_counts,
                               open_counts, count_gains, count_bounds, scan_count_lanes};
  return kernels;
}

}  // namespace bayeswood
