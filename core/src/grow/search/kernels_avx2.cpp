#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/grow/search/random_cuts/lane_kernels.hpp"
#include "bayeswood/grow/search/scan.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"
#include "classes/class_screen.inl"
#include "two_classes/bin_bounds.inl"

namespace bayeswood {
namespace {

// The same operations in the same order as the portable scan, four lists at once: the same bits.
struct LaneTotals {
  __m256d w, wy;

  void add(const LaneTask& t, std::uint32_t i) {
    const auto* pair = reinterpret_cast<const double*>(t.pair);
    const __m128d row0 = _mm_loadu_pd(pair + 2 * id_of(t.list[0][i]));
    const __m128d row1 = _mm_loadu_pd(pair + 2 * id_of(t.list[1][i]));
    const __m128d row2 = _mm_loadu_pd(pair + 2 * id_of(t.list[2][i]));
    const __m128d row3 = _mm_loadu_pd(pair + 2 * id_of(t.list[3][i]));
    const __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(row0), row2, 1);
    const __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(row1), row3, 1);
    w = _mm256_add_pd(w, _mm256_unpacklo_pd(even, odd));
    wy = _mm256_add_pd(wy, _mm256_unpackhi_pd(even, odd));
  }
};

__m128i load_codes(const LaneTask& t, std::uint32_t i) {
  const __m128i entries =
      _mm_setr_epi32(static_cast<int>(t.list[0][i]), static_cast<int>(t.list[1][i]),
                     static_cast<int>(t.list[2][i]), static_cast<int>(t.list[3][i]));
  return _mm_srli_epi32(entries, 16);
}

void scan_lanes(const LaneTask& t, Cut* best) {
  for (std::uint32_t lane = 0; lane < LANES; ++lane) best[lane] = Cut{};
  if (t.n < 2 * t.limits.min_rows || t.n < 2) return;
  const std::uint32_t first = t.limits.min_rows - 1;
  const std::uint32_t end = t.n - t.limits.min_rows;
  const __m256d total_w = _mm256_set1_pd(t.w);
  const __m256d mean = _mm256_set1_pd(t.wy / t.w);
  const __m256d min_w = _mm256_set1_pd(t.limits.min_weight);
  const __m256d tolerance = _mm256_set1_pd(t.limits.tolerance / t.w);
  LaneTotals left{_mm256_setzero_pd(), _mm256_setzero_pd()};
  for (std::uint32_t i = 0; i < first; ++i) left.add(t, i);
  __m256d to_beat = _mm256_set1_pd(-1);
  __m256d won = _mm256_setzero_pd();
  __m256i won_at = _mm256_set1_epi64x(-1);
  __m128i code = load_codes(t, first);
  for (std::uint32_t i = first; i < end; ++i) {
    left.add(t, i);
    const __m128i next = load_codes(t, i + 1);
    const __m256d shift = _mm256_sub_pd(left.wy, _mm256_mul_pd(mean, left.w));
    const __m256d w_right = _mm256_sub_pd(total_w, left.w);
    const __m256d gain = _mm256_div_pd(_mm256_mul_pd(shift, shift), _mm256_mul_pd(left.w, w_right));
    const __m256d same = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm_cmpeq_epi32(code, next)));
    const __m256d heavy = _mm256_cmp_pd(_mm256_min_pd(left.w, w_right), min_w, _CMP_GE_OQ);
    const __m256d allowed = _mm256_andnot_pd(same, heavy);
    const __m256d better = _mm256_and_pd(_mm256_cmp_pd(gain, to_beat, _CMP_GT_OQ), allowed);
    to_beat = _mm256_blendv_pd(to_beat, _mm256_add_pd(gain, tolerance), better);
    won = _mm256_blendv_pd(won, gain, better);
    won_at = _mm256_blendv_epi8(won_at, _mm256_set1_epi64x(i), _mm256_castpd_si256(better));
    code = next;
  }
  alignas(32) double gain_of[LANES];
  alignas(32) std::int64_t at[LANES];
  _mm256_store_pd(gain_of, won);
  _mm256_store_si256(reinterpret_cast<__m256i*>(at), won_at);
  for (std::uint32_t lane = 0; lane < LANES; ++lane) {
    if (at[lane] >= 0) best[lane] = {t.w * gain_of[lane], static_cast<std::uint32_t>(at[lane])};
  }
}

