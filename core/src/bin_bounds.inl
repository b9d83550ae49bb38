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

}  // namespace
}  // namespace bayeswood
