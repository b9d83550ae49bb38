#include <bit>
#include <cstdint>

#include "bayeswood/base/instruction_set.hpp"
#include "vector_math_wide.hpp"

// Without fused multiply-adds the bits are those of the portable code.
#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx512.inl"
#if !defined(__clang__)
#pragma GCC target("prefer-vector-width=512")
#endif
#include "vector_math.inl"

void bayeswood::exp_in_place_avx512(std::span<double> values) {
  exp_all(values);
}
void bayeswood::log_in_place_avx512(std::span<double> values) {
  log_all(values);
}

#include "bayeswood/base/end_avx512.inl"
#else
void bayeswood::exp_in_place_avx512(std::span<double>) {}
void bayeswood::log_in_place_avx512(std::span<double>) {}
#endif
