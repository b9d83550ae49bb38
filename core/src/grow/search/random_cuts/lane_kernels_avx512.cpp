#include <algorithm>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/grow/search/random_cuts/lane_kernels.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx512.inl"

namespace bayeswood {
namespace {

constexpr std::uint32_t WORDS = 16;  // row numbers in a vector

__mmask16 first_words(std::size_t n) {
  return static_cast<__mmask16>(_bzhi_u32(0xffffU, static_cast<unsigned>(n)));
}

// By cut: whether a row lies there.
struct CutSides {
  __mmask8 left, right;
};

// A vector of values, and the picking of LANES of them from a row of one or two vectors.
template <class Value>
struct RowVector;

template <>
struct RowVector<float> {
  static constexpr std::size_t SIZE = 16;
  __m512 x;
  static RowVector read(const float* from) { return {_mm512_loadu_ps(from)}; }
  static RowVector read(const float* from, std::size_t n) {
    return {_mm512_maskz_loadu_ps(first_words(n), from)};
  }
  void write(float* to, std::size_t n) const { _mm512_mask_storeu_ps(to, first_words(n), x); }
  RowVector least(RowVector other) const { return {_mm512_min_ps(x, other.x)}; }
  RowVector largest(RowVector other) const { return {_mm512_max_ps(x, other.x)}; }

  struct Picks {
    __m512i place;
    __m128 cut;
    Picks(const std::uint32_t* places, const float* cuts)
        : place(_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(places)))),
          cut(_mm_loadu_ps(cuts)) {}
    CutSides of(RowVector row) const { return compare(_mm512_permutexvar_ps(place, row.x)); }
    CutSides of(RowVector first, RowVector second) const {
      return compare(_mm512_permutex2var_ps(first.x, place, second.x));
    }
    CutSides compare(__m512 values) const {
      const __m128 picked = _mm512_castps512_ps128(values);
      return {_mm_cmp_ps_mask(picked, cut, _CMP_LE_OQ), _mm_cmp_ps_mask(picked, cut, _CMP_GT_OQ)};
    }
  };
};

template <>
struct RowVector<double> {
  static constexpr std::size_t SIZE = 8;
  __m512d x;
  static RowVector read(const double* from) { return {_mm512_loadu_pd(from)}; }
  static RowVector read(const double* from, std::size_t n) {
    return {_mm512_maskz_loadu_pd(static_cast<__mmask8>(first_words(n)), from)};
  }
  void write(double* to, std::size_t n) const {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(first_words(n)), x);
  }
  RowVector least(RowVector other) const { return {_mm512_min_pd(x, other.x)}; }
  RowVector largest(RowVector other) const { return {_mm512_max_pd(x, other.x)}; }

  struct Picks {
    __m512i place;
    __m256d cut;
    Picks(const std::uint32_t* places, const double* cuts)
        : place(_mm512_cvtepu32_epi64(_mm256_broadcastsi128_si256(
              _mm_loadu_si128(reinterpret_cast<const __m128i*>(places))))),
          cut(_mm256_loadu_pd(cuts)) {}
    CutSides of(RowVector row) const { return compare(_mm512_permutexvar_pd(place, row.x)); }
    CutSides of(RowVector first, RowVector second) const {
      return compare(_mm512_permutex2var_pd(first.x, place, second.x));
    }
    CutSides compare(__m512d values) const {
      const __m256d picked = _mm512_castpd512_pd256(values);
      return {_mm256_cmp_pd_mask(picked, cut, _CMP_LE_OQ),
              _mm256_cmp_pd_mask(picked, cut, _CMP_GT_OQ)};
    }
  };
};

// V vectors of values from `first` on, of which the last may be part of one.
template <class Value, int V>
void find_ranges(const RowRanges<Value>& t, std::size_t first) {
  using Vector = RowVector<Value>;
  Vector least[V], largest[V];
  const Value* values = t.values + first;
  const std::size_t n_last = std::min(Vector::SIZE, t.n_values - first - (V - 1) * Vector::SIZE);
  const auto read = [&](std::uint32_t row, int v) {
    const Value* from = values + row * t.stride + v * Vector::SIZE;
    return v + 1 < V ? Vector::read(from) : Vector::read(from, n_last);
  };
  for (int v = 0; v < V; ++v) least[v] = largest[v] = read(t.rows[0], v);
  for (const std::uint32_t row : t.rows) {
    for (int v = 0; v < V; ++v) {
      const Vector own = read(row, v);
      least[v] = least[v].least(own);
      largest[v] = largest[v].largest(own);
    }
  }
  for (int v = 0; v < V; ++v) {
    const std::size_t n = v + 1 < V ? Vector::SIZE : n_last;
    least[v].write(t.least + first + v * Vector::SIZE, n);
    largest[v].write(t.largest + first + v * Vector::SIZE, n);
  }
}
template <class Value>
void find_all_ranges(const RowRanges<Value>& t) {
  constexpr std::size_t SIZE = RowVector<Value>::SIZE;
  std::size_t first = 0;
  for (; first + SIZE < t.n_values; first += 2 * SIZE) find_ranges<Value, 2>(t, first);
  if (first < t.n_values) find_ranges<Value, 1>(t, first);
}

