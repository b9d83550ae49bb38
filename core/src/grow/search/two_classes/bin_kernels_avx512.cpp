// Bins of two classes with AVX-512, eight at a time: the same operations as bin_bounds.inl, and so
// the same bits.
#include <algorithm>
#include <cstring>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/grow/search/two_classes/bin_kernels.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx512.inl"

namespace bayeswood {
namespace {

// Sets of rows, eight at once.
struct WideCounts {
  __m512d w, wy;

  explicit WideCounts(__m512i sets)
      : w(_mm512_cvtepi64_pd(_mm512_and_si512(_mm512_srli_epi64(sets, COUNT_BITS), low_bits()))),
        wy(_mm512_cvtepi64_pd(_mm512_and_si512(sets, low_bits()))) {}
  static __m512i low_bits() { return _mm512_set1_epi64(MAX_COUNT); }
  static __m512i rows(__m512i sets) { return _mm512_srli_epi64(sets, 2 * COUNT_BITS); }
};

// Sums of the first, the first two, ... of eight words.
__m512i running_sums(__m512i words) {
  const __m512i zero = _mm512_setzero_si512();
  words = _mm512_add_epi64(words, _mm512_alignr_epi64(words, zero, 7));
  words = _mm512_add_epi64(words, _mm512_alignr_epi64(words, zero, 6));
  return _mm512_add_epi64(words, _mm512_alignr_epi64(words, zero, 4));
}

double count_gains(const CountBins& t) {
  const __m512d total_w = _mm512_set1_pd(t.total_w), mean = _mm512_set1_pd(t.total_wy / t.total_w);
  const __m512d one = _mm512_set1_pd(1), refused = _mm512_set1_pd(-1);
  const __m512d min_w = _mm512_set1_pd(std::max(t.min_weight, 1.0));
  const __m512i min_n = _mm512_set1_epi64(t.min_rows);
  const __m512i max_n = _mm512_set1_epi64(static_cast<std::int64_t>(t.total_n) - t.min_rows);
  __m512i sum = _mm512_setzero_si512();
  __m512d most = refused;
  for (std::uint32_t b = 0; b < t.n_bins; b += BIN_STEP) {
    const __m512i bins = _mm512_loadu_si512(t.bins + b);
    const __m512i sums = _mm512_add_epi64(sum, running_sums(bins));
    _mm512_storeu_si512(t.before + b, _mm512_sub_epi64(sums, bins));
    sum = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sums);
    const WideCounts left(sums);
    const __m512d w_right = _mm512_sub_pd(total_w, left.w);
    const __m512d shift = _mm512_sub_pd(left.wy, _mm512_mul_pd(mean, left.w));
    const __m512d product = _mm512_max_pd(_mm512_mul_pd(left.w, w_right), one);
    const __m512d gain = _mm512_div_pd(_mm512_mul_pd(shift, shift), product);
    const __m512i n = WideCounts::rows(sums);
    const __mmask8 enough =
        _mm512_mask_cmple_epi64_mask(_mm512_cmpge_epi64_mask(n, min_n), n, max_n);
    const __mmask8 allowed =
        _mm512_mask_cmp_pd_mask(enough, _mm512_min_pd(left.w, w_right), min_w, _CMP_GE_OQ);
    const __m512d written = _mm512_mask_mov_pd(refused, allowed, gain);
    _mm512_storeu_pd(t.gain + b, written);
    most = _mm512_max_pd(most, written);
  }
  return _mm512_reduce_max_pd(most);
}

// See ZeroOneBound.
struct WideBound {
  __m512d mean, total_w, to_beat;

