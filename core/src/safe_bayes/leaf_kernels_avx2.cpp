#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/safe_bayes/leaf_kernels.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"

namespace bayeswood {
namespace {

// One bit per row of 32: codes <= place.
std::uint32_t below32(const std::uint16_t* codes, __m256i place) {
  const auto* at = reinterpret_cast<const __m256i*>(codes);
  const __m256i zero = _mm256_setzero_si256();
  const __m256i a = _mm256_cmpeq_epi16(_mm256_subs_epu16(_mm256_loadu_si256(at), place), zero);
  const __m256i b = _mm256_cmpeq_epi16(_mm256_subs_epu16(_mm256_loadu_si256(at + 1), place), zero);
  const __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xd8);
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(both));
}

FilledSides part(const std::uint16_t* column, std::uint16_t place, const std::uint64_t* rows,
                 std::uint64_t* left, std::uint64_t* right) {
  const __m256i limit = _mm256_set1_epi16(static_cast<short>(place));
  std::uint64_t any_left = 0;
  std::uint64_t any_right = 0;
  for (std::size_t w = 0; w < BLOCK_WORDS; ++w) {
    const std::uint64_t low = below32(column + 64 * w, limit);
    const std::uint64_t high = below32(column + 64 * w + 32, limit);
    const std::uint64_t below = low | high << 32;
    any_left |= left[w] = rows[w] & below;
    any_right |= right[w] = rows[w] & ~below;
  }
  return {any_left != 0, any_right != 0};
}

// Four groups of eight rows walk side by side, to hide the gathers' latency.
constexpr std::uint32_t GROUPS = 4;

struct Walkers {
  __m256i node[GROUPS];

  void step(const std::uint32_t* rules, const std::uint16_t* codes, __m128i shift, __m256i row) {
    const __m256i low = _mm256_set1_epi32(0xffff);
    for (std::uint32_t g = 0; g < GROUPS; ++g) {
      const __m256i rule =
          _mm256_i32gather_epi32(reinterpret_cast<const int*>(rules), node[g], sizeof(int));
      const __m256i column = _mm256_srl_epi32(_mm256_and_si256(rule, low), shift);
      const __m256i first = _mm256_add_epi32(row, _mm256_set1_epi32(static_cast<int>(8 * g)));
      const __m256i at = _mm256_add_epi32(_mm256_slli_epi32(column, 9), first);
      const __m256i code =
          _mm256_and_si256(_mm256_i32gather_epi32(reinterpret_cast<const int*>(codes), at, 2), low);
      const __m256i right = _mm256_cmpgt_epi32(code, _mm256_srli_epi32(rule, 16));
      const __m256i next =
          _mm256_add_epi32(_mm256_add_epi32(node[g], node[g]), _mm256_set1_epi32(1));
      node[g] = _mm256_sub_epi32(next, right);
    }
  }
};

void walk_full(const std::uint32_t* rules, std::uint32_t depth, const std::uint16_t* codes,
               std::uint32_t shift, std::uint32_t* leaf) {
  static_assert(BLOCK_ROWS == 1 << 9);
  const __m128i shifts = _mm_cvtsi32_si128(static_cast<int>(shift));
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i n_inner = _mm256_set1_epi32((1 << depth) - 1);
  for (std::uint32_t i = 0; i < BLOCK_ROWS; i += 8 * GROUPS) {
    const __m256i row = _mm256_add_epi32(lanes, _mm256_set1_epi32(static_cast<int>(i)));
    Walkers walkers;
    for (auto& node : walkers.node) node = _mm256_setzero_si256();
    for (std::uint32_t level = 0; level < depth; ++level) walkers.step(rules, codes, shifts, row);
    for (std::uint32_t g = 0; g < GROUPS; ++g) {
      const __m256i found = _mm256_sub_epi32(walkers.node[g], n_inner);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(leaf + i + 8 * g), found);
    }
  }
}

std::uint32_t count_bits(const std::uint64_t* rows) {
  long long n = 0;
  for (std::size_t w = 0; w < BLOCK_WORDS; ++w) n += _mm_popcnt_u64(rows[w]);
  return static_cast<std::uint32_t>(n);
}

std::uint32_t count_common(const std::uint64_t* rows, const std::uint64_t* others) {
  long long n = 0;
  for (std::size_t w = 0; w < BLOCK_WORDS; ++w) n += _mm_popcnt_u64(rows[w] & others[w]);
  return static_cast<std::uint32_t>(n);
}

const LeafKernels& made_leaf_kernels() {
  static const LeafKernels kernels{part, walk_full, count_bits, count_common};
  return kernels;
}

}  // namespace
}  // namespace bayeswood

#include "bayeswood/base/end_avx2.inl"

// Not for AVX2 itself: it is asked on every machine.
const bayeswood::LeafKernels* bayeswood::avx2_leaf_kernels() {
  return runs_avx2() ? &made_leaf_kernels() : nullptr;
}
#else
const bayeswood::LeafKernels* bayeswood::avx2_leaf_kernels() {
  return nullptr;
}
#endif
