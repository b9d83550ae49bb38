#include <bit>
#include <cstdint>

#include "vector_math_wide.hpp"

// Compiled for AVX-512, as vector_math_avx2.cpp is for AVX2.
#if defined(__GNUC__) && defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,prefer-vector-width=512")
#endif

#include "vector_math.inl"

namespace bayeswood {

void exp_in_place_avx512(std::span<double> values) {
  exp_all(values);
}
void log_in_place_avx512(std::span<double> values) {
  log_all(values);
}

}  // namespace bayeswood

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace bayeswood {

bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") != 0;
  return has;
}

}  // namespace bayeswood

#else

namespace bayeswood {

bool has_avx512() {
  return false;
}
void exp_in_place_avx512(std::span<double>) {}
void log_in_place_avx512(std::span<double>) {}

}  // namespace bayeswood

#endif