  WideBound(double total_wy, double w, double beaten)
      : mean(_mm512_set1_pd(total_wy / w)),
        total_w(_mm512_set1_pd(w)),
        to_beat(_mm512_set1_pd(beaten)) {}
  __m512d over(__m512d w, __m512d wy) const {
    const __m512d shift = _mm512_sub_pd(wy, _mm512_mul_pd(mean, w));
    const __m512d both = _mm512_mul_pd(w, _mm512_sub_pd(total_w, w));
    return _mm512_sub_pd(_mm512_mul_pd(shift, shift), _mm512_mul_pd(to_beat, both));
  }
  // Of `rows`, the bins where a cut inside may gain more.
  __mmask8 opens(__mmask8 rows, __m512d w, __m512d wy, __m512d ones, __m512d zeros) const {
    const __m512d zero = _mm512_setzero_pd();
    const __m512d over1 = over(_mm512_add_pd(w, ones), _mm512_add_pd(wy, ones));
    const __m512d over0 = over(_mm512_add_pd(w, zeros), wy);
    return _mm512_mask_cmp_pd_mask(rows, _mm512_max_pd(over0, over1), zero, _CMP_GT_OQ);
  }
};

bool mark_counts(const CountBins& t, double to_beat, BinMarks& marks) {
  const WideBound bound(t.total_wy, t.total_w, to_beat);
  const __m512i one = _mm512_set1_epi64(1);
  unsigned any = 0;
  for (std::uint32_t b = 0; b < t.n_bins; b += BIN_STEP) {
    const __m512i bins = _mm512_loadu_si512(t.bins + b);
    const WideCounts own(bins), before(_mm512_loadu_si512(t.before + b));
    const __mmask8 several = _mm512_cmpgt_epi64_mask(WideCounts::rows(bins), one);
    const __mmask8 opened =
        bound.opens(several, before.w, before.wy, own.wy, _mm512_sub_pd(own.w, own.wy));
    const __mmask8 offered = _mm512_mask_cmp_pd_mask(
        _mm512_test_epi64_mask(bins, bins), _mm512_loadu_pd(t.gain + b), bound.to_beat, _CMP_GT_OQ);
    marks.opened[b / BIN_STEP] = opened;
    marks.offered[b / BIN_STEP] = offered;
    any |= opened | offered;
  }
  return any != 0;
}

// Bins of (w, wy) as two vectors.
struct WidePairs {
  __m512d w, wy;