template <class Value, int V>
CutSides sides_of(const typename RowVector<Value>::Picks& picks, const Value* row) {
  using Vector = RowVector<Value>;
  if constexpr (V == 1) return picks.of(Vector::read(row));
  return picks.of(Vector::read(row), Vector::read(row + Vector::SIZE));
}

void add_where(__mmask8 here, __m256d w, double* sums) {
  const __m256d own = _mm256_load_pd(sums);
  _mm256_store_pd(sums, _mm256_mask_add_pd(own, here, own, w));
}

// A row is added where it lies, and nothing else changes. V: vectors that hold a row. Left and
// right stand in a vector each: what was written as one of twice the size, this processor reads
// again three times as late.
template <class Value, int V>
std::uint32_t pick_classes(const PickedCuts<Value>& task) {
  const PickedCuts<Value> t = task;  // of its own: bytes that are written might be anything's
  const typename RowVector<Value>::Picks picks(t.place, t.cut);
  const __m128i one = _mm_set1_epi32(1);
  __m128i n_left = _mm_setzero_si128();
  std::uint64_t bits = 0;
  std::uint32_t n_seen = 0;
  std::uint8_t* sides = t.sides;
  for (const std::uint32_t row : t.rows) {
    const auto label = static_cast<std::uint32_t>(t.label[row]);
    const CutSides here = sides_of<Value, V>(picks, t.values + row * t.stride);
    const __m256d w = _mm256_broadcast_sd(t.w + row);
    double* own = t.sums + std::size_t{label} * 2 * LANES;
    add_where(here.left, w, own);
    add_where(here.right, w, own + LANES);
    n_left = _mm_mask_add_epi32(n_left, here.left, n_left, one);
    _store_mask8(sides++, here.left);
    const std::uint64_t bit = std::uint64_t{1} << label;
    t.seen[n_seen] = static_cast<std::int32_t>(label);
    n_seen += (bits & bit) == 0 ? 1 : 0;
    bits |= bit;
  }
  _mm_storeu_si128(reinterpret_cast<__m128i*>(t.n_left), n_left);
  return n_seen;
}
template <class Value>
std::uint32_t pick_classes(const PickedCuts<Value>& t) {
  return t.stride <= RowVector<Value>::SIZE ? pick_classes<Value, 1>(t) : pick_classes<Value, 2>(t);
}

// LANES values twice, for left and for right; and which of them lie beyond their cuts.
__m256i twice(const std::uint16_t* lanes) {
  const __m128i codes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes));
  return _mm256_cvtepu16_epi32(_mm_broadcastq_epi64(codes));
}
__m256 twice(const float* lanes) {
  return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(lanes));
}
__m512d twice(const double* lanes) {
  return _mm512_broadcast_f64x4(_mm256_loadu_pd(lanes));
}
__mmask8 beyond(__m256i codes, __m256i cuts) {
  return _mm256_cmpgt_epu32_mask(codes, cuts);
}
__mmask8 beyond(__m256 values, __m256 cuts) {
  return _mm256_cmp_ps_mask(values, cuts, _CMP_GT_OQ);
}
__mmask8 beyond(__m512d values, __m512d cuts) {
  return _mm512_cmp_pd_mask(values, cuts, _CMP_GT_OQ);
}

