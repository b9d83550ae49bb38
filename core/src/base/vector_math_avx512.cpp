#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

#include "bayeswood/base/instruction_set.hpp"
#include "vector_math_wide.hpp"

// Without fused multiply-adds the bits are those of the portable code.
#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx512.inl"
#if !defined(__clang__)
#pragma GCC target("prefer-vector-width=512")
#endif
#include "vector_math.inl"

namespace bayeswood {
namespace {

constexpr std::size_t WIDE = 8;

__m512d all(double x) {
  return _mm512_set1_pd(x);
}

// The operations of exp_of in their order.
__m512d wide_exp(__m512d x) {
  x = _mm512_min_pd(all(LARGEST), _mm512_max_pd(all(-LARGEST), x));
  const __m512d shifted = _mm512_add_pd(_mm512_mul_pd(x, all(LOG2_E)), all(ROUNDER));
  const __m512d k = _mm512_sub_pd(shifted, all(ROUNDER));
  const __m512d near = _mm512_sub_pd(x, _mm512_mul_pd(k, all(LN2_HIGH)));
  const __m512d r = _mm512_sub_pd(near, _mm512_mul_pd(k, all(LN2_LOW)));
  __m512d sum = all(EXP_SERIES[0]);
  for (std::size_t i = 1; i < std::size(EXP_SERIES); ++i)
    sum = _mm512_add_pd(_mm512_mul_pd(sum, r), all(EXP_SERIES[i]));
  sum = _mm512_mul_pd(_mm512_mul_pd(sum, r), r);
  sum = _mm512_add_pd(_mm512_add_pd(sum, r), all(1.0));
  const __m512i bits = _mm512_add_epi64(_mm512_castpd_si512(shifted), _mm512_set1_epi64(1023));
  return _mm512_mul_pd(sum, _mm512_castsi512_pd(_mm512_slli_epi64(bits, 52)));
}

}  // namespace
}  // namespace bayeswood

// Two vectors at a time, for each step waits for the one before it.
void bayeswood::exp_in_place_avx512(std::span<double> values) {
  double* x = values.data();
  std::size_t n = values.size();
  for (; n >= 2 * WIDE; n -= 2 * WIDE, x += 2 * WIDE) {
    const __m512d first = wide_exp(_mm512_loadu_pd(x));
    const __m512d second = wide_exp(_mm512_loadu_pd(x + WIDE));
    _mm512_storeu_pd(x, first);
    _mm512_storeu_pd(x + WIDE, second);
  }
  for (; n > 0; n -= std::min(n, WIDE), x += WIDE) {
    const auto here = static_cast<__mmask8>(_bzhi_u32(0xffU, static_cast<unsigned>(n)));
    _mm512_mask_storeu_pd(x, here, wide_exp(_mm512_maskz_loadu_pd(here, x)));
  }
}
void bayeswood::log_in_place_avx512(std::span<double> values) {
  log_all(values);
}

#include "bayeswood/base/end_avx512.inl"
#else
void bayeswood::exp_in_place_avx512(std::span<double>) {}
void bayeswood::log_in_place_avx512(std::span<double>) {}
#endif
