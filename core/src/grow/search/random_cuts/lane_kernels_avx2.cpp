#include <algorithm>
#include <limits>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/grow/search/random_cuts/lane_kernels.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"

namespace bayeswood {
namespace {

// Codes of four rows; those of the last row again where there are fewer.
__m256i four_rows(const LaneCodes& rows, std::uint32_t i) {
  if (i + 4 <= rows.n)
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows.lanes + i * LANES));
  std::uint64_t own[4];
  for (std::uint32_t r = 0; r < 4; ++r)
    std::copy_n(rows.lanes + std::min(i + r, rows.n - 1) * LANES, LANES,
                reinterpret_cast<std::uint16_t*>(own + r));
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(own));
}

// What vectors of LANES values can do.
template <class Value>
struct LaneVector;

template <>
struct LaneVector<float> {
  __m128 x;
  static LaneVector read(const float* from) { return {_mm_loadu_ps(from)}; }
  static LaneVector gather(const float* row, const std::uint32_t* place) {
    return {_mm_setr_ps(row[place[0]], row[place[1]], row[place[2]], row[place[3]])};
  }
  void write(float* to) const { _mm_storeu_ps(to, x); }
  LaneVector least(LaneVector other) const { return {_mm_min_ps(x, other.x)}; }
  LaneVector largest(LaneVector other) const { return {_mm_max_ps(x, other.x)}; }

  // By lane, a row number.
  __m128i row_if_greater(LaneVector other, std::uint32_t row, __m128i otherwise) const {
    const __m128i greater = _mm_castps_si128(_mm_cmpgt_ps(x, other.x));
    return _mm_blendv_epi8(otherwise, all_rows(row), greater);
  }
  static __m128i all_rows(std::uint32_t row) { return _mm_set1_epi32(static_cast<int>(row)); }
  static void write_rows(__m128i rows, std::uint32_t* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), rows);
  }
};

template <>
struct LaneVector<double> {
  __m256d x;
  static LaneVector read(const double* from) { return {_mm256_loadu_pd(from)}; }
  static LaneVector gather(const double* row, const std::uint32_t* place) {
    return {_mm256_setr_pd(row[place[0]], row[place[1]], row[place[2]], row[place[3]])};
  }
  void write(double* to) const { _mm256_storeu_pd(to, x); }
  LaneVector least(LaneVector other) const { return {_mm256_min_pd(x, other.x)}; }
  LaneVector largest(LaneVector other) const { return {_mm256_max_pd(x, other.x)}; }

  __m256i row_if_greater(LaneVector other, std::uint32_t row, __m256i otherwise) const {
    const __m256i greater = _mm256_castpd_si256(_mm256_cmp_pd(x, other.x, _CMP_GT_OQ));
    return _mm256_blendv_epi8(otherwise, all_rows(row), greater);
  }
  static __m256i all_rows(std::uint32_t row) { return _mm256_set1_epi64x(row); }
  static void write_rows(__m256i rows, std::uint32_t* to) {
    alignas(32) std::uint64_t own[LANES];
    _mm256_store_si256(reinterpret_cast<__m256i*>(own), rows);
    std::copy_n(own, LANES, to);
  }
};

// The end of the largest bin is looked up last: bins are in the order of their least values.
template <class Value, bool BINS>
ValueRanges<Value> load_lanes(const LaneLoad<Value>& t) {
  using Vector = LaneVector<Value>;
  Vector least = Vector::gather(t.values + t.rows[0] * t.stride, t.place);
  Vector largest = least;
  auto where = Vector::all_rows(t.rows[0]);
  Value* to = t.lanes;
  for (const std::uint32_t row : t.rows) {
    const Vector values = Vector::gather(t.values + row * t.stride, t.place);
    values.write(to);
    least = least.least(values);
    if constexpr (BINS) where = values.row_if_greater(largest, row, where);
    largest = largest.largest(values);
    to += LANES;
  }
  ValueRanges<Value> found;
  least.write(found.least);
  largest.write(found.largest);
  if constexpr (BINS) {
    std::uint32_t rows[LANES];
    Vector::write_rows(where, rows);
    for (std::uint32_t l = 0; l < LANES; ++l)
      found.end[l] = t.values[rows[l] * t.stride + t.place[l] + 1];
  } else {
    largest.write(found.end);
  }
  return found;
}