// Left and right of LANES cuts in one vector. Adding 0 changes no bit, so that rows are left out.
template <class Value, bool APART>
void sum_ones(const OnesCuts<Value>& task) {
  // Of its own, for bytes that are written might be anything's.
  const LaneRows<Value> rows = task.rows;
  const std::uint32_t* numbers = task.numbers.data();
  const std::uint8_t* ones = task.ones;
  std::uint8_t* sides = task.sides;
  const double wy[2] = {task.wy[0], task.wy[1]};
  const std::int64_t count[2] = {1, std::int64_t{1} << 32 | 1};  // a row, and above whether of 1
  __m256i n_left = _mm256_setzero_si256();
  const auto cuts = twice(task.cut);
  const __mmask8 all_left = (1U << LANES) - 1;
  const auto add = [&](std::uint32_t i, __m512d sums) {
    const std::uint32_t label = ones[numbers[i]];
    const Value* lanes = rows.lanes + (APART ? rows.rows[i] * rows.stride : std::size_t{i} * LANES);
    const auto here = static_cast<__mmask8>(beyond(twice(lanes), cuts) ^ all_left);
    sides[i] = static_cast<std::uint8_t>((here & all_left) | label << LANES);
    n_left = _mm256_mask_add_epi64(n_left, here, n_left, _mm256_set1_epi64x(count[label]));
    return _mm512_mask_add_pd(sums, here, sums, _mm512_set1_pd(wy[label]));
  };
  __m512d even = _mm512_setzero_pd(), odd = even;
  std::uint32_t i = 0;
  for (; i + 1 < rows.n; i += 2) {
    even = add(i, even);
    odd = add(i + 1, odd);
  }
  if (i < rows.n) even = add(i, even);
  _mm512_storeu_pd(task.sums, _mm512_add_pd(even, odd));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(task.n_left), _mm256_cvtepi64_epi32(n_left));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(task.n_left_ones),
                   _mm256_cvtepi64_epi32(_mm256_srli_epi64(n_left, 32)));
}
template <class Value>
void sum_ones(const OnesCuts<Value>& t) {
  t.rows.rows != nullptr ? sum_ones<Value, true>(t) : sum_ones<Value, false>(t);
}

// The same of numbers.
template <class Value, bool APART, bool UNITS>
void sum_numbers(const LaneCuts<Value>& t) {
  const LaneRows<Value> rows = t.rows;
  const auto cuts = twice(t.cut);
  const __mmask8 all_left = (1U << LANES) - 1;
  const __m128i one = _mm_set1_epi32(1);
  __m128i n_left = _mm_setzero_si128();
  __m512d w[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()}, wy[2] = {w[0], w[0]};
  const auto add = [&](std::uint32_t i, __m512d& sum_w, __m512d& sum_wy) {
    const Value* lanes = rows.lanes + (APART ? rows.rows[i] * rows.stride : std::size_t{i} * LANES);
    const auto here = static_cast<__mmask8>(beyond(twice(lanes), cuts) ^ all_left);
    sum_wy = _mm512_mask_add_pd(sum_wy, here, sum_wy, _mm512_set1_pd(t.pair[i].wy));
    if constexpr (!UNITS)
      sum_w = _mm512_mask_add_pd(sum_w, here, sum_w, _mm512_set1_pd(t.pair[i].w));
    n_left = _mm_mask_add_epi32(n_left, here, n_left, one);
  };
  std::uint32_t i = 0;
  for (; i + 1 < rows.n; i += 2) {
    add(i, w[0], wy[0]);
    add(i + 1, w[1], wy[1]);
  }
  if (i < rows.n) add(i, w[0], wy[0]);
  const __m512d all_wy = _mm512_add_pd(wy[0], wy[1]);
  __m512d all_w = _mm512_add_pd(w[0], w[1]);
  if constexpr (UNITS) {
    const __m128i n_right = _mm_sub_epi32(_mm_set1_epi32(static_cast<int>(rows.n)), n_left);
    all_w = _mm512_cvtepi32_pd(_mm256_set_m128i(n_right, n_left));
  }
  _mm256_storeu_pd(t.sums, _mm512_castpd512_pd256(all_w));
  _mm256_storeu_pd(t.sums + LANES, _mm512_castpd512_pd256(all_wy));
  _mm256_storeu_pd(t.sums + 2 * LANES, _mm512_extractf64x4_pd(all_w, 1));
  _mm256_storeu_pd(t.sums + 3 * LANES, _mm512_extractf64x4_pd(all_wy, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(t.n_left), n_left);
}
template <class Value>
void sum_numbers(const LaneCuts<Value>& t) {
  const bool apart = t.rows.rows != nullptr;
  if (t.are_units)
    apart ? sum_numbers<Value, true, true>(t) : sum_numbers<Value, false, true>(t);
  else
    apart ? sum_numbers<Value, true, false>(t) : sum_numbers<Value, false, false>(t);
}

// Which of 2 LANES values lie at or below as many cuts.
__mmask8 not_beyond(const float* values, const float* cuts) {
  return _mm256_cmp_ps_mask(_mm256_loadu_ps(values), _mm256_loadu_ps(cuts), _CMP_LE_OQ);
}
__mmask8 not_beyond(const double* values, const double* cuts) {
  return _mm512_cmp_pd_mask(_mm512_loadu_pd(values), _mm512_loadu_pd(cuts), _CMP_LE_OQ);
}

struct WideSums {
  __m512d left_w, left_wy, right_w, right_wy;
  WideSums() : left_w(_mm512_setzero_pd()), left_wy(left_w), right_w(left_w), right_wy(left_w) {}

  template <bool UNITS>
  void add(__mmask8 left, const WeightedValue& row) {
    const auto right = static_cast<__mmask8>(~left);
    const __m512d wy = _mm512_set1_pd(row.wy), w = _mm512_set1_pd(row.w);
    left_wy = _mm512_mask_add_pd(left_wy, left, left_wy, wy);
    right_wy = _mm512_mask_add_pd(right_wy, right, right_wy, wy);
    if constexpr (UNITS) return;
    left_w = _mm512_mask_add_pd(left_w, left, left_w, w);
    right_w = _mm512_mask_add_pd(right_w, right, right_w, w);
  }
};

template <class Value, bool UNITS>
void sum_wide(const WideCuts<Value>& t) {
  const LaneRows<Value> rows = t.rows;
  const __m256i one = _mm256_set1_epi32(1);
  __m256i n_left = _mm256_setzero_si256();
  WideSums even, odd;
  const auto add = [&](std::uint32_t i, WideSums& sums) {
    const __mmask8 left = not_beyond(rows.lanes + rows.rows[i] * rows.stride, t.cut);
    sums.template add<UNITS>(left, t.pair[i]);
    n_left = _mm256_mask_add_epi32(n_left, left, n_left, one);
  };
  std::uint32_t i = 0;
  for (; i + 1 < rows.n; i += 2) {
    add(i, even);
    add(i + 1, odd);
  }
  if (i < rows.n) add(i, even);
  if constexpr (UNITS) {
    const auto n = static_cast<int>(rows.n);
    even.left_w = _mm512_cvtepi32_pd(n_left);
    even.right_w = _mm512_cvtepi32_pd(_mm256_sub_epi32(_mm256_set1_epi32(n), n_left));
  }
  _mm512_storeu_pd(t.sums, _mm512_add_pd(even.left_w, odd.left_w));
  _mm512_storeu_pd(t.sums + 2 * LANES, _mm512_add_pd(even.left_wy, odd.left_wy));
  _mm512_storeu_pd(t.sums + 4 * LANES, _mm512_add_pd(even.right_w, odd.right_w));
  _mm512_storeu_pd(t.sums + 6 * LANES, _mm512_add_pd(even.right_wy, odd.right_wy));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(t.n_left), n_left);
}
template <class Value>
void sum_wide(const WideCuts<Value>& t) {
  t.are_units ? sum_wide<Value, true>(t) : sum_wide<Value, false>(t);
}

