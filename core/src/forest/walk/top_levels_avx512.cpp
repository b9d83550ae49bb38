#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/forest/walk/top_levels.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx512.inl"

namespace bayeswood {
namespace {

constexpr std::size_t GROUPS = TopLevels::GROUPS, LANE_ROWS = TopLevels::LANES;

inline __m256i load(const std::uint16_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

// What a table has for the ways of 16 rows; its first entries, where ways are short.
inline __m256i look_up(__m512i table, __m256i way) {
  return _mm512_castsi512_si256(_mm512_permutexvar_epi16(_mm512_castsi256_si512(way), table));
}

// One step of all groups. Their chains of instructions are independent of one another.
inline void step_down(const TopLevels::Level& level, const std::uint16_t* cells, std::size_t stride,
                      __m256i* way) {
  const __m512i places = _mm512_loadu_si512(level.place);
  const __m512i columns = _mm512_loadu_si512(level.which);
  __m256i which[GROUPS], value[GROUPS];
  for (std::size_t g = 0; g < GROUPS; ++g) {
    which[g] = look_up(columns, way[g]);
    value[g] = load(cells + g * stride + level.column[0] * LANE_ROWS);
  }
  for (std::uint32_t k = 1; k < level.n_columns; ++k) {
    const __m256i number = _mm256_set1_epi16(static_cast<short>(k));
    const std::uint16_t* column = cells + level.column[k] * LANE_ROWS;
    for (std::size_t g = 0; g < GROUPS; ++g)
      value[g] = _mm256_mask_loadu_epi16(value[g], _mm256_cmpeq_epi16_mask(which[g], number),
                                         column + g * stride);
  }
  for (std::size_t g = 0; g < GROUPS; ++g) {
    const __m256i place = look_up(places, way[g]);
    const __mmask16 right = _mm256_cmpgt_epu16_mask(value[g], place);
    const __m256i left = _mm256_add_epi16(way[g], way[g]);
    way[g] = _mm256_mask_add_epi16(left, right, left, _mm256_set1_epi16(1));
  }
}

}  // namespace

void enter_tree_avx512(const TopLevels& top, const std::uint16_t* cells, std::size_t stride,
                       std::uint32_t* at) {
  __m256i way[GROUPS];
  for (std::size_t g = 0; g < GROUPS; ++g) way[g] = _mm256_setzero_si256();
  for (std::uint32_t l = 0; l < top.n_levels; ++l) step_down(top.levels[l], cells, stride, way);
  const __m512i first = _mm512_loadu_si512(top.node);
  const __m512i second = _mm512_loadu_si512(top.node + TopLevels::WIDEST);
  for (std::size_t g = 0; g < GROUPS; ++g) {
    const __m512i node = _mm512_permutex2var_epi16(first, _mm512_castsi256_si512(way[g]), second);
    _mm512_storeu_si512(at + g * LANE_ROWS, _mm512_cvtepu16_epi32(_mm512_castsi512_si256(node)));
  }
}

}  // namespace bayeswood

#include "bayeswood/base/end_avx512.inl"
#endif