__m256d draw_between(__m256d low, __m256d high, __m256d uniform) {
  const __m256d range = _mm256_sub_pd(high, low), rest = _mm256_sub_pd(_mm256_set1_pd(1), uniform);
  const __m256d near = _mm256_add_pd(low, _mm256_mul_pd(uniform, range));
  const __m256d far = _mm256_add_pd(_mm256_mul_pd(low, rest), _mm256_mul_pd(high, uniform));
  const __m256d infinite = _mm256_set1_pd(std::numeric_limits<double>::infinity());
  const __m256d is_near = _mm256_cmp_pd(range, infinite, _CMP_LT_OQ);  // never negative
  const __m256d value = _mm256_blendv_pd(far, near, is_near);
  const __m256d within =
      _mm256_and_pd(_mm256_cmp_pd(value, low, _CMP_GE_OQ), _mm256_cmp_pd(value, high, _CMP_LT_OQ));
  return _mm256_blendv_pd(low, value, within);
}

__m128i to_words(__m256d mask) {
  const __m256i low = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(mask), low));
}

// The next float below; see random_cut.hpp.
__m128 below_if(__m128 value, __m128i below) {
  const __m128i most = _mm_set1_epi32(0x7fffffff);
  const __m128i bits = _mm_castps_si128(_mm_add_ps(value, _mm_setzero_ps()));
  const __m128i place = _mm_xor_si128(bits, _mm_and_si128(_mm_srai_epi32(bits, 31), most));
  const __m128i zero = _mm_and_si128(below, _mm_cmpeq_epi32(bits, _mm_setzero_si128()));
  const __m128i moved = _mm_add_epi32(_mm_add_epi32(place, below), zero);
  return _mm_castsi128_ps(_mm_xor_si128(moved, _mm_and_si128(_mm_srai_epi32(moved, 31), most)));
}

std::uint32_t draw_cuts(const ValueRanges<float>& range, std::size_t size, Stream& draws,
                        DrawnCuts<float>& to) {
  const __m128 least = _mm_loadu_ps(range.least), most = _mm_loadu_ps(range.largest);
  const auto varies =
      _bzhi_u32(static_cast<std::uint32_t>(_mm_movemask_ps(_mm_cmplt_ps(least, most))),
                static_cast<std::uint32_t>(size));
  const auto next = [&](std::uint32_t l) {
    return (varies >> l & 1U) != 0 ? draws.next_uniform() : 0.5;
  };
  const double first = next(0), second = next(1), third = next(2), fourth = next(3);
  const __m256d threshold =
      draw_between(_mm256_cvtps_pd(least), _mm256_cvtps_pd(_mm_loadu_ps(range.end)),
                   _mm256_setr_pd(first, second, third, fourth));
  const __m128 near = _mm256_cvtpd_ps(threshold);
  const __m256d above = _mm256_cmp_pd(_mm256_cvtps_pd(near), threshold, _CMP_GT_OQ);
  const __m256d in_last = _mm256_cmp_pd(threshold, _mm256_cvtps_pd(most), _CMP_GE_OQ);
  const __m128 from = _mm_blendv_ps(near, most, _mm_castsi128_ps(to_words(in_last)));
  _mm256_storeu_pd(to.threshold, threshold);
  _mm_storeu_ps(to.cut, below_if(from, to_words(_mm256_or_pd(above, in_last))));
  return static_cast<std::uint32_t>(_mm_popcnt_u32(varies));
}
std::uint32_t draw_cuts(const ValueRanges<double>& range, std::size_t size, Stream& draws,
                        DrawnCuts<double>& to) {
  return portable_draw_cuts(range, size, draws, to);
}

