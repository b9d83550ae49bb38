#include <bit>
#include <cstdint>
#include <iterator>

#include "bayeswood/base/instruction_set.hpp"
#include "vector_math_wide.hpp"

// Without fused multiply-adds the bits are those of the portable code.
#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"
#include "vector_math.inl"

void bayeswood::exp_in_place_avx2(std::span<double> values) {
  exp_all(values);
}
void bayeswood::log_in_place_avx2(std::span<double> values) {
  log_all(values);
}

#include "bayeswood/base/end_avx2.inl"
#else
void bayeswood::exp_in_place_avx2(std::span<double>) {}
void bayeswood::log_in_place_avx2(std::span<double>) {}
#endif