void scan_count_lanes(const CountLaneTask& t, Cut* best) {
  for (std::uint32_t lane = 0; lane < LANES; ++lane) best[lane] = Cut{};
  if (t.n < 2 * t.limits.min_rows || t.n < 2) return;
  const std::uint32_t first = t.limits.min_rows - 1;
  const std::uint32_t end = t.n - t.limits.min_rows;
  const __m256d total_w = _mm256_set1_pd(t.w);
  const __m256d mean = _mm256_set1_pd(t.wy / t.w);
  const __m256d min_w = _mm256_set1_pd(t.limits.min_weight);
  const __m256d tolerance = _mm256_set1_pd(t.limits.tolerance / t.w);
  const auto* rows = reinterpret_cast<const __m128i*>(t.lanes);
  __m128i w_sum = _mm_setzero_si128();
  __m128i wy_sum = _mm_setzero_si128();
  __m256d to_beat = _mm256_set1_pd(-1);
  __m256d won = _mm256_setzero_pd();
  __m256i won_at = _mm256_set1_epi64x(-1);
  __m128i entry = _mm_load_si128(rows);
  for (std::uint32_t i = 0; i < end; ++i) {
    const __m128i next = _mm_load_si128(rows + i + 1);
    const __m128i weight = _mm_srli_epi32(_mm_slli_epi32(entry, 16), 17);
    const __m128i is_one = _mm_srai_epi32(_mm_slli_epi32(entry, 31), 31);
    w_sum = _mm_add_epi32(w_sum, weight);
    wy_sum = _mm_add_epi32(wy_sum, _mm_and_si128(weight, is_one));
    const __m128i code = _mm_srli_epi32(entry, 16);
    entry = next;
    if (i < first) continue;
    const __m256d w = _mm256_cvtepi32_pd(w_sum);
    const __m256d shift = _mm256_sub_pd(_mm256_cvtepi32_pd(wy_sum), _mm256_mul_pd(mean, w));
    const __m256d w_right = _mm256_sub_pd(total_w, w);
    const __m256d gain = _mm256_div_pd(_mm256_mul_pd(shift, shift), _mm256_mul_pd(w, w_right));
    const __m128i same_code = _mm_cmpeq_epi32(code, _mm_srli_epi32(next, 16));
    const __m256d same = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(same_code));
    const __m256d heavy = _mm256_cmp_pd(_mm256_min_pd(w, w_right), min_w, _CMP_GE_OQ);
    const __m256d allowed = _mm256_andnot_pd(same, heavy);
    const __m256d better = _mm256_and_pd(_mm256_cmp_pd(gain, to_beat, _CMP_GT_OQ), allowed);
    to_beat = _mm256_blendv_pd(to_beat, _mm256_add_pd(gain, tolerance), better);
    won = _mm256_blendv_pd(won, gain, better);
    won_at = _mm256_blendv_epi8(won_at, _mm256_set1_epi64x(i), _mm256_castpd_si256(better));
  }
  alignas(32) double gain_of[LANES];
  alignas(32) std::int64_t at[LANES];
  _mm256_store_pd(gain_of, won);
  _mm256_store_si256(reinterpret_cast<__m256i*>(at), won_at);
  for (std::uint32_t lane = 0; lane < LANES; ++lane) {
    if (at[lane] >= 0) best[lane] = {gain_of[lane], static_cast<std::uint32_t>(at[lane])};
  }
}

