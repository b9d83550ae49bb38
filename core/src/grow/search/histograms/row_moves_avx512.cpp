// Sixteen rows at once, pressed together to the left and to the right.
#include <algorithm>
#include <numeric>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/grow/search/histograms/row_moves.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx512.inl"

namespace bayeswood {
namespace {

// The lanes of a vector of values: how they are read, pressed together and written.
struct CodeLanes {
  using Value = std::uint16_t;
  using Mask = __mmask16;
  static constexpr std::uint32_t N = 16;
  static __m512i load(const Value* from) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static __m512i load(const Value* from, Mask here) {
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(here, from));
  }
  static __m512i pressed(Mask kept, __m512i x) { return _mm512_maskz_compress_epi32(kept, x); }
  static void store(Value* to, __m512i x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(x));
  }
  static void store(Value* to, Mask here, __m512i x) {
    _mm256_mask_storeu_epi16(to, here, _mm512_cvtepi32_epi16(x));
  }
};

struct RowLanes {
  using Value = std::uint32_t;
  using Mask = __mmask16;
  static constexpr std::uint32_t N = 16;
  static __m512i load(const Value* from) { return _mm512_loadu_si512(from); }
  static __m512i load(const Value* from, Mask here) { return _mm512_maskz_loadu_epi32(here, from); }
  static __m512i pressed(Mask kept, __m512i x) { return _mm512_maskz_compress_epi32(kept, x); }
  static void store(Value* to, __m512i x) { _mm512_storeu_si512(to, x); }
  static void store(Value* to, Mask here, __m512i x) { _mm512_mask_storeu_epi32(to, here, x); }
};

struct NumberLanes {
  using Value = double;
  using Mask = __mmask8;
  static constexpr std::uint32_t N = 8;
  static __m512d load(const Value* from) { return _mm512_loadu_pd(from); }
  static __m512d load(const Value* from, Mask here) { return _mm512_maskz_loadu_pd(here, from); }
  static __m512d pressed(Mask kept, __m512d x) { return _mm512_maskz_compress_pd(kept, x); }
  static void store(Value* to, __m512d x) { _mm512_storeu_pd(to, x); }
  static void store(Value* to, Mask here, __m512d x) { _mm512_mask_storeu_pd(to, here, x); }
};

// Each row is two lanes.
struct PairLanes {
  using Value = WeightedValue;
  using Mask = std::uint32_t;
  static constexpr std::uint32_t N = 4;
  static __mmask8 both(Mask rows) { return static_cast<__mmask8>(_pdep_u32(rows, 0x55) * 3); }
  static __m512d load(const Value* from) { return _mm512_loadu_pd(from); }
  static __m512d load(const Value* from, Mask here) {
    return _mm512_maskz_loadu_pd(both(here), from);
  }
  static __m512d pressed(Mask kept, __m512d x) { return _mm512_maskz_compress_pd(both(kept), x); }
  static void store(Value* to, __m512d x) { _mm512_storeu_pd(to, x); }
  static void store(Value* to, Mask here, __m512d x) { _mm512_mask_storeu_pd(to, both(here), x); }
};

template <class Lanes>
typename Lanes::Mask first_lanes(std::uint32_t n) {
  return static_cast<typename Lanes::Mask>(_bzhi_u32(0xffff, std::min(n, Lanes::N)));
}

// Left values are written to where they were read or before, right ones wait in the scratch. Only
// the last, which are fewer than a vector, need masks: such stores are slow.
template <class Lanes>
void part_array(const ArrayPart<typename Lanes::Value>& t) {
  using Mask = typename Lanes::Mask;
  constexpr std::uint32_t N = Lanes::N;
  std::uint32_t left = 0;
  std::uint32_t i = 0;
  const auto sides = [&] { return static_cast<std::uint32_t>(t.sides[i / 64] >> (i % 64)); };
  for (const auto all = first_lanes<Lanes>(N); i + N <= t.n; i += N) {
    const auto values = Lanes::load(t.from + i);
    const auto goes_left = static_cast<Mask>(sides() & all);
    Lanes::store(t.to + left, Lanes::pressed(goes_left, values));
    Lanes::store(t.scratch + (i - left),
                 Lanes::pressed(static_cast<Mask>(~goes_left & all), values));
    left += static_cast<std::uint32_t>(_mm_popcnt_u32(goes_left));
  }
  if (i < t.n) {
    const auto here = first_lanes<Lanes>(t.n - i);
    const auto values = Lanes::load(t.from + i, here);
    const auto goes_left = static_cast<Mask>(sides() & here);
    const auto n_left = static_cast<std::uint32_t>(_mm_popcnt_u32(goes_left));
    Lanes::store(t.to + left, first_lanes<Lanes>(n_left), Lanes::pressed(goes_left, values));
    Lanes::store(t.scratch + (i - left),
                 Lanes::pressed(static_cast<Mask>(~goes_left & here), values));
    left += n_left;
  }
  std::copy_n(t.scratch, t.n - left, t.to + left);
}

