#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/safe_bayes/leaf_kernels.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx512.inl"

namespace bayeswood {
namespace {

// One bit per row of 64: codes <= place.
long long below64(const std::uint16_t* codes, __m512i place) {
  const __mmask32 low = _mm512_cmple_epu16_mask(_mm512_loadu_si512(codes), place);
  const __mmask32 high = _mm512_cmple_epu16_mask(_mm512_loadu_si512(codes + 32), place);
  return static_cast<long long>(_mm512_kunpackd(high, low));
}

// Words meet in a register: read back as one vector, eight stores would have to reach the cache.
FilledSides part(const std::uint16_t* column, std::uint16_t place, const std::uint64_t* rows,
                 std::uint64_t* left, std::uint64_t* right) {
  static_assert(BLOCK_WORDS == 8);
  const __m512i limit = _mm512_set1_epi16(static_cast<short>(place));
  const auto word = [&](std::size_t w) { return below64(column + 64 * w, limit); };
  const __m512i below =
      _mm512_set_epi64(word(7), word(6), word(5), word(4), word(3), word(2), word(1), word(0));
  const __m512i all = _mm512_loadu_si512(rows);
  const __m512i in_left = _mm512_and_si512(all, below);
  const __m512i in_right = _mm512_andnot_si512(below, all);
  _mm512_storeu_si512(left, in_left);
  _mm512_storeu_si512(right, in_right);
  return {_mm512_test_epi64_mask(in_left, in_left) != 0,
          _mm512_test_epi64_mask(in_right, in_right) != 0};
}

const LeafKernels& made_wide_leaf_kernels() {
  static const LeafKernels kernels = [] {
    LeafKernels found = *avx2_leaf_kernels();
    found.part = part;
    return found;
  }();
  return kernels;
}

}  // namespace
}  // namespace bayeswood

#include "bayeswood/base/end_avx512.inl"

// Not for AVX-512 itself: it is asked on every machine.
const bayeswood::LeafKernels* bayeswood::avx512_leaf_kernels() {
  return runs_avx512() ? &made_wide_leaf_kernels() : nullptr;
}
#else
const bayeswood::LeafKernels* bayeswood::avx512_leaf_kernels() {
  return nullptr;
}
#endif
