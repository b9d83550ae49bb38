// What wider registers and masks do better than kernels_avx2.cpp; the rest is taken from there.
#include <algorithm>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/grow/search/scan.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx512.inl"

namespace bayeswood {
namespace {

constexpr std::uint32_t ENTRIES = 16;  // of a list at once

// The first n entries, or all; the instruction looks at the last eight bits of n alone.
__mmask16 first_of(std::uint32_t n) {
  return static_cast<__mmask16>(_bzhi_u32(0xffff, std::min(n, ENTRIES)));
}

// 16 places of eight lists: where their rows stand, and after which places there may be a cut.
struct WideBlock {
  alignas(64) std::uint32_t offset[WIDE_LANES][ENTRIES];  // in doubles
  alignas(64) std::uint64_t cut[WIDE_LANES];              // one bit per place

  void load(const WideTask& t, std::uint32_t begin, const CutRange& cuts) {
    const __m512i code_bits = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
    const __mmask16 there = first_of(cuts.end - begin);
    const unsigned before = begin < cuts.first ? first_of(cuts.first - begin) : 0;
    for (std::uint32_t l = 0; l < WIDE_LANES; ++l) {
      const __m512i here = _mm512_maskz_loadu_epi32(there, t.list[l] + begin);
      const __m512i next = _mm512_maskz_loadu_epi32(there, t.list[l] + begin + 1);
      const unsigned differs = _mm512_test_epi32_mask(_mm512_xor_si512(here, next), code_bits);
      cut[l] = differs & ~before;
      const __m512i doubled = _mm512_slli_epi32(_mm512_andnot_si512(code_bits, here), 1);
      _mm512_store_si512(offset[l], doubled);
    }
  }
};

// The same operations in the same order as the portable scan, eight lists at once: the same bits.
struct WideSums {
  __m512d w, wy;

  void add(const double* pair, const WideBlock& block, std::uint32_t i) {
    const auto row = [&](int l) { return _mm_loadu_pd(pair + block.offset[l][i]); };
    const auto two = [&](int l) {
      return _mm256_insertf128_pd(_mm256_castpd128_pd256(row(l)), row(l + 2), 1);
    };
    const auto four = [&](int l) {
      return _mm512_insertf64x4(_mm512_castpd256_pd512(two(l)), two(l + 4), 1);
    };
    const __m512d even = four(0);
    const __m512d odd = four(1);
    w = _mm512_add_pd(w, _mm512_unpacklo_pd(even, odd));
    wy = _mm512_add_pd(wy, _mm512_unpackhi_pd(even, odd));
  }
};

struct WideBest {
  __m512d to_beat, won;
  __m512i won_at;
};

void write_cuts(const WideTask& t, const WideBest& found, Cut* best) {
  alignas(64) double gain[WIDE_LANES];
  alignas(64) std::int64_t at[WIDE_LANES];
  _mm512_store_pd(gain, found.won);
  _mm512_store_si512(at, found.won_at);
  for (std::uint32_t l = 0; l < WIDE_LANES; ++l) {
    if (at[l] >= 0) best[l] = {t.w * gain[l], static_cast<std::uint32_t>(at[l])};
  }
}

void scan_wide(const WideTask& t, Cut* best) {
  std::fill_n(best, WIDE_LANES, Cut{});
  const CutRange cuts = cuts_within(t.n, 0, t.limits);
  if (cuts.empty()) return;
  const __m512d total_w = _mm512_set1_pd(t.w);
  const __m512d mean = _mm512_set1_pd(t.wy / t.w);
  const __m512d min_w = _mm512_set1_pd(t.limits.min_weight);
  const __m512d tolerance = _mm512_set1_pd(t.limits.tolerance / t.w);
  const __m512i one = _mm512_set1_epi64(1);
  WideSums left{_mm512_setzero_pd(), _mm512_setzero_pd()};
  WideBest found{_mm512_set1_pd(-1), _mm512_setzero_pd(), _mm512_set1_epi64(-1)};
  const auto* pair = reinterpret_cast<const double*>(t.pair);
  WideBlock block;
  __m512i at = _mm512_setzero_si512();
  for (std::uint32_t begin = 0; begin < cuts.end; begin += ENTRIES) {
    block.load(t, begin, cuts);
    __m512i places = _mm512_load_si512(block.cut);
    const std::uint32_t size = std::min(ENTRIES, cuts.end - begin);
    for (std::uint32_t i = 0; i < size; ++i) {
      left.add(pair, block, i);
      const __m512d shift = _mm512_sub_pd(left.wy, _mm512_mul_pd(mean, left.w));
      const __m512d w_right = _mm512_sub_pd(total_w, left.w);
      const __m512d gain =
          _mm512_div_pd(_mm512_mul_pd(shift, shift), _mm512_mul_pd(left.w, w_right));
      const __mmask8 differs = _mm512_test_epi64_mask(places, one);
      const __mmask8 allowed =
          _mm512_mask_cmp_pd_mask(differs, _mm512_min_pd(left.w, w_right), min_w, _CMP_GE_OQ);
      const __mmask8 better = _mm512_mask_cmp_pd_mask(allowed, gain, found.to_beat, _CMP_GT_OQ);
      found.to_beat = _mm512_mask_add_pd(found.to_beat, better, gain, tolerance);
      found.won = _mm512_mask_mov_pd(found.won, better, gain);
      found.won_at = _mm512_mask_mov_epi64(found.won_at, better, at);
      places = _mm512_srli_epi64(places, 1);
      at = _mm512_add_epi64(at, one);
    }
  }
  write_cuts(t, found, best);
}

// Which of 16 entries go left: a word of the sides is looked up by the row's higher five bits, and
// turned by the lower ones.
class SideTable {
 public:
  explicit SideTable(const RowSides& sides)
      : low_(_mm512_load_si512(sides.words)), high_(_mm512_load_si512(sides.words + 8)) {}