  explicit WidePairs(const WeightedValue* bins) {
    const auto* from = reinterpret_cast<const double*>(bins);
    const __m512d low = _mm512_loadu_pd(from), high = _mm512_loadu_pd(from + 8);
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    w = _mm512_permutex2var_pd(low, even, high);
    wy = _mm512_permutex2var_pd(low, _mm512_add_epi64(even, _mm512_set1_epi64(1)), high);
  }
};

// Weights are added up one after another: another order would change bits.
void add_up(const WeightBins& t) {
  __m128d sum = _mm_setzero_pd();
  _mm_storel_pd(t.w, sum);
  _mm_storeh_pd(t.wy, sum);
  for (std::uint32_t b = 0; b < t.n_bins; ++b) {
    sum = _mm_add_pd(sum, _mm_loadu_pd(&t.bins[b].w));
    _mm_storel_pd(t.w + b + 1, sum);
    _mm_storeh_pd(t.wy + b + 1, sum);
  }
}

double weight_gains(const WeightBins& task) {
  const WeightBins t = task;
  add_up(t);
  const __m512d total_w = _mm512_set1_pd(t.total_w), mean = _mm512_set1_pd(t.total_wy / t.total_w);
  const __m512d refused = _mm512_set1_pd(-1), min_w = _mm512_set1_pd(t.min_weight);
  __m512d most = refused;
  for (std::uint32_t b = 0; b < t.n_bins; b += BIN_STEP) {
    const __m512d w = _mm512_loadu_pd(t.w + b + 1), wy = _mm512_loadu_pd(t.wy + b + 1);
    const __m512d w_right = _mm512_sub_pd(total_w, w);
    const __m512d shift = _mm512_sub_pd(wy, _mm512_mul_pd(mean, w));
    const __m512d gain = _mm512_div_pd(_mm512_mul_pd(shift, shift), _mm512_mul_pd(w, w_right));
    const std::uint32_t n_left = t.n_cuts > b ? t.n_cuts - b : 0;
    const auto cuts = static_cast<__mmask8>(_bzhi_u32(0xff, std::min(n_left, BIN_STEP)));
    const __mmask8 allowed =
        _mm512_mask_cmp_pd_mask(cuts, _mm512_min_pd(w, w_right), min_w, _CMP_GE_OQ);
    const __m512d written = _mm512_mask_mov_pd(refused, allowed, gain);
    _mm512_storeu_pd(t.gain + b, written);
    most = _mm512_max_pd(most, written);
  }
  return _mm512_reduce_max_pd(most);
}

bool mark_weights(const WeightBins& task, double to_beat, BinMarks& marks) {
  const WeightBins t = task;
  const WideBound bound(t.total_wy, t.total_w, to_beat);
  unsigned any = 0;
  for (std::uint32_t b = 0; b < t.n_bins; b += BIN_STEP) {
    const __m512d w = _mm512_loadu_pd(t.w + b), wy = _mm512_loadu_pd(t.wy + b);
    const __m512d ones = _mm512_sub_pd(_mm512_loadu_pd(t.wy + b + 1), wy);
    const __m512d zeros = _mm512_sub_pd(_mm512_sub_pd(_mm512_loadu_pd(t.w + b + 1), w), ones);
    const __mmask8 rows =
        _mm512_cmp_pd_mask(WidePairs(t.bins + b).w, _mm512_setzero_pd(), _CMP_GT_OQ);
    const __mmask8 opened = bound.opens(rows, w, wy, ones, zeros);
    const __mmask8 offered =
        _mm512_mask_cmp_pd_mask(rows, _mm512_loadu_pd(t.gain + b), bound.to_beat, _CMP_GT_OQ);
    marks.opened[b / BIN_STEP] = opened;
    marks.offered[b / BIN_STEP] = offered;
    any |= opened | offered;
  }
  return any != 0;
}

// The marks of 512 bins are one register of 32 words: a word is looked up by the bin's higher bits,
// and turned by the lower four.
std::size_t open_bins(const BinOpening& t) {
  constexpr std::size_t STEP = 32, HALF = 16;
  const __m512i marks = _mm512_loadu_si512(t.opened);
  const __m512i one = _mm512_set1_epi16(1), low_bits = _mm512_set1_epi16(15);
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(t.shift));
  const __m512i half = _mm512_set1_epi32(HALF);
  __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  std::size_t n = 0;
  for (std::size_t i = 0; i < t.n; i += STEP) {
    const auto there =
        static_cast<__mmask32>(_bzhi_u32(~0U, static_cast<unsigned>(std::min(t.n - i, STEP))));
    const __m512i codes = _mm512_maskz_loadu_epi16(there, t.codes + i);
    const __m512i bins = _mm512_srl_epi16(codes, shift);
    const __m512i word = _mm512_permutexvar_epi16(_mm512_srli_epi16(bins, 4), marks);
    const __m512i turned = _mm512_srlv_epi16(word, _mm512_and_si512(bins, low_bits));
    const __mmask32 opened = _mm512_mask_test_epi16_mask(there, turned, one);
    for (std::size_t k = 0; k < STEP; k += HALF) {
      const auto own = static_cast<__mmask16>(opened >> k);
      _mm512_storeu_si512(t.places + n, _mm512_maskz_compress_epi32(own, places));
      n += static_cast<std::size_t>(_mm_popcnt_u32(own));
      places = _mm512_add_epi32(places, half);
    }
  }
  return n;
}

// Of 16 entries, each beside its partner: the larger one to the lanes in `upper`.
__m512i exchange(__m512i entries, __m512i partners, __mmask16 upper) {
  const __m512i least = _mm512_min_epu32(entries, partners);
  return _mm512_mask_max_epu32(least, upper, entries, partners);
}
__m512i swap_near(__m512i v) {
  return _mm512_shuffle_epi32(v, _MM_PERM_CDAB);
}
__m512i turn_fours(__m512i v) {
  return _mm512_shuffle_epi32(v, _MM_PERM_ABCD);
}
__m512i turn_all(__m512i v) {
  return _mm512_shuffle_i32x4(turn_fours(v), turn_fours(v), 0x1b);
}

