// Which instruction sets there is code for, and which of them this machine runs.
//
// Sources that are compiled for AVX2 stand between the includes of begin_avx2.inl and end_avx2.inl,
// where BAYESWOOD_AVX2 says that the compiler can do it. Their own includes come before: no shared
// inline function must carry AVX2 instructions elsewhere. So do those for AVX-512 between
// begin_avx512.inl and end_avx512.inl.
#pragma once

#include <string>

#if defined(__GNUC__) && defined(__x86_64__)
#define BAYESWOOD_AVX2 1
#endif

namespace bayeswood {

// In ascending order: who has no code for one takes that of the one before.
enum class InstructionSet { PORTABLE, AVX2, AVX512 };

// Whether compiler and machine have AVX2, and the instructions on bits that come with it.
bool runs_avx2();
// The same for AVX-512 as servers have it (F, DQ, BW and VL). What has AVX-512 has AVX2.
bool runs_avx512();

// "portable", "avx2", "avx512" (an error where these do not run) or "auto", the best that runs.
InstructionSet instruction_set(const std::string& name);

}  // namespace bayeswood
