// Functions from here to end_avx512.inl are compiled for AVX-512; see instruction_set.hpp.
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(                                                           \
    __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512dq,avx512bw,avx512vl"))), \
    apply_to = function)
#else
// GCC 12 takes the undefined lanes of its own intrinsics for a mistake of who calls them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,avx512f,avx512dq,avx512bw,avx512vl")
#endif