// Sorts 16 entries that first rise and then fall.
__m512i merge_lanes(__m512i v) {
  v = exchange(v, _mm512_shuffle_i32x4(v, v, 0x4e), 0xff00);
  v = exchange(v, _mm512_shuffle_i32x4(v, v, 0xb1), 0xf0f0);
  v = exchange(v, _mm512_shuffle_epi32(v, _MM_PERM_BADC), 0xcccc);
  return exchange(v, swap_near(v), 0xaaaa);
}

// Each merge begins with the second half turned around.
__m512i sort_lanes(__m512i v) {
  v = exchange(v, swap_near(v), 0xaaaa);
  v = exchange(v, turn_fours(v), 0xcccc);
  v = exchange(v, swap_near(v), 0xaaaa);
  v = exchange(v, _mm512_shuffle_i32x4(turn_fours(v), turn_fours(v), 0xb1), 0xf0f0);
  v = exchange(v, _mm512_shuffle_epi32(v, _MM_PERM_BADC), 0xcccc);
  v = exchange(v, swap_near(v), 0xaaaa);
  return merge_lanes(exchange(v, turn_all(v), 0xff00));
}

void exchange(__m512i& low, __m512i& high) {
  const __m512i least = _mm512_min_epu32(low, high);
  high = _mm512_max_epu32(low, high);
  low = least;
}

// Both halves of N registers are sorted: all of them.
template <std::uint32_t N>
void merge_halves(__m512i* v) {
  for (std::uint32_t i = 0; i < N / 2; ++i) {
    __m512i turned = turn_all(v[N - 1 - i]);
    exchange(v[i], turned);
    v[N - 1 - i] = turned;
  }
  for (std::uint32_t apart = N / 4; apart > 0; apart /= 2) {
    for (std::uint32_t i = 0; i < N; ++i)
      if ((i & apart) == 0) exchange(v[i], v[i + apart]);
  }
  for (std::uint32_t i = 0; i < N; ++i) v[i] = merge_lanes(v[i]);
}

template <std::uint32_t N>
void sort_registers(__m512i* v) {
  if constexpr (N == 1) {
    v[0] = sort_lanes(v[0]);
  } else {
    sort_registers<N / 2>(v);
    sort_registers<N / 2>(v + N / 2);
    merge_halves<N>(v);
  }
}

template <std::uint32_t N>
void sort_few(std::uint32_t* entries, std::uint32_t n) {
  constexpr std::uint32_t WIDTH = 16;
  __m512i v[N];
  __mmask16 there[N];
  for (std::uint32_t i = 0; i < N; ++i) {
    const std::uint32_t left = n > i * WIDTH ? std::min(n - i * WIDTH, WIDTH) : 0;
    there[i] = static_cast<__mmask16>(_bzhi_u32(0xffff, left));
    v[i] = _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), there[i], entries + i * WIDTH);
  }
  sort_registers<N>(v);
  for (std::uint32_t i = 0; i < N; ++i)
    _mm512_mask_storeu_epi32(entries + i * WIDTH, there[i], v[i]);
}

void sort_few(std::uint32_t* entries, std::uint32_t n) {
  if (n <= 16) return sort_few<1>(entries, n);
  if (n <= 32) return sort_few<2>(entries, n);
  if (n <= 64) return sort_few<4>(entries, n);
  sort_few<8>(entries, n);
}

}  // namespace

void use_avx512_bins(Kernels& kernels) {
  kernels.count_gains = count_gains;
  kernels.mark_counts = mark_counts;
  kernels.weight_gains = weight_gains;
  kernels.mark_weights = mark_weights;
  kernels.open_bins = open_bins;
  kernels.sort_few = sort_few;
}

}  // namespace bayeswood

#include "bayeswood/base/end_avx512.inl"
#endif