  __mmask16 left(__mmask16 here, __m512i entries) const {
    const __m512i place = _mm512_srli_epi32(entries, 5);
    const __m512i word = _mm512_permutex2var_epi32(low_, place, high_);
    const __m512i turned = _mm512_rorv_epi32(word, entries);
    return _mm512_mask_test_epi32_mask(here, turned, _mm512_set1_epi32(1));
  }

 private:
  __m512i low_, high_;
};

void copy_entries(const SmallEntry* from, std::uint32_t n, SmallEntry* to) {
  for (std::uint32_t i = 0; i < n; i += ENTRIES) {
    const __mmask16 here = first_of(n - i);
    _mm512_mask_storeu_epi32(to + i, here, _mm512_loadu_si512(from + i));
  }
}

// A list of 16 entries at most, which are read before any is written.
template <bool LEFT, bool RIGHT>
void part_few(SmallEntry* list, std::uint32_t n, const SideTable& sides) {
  const __mmask16 here = first_of(n);
  const __m512i entries = _mm512_maskz_loadu_epi32(here, list);
  const __mmask16 goes_left = sides.left(here, entries);
  const auto goes_right = static_cast<__mmask16>(here & ~goes_left);
  const auto n_left = static_cast<std::uint32_t>(_mm_popcnt_u32(goes_left));
  const __m512i lefts = _mm512_maskz_compress_epi32(goes_left, entries);
  const __m512i rights = _mm512_maskz_compress_epi32(goes_right, entries);
  if (LEFT) _mm512_mask_storeu_epi32(list, first_of(n_left), lefts);
  if (RIGHT) _mm512_mask_storeu_epi32(list + n_left, first_of(n - n_left), rights);
}

// Left entries are written to where they were read or before, right ones wait in the scratch.
template <bool LEFT, bool RIGHT>
void part_many(SmallEntry* list, std::uint32_t n, const SideTable& sides, SmallEntry* scratch) {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < n; i += ENTRIES) {
    const __mmask16 here = first_of(n - i);
    const __m512i entries = _mm512_maskz_loadu_epi32(here, list + i);
    const __mmask16 goes_left = sides.left(here, entries);
    const auto goes_right = static_cast<__mmask16>(here & ~goes_left);
    const auto n_left = static_cast<std::uint32_t>(_mm_popcnt_u32(goes_left));
    if (LEFT && i + ENTRIES <= n) {
      _mm512_storeu_si512(list + left, _mm512_maskz_compress_epi32(goes_left, entries));
    } else if (LEFT) {
      const __m512i lefts = _mm512_maskz_compress_epi32(goes_left, entries);
      _mm512_mask_storeu_epi32(list + left, first_of(n_left), lefts);
    }
    if (RIGHT)
      _mm512_storeu_si512(scratch + right, _mm512_maskz_compress_epi32(goes_right, entries));
    left += n_left;
    right += std::min(ENTRIES, n - i) - n_left;
  }
  if (RIGHT) copy_entries(scratch, right, list + left);
}

template <bool LEFT, bool RIGHT>
void part_lists(const ListParting& t) {
  const SideTable sides(t.sides);
  for (std::uint32_t k = 0; k < t.n_lists; ++k) {
    SmallEntry* list = t.lists + k * t.stride;
    if (k == t.skipped) continue;
    if (t.n <= ENTRIES) {
      part_few<LEFT, RIGHT>(list, t.n, sides);
    } else {
      part_many<LEFT, RIGHT>(list, t.n, sides, t.scratch);
    }
  }
}

}  // namespace

const Kernels* avx512_kernels() {
  if (!runs_avx512()) return nullptr;
  static const Kernels kernels = [] {
    Kernels best = *avx2_kernels();
    best.scan_wide = scan_wide;
    best.part_lists = {part_lists<true, true>, part_lists<true, false>, part_lists<false, true>};
    return best;
  }();
  return &kernels;
}

}  // namespace bayeswood

#include "bayeswood/base/end_avx512.inl"
#else
const bayeswood::Kernels* bayeswood::avx512_kernels() {
  return nullptr;
}
#endif
