// What wider registers and masks do better than kernels_avx2.cpp; the rest is taken from there.
#include <algorithm>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/grow/search/random_cuts/lane_kernels.hpp"
#include "bayeswood/grow/search/scan.hpp"
#include "bayeswood/grow/search/two_classes/bin_kernels.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx512.inl"
#include "lanes_avx512.inl"

namespace bayeswood {
namespace {

constexpr std::uint32_t ENTRIES = 16;  // of a list at once

// The first n entries, or all; the instruction looks at the last eight bits of n alone.
__mmask16 first_of(std::uint32_t n) {
  return static_cast<__mmask16>(_bzhi_u32(0xffff, std::min(n, ENTRIES)));
}

// 16 places of N lists: where their rows stand, and after which places there may be a cut.
template <std::uint32_t N>
struct LaneBlock {
  alignas(64) std::uint32_t offset[N][ENTRIES];  // in doubles
  alignas(64) std::uint64_t cut[N];              // one bit per place

  // Rows of 16 entries, after none of which there is a cut.
  void load_rows(const SmallEntry* const* lists, std::uint32_t begin) {
    const __m512i row_bits = _mm512_set1_epi32(0xffff);
    for (std::uint32_t l = 0; l < N; ++l) {
      const __m512i here = _mm512_and_si512(_mm512_loadu_si512(lists[l] + begin), row_bits);
      _mm512_store_si512(offset[l], _mm512_slli_epi32(here, 1));
    }
  }
  void load(const SmallEntry* const* lists, std::uint32_t begin, const CutRange& cuts) {
    const __m512i code_bits = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
    const __mmask16 there = first_of(cuts.end - begin);
    const unsigned before = begin < cuts.first ? first_of(cuts.first - begin) : 0;
    for (std::uint32_t l = 0; l < N; ++l) {
      const __m512i here = _mm512_maskz_loadu_epi32(there, lists[l] + begin);
      const __m512i next = _mm512_maskz_loadu_epi32(there, lists[l] + begin + 1);
      const unsigned differs = _mm512_test_epi32_mask(_mm512_xor_si512(here, next), code_bits);
      cut[l] = differs & ~before;
      const __m512i doubled = _mm512_slli_epi32(_mm512_andnot_si512(code_bits, here), 1);
      _mm512_store_si512(offset[l], doubled);
    }
  }
};

// The sums left of a cut, and the best cut so far.
template <class V>
struct LaneState {
  typename V::Numbers w, wy, to_beat, won;
  typename V::Words at, won_at;

  LaneState()
      : w(V::all(0)),
        wy(V::all(0)),
        to_beat(V::all(-1)),
        won(V::all(0)),
        at(V::words(0)),
        won_at(V::words(-1)) {}
  void add(const double* pair, const LaneBlock<V::N>& block, std::uint32_t i) {
    const auto row = [&](int l) { return _mm_loadu_pd(pair + block.offset[l][i]); };
    const auto even = V::pairs(row, 0);
    const auto odd = V::pairs(row, 1);
    w = V::add(w, V::first(even, odd));
    wy = V::add(wy, V::second(even, odd));
  }
  void write(double total_w, Cut* best) const {
    alignas(64) double gain[V::N];
    alignas(64) std::int64_t place[V::N];
    V::store(gain, won);
    V::store(place, won_at);
    for (std::uint32_t l = 0; l < V::N; ++l) {
      if (place[l] >= 0) best[l] = {total_w * gain[l], static_cast<std::uint32_t>(place[l])};
    }
  }
};

// The same operations in the same order as the portable scan, list by list: the same bits.
template <class V, class Task>
void scan_lists(const Task& t, Cut* best) {
  std::fill_n(best, V::N, Cut{});
  const CutRange cuts = cuts_within(t.n, 0, t.limits);
  if (cuts.empty()) return;
  const auto total_w = V::all(t.w);
  const auto mean = V::all(t.wy / t.w);
  const auto min_w = V::all(t.limits.min_weight);
  const auto tolerance = V::all(t.limits.tolerance / t.w);
  const auto* pair = reinterpret_cast<const double*>(t.pair);
  LaneState<V> s;
  LaneBlock<V::N> block;
  std::uint32_t begin = 0;
  for (; begin + ENTRIES <= cuts.first; begin += ENTRIES) {
    block.load_rows(t.list, begin);
    for (std::uint32_t i = 0; i < ENTRIES; ++i) s.add(pair, block, i);
  }
  s.at = V::words(begin);
  for (; begin < cuts.end; begin += ENTRIES) {
    block.load(t.list, begin, cuts);
    auto places = V::load(block.cut);
    const std::uint32_t size = std::min(ENTRIES, cuts.end - begin);
    for (std::uint32_t i = 0; i < size; ++i) {
      s.add(pair, block, i);
      const auto shift = V::subtract(s.wy, V::multiply(mean, s.w));
      const auto w_right = V::subtract(total_w, s.w);
      const auto gain = V::divide(V::multiply(shift, shift), V::multiply(s.w, w_right));
      const __mmask8 allowed = V::reach(V::odd(places), V::least(s.w, w_right), min_w);
      const __mmask8 better = V::exceed(allowed, gain, s.to_beat);
      s.to_beat = V::chosen(s.to_beat, better, V::add(gain, tolerance));
      s.won = V::chosen(s.won, better, gain);
      s.won_at = V::chosen(s.won_at, better, s.at);
      places = V::halved(places);
      s.at = V::next(s.at);
    }
  }
  s.write(t.w, best);
}

// Lanes that are left over hold the first list again. Short lists do not pay for their blocks.
void scan_lanes(const LaneTask& t, Cut* best) {
  if (t.n < ENTRIES) return avx2_kernels()->scan_lanes(t, best);
  if (t.list[2] != t.list[0] || t.list[3] != t.list[0]) return scan_lists<Lanes4>(t, best);
  scan_lists<Lanes2>(t, best);
  best[2] = best[3] = best[0];
}

// Which of 16 entries go left: a word of the sides is looked up by the row's higher five bits, and
// turned by the lower ones.
class SideTable {
 public:
  explicit SideTable(const RowSides& sides)
      : low_(_mm512_load_si512(sides.words)), high_(_mm512_load_si512(sides.words + 8)) {}

