#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/sums/row_kernels.hpp"
#include "lane_sums.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"

namespace bayeswood {
namespace {

#include "row_kernels.inl"

// So many slots are looked up, and summed, within registers.
constexpr std::size_t FEW_SLOTS = 8;

__m256i slots_at(const Slot* slots, std::size_t i) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(slots + i)));
}

// Sums of rows whose slots are below N.
template <std::size_t N, bool WEIGHTED>
struct Totals {
  __m256 rest[N];
  __m256 weight[N];

  Totals() {
    for (std::size_t s = 0; s < N; ++s) rest[s] = weight[s] = _mm256_setzero_ps();
  }
  void add(__m256i slots, __m256 value, __m256 factor) {
    const __m256 weighted = WEIGHTED ? _mm256_mul_ps(value, factor) : value;
    for (std::size_t s = 0; s < N; ++s) {
      const __m256 here =
          _mm256_castsi256_ps(_mm256_cmpeq_epi32(slots, _mm256_set1_epi32(static_cast<int>(s))));
      rest[s] = _mm256_add_ps(rest[s], _mm256_and_ps(here, weighted));
      if (WEIGHTED) weight[s] = _mm256_add_ps(weight[s], _mm256_and_ps(here, factor));
    }
  }
  void store(LaneSums& sums) const {
    for (std::size_t s = 0; s < N; ++s) {
      _mm256_storeu_ps(sums.rest(s), rest[s]);
      if (WEIGHTED) _mm256_storeu_ps(sums.weight(s), weight[s]);
    }
  }
};

// 32 rows at a time.
__m256i bytes_at(const std::uint8_t* bytes, std::size_t i) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i));
}

void put_bytes(std::uint8_t* bytes, std::size_t i, __m256i values) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes + i), values);
}

constexpr std::size_t BYTES = 32;

std::size_t split_bytes(const Slot* slots, const RowSplit& split, const std::uint8_t* codes,
                        std::size_t n, Slot* out) {
  const __m256i slot = _mm256_set1_epi8(static_cast<char>(split.slot));
  const __m256i right = _mm256_set1_epi8(static_cast<char>(split.right));
  const __m256i cut = _mm256_set1_epi8(static_cast<char>(split.cut));
  const __m256i missing = _mm256_set1_epi8(static_cast<char>(0xff));
  const __m256i zero = _mm256_setzero_si256();
  std::size_t n_right = 0;
  std::size_t i = 0;
  for (; i + BYTES <= n; i += BYTES) {
    const __m256i old = bytes_at(slots, i);
    const __m256i code = bytes_at(codes, i);
    const __m256i below = _mm256_cmpeq_epi8(_mm256_subs_epu8(code, cut), zero);  // code <= cut
    __m256i stays = below;
    if (split.missing_left) stays = _mm256_or_si256(stays, _mm256_cmpeq_epi8(code, missing));
    const __m256i goes = _mm256_andnot_si256(stays, _mm256_cmpeq_epi8(old, slot));
    put_bytes(out, i, _mm256_blendv_epi8(old, right, goes));
    n_right += static_cast<std::size_t>(
        __builtin_popcount(static_cast<unsigned>(_mm256_movemask_epi8(goes))));
  }
  return n_right + split_rows(slots + i, split, codes + i, n - i, out + i);
}

// Slots below 16 are looked up within a register.
void relabel_bytes(const Slot* slots, const Slot* to, std::size_t n_slots, std::size_t n,
                   Slot* out) {
  if (n_slots > 16) return relabel_rows(slots, to, n_slots, n, out);
  const __m256i table =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(to)));
  std::size_t i = 0;
  for (; i + BYTES <= n; i += BYTES)
    put_bytes(out, i, _mm256_shuffle_epi8(table, bytes_at(slots, i)));
  relabel_rows(slots + i, to, n_slots, n - i, out + i);
}

template <std::size_t N, bool WEIGHTED>
void sum_few(const float* rest, const float* weight, const Slot* slots, std::size_t n_rows,
             const SlotSums& out) {
  LaneSums sums(out, N, WEIGHTED);
  for (std::size_t begin = 0; begin < n_rows; begin += LaneSums::BLOCK) {
    const std::size_t end = begin + LaneSums::BLOCK < n_rows ? begin + LaneSums::BLOCK : n_rows;
    Totals<N, WEIGHTED> totals;
    std::size_t i = begin;
    for (; i + SUM_LANES <= end; i += SUM_LANES) {
      const __m256 factor = WEIGHTED ? _mm256_loadu_ps(weight + i) : _mm256_setzero_ps();
      totals.add(slots_at(slots, i), _mm256_loadu_ps(rest + i), factor);
    }
    totals.store(sums);
    for (; i < end; ++i) sums.add(i, slots[i], rest[i], weight);
    sums.flush();
  }
}

