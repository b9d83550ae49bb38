// Compiled once for the baseline and once for AVX2. Only element-wise IEEE operations, no fused
// multiply-adds: both give the same bits.

namespace bayeswood {
namespace {

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

void fill_counts(const CountFill& t) {
  const std::uint32_t s0 = t.shifts[0], s1 = t.shifts[1], s2 = t.shifts[2], s3 = t.shifts[3];
  for (std::size_t i = 0; i < t.n; ++i) {
    const std::uint16_t id = t.ids[i];
    const PackedCount row = t.counts[id];
    t.bins[0][t.columns[0][id] >> s0] += row;
    t.bins[1][t.columns[1][id] >> s1] += row;
    t.bins[2][t.columns[2][id] >> s2] += row;
    t.bins[3][t.columns[3][id] >> s3] += row;
  }
}

std::size_t open_counts(const CountOpening& task) {
  const CountOpening t = task;
  std::size_t n = 0;
  for (std::size_t i = 0; i < t.n; ++i) {
    const std::uint16_t id = t.ids[i];
    const std::uint32_t code = t.column[id];
    t.entries[n] = make_entry<SmallEntry>(code, t.tails[id]);
    n += t.opened[code >> t.shift];
  }
  return n;
}

double largest(const double* values, std::uint32_t n) {
  double best[LANES] = {-1, -1, -1, -1};
  for (std::uint32_t i = 0; i < n; i += LANES) {
    for (std::uint32_t l = 0; l < LANES; ++l) {
      best[l] = best[l] < values[i + l] ? values[i + l] : best[l];
    }
  }
  const double one = best[0] < best[1] ? best[1] : best[0];
  const double two = best[2] < best[3] ? best[3] : best[2];
  return one < two ? two : one;
}

// Running sums, and the gain of every cut between bins. No side can be lighter than 1.
double count_gains(const CountBins& t) {
  PackedCount sum = 0;
  t.n[0] = t.w[0] = t.wy[0] = 0;
  for (std::uint32_t b = 0; b < t.n_bins; ++b) {
    sum += t.bins[b];
    t.n[b + 1] = static_cast<std::int32_t>(count_n(sum));
    t.w[b + 1] = static_cast<std::int32_t>(count_w(sum));
    t.wy[b + 1] = static_cast<std::int32_t>(count_wy(sum));
  }
  const double mean = t.total_wy / t.total_w;
  const double min_w = t.limits.min_weight > 1 ? t.limits.min_weight : 1;
  const auto min_n = static_cast<std::int32_t>(t.limits.min_rows);
  const std::int32_t max_n = t.total_n - min_n;
  for (std::uint32_t b = 0; b < t.n_bins; ++b) {
    const double w = t.w[b + 1];
    const double w_right = t.total_w - w;
    const double shift = t.wy[b + 1] - mean * w;
    const double product = w * w_right;
    const double gain = shift * shift / (product > 1 ? product : 1.0);
    const double lighter = w < w_right ? w : w_right;
    const bool enough = (t.n[b + 1] >= min_n) & (t.n[b + 1] <= max_n);
    t.gain[b] = ((lighter >= min_w) & enough) ? gain : -1.0;
  }
  return largest(t.gain, t.n_bins);
}

// The bound of bound_bins for a label of 0 or 1: all rows of one class come first.
template <class Bins>
double zero_one_bounds(const Bins& t, double to_beat) {
  const double mean = t.total_wy / t.total_w;
  for (std::uint32_t b = 0; b < t.n_bins; ++b) {
    const double ones = t.wy[b + 1] - t.wy[b];
    const double zeros = (t.w[b + 1] - t.w[b]) - ones;
    const double w1 = t.w[b] + ones;
    const double w0 = t.w[b] + zeros;
    const double shift1 = (t.wy[b] + ones) - mean * w1;
    const double shift0 = t.wy[b] - mean * w0;
    const double over1 = shift1 * shift1 - to_beat * (w1 * (t.total_w - w1));
    const double over0 = shift0 * shift0 - to_beat * (w0 * (t.total_w - w0));
    t.excess[b] = over0 < over1 ? over1 : over0;
  }
  return largest(t.excess, t.n_bins);
}

double count_bounds(const CountBins& t, double to_beat) {
  return zero_one_bounds(t, to_beat);
}

double weight_gains(const WeightBins& t) {
  t.w[0] = t.wy[0] = 0;
  double w_sum = 0;
  double wy_sum = 0;
  for (std::uint32_t b = 0; b < t.n_bins; ++b) {
    w_sum += t.bins[b].w;
    wy_sum += t.bins[b].wy;
    t.w[b + 1] = w_sum;
    t.wy[b + 1] = wy_sum;
  }
  const double mean = t.total_wy / t.total_w;
  for (std::uint32_t b = 0; b < t.n_cuts; ++b) {
    const double w = t.w[b + 1];
    const double w_right = t.total_w - w;
    const double shift = t.wy[b + 1] - mean * w;
    const double lighter = w < w_right ? w : w_right;
    const double gain = shift * shift / (w * w_right);
    t.gain[b] = lighter >= t.min_weight ? gain : -1.0;
  }
  for (std::uint32_t b = t.n_cuts; b < t.n_bins; ++b) t.gain[b] = -1.0;
  return largest(t.gain, t.n_bins);
}

double weight_bounds(const WeightBins& t, double to_beat) {
  return zero_one_bounds(t, to_beat);
}

}  // namespace
}  // namespace bayeswood
