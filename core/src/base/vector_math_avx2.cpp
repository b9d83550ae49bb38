#include <bit>
#include <cstdint>

#include "vector_math_wide.hpp"

// Everything below is compiled for AVX2 and called only where the machine has it; see
// kernels_avx2.cpp. Without fused multiply-adds the bits are those of the portable code.
#if defined(__GNUC__) && defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#include "vector_math.inl"

namespace bayeswood {

void exp_in_place_avx2(std::span<double> values) {
  exp_all(values);
}
void log_in_place_avx2(std::span<double> values) {
  log_all(values);
}

}  // namespace bayeswood

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace bayeswood {

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

}  // namespace bayeswood

#else

namespace bayeswood {

bool has_avx2() {
  return false;
}
void exp_in_place_avx2(std::span<double>) {}
void log_in_place_avx2(std::span<double>) {}

}  // namespace bayeswood

#endif
