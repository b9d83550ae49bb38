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

inline void add_to_bin(PackedCount& bin, PackedCount row) {
  bin += row;
}
inline void add_to_bin(WeightedValue& bin, const WeightedValue& row) {
  bin.w += row.w;
  bin.wy += row.wy;
}

// Four in one number: stores are what takes longest.
inline void store_codes(const std::uint16_t* codes, std::uint16_t* to) {
  const std::uint64_t low = codes[0] | std::uint32_t{codes[1]} << 16;
  const std::uint64_t high = codes[2] | std::uint32_t{codes[3]} << 16;
  const std::uint64_t all = low | high << 32;
  std::memcpy(to, &all, sizeof all);
}

// N rows from the i-th on; they are read before any bin is written.
template <std::size_t N, class Row>
void fill_rows(const BinFill<Row>& t, std::size_t i) {
  std::uint16_t ids[N];
  Row rows[N];
  for (std::size_t r = 0; r < N; ++r) {
    ids[r] = t.ids[i + r];
    rows[r] = t.rows[ids[r]];
  }
  const auto fill_one = [&](std::size_t k) {
    std::uint16_t codes[N];
    for (std::size_t r = 0; r < N; ++r) codes[r] = t.columns[k][ids[r]];
    if constexpr (N == 4 && std::endian::native == std::endian::little) {
      store_codes(codes, t.codes[k] + i);
    } else {
      std::copy_n(codes, N, t.codes[k] + i);
    }
    for (std::size_t r = 0; r < N; ++r) add_to_bin(t.bins[k][codes[r] >> t.shifts[k]], rows[r]);
  };
  static_assert(LANES == 4);
  fill_one(0);
  fill_one(1);
  fill_one(2);
  fill_one(3);
}

template <class Row>
void fill_bins(const BinFill<Row>& task) {
  const BinFill<Row> t = task;
  std::size_t i = 0;
  for (; i + 4 <= t.n; i += 4) fill_rows<4>(t, i);
  for (; i < t.n; ++i) fill_rows<1>(t, i);
}

std::size_t open_bins(const BinOpening& task) {
  const BinOpening t = task;
  std::size_t n = 0;
  for (std::size_t i = 0; i < t.n; ++i) {
    const std::uint32_t bin = t.codes[i] >> t.shift;
    t.places[n] = static_cast<std::uint32_t>(i);
    n += t.opened[bin / 8] >> (bin % 8) & 1U;
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
double count_gains(const CountBins& task) {
  const CountBins t = task;
  const double mean = t.total_wy / t.total_w;
  const double min_w = t.min_weight > 1 ? t.min_weight : 1;
  const std::uint32_t max_n = t.total_n - t.min_rows;
  PackedCount sum = 0;
  for (std::uint32_t b = 0; b < t.n_bins; ++b) {
    t.before[b] = sum;
    sum += t.bins[b];
    const double w = count_w(sum);
    const double w_right = t.total_w - w;
    const double shift = count_wy(sum) - mean * w;
    const double product = w * w_right;
    const double gain = shift * shift / (product > 1 ? product : 1.0);
    const double lighter = w < w_right ? w : w_right;
    const bool enough = (count_n(sum) >= t.min_rows) & (count_n(sum) <= max_n);
    t.gain[b] = ((lighter >= min_w) & enough) ? gain : -1.0;
  }
  return largest(t.gain, t.n_bins);
}

// The bound of bound_bins for a label of 0 or 1, all rows of one class first: above 0 where a cut
// inside the bin may gain more than `to_beat`.
struct ZeroOneBound {
  double mean, total_w, to_beat;

  double over(double w, double wy) const {
    const double shift = wy - mean * w;
    return shift * shift - to_beat * (w * (total_w - w));
  }
  double excess(double w, double wy, double ones, double zeros) const {
    const double over1 = over(w + ones, wy + ones);
    const double over0 = over(w + zeros, wy);
    return over0 < over1 ? over1 : over0;
  }
};

struct BinMark {
  std::uint32_t opens, offers;  // 0 or 1
};

// Writes eight bits a byte: what look(b) says of a bin.
template <class Look>
bool mark_bins(std::uint32_t n_bins, BinMarks& marks, Look look) {
  std::uint32_t any = 0;
  for (std::uint32_t b = 0; b < n_bins; b += BIN_STEP) {
    std::uint32_t opened = 0, offered = 0;
    for (std::uint32_t k = 0; k < BIN_STEP; ++k) {
      const auto [opens, offers] = look(b + k);
      opened |= opens << k;
      offered |= offers << k;
    }
    marks.opened[b / 8] = static_cast<std::uint8_t>(opened);
    marks.offered[b / 8] = static_cast<std::uint8_t>(offered);
    any |= opened | offered;
  }
  return any != 0;
}
bool mark_counts(const CountBins& task, double to_beat, BinMarks& marks) {
  const CountBins t = task;
  const ZeroOneBound bound{t.total_wy / t.total_w, t.total_w, to_beat};
  return mark_bins(t.n_bins, marks, [&](std::uint32_t b) {
    const PackedCount own = t.bins[b], before = t.before[b];
    const double ones = count_wy(own), zeros = count_w(own) - count_wy(own);
    const double excess = bound.excess(count_w(before), count_wy(before), ones, zeros);
    const bool opens = excess > 0 && count_n(own) > 1, offers = t.gain[b] > to_beat && own != 0;
    return BinMark{opens, offers};
  });
}

double weight_gains(const WeightBins& task) {
  const WeightBins t = task;
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

bool mark_weights(const WeightBins& task, double to_beat, BinMarks& marks) {
  const WeightBins t = task;
  const ZeroOneBound bound{t.total_wy / t.total_w, t.total_w, to_beat};
  return mark_bins(t.n_bins, marks, [&](std::uint32_t b) {
    const double ones = t.wy[b + 1] - t.wy[b];
    const double zeros = (t.w[b + 1] - t.w[b]) - ones;
    const double excess = bound.excess(t.w[b], t.wy[b], ones, zeros);
    const bool has_rows = t.bins[b].w > 0;
    const bool opens = excess > 0 && has_rows, offers = t.gain[b] > to_beat && has_rows;
    return BinMark{opens, offers};
  });
}

}  // namespace
}  // namespace bayeswood