template <std::size_t N>
void sum_some(const float* rest, const float* weight, const Slot* slots, std::size_t n_slots,
              std::size_t n_rows, const SlotSums& out) {
  if (n_slots < N) {
    if constexpr (N > 1) return sum_some<N - 1>(rest, weight, slots, n_slots, n_rows, out);
  }
  return weight != nullptr ? sum_few<N, true>(rest, weight, slots, n_rows, out)
                           : sum_few<N, false>(rest, weight, slots, n_rows, out);
}

void sum_slots(const float* rest, const float* weight, const Slot* slots, std::size_t n_slots,
               std::size_t n_rows, const SlotSums& out) {
  if (n_slots > FEW_SLOTS)
    return portable_row_kernels().sum_slots(rest, weight, slots, n_slots, n_rows, out);
  sum_some<FEW_SLOTS>(rest, weight, slots, n_slots, n_rows, out);
}

template <bool MULTIPLY>
void pass_row(const RowPass& pass, std::size_t i, LaneSums& sums) {
  const float take = pass.take[pass.before[i]];
  const float give = pass.give[pass.present[i]];
  const float rest = MULTIPLY ? pass.rest[i] * take * give : pass.rest[i] - take + give;
  pass.rest[i] = rest;
  sums.add(i, pass.proposed[i], rest, pass.weight);
}

template <bool MULTIPLY, std::size_t N, bool WEIGHTED>
void pass_few(const RowPass& pass, const SlotSums& out) {
  LaneSums sums(out, N, WEIGHTED);
  const __m256 take = _mm256_loadu_ps(pass.take);
  const __m256 give = _mm256_loadu_ps(pass.give);
  for (std::size_t begin = 0; begin < pass.n_rows; begin += LaneSums::BLOCK) {
    const std::size_t end =
        begin + LaneSums::BLOCK < pass.n_rows ? begin + LaneSums::BLOCK : pass.n_rows;
    Totals<N, WEIGHTED> totals;
    std::size_t i = begin;
    for (; i + SUM_LANES <= end; i += SUM_LANES) {
      const __m256 taken = _mm256_permutevar8x32_ps(take, slots_at(pass.before, i));
      const __m256 given = _mm256_permutevar8x32_ps(give, slots_at(pass.present, i));
      __m256 rest = _mm256_loadu_ps(pass.rest + i);
      rest = MULTIPLY ? _mm256_mul_ps(_mm256_mul_ps(rest, taken), given)
                      : _mm256_add_ps(_mm256_sub_ps(rest, taken), given);
      _mm256_storeu_ps(pass.rest + i, rest);
      const __m256 factor = WEIGHTED ? _mm256_loadu_ps(pass.weight + i) : _mm256_setzero_ps();
      totals.add(slots_at(pass.proposed, i), rest, factor);
    }
    totals.store(sums);
    for (; i < end; ++i) pass_row<MULTIPLY>(pass, i, sums);
    sums.flush();
  }
}

template <bool MULTIPLY, std::size_t N>
void pass_some(const RowPass& pass, const SlotSums& out) {
  if (pass.n_proposed < N) {
    if constexpr (N > 1) return pass_some<MULTIPLY, N - 1>(pass, out);
  }
  return pass.weight != nullptr ? pass_few<MULTIPLY, N, true>(pass, out)
                                : pass_few<MULTIPLY, N, false>(pass, out);
}

template <bool MULTIPLY>
void pass_rows(const RowPass& pass, const SlotSums& out) {
  if (pass.n_before <= FEW_SLOTS && pass.n_present <= FEW_SLOTS && pass.n_proposed <= FEW_SLOTS)
    return pass_some<MULTIPLY, FEW_SLOTS>(pass, out);
  const RowKernels& portable = portable_row_kernels();
  return MULTIPLY ? portable.multiply_pass(pass, out) : portable.add_pass(pass, out);
}

}  // namespace

namespace {

constexpr RowKernels MADE_KERNELS{find_range<std::uint8_t>,
                                  find_range<std::uint16_t>,
                                  split_bytes,
                                  split_rows<std::uint16_t>,
                                  relabel_bytes,
                                  pass_rows<false>,
                                  pass_rows<true>,
                                  sum_slots};

}  // namespace
}  // namespace bayeswood

#include "bayeswood/base/end_avx2.inl"

// Not for AVX2 itself: it is asked on every machine.
const bayeswood::RowKernels* bayeswood::avx2_row_kernels() {
  return runs_avx2() ? &MADE_KERNELS : nullptr;
}

#else

namespace bayeswood {

const RowKernels* avx2_row_kernels() {
  return nullptr;
}

}  // namespace bayeswood

#endif