  __mmask16 left(__mmask16 here, __m512i entries, const SmallEntry*) const {
    const __m512i place = _mm512_srli_epi32(entries, 5);
    const __m512i word = _mm512_permutex2var_epi32(low_, place, high_);
    const __m512i turned = _mm512_rorv_epi32(word, entries);
    return _mm512_mask_test_epi32_mask(here, turned, _mm512_set1_epi32(1));
  }

 private:
  __m512i low_, high_;
};

// The same from a byte per row, of any number of rows: 16 are read sooner than they are gathered.
class SideBytes {
 public:
  explicit SideBytes(const std::uint8_t* side) : side_(side) {}

  __mmask16 left(__mmask16 here, __m512i, const SmallEntry* list) const {
    std::uint32_t lefts = 0;
    if (here == 0xffff) {
      for (std::uint32_t k = 0; k < ENTRIES; ++k) lefts |= bit(list, k);
    } else {
      for (std::uint32_t k = 0; (here >> k) != 0; ++k) lefts |= bit(list, k);
    }
    return static_cast<__mmask16>(lefts);
  }

 private:
  std::uint32_t bit(const SmallEntry* list, std::uint32_t k) const {
    return std::uint32_t{side_[id_of(list[k])]} << k;
  }

  const std::uint8_t* side_;
};

void copy_entries(const SmallEntry* from, std::uint32_t n, SmallEntry* to) {
  for (std::uint32_t i = 0; i < n; i += ENTRIES) {
    const __mmask16 here = first_of(n - i);
    _mm512_mask_storeu_epi32(to + i, here, _mm512_loadu_si512(from + i));
  }
}

// A list of 16 entries at most, which are read before any is written.
template <bool LEFT, bool RIGHT, class Sides>
void part_few(SmallEntry* list, std::uint32_t n, const Sides& sides) {
  const __mmask16 here = first_of(n);
  const __m512i entries = _mm512_maskz_loadu_epi32(here, list);
  const __mmask16 goes_left = sides.left(here, entries, list);
  const auto goes_right = static_cast<__mmask16>(here & ~goes_left);
  const auto n_left = static_cast<std::uint32_t>(_mm_popcnt_u32(goes_left));
  const __m512i lefts = _mm512_maskz_compress_epi32(goes_left, entries);
  const __m512i rights = _mm512_maskz_compress_epi32(goes_right, entries);
  if (LEFT) _mm512_mask_storeu_epi32(list, first_of(n_left), lefts);
  if (RIGHT) _mm512_mask_storeu_epi32(list + n_left, first_of(n - n_left), rights);
}

// Left entries are written to where they were read or before, right ones wait in the scratch.
template <bool LEFT, bool RIGHT, class Sides>
void part_many(SmallEntry* list, std::uint32_t n, const Sides& sides, SmallEntry* scratch) {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < n; i += ENTRIES) {
    const __mmask16 here = first_of(n - i);
    const __m512i entries = _mm512_maskz_loadu_epi32(here, list + i);
    const __mmask16 goes_left = sides.left(here, entries, list + i);
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

template <bool LEFT, bool RIGHT, class Sides>
void part_by(const ListParting& t, const Sides& sides) {
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

template <bool LEFT, bool RIGHT>
void part_lists(const ListParting& t) {
  part_by<LEFT, RIGHT>(t, SideTable(t.sides));
}
template <bool LEFT, bool RIGHT>
void part_long_lists(const ListParting& t) {
  part_by<LEFT, RIGHT>(t, SideBytes(t.side));
}

// The class weights of both children side by side, those of the right one WIDTH lanes further. Each
// row is added to one lane, in the order of rows.
template <std::uint32_t WIDTH, bool BY_SIDE>
std::uint32_t part_classes(const ClassPartTask& t) {
  constexpr std::uint32_t N = 2 * WIDTH / WIDE_LANES;
  __m512d sums[N];
  for (auto& sum : sums) sum = _mm512_setzero_pd();
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < t.n; ++i) {
    const std::uint16_t id = t.order[i];
    const std::uint32_t goes_left = BY_SIDE ? t.side[id] : t.column[id] <= t.cut_code;
    const __m512d w = _mm512_set1_pd(t.w[id]);
    const std::uint32_t lane = t.lane[t.label[id]] + (WIDTH & (goes_left - 1U));
    const std::uint32_t bits = 1U << lane;
    for (std::uint32_t v = 0; v < N; ++v) {
      const auto mine = static_cast<__mmask8>(bits >> (v * WIDE_LANES));
      sums[v] = _mm512_mask_add_pd(sums[v], mine, sums[v], w);
    }
    t.order[left] = id;
    t.scratch[i - left] = id;
    left += goes_left;
  }
  std::copy_n(t.scratch, t.n - left, t.order + left);
  alignas(64) double both[2 * WIDTH];
  for (std::uint32_t v = 0; v < N; ++v) _mm512_store_pd(both + v * WIDE_LANES, sums[v]);
  std::copy_n(both, t.n_vectors * LANES, t.left);
  std::copy_n(both + WIDTH, t.n_vectors * LANES, t.right);
  return left;
}

std::uint32_t part_classes(const ClassPartTask& t) {
  static constexpr ClassPart BY_VECTORS[][2] = {{part_classes<4, false>, part_classes<4, true>},
                                                {part_classes<8, false>, part_classes<8, true>},
                                                {part_classes<12, false>, part_classes<12, true>},
                                                {part_classes<16, false>, part_classes<16, true>}};
  return BY_VECTORS[t.n_vectors - 1][t.side != nullptr ? 1 : 0](t);
}

void pick_list(const SmallEntry* list, std::uint32_t n, const std::uint16_t* number,
               SmallEntry* to) {
  const __m512i code_bits = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
  const __m512i none = _mm512_set1_epi32(NO_NUMBER);
  alignas(32) std::uint16_t numbers[ENTRIES] = {};
  for (std::uint32_t i = 0; i < n; i += ENTRIES) {
    const __mmask16 here = first_of(n - i);
    const auto look_up = [&](std::uint32_t k) { numbers[k] = number[id_of(list[i + k])]; };
    if (i + ENTRIES <= n) {
      for (std::uint32_t k = 0; k < ENTRIES; ++k) look_up(k);
    } else {
      for (std::uint32_t k = 0; i + k < n; ++k) look_up(k);
    }
    const auto* looked_up = reinterpret_cast<const __m256i*>(numbers);
    const __m512i ids = _mm512_cvtepu16_epi32(_mm256_load_si256(looked_up));
    const __m512i codes = _mm512_and_si512(_mm512_maskz_loadu_epi32(here, list + i), code_bits);
    const __mmask16 picked = _mm512_mask_cmpneq_epi32_mask(here, ids, none);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(picked, _mm512_or_si512(codes, ids)));
    to += _mm_popcnt_u32(picked);
  }
}

void pack_sides(const std::uint8_t* side, RowSides& sides) {
  const __m512i ones = _mm512_set1_epi8(1);
  for (std::uint32_t i = 0; i < MAX_TWIG_ROWS / 64; ++i)
    sides.words[i] = _mm512_test_epi8_mask(_mm512_loadu_si512(side + 64 * i), ones);
}

const Kernels& made_wide_kernels() {
  static const Kernels kernels = [] {
    Kernels best = *avx2_kernels();
    best.scan_lanes = scan_lanes;
    best.part_classes = part_classes;
    best.scan_wide = scan_lists<Lanes8, WideTask>;
    best.moves = &avx512_moves();
    best.pick_list = pick_list;
    best.pack_sides = pack_sides;
    best.part_lists = {part_lists<true, true>, part_lists<true, false>, part_lists<false, true>};
    best.part_long_lists = {part_long_lists<true, true>, part_long_lists<true, false>,
                            part_long_lists<false, true>};
    use_avx512_bins(best);
    use_avx512(best.codes);
    use_avx512(best.narrow);
    use_avx512(best.wide);
    return best;
  }();
  return kernels;
}

}  // namespace
}  // namespace bayeswood

#include "bayeswood/base/end_avx512.inl"

// Not for AVX-512 itself: it is asked on every machine.
const bayeswood::Kernels* bayeswood::avx512_kernels() {
  return runs_avx512() ? &made_wide_kernels() : nullptr;
}
#else
const bayeswood::Kernels* bayeswood::avx512_kernels() {
  return nullptr;
}
#endif