void sort_lanes(SmallEntry* lanes, const Network& network) {
  auto* rows = reinterpret_cast<__m128i*>(lanes);
  const auto two_rows = [&](std::uint8_t row) { return reinterpret_cast<__m256i*>(rows + row); };
  for (const Layer& layer : network) {
    for (const Exchange& e : layer.doubles) {
      const __m256i a = _mm256_loadu_si256(two_rows(e.low));
      const __m256i b = _mm256_loadu_si256(two_rows(e.high));
      _mm256_storeu_si256(two_rows(e.low), _mm256_min_epu32(a, b));
      _mm256_storeu_si256(two_rows(e.high), _mm256_max_epu32(a, b));
    }
    for (const Exchange& e : layer.singles) {
      const __m128i a = _mm_loadu_si128(rows + e.low);
      const __m128i b = _mm_loadu_si128(rows + e.high);
      _mm_storeu_si128(rows + e.low, _mm_min_epu32(a, b));
      _mm_storeu_si128(rows + e.high, _mm_max_epu32(a, b));
    }
  }
}

// Class weights of the left side in vectors, see the portable twin for the order of summation.
template <int N>
struct ClassLeft {
  __m256d left[N];
  __m256d total[N];
  __m128d min_w;

  ClassLeft(const ClassCuts& cuts, const double* start) : min_w(_mm_set1_pd(cuts.min_weight)) {
    for (int v = 0; v < N; ++v) {
      left[v] = start != nullptr ? _mm256_loadu_pd(start + v * LANES) : _mm256_setzero_pd();
      total[v] = _mm256_loadu_pd(cuts.total + v * LANES);
    }
  }

  // Both sums over lanes: (a0 + a1) + (a2 + a3), and the same for b.
  static __m128d lane_sums(__m256d a, __m256d b) {
    const __m256d pairs = _mm256_hadd_pd(a, b);
    return _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
  }

  // Writes the cut; returns 1 where it is allowed, as far as weights go.
  std::uint32_t write(const ClassCuts& cuts, std::uint32_t place, std::uint32_t n_cuts) const {
    __m256d right = _mm256_sub_pd(total[0], left[0]);
    __m256d w_left = left[0];
    __m256d w_right = right;
    __m256d sum_left = _mm256_mul_pd(left[0], left[0]);
    __m256d sum_right = _mm256_mul_pd(right, right);
    for (int v = 1; v < N; ++v) {
      right = _mm256_sub_pd(total[v], left[v]);
      w_left = _mm256_add_pd(w_left, left[v]);
      w_right = _mm256_add_pd(w_right, right);
      sum_left = _mm256_add_pd(sum_left, _mm256_mul_pd(left[v], left[v]));
      sum_right = _mm256_add_pd(sum_right, _mm256_mul_pd(right, right));
    }
    const __m128d w = lane_sums(w_left, w_right);
    const __m128d scores = _mm_div_pd(lane_sums(sum_left, sum_right), w);
    _mm_store_sd(cuts.score + n_cuts, _mm_add_sd(scores, _mm_unpackhi_pd(scores, scores)));
    cuts.place[n_cuts] = place;
    return _mm_movemask_pd(_mm_cmpge_pd(w, min_w)) == 3 ? 1 : 0;
  }
};

// Read from MAX_CLASSES - 1 - k on: ones in lane k, zeros in the others. From MAX_CLASSES on:
// zeros.
constexpr std::uint32_t MAX_CLASSES = MAX_CLASS_VECTORS * LANES;
alignas(32) constexpr std::int64_t LANE_MASKS[2 * MAX_CLASSES] = {0, 0, 0, 0, 0, 0, 0, 0,
                                                                  0, 0, 0, 0, 0, 0, 0, -1};

__m256d masked(__m256d w, std::uint32_t mask, int v) {
  const auto* masks = reinterpret_cast<const __m256i*>(LANE_MASKS + mask) + v;
  return _mm256_and_pd(_mm256_castsi256_pd(_mm256_loadu_si256(masks)), w);
}

