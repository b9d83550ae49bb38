// The hot loops, compiled once for the baseline and once for AVX2 (see the files that include this).
// Only element-wise IEEE operations, no fused multiply-adds: both give the same bits.

namespace bayeswood {
namespace {

#if defined(__GNUC__)
typedef double Double4 __attribute__((vector_size(32)));
typedef double Double2 __attribute__((vector_size(16)));
typedef std::int64_t Long4 __attribute__((vector_size(32)));
typedef std::uint32_t Uint4 __attribute__((vector_size(16)));

inline Double4 broadcast(double x) { return Double4{x, x, x, x}; }

struct Lanes {
  Double4 w, wy;
  void add(const LaneTask& t, std::uint32_t i) {
    const WeightedValue& a = t.pair[id_of(t.list[0][i])];
    const WeightedValue& b = t.pair[id_of(t.list[1][i])];
    const WeightedValue& c = t.pair[id_of(t.list[2][i])];
    const WeightedValue& d = t.pair[id_of(t.list[3][i])];
    w += Double4{a.w, b.w, c.w, d.w};
    wy += Double4{a.wy, b.wy, c.wy, d.wy};
  }
};

inline Uint4 load_codes(const LaneTask& t, std::uint32_t i) {
  return Uint4{t.list[0][i], t.list[1][i], t.list[2][i], t.list[3][i]} >> 16;
}

// score = left^2 / w_left + right^2 / w_right as numerator / denominator: products decide, and the
// divisions are left for the winners.
void scan_lanes(const LaneTask& t, Cut best[4]) {
  for (int lane = 0; lane < 4; ++lane) best[lane] = Cut{};
  if (t.n < 2 * t.limits.min_rows || t.n < 2) return;
  const std::uint32_t first = t.limits.min_rows - 1;
  const std::uint32_t end = t.n - t.limits.min_rows;
  const Double4 total_w = broadcast(t.w);
  const Double4 total_wy = broadcast(t.wy);
  const Double4 min_w = broadcast(t.limits.min_weight);
  const Double4 tolerance = broadcast(t.limits.tolerance);
  Lanes left{broadcast(0), broadcast(0)};
  for (std::uint32_t i = 0; i < first; ++i) left.add(t, i);
  Double4 best_top = broadcast(-1);
  Double4 best_bottom = broadcast(1);
  Double4 won_top = broadcast(0);
  Double4 won_bottom = broadcast(1);
  Long4 won_at = Long4{-1, -1, -1, -1};
  Uint4 code = load_codes(t, first);
  for (std::uint32_t i = first; i < end; ++i) {
    left.add(t, i);
    const Uint4 next = load_codes(t, i + 1);
    const Double4 w_right = total_w - left.w;
    const Double4 right = total_wy - left.wy;
    const Double4 top = left.wy * left.wy * w_right + right * right * left.w;
    const Double4 bottom = left.w * w_right;
    const Long4 changes = __builtin_convertvector((__typeof__(code != next))(code != next), Long4);
    const Long4 better = (top * best_bottom > best_top * bottom) & changes & (left.w >= min_w) &
                         (w_right >= min_w);
    best_top = better ? top + tolerance * bottom : best_top;
    best_bottom = better ? bottom : best_bottom;
    won_top = better ? top : won_top;
    const Long4 here = Long4{i, i, i, i};
    won_at = better ? here : won_at;
    code = next;
  }
  won_bottom = best_bottom;
  for (int lane = 0; lane < 4; ++lane) {
    if (won_at[lane] < 0) continue;
    best[lane] = {won_top[lane] / won_bottom[lane], static_cast<std::uint32_t>(won_at[lane])};
  }
}
#else
void scan_lanes(const LaneTask& t, Cut best[4]) {
  for (int lane = 0; lane < 4; ++lane) {
    best[lane] = Cut{};
    if (t.n < 2 * t.limits.min_rows || t.n < 2) continue;
    double w = 0, wy = 0, best_top = -1, best_bottom = 1;
    for (std::uint32_t i = 0; i < t.n - t.limits.min_rows; ++i) {
      const WeightedValue& p = t.pair[id_of(t.list[lane][i])];
      w += p.w;
      wy += p.wy;
      if (i + 1 < t.limits.min_rows) continue;
      const double w_right = t.w - w, right = t.wy - wy;
      const double top = wy * wy * w_right + right * right * w, bottom = w * w_right;
      const bool better = top * best_bottom > best_top * bottom &&
                          code_of(t.list[lane][i]) != code_of(t.list[lane][i + 1]) &&
                          w >= t.limits.min_weight && w_right >= t.limits.min_weight;
      if (!better) continue;
      best_top = top + t.limits.tolerance * bottom;
      best_bottom = bottom;
      best[lane] = {top / bottom, i};
    }
  }
}
#endif

inline double two_sided_score(double w, double wy, double total_w, double total_wy) {
  const double w_right = total_w - w;
  const double right = total_wy - wy;
  const double left_score = w > 0 ? wy * wy / w : 0;
  const double right_score = w_right > 0 ? right * right / w_right : 0;
  return left_score + right_score;
}

// cut_score[b]: score of the cut after bin b. inner_bound[b]: no cut inside bin b scores more. The
// score is convex in (w, wy), and whatever part of the bin goes left, its (w, wy) lies in the
// parallelogram spanned by the responses' range; so one of the corners bounds it.
void bound_bins(const BinTask& t, double* cut_score, double* inner_bound) {
  const double range = t.y_max - t.y_min;
  for (std::uint32_t b = 0; b < t.n_bins; ++b) {
    const double w0 = t.w_before[b];
    const double wy0 = t.wy_before[b];
    const double w = t.w_before[b + 1] - w0;
    const double wy = t.wy_before[b + 1] - wy0;
    double high_w = (wy - t.y_min * w) / range;  // weight at y_max if the rest were at y_min
    high_w = high_w < 0 ? 0 : high_w;
    high_w = high_w > w ? w : high_w;
    const double low_w = w - high_w;
    const double one = two_sided_score(w0 + high_w, wy0 + t.y_max * high_w, t.w, t.wy);
    const double two = two_sided_score(w0 + low_w, wy0 + t.y_min * low_w, t.w, t.wy);
    cut_score[b] = two_sided_score(t.w_before[b + 1], t.wy_before[b + 1], t.w, t.wy);
    inner_bound[b] = one > two ? one : two;
  }
}

}  // namespace
}  // namespace bayeswood