// V vectors of values from `first` on.
template <class Value, int V>
void find_ranges(const RowRanges<Value>& t, std::size_t first) {
  using Vector = LaneVector<Value>;
  Vector least[V], largest[V];
  const Value* values = t.values + first;
  for (int v = 0; v < V; ++v)
    least[v] = largest[v] = Vector::read(values + t.rows[0] * t.stride + v * LANES);
  for (const std::uint32_t row : t.rows) {
    for (int v = 0; v < V; ++v) {
      const Vector own = Vector::read(values + row * t.stride + v * LANES);
      least[v] = least[v].least(own);
      largest[v] = largest[v].largest(own);
    }
  }
  for (int v = 0; v < V; ++v) {
    least[v].write(t.least + first + v * LANES);
    largest[v].write(t.largest + first + v * LANES);
  }
}
template <class Value>
void find_ranges(const RowRanges<Value>& t) {
  std::size_t first = 0;
  for (; first + 3 * LANES <= t.n_values; first += 3 * LANES) find_ranges<Value, 3>(t, first);
  for (; first < t.n_values; first += LANES) find_ranges<Value, 1>(t, first);
}

// Which rows go right of the cut of each feature, and how many.
template <class Value>
struct LaneSides;

template <>
struct LaneSides<std::uint16_t> {
  __m128i cut, n_right;
  explicit LaneSides(const std::uint16_t* cuts)
      : cut(_mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(cuts)))),
        n_right(_mm_setzero_si128()) {}
  __m256d right(const std::uint16_t* lanes) {
    const __m128i codes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes));
    const __m128i beyond = _mm_cmpgt_epi32(_mm_cvtepu16_epi32(codes), cut);
    n_right = _mm_sub_epi32(n_right, beyond);
    return _mm256_castsi256_pd(_mm256_cvtepi32_epi64(beyond));
  }
  __m128i count() const { return n_right; }
};

template <>
struct LaneSides<float> {
  __m128 cut;
  __m128i n_right;
  explicit LaneSides(const float* cuts) : cut(_mm_loadu_ps(cuts)), n_right(_mm_setzero_si128()) {}
  __m256d right(const float* lanes) {
    const __m128i beyond = _mm_castps_si128(_mm_cmpgt_ps(_mm_loadu_ps(lanes), cut));
    n_right = _mm_sub_epi32(n_right, beyond);
    return _mm256_castsi256_pd(_mm256_cvtepi32_epi64(beyond));
  }
  __m128i count() const { return n_right; }
};

template <>
struct LaneSides<double> {
  __m256d cut;
  __m256i n_right;
  explicit LaneSides(const double* cuts)
      : cut(_mm256_loadu_pd(cuts)), n_right(_mm256_setzero_si256()) {}
  __m256d right(const double* lanes) {
    const __m256d beyond = _mm256_cmp_pd(_mm256_loadu_pd(lanes), cut, _CMP_GT_OQ);
    n_right = _mm256_sub_epi64(n_right, _mm256_castpd_si256(beyond));
    return beyond;
  }
  __m128i count() const {
    const __m256i low =
        _mm256_permutevar8x32_epi32(n_right, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    return _mm256_castsi256_si128(low);
  }
};

template <class Value>
void write_left(const LaneSides<Value>& sides, const LaneCuts<Value>& t) {
  const __m128i all = _mm_set1_epi32(static_cast<int>(t.rows.n));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(t.n_left), _mm_sub_epi32(all, sides.count()));
}

template <bool UNITS>
struct LaneNumbers {
  __m256d left_w, left_wy, right_w, right_wy;

