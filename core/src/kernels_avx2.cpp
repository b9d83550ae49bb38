#include <algorithm>

#include "bayeswood/grow/scan.hpp"

// Everything below is compiled for AVX2 and called only where the machine has it. The headers above
// stay outside, so that no shared inline function carries AVX2 instructions elsewhere.
#if defined(__GNUC__) && defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#include "lane_kernels.inl"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace bayeswood {

const Kernels* avx2_kernels() {
  static const Kernels kernels{scan_lanes, bound_bins};
  return __builtin_cpu_supports("avx2") ? &kernels : nullptr;
}

}  // namespace bayeswood
#else
namespace bayeswood {

const Kernels* avx2_kernels() { return nullptr; }

}  // namespace bayeswood
#endif