std::uint32_t part_sides(const SidePart& t) {
  const __m128i bit = _mm_set1_epi8(static_cast<char>(1U << t.bit));
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < t.n; i += WORDS) {
    const __mmask16 here = first_words(std::min(WORDS, t.n - i));
    const __m512i rows = _mm512_maskz_loadu_epi32(here, t.rows + i);
    const __m128i sides = _mm_maskz_loadu_epi8(here, t.sides + i);
    const __mmask16 goes_left = _mm_test_epi8_mask(sides, bit);
    const auto goes_right = static_cast<__mmask16>(here & ~goes_left);
    const auto n_left = static_cast<std::uint32_t>(_mm_popcnt_u32(goes_left));
    _mm512_mask_storeu_epi32(t.rows + left, first_words(n_left),
                             _mm512_maskz_compress_epi32(goes_left, rows));
    _mm512_storeu_si512(t.scratch + right, _mm512_maskz_compress_epi32(goes_right, rows));
    left += n_left;
    right += std::min(WORDS, t.n - i) - n_left;
  }
  for (std::uint32_t i = 0; i < right; i += WORDS) {
    const __mmask16 here = first_words(std::min(WORDS, right - i));
    _mm512_mask_storeu_epi32(t.rows + left + i, here, _mm512_loadu_si512(t.scratch + i));
  }
  return left;
}

}  // namespace

template <class Value>
void use_avx512(LaneKernels<Value>& kernels) {
  static_assert(MOST_PICKED_BYTES <= 2 * sizeof(__m512));
  kernels.sum_numbers = sum_numbers;
  kernels.sum_ones = sum_ones;
  kernels.sum_wide = sum_wide;
  kernels.find_ranges = find_all_ranges;
  kernels.pick_classes = pick_classes;
  kernels.part_sides = part_sides;
}
template <>
void use_avx512(LaneKernels<std::uint16_t>& kernels) {
  kernels.sum_numbers = sum_numbers;
  kernels.sum_ones = sum_ones;
  kernels.part_sides = part_sides;
}
template void use_avx512(LaneKernels<float>&);
template void use_avx512(LaneKernels<double>&);

}  // namespace bayeswood

#include "bayeswood/base/end_avx512.inl"
#endif