  void add(__m256d right, const WeightedValue& row) {
    const __m256d wy = _mm256_broadcast_sd(&row.wy);
    left_wy = _mm256_add_pd(left_wy, _mm256_andnot_pd(right, wy));
    right_wy = _mm256_add_pd(right_wy, _mm256_and_pd(right, wy));
    if constexpr (UNITS) return;
    const __m256d w = _mm256_broadcast_sd(&row.w);
    left_w = _mm256_add_pd(left_w, _mm256_andnot_pd(right, w));
    right_w = _mm256_add_pd(right_w, _mm256_and_pd(right, w));
  }
};

// Lanes of row i.
template <class Value, bool APART>
const Value* lanes_of(const LaneRows<Value>& rows, std::uint32_t i) {
  return rows.lanes + (APART ? rows.rows[i] * rows.stride : std::size_t{i} * LANES);
}

// Adding 0 changes no bit: sums begin with +0. Nor does it matter in which order ones are added.
template <class Value, bool APART, bool UNITS>
void sum_numbers(const LaneCuts<Value>& t) {
  const __m256d zero = _mm256_setzero_pd();
  LaneSides<Value> sides(t.cut);
  LaneNumbers<UNITS> even{zero, zero, zero, zero}, odd = even;
  std::uint32_t i = 0;
  for (; i + 1 < t.rows.n; i += 2) {
    even.add(sides.right(lanes_of<Value, APART>(t.rows, i)), t.pair[i]);
    odd.add(sides.right(lanes_of<Value, APART>(t.rows, i + 1)), t.pair[i + 1]);
  }
  if (i < t.rows.n) even.add(sides.right(lanes_of<Value, APART>(t.rows, i)), t.pair[i]);
  if constexpr (UNITS) {
    const __m256d n_right = _mm256_cvtepi32_pd(sides.count());
    even.left_w = _mm256_sub_pd(_mm256_set1_pd(t.rows.n), n_right);
    even.right_w = n_right;
  }
  _mm256_storeu_pd(t.sums, _mm256_add_pd(even.left_w, odd.left_w));
  _mm256_storeu_pd(t.sums + LANES, _mm256_add_pd(even.left_wy, odd.left_wy));
  _mm256_storeu_pd(t.sums + 2 * LANES, _mm256_add_pd(even.right_w, odd.right_w));
  _mm256_storeu_pd(t.sums + 3 * LANES, _mm256_add_pd(even.right_wy, odd.right_wy));
  write_left(sides, t);
}
template <class Value>
void sum_numbers(const LaneCuts<Value>& t) {
  const bool apart = t.rows.rows != nullptr;
  if (t.are_units)
    apart ? sum_numbers<Value, true, true>(t) : sum_numbers<Value, false, true>(t);
  else
    apart ? sum_numbers<Value, true, false>(t) : sum_numbers<Value, false, false>(t);
}

template <class Value, bool APART>
void sum_classes(const LaneCuts<Value>& t) {
  LaneSides<Value> sides(t.cut);
  for (std::uint32_t i = 0; i < t.rows.n; ++i) {
    const __m256d right = sides.right(lanes_of<Value, APART>(t.rows, i));
    const __m256d w = _mm256_broadcast_sd(t.w + i);
    double* own = t.sums + static_cast<std::size_t>(t.label[i]) * 2 * LANES;
    const __m256d left_w = _mm256_add_pd(_mm256_loadu_pd(own), _mm256_andnot_pd(right, w));
    const __m256d right_w = _mm256_add_pd(_mm256_loadu_pd(own + LANES), _mm256_and_pd(right, w));
    _mm256_storeu_pd(own, left_w);
    _mm256_storeu_pd(own + LANES, right_w);
  }
  write_left(sides, t);
}
template <class Value>
void sum_classes(const LaneCuts<Value>& t) {
  t.rows.rows != nullptr ? sum_classes<Value, true>(t) : sum_classes<Value, false>(t);
}