template <int N>
std::uint32_t scan_class_list(const ClassListTask& t) {
  ClassLeft<N> sums(t.cuts, nullptr);
  std::uint32_t n_cuts = 0;
  for (std::uint32_t i = 0; i < t.end; ++i) {
    const std::uint32_t id = id_of(t.list[i]);
    const __m256d w = _mm256_broadcast_sd(t.w + id);
    const std::uint32_t mask = MAX_CLASSES - 1 - t.lane[t.label[id]];
    for (int v = 0; v < N; ++v) {
      sums.left[v] = _mm256_add_pd(sums.left[v], masked(w, mask, v));
    }
    if (i < t.first) continue;
    const std::uint32_t allowed = code_of(t.list[i]) != code_of(t.list[i + 1]) ? 1 : 0;
    n_cuts += allowed & sums.write(t.cuts, i, n_cuts);
  }
  return n_cuts;
}

template <int N>
std::uint32_t scan_class_bins(const ClassBinTask& t) {
  ClassLeft<N> sums(t.cuts, t.start);
  std::uint32_t n_cuts = 0;
  for (std::uint32_t b = 0; b < t.n_bins; ++b) {
    for (int v = 0; v < N; ++v) {
      const double* bin = t.bins + (std::size_t{b} * N + v) * LANES;
      sums.left[v] = _mm256_add_pd(sums.left[v], _mm256_loadu_pd(bin));
    }
    n_cuts += sums.write(t.cuts, b, n_cuts);
  }
  return n_cuts;
}

// See bound_cut.
double bound_cuts(const ClassScreenTask& t) {
  const __m256d total_w = _mm256_set1_pd(t.w);
  const __m256d squares = _mm256_set1_pd(t.squares);
  const __m256d slack = _mm256_set1_pd(t.slack);
  const __m256d one = _mm256_set1_pd(1);
  __m256d most = _mm256_set1_pd(NO_SCORE);
  std::uint32_t i = t.cuts.first;
  for (; i + LANES <= t.cuts.end; i += LANES) {
    const __m256d near_w = _mm256_loadu_pd(t.end_w + i);
    const __m256d far_w = _mm256_sub_pd(total_w, near_w);
    const __m256d near = _mm256_loadu_pd(t.end_squares + i);
    const __m256d products = _mm256_loadu_pd(t.end_products + i);
    const __m256d rest = _mm256_sub_pd(squares, _mm256_add_pd(products, products));
    const __m256d far = _mm256_add_pd(rest, near);
    const __m256d unit = _mm256_div_pd(one, _mm256_mul_pd(near_w, far_w));
    const __m256d sums = _mm256_add_pd(_mm256_mul_pd(near, far_w), _mm256_mul_pd(far, near_w));
    const __m256d score = _mm256_mul_pd(sums, unit);
    const __m256d signed_error = _mm256_mul_pd(_mm256_mul_pd(slack, near_w), unit);
    const __m256d error = _mm256_andnot_pd(_mm256_set1_pd(-0.0), signed_error);
    _mm256_storeu_pd(t.bound + i, _mm256_add_pd(score, error));
    most = _mm256_max_pd(_mm256_sub_pd(score, error), most);  // the second where one is no number
  }
  alignas(32) double lanes[LANES];
  _mm256_store_pd(lanes, most);
  double reached = *std::max_element(lanes, lanes + LANES);
  for (; i < t.cuts.end; ++i) bound_cut(t, i, reached);
  return reached;
}

CutRange screen_classes(const ClassScreenTask& t) {
  const double least = screen_list(t, bound_cuts);
  const __m256d leasts = _mm256_set1_pd(least);
  const auto all_below = [&](std::uint32_t i) {
    const __m256d below = _mm256_cmp_pd(_mm256_loadu_pd(t.bound + i), leasts, _CMP_LT_OQ);
    return _mm256_movemask_pd(below) == 15;
  };
  auto [first, end] = t.cuts;
  while (first + LANES <= end && all_below(first)) first += LANES;
  while (first < end && t.bound[first] < least) ++first;
  while (first + LANES <= end && all_below(end - LANES)) end -= LANES;
  while (first < end && t.bound[end - 1] < least) --end;
  return {first, end};
}

