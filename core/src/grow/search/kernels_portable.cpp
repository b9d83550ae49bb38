#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "bayeswood/grow/search/random_cuts/lane_kernels.hpp"
#include "bayeswood/grow/search/scan.hpp"
#include "classes/class_screen.inl"
#include "two_classes/bin_bounds.inl"

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

// Sums over the vectors lane by lane, then over the lanes in pairs.
double lane_sum(const double* x, std::uint32_t n_vectors) {
  double lanes[LANES];
  for (std::uint32_t l = 0; l < LANES; ++l) {
    lanes[l] = x[l];
    for (std::uint32_t v = 1; v < n_vectors; ++v) lanes[l] += x[v * LANES + l];
  }
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

struct SideScore {
  double w, score;
};

SideScore side_score(const double* x, std::uint32_t n_vectors) {
  double squares[MAX_CLASS_VECTORS * LANES];
  for (std::uint32_t i = 0; i < n_vectors * LANES; ++i) squares[i] = x[i] * x[i];
  const double w = lane_sum(x, n_vectors);
  return {w, lane_sum(squares, n_vectors) / w};
}

// Writes the cut after a place, its left side given, where it is allowed.
std::uint32_t add_class_cut(const ClassCuts& cuts, const double* left, std::uint32_t place,
                            std::uint32_t n_cuts) {
  double right[MAX_CLASS_VECTORS * LANES];
  for (std::uint32_t i = 0; i < cuts.n_vectors * LANES; ++i) right[i] = cuts.total[i] - left[i];
  const SideScore l = side_score(left, cuts.n_vectors);
  const SideScore r = side_score(right, cuts.n_vectors);
  if (!(l.w >= cuts.min_weight && r.w >= cuts.min_weight)) return n_cuts;
  cuts.score[n_cuts] = l.score + r.score;
  cuts.place[n_cuts] = place;
  return n_cuts + 1;
}

std::uint32_t scan_class_list(const ClassListTask& t) {
  double left[MAX_CLASS_VECTORS * LANES] = {};
  std::uint32_t n_cuts = 0;
  for (std::uint32_t i = 0; i < t.end; ++i) {
    const std::uint32_t id = id_of(t.list[i]);
    left[t.lane[t.label[id]]] += t.w[id];
    if (i < t.first || code_of(t.list[i]) == code_of(t.list[i + 1])) continue;
    n_cuts = add_class_cut(t.cuts, left, i, n_cuts);
  }
  return n_cuts;
}

std::uint32_t scan_class_bins(const ClassBinTask& t) {
  const std::uint32_t width = t.cuts.n_vectors * LANES;
  double left[MAX_CLASS_VECTORS * LANES];
  std::copy_n(t.start, width, left);
  std::uint32_t n_cuts = 0;
  for (std::uint32_t b = 0; b < t.n_bins; ++b) {
    for (std::uint32_t i = 0; i < width; ++i) left[i] += t.bins[b * width + i];
    n_cuts = add_class_cut(t.cuts, left, b, n_cuts);
  }
  return n_cuts;
}

CutRange screen_classes(const ClassScreenTask& t) {
  const double least = screen_list(t, [](const ClassScreenTask& task) {
    double reached = NO_SCORE;
    for (std::uint32_t i = task.cuts.first; i < task.cuts.end; ++i) bound_cut(task, i, reached);
    return reached;
  });
  CutRange cuts = t.cuts;
  while (!cuts.empty() && t.bound[cuts.first] < least) ++cuts.first;
  while (!cuts.empty() && t.bound[cuts.end - 1] < least) --cuts.end;
  return cuts;
}

std::uint32_t part_classes(const ClassPartTask& t) {
  double* sums[2] = {t.right, t.left};
  std::fill_n(t.left, t.n_vectors * LANES, 0.0);
  std::fill_n(t.right, t.n_vectors * LANES, 0.0);
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < t.n; ++i) {
    const std::uint16_t id = t.order[i];
    const std::uint32_t goes_left =
        t.side != nullptr ? t.side[id] : static_cast<std::uint32_t>(t.column[id] <= t.cut_code);
    sums[goes_left][t.lane[t.label[id]]] += t.w[id];
    t.order[left] = id;
    t.scratch[i - left] = id;
    left += goes_left;
  }
  std::copy_n(t.scratch, t.n - left, t.order + left);
  return left;
}

}  // namespace

const Kernels& portable_kernels() {
  static const Kernels kernels{scan_lanes,
                               bound_bins,
                               nullptr,
                               fill_bins<PackedCount>,
                               fill_bins<WeightedValue>,
                               count_gains,
                               mark_counts,
                               scan_count_lanes,
                               scan_class_list,
                               scan_class_bins,
                               screen_classes,
                               part_classes,
                               weight_gains,
                               mark_weights,
                               open_bins,
                               nullptr,
                               portable_lane_ranges,
                               portable_lanes_within,
                               portable_lane_kernels<std::uint16_t>(),
                               portable_lane_kernels<float>(),
                               portable_lane_kernels<double>()};
  return kernels;
}

}  // namespace bayeswood