// Labels are added up as numbers: counts without rounding.
template <class Value, bool APART>
void sum_ones(const OnesCuts<Value>& t) {
  const double label_of[2] = {0, 1};
  LaneSides<Value> sides(t.cut);
  __m256d left[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()}, right[2] = {left[0], left[0]};
  __m256d n_ones = left[0], n_right_ones = left[0];
  for (std::uint32_t i = 0; i < t.rows.n; ++i) {
    const std::uint32_t label = t.ones[t.numbers[i]];
    const __m256d beyond = sides.right(lanes_of<Value, APART>(t.rows, i));
    const __m256d wy = _mm256_broadcast_sd(t.wy + label),
                  one = _mm256_broadcast_sd(label_of + label);
    left[i % 2] = _mm256_add_pd(left[i % 2], _mm256_andnot_pd(beyond, wy));
    right[i % 2] = _mm256_add_pd(right[i % 2], _mm256_and_pd(beyond, wy));
    n_ones = _mm256_add_pd(n_ones, one);
    n_right_ones = _mm256_add_pd(n_right_ones, _mm256_and_pd(beyond, one));
    const auto goes_right = static_cast<std::uint32_t>(_mm256_movemask_pd(beyond));
    t.sides[i] = static_cast<std::uint8_t>(goes_right ^ (label << LANES | 15U));
  }
  _mm256_storeu_pd(t.sums, _mm256_add_pd(left[0], left[1]));
  _mm256_storeu_pd(t.sums + LANES, _mm256_add_pd(right[0], right[1]));
  const __m128i all = _mm_set1_epi32(static_cast<int>(t.rows.n));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(t.n_left), _mm_sub_epi32(all, sides.count()));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(t.n_left_ones),
                   _mm256_cvtpd_epi32(_mm256_sub_pd(n_ones, n_right_ones)));
}
template <class Value>
void sum_ones(const OnesCuts<Value>& t) {
  t.rows.rows != nullptr ? sum_ones<Value, true>(t) : sum_ones<Value, false>(t);
}

// Sums of both sides by masks: adding 0 changes no bit, for sums begin with +0.
struct SideNumbers {
  __m256d left, right;  // w, wy, wyy, y
  __m256d least;        // y of left and right, then -y
  SideNumbers()
      : left(_mm256_setzero_pd()),
        right(left),
        least(_mm256_set1_pd(std::numeric_limits<double>::infinity())) {}

  void add(__m256d beyond, const NumberRow& row) {
    const __m256d own = _mm256_load_pd(&row.w);
    left = _mm256_add_pd(left, _mm256_andnot_pd(beyond, own));
    right = _mm256_add_pd(right, _mm256_and_pd(beyond, own));
    const __m256d y =
        _mm256_xor_pd(_mm256_permute4x64_pd(own, 0xff), _mm256_setr_pd(0.0, 0.0, -0.0, -0.0));
    const __m256i others =
        _mm256_xor_si256(_mm256_castpd_si256(beyond), _mm256_setr_epi64x(0, -1, 0, -1));
    const __m256d none = _mm256_set1_pd(std::numeric_limits<double>::infinity());
    least = _mm256_min_pd(_mm256_blendv_pd(y, none, _mm256_castsi256_pd(others)), least);
  }
  void write(NumberSums& of_left, NumberSums& of_right) const {
    alignas(32) double sums[2][4], ends[4];
    _mm256_store_pd(sums[0], left);
    _mm256_store_pd(sums[1], right);
    _mm256_store_pd(ends, least);
    of_left = {sums[0][0], sums[0][1], sums[0][2], ends[0], -ends[2]};
    of_right = {sums[1][0], sums[1][1], sums[1][2], ends[1], -ends[3]};
  }
};

// Without a call: most are of a few rows.
void copy_ids(const std::uint32_t* from, std::uint32_t n, std::uint32_t* to) {
  std::uint32_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
  const __m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i rest = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n - i)), place);
  const __m256i last = _mm256_maskload_epi32(reinterpret_cast<const int*>(from + i), rest);
  _mm256_maskstore_epi32(reinterpret_cast<int*>(to + i), rest, last);
}