std::uint32_t mark_sides(SideMarks& t) {
  constexpr std::uint32_t N = 32;
  const __m512i cut = _mm512_set1_epi16(static_cast<short>(t.cut));
  __m512i below = _mm512_set1_epi16(static_cast<short>(t.below));
  __m512i above = _mm512_set1_epi16(static_cast<short>(t.above));
  std::uint32_t n_left = 0;
  auto* sides = reinterpret_cast<std::uint8_t*>(t.sides);
  if (t.n > 0) t.sides[(t.n - 1) / 64] = 0;
  for (std::uint32_t i = 0; i < t.n; i += N) {
    const auto here = static_cast<__mmask32>(_bzhi_u32(~0U, std::min(t.n - i, N)));
    const __m512i codes = _mm512_maskz_loadu_epi16(here, t.codes + i);
    const __mmask32 left = _mm512_mask_cmple_epu16_mask(here, codes, cut);
    below = _mm512_mask_max_epu16(below, left, below, codes);
    above = _mm512_mask_min_epu16(above, here & ~left, above, codes);
    _store_mask32(reinterpret_cast<__mmask32*>(sides + i / 8), left);
    n_left += static_cast<std::uint32_t>(_mm_popcnt_u32(left));
  }
  alignas(64) std::uint16_t lows[N], highs[N];
  _mm512_store_si512(lows, below);
  _mm512_store_si512(highs, above);
  t.below = *std::max_element(lows, lows + N);
  t.above = *std::min_element(highs, highs + N);
  return n_left;
}

std::uint32_t list_within(const CodesWithin& t) {
  constexpr std::uint32_t N = 16;
  const __m256i low = _mm256_set1_epi16(static_cast<short>(t.low));
  const __m256i width = _mm256_set1_epi16(static_cast<short>(t.high - t.low));
  alignas(64) std::uint32_t first[N];
  std::iota(first, first + N, 0U);
  __m512i places = _mm512_load_si512(first);
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < t.n; i += N) {
    const auto here = static_cast<__mmask16>(_bzhi_u32(0xffff, std::min(t.n - i, N)));
    const __m256i codes = _mm256_maskz_loadu_epi16(here, t.codes + i);
    const __mmask16 inside =
        _mm256_mask_cmple_epu16_mask(here, _mm256_sub_epi16(codes, low), width);
    _mm512_storeu_si512(t.places + n, _mm512_maskz_compress_epi32(inside, places));
    n += static_cast<std::uint32_t>(_mm_popcnt_u32(inside));
    places = _mm512_add_epi32(places, _mm512_set1_epi32(N));
  }
  return n;
}

}  // namespace
}  // namespace bayeswood

#include "bayeswood/base/end_avx512.inl"

namespace bayeswood {
namespace {

// Some processors press 32 codes together at once.
#define BAYESWOOD_VBMI2 \
  __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512dq,avx512bw,avx512vl,avx512vbmi2")))

BAYESWOOD_VBMI2 void part_more_codes(const ArrayPart<std::uint16_t>& t) {
  constexpr std::uint32_t N = 32;
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < t.n; i += N) {
    const std::uint32_t here = _bzhi_u32(~0U, std::min(t.n - i, N));
    const __m512i codes = _mm512_maskz_loadu_epi16(here, t.from + i);
    const std::uint32_t goes_left = static_cast<std::uint32_t>(t.sides[i / 64] >> (i % 64)) & here;
    const auto n_left = static_cast<std::uint32_t>(_mm_popcnt_u32(goes_left));
    const __m512i lefts = _mm512_maskz_compress_epi16(goes_left, codes);
    if (i + N <= t.n) {
      _mm512_storeu_si512(t.to + left, lefts);
    } else {
      _mm512_mask_storeu_epi16(t.to + left, _bzhi_u32(~0U, n_left), lefts);
    }
    const __m512i rights = _mm512_maskz_compress_epi16(here & ~goes_left, codes);
    _mm512_storeu_si512(t.scratch + (i - left), rights);
    left += n_left;
  }
  std::copy_n(t.scratch, t.n - left, t.to + left);
}

}  // namespace
}  // namespace bayeswood

const bayeswood::MoveKernels& bayeswood::older_avx512_moves() {
  static const MoveKernels moves{mark_sides,
                                 part_array<CodeLanes>,
                                 part_array<RowLanes>,
                                 part_array<NumberLanes>,
                                 part_array<PairLanes>,
                                 avx2_moves().fill,
                                 avx2_moves().fill_one,
                                 list_within};
  return moves;
}

const bayeswood::MoveKernels& bayeswood::avx512_moves() {
  static const MoveKernels moves = [] {
    MoveKernels best = older_avx512_moves();
    if (__builtin_cpu_supports("avx512vbmi2")) best.part_codes = part_more_codes;
    return best;
  }();
  return moves;
}
#else
const bayeswood::MoveKernels& bayeswood::older_avx512_moves() {
  return portable_moves();
}
const bayeswood::MoveKernels& bayeswood::avx512_moves() {
  return portable_moves();
}
#endif