// Adding 0 to the other lanes, and to the other side, changes no bit.
template <int N, bool BY_SIDE>
std::uint32_t part_classes(const ClassPartTask& t) {
  __m256d left_w[N], right_w[N];
  for (int v = 0; v < N; ++v) left_w[v] = right_w[v] = _mm256_setzero_pd();
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < t.n; ++i) {
    const std::uint16_t id = t.order[i];
    const std::uint32_t goes_left = BY_SIDE ? t.side[id] : t.column[id] <= t.cut_code;
    const __m256d w = _mm256_broadcast_sd(t.w + id);
    const std::uint32_t back = t.lane[t.label[id]] + 1U;
    const std::uint32_t left_mask = MAX_CLASSES - (back & (0U - goes_left));  // without a branch
    const std::uint32_t right_mask = MAX_CLASSES - (back & (goes_left - 1U));
    for (int v = 0; v < N; ++v) {
      left_w[v] = _mm256_add_pd(left_w[v], masked(w, left_mask, v));
      right_w[v] = _mm256_add_pd(right_w[v], masked(w, right_mask, v));
    }
    t.order[left] = id;
    t.scratch[i - left] = id;
    left += goes_left;
  }
  std::copy_n(t.scratch, t.n - left, t.order + left);
  for (int v = 0; v < N; ++v) {
    _mm256_storeu_pd(t.left + v * LANES, left_w[v]);
    _mm256_storeu_pd(t.right + v * LANES, right_w[v]);
  }
  return left;
}

std::uint32_t part_classes(const ClassPartTask& t) {
  static constexpr ClassPart BY_VECTORS[][2] = {{part_classes<1, false>, part_classes<1, true>},
                                                {part_classes<2, false>, part_classes<2, true>},
                                                {part_classes<3, false>, part_classes<3, true>},
                                                {part_classes<4, false>, part_classes<4, true>}};
  return BY_VECTORS[t.n_vectors - 1][t.side != nullptr ? 1 : 0](t);
}

std::uint32_t scan_class_list(const ClassListTask& t) {
  static constexpr ClassListScan BY_VECTORS[] = {scan_class_list<1>, scan_class_list<2>,
                                                 scan_class_list<3>, scan_class_list<4>};
  return BY_VECTORS[t.cuts.n_vectors - 1](t);
}

std::uint32_t scan_class_bins(const ClassBinTask& t) {
  static constexpr ClassBinScan BY_VECTORS[] = {scan_class_bins<1>, scan_class_bins<2>,
                                                scan_class_bins<3>, scan_class_bins<4>};
  return BY_VECTORS[t.cuts.n_vectors - 1](t);
}

}  // namespace

namespace {

const Kernels& made_search_kernels() {
  static const Kernels kernels = [] {
    Kernels made{scan_lanes,
                 bound_bins,
                 sort_lanes,
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
                 avx2_lane_ranges,
                 avx2_lanes_within,
                 avx2_lane_kernels<std::uint16_t>(),
                 avx2_lane_kernels<float>(),
                 avx2_lane_kernels<double>()};
    made.moves = &avx2_moves();
    return made;
  }();
  return kernels;
}

}  // namespace

}  // namespace bayeswood

#include "bayeswood/base/end_avx2.inl"

// Not for AVX2 itself: it is asked on every machine.
const bayeswood::Kernels* bayeswood::avx2_kernels() {
  return runs_avx2() ? &made_search_kernels() : nullptr;
}
#else
const bayeswood::Kernels* bayeswood::avx2_kernels() {
  return nullptr;
}
#endif