template <class Value, bool NUMBERS>
std::uint32_t part_rows(const RowPart<Value>& t) {
  SideNumbers sides;
  const auto cut = static_cast<double>(t.cut);
  const __m256d cuts = _mm256_set1_pd(cut);
  std::uint32_t n_left = 0;
  for (std::uint32_t i = 0; i < t.n; ++i) {
    const std::uint32_t row = t.rows[i];
    const auto value = static_cast<double>(t.column[row * t.stride]);
    t.rows[n_left] = row;
    t.scratch[i - n_left] = row;
    n_left += value <= cut ? 1 : 0;
    if constexpr (NUMBERS)
      sides.add(_mm256_cmp_pd(_mm256_set1_pd(value), cuts, _CMP_GT_OQ), t.numbers[row]);
  }
  copy_ids(t.scratch, t.n - n_left, t.rows + n_left);
  if constexpr (NUMBERS) sides.write(*t.left, *t.right);
  return n_left;
}

}  // namespace

LaneRanges avx2_lane_ranges(const LaneCodes& rows) {
  __m256i least = four_rows(rows, 0);
  __m256i largest = least;
  for (std::uint32_t i = 4; i < rows.n; i += 4) {
    const __m256i codes = four_rows(rows, i);
    least = _mm256_min_epu16(least, codes);
    largest = _mm256_max_epu16(largest, codes);
  }
  __m128i low = _mm_min_epu16(_mm256_castsi256_si128(least), _mm256_extracti128_si256(least, 1));
  __m128i high =
      _mm_max_epu16(_mm256_castsi256_si128(largest), _mm256_extracti128_si256(largest, 1));
  low = _mm_min_epu16(low, _mm_unpackhi_epi64(low, low));
  high = _mm_max_epu16(high, _mm_unpackhi_epi64(high, high));
  LaneRanges found;
  _mm_storel_epi64(reinterpret_cast<__m128i*>(found.least), low);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(found.largest), high);
  return found;
}

std::uint32_t avx2_lanes_within(const LaneCodes& rows, const LaneRanges& ranges) {
  const auto* ends = reinterpret_cast<const __m128i*>(ranges.least);
  const __m256i least = _mm256_broadcastq_epi64(_mm_loadl_epi64(ends));
  const __m256i largest =
      _mm256_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(ranges.largest)));
  __m256i within = _mm256_setzero_si256();
  for (std::uint32_t i = 0; i < rows.n; i += 4) {
    const __m256i codes = four_rows(rows, i);
    const __m256i bounded = _mm256_min_epu16(_mm256_max_epu16(codes, least), largest);
    within = _mm256_or_si256(within, _mm256_cmpeq_epi16(bounded, codes));
  }
  __m128i any = _mm_or_si128(_mm256_castsi256_si128(within), _mm256_extracti128_si256(within, 1));
  any = _mm_or_si128(any, _mm_unpackhi_epi64(any, any));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(any, any))) & 15U;
}

template <class Value>
LaneKernels<Value> avx2_lane_kernels() {
  return {sum_numbers<Value>,      sum_classes<Value>, sum_ones<Value>,    load_lanes<Value, false>,
          load_lanes<Value, true>, draw_cuts,          find_ranges<Value>, part_rows<Value, false>,
          part_rows<Value, true>,  portable_part_sides};
}
template <>
LaneKernels<std::uint16_t> avx2_lane_kernels() {
  using Code = std::uint16_t;
  LaneKernels<Code> kernels{sum_numbers<Code>, sum_classes<Code>, sum_ones<Code>};
  kernels.part_numbers = part_rows<Code, true>;
  kernels.part_sides = portable_part_sides;
  return kernels;
}
template LaneKernels<float> avx2_lane_kernels();
template LaneKernels<double> avx2_lane_kernels();

}  // namespace bayeswood

#include "bayeswood/base/end_avx2.inl"
#endif
