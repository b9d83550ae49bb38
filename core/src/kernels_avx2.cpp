#include <algorithm>

#include "bayeswood/grow/scan.hpp"

// Everything below is compiled for AVX2 and called only where the machine has it. The headers stay
// outside, so that no shared inline function carries AVX2 instructions elsewhere.
#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2")
#endif

#include "bin_bounds.inl"

namespace bayeswood {
namespace {

// The same operations in the same order as the portable scan, four lists at once: the same bits.
struct LaneSums {
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
  LaneSums left{_mm256_setzero_pd(), _mm256_setzero_pd()};
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

}  // namespace

const Kernels* avx2_kernels() {
  static const Kernels kernels{scan_lanes,  bound_bins,  sort_lanes,   fill_counts,
                               open_counts, count_gains, count_bounds, scan_count_lanes};
  const bool runs = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  return runs ? &kernels : nullptr;
}

}  // namespace bayeswood

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#else
namespace bayeswood {

const Kernels* avx2_kernels() {
  return nullptr;
}

}  // namespace bayeswood
#endif
