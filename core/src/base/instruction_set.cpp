#include "bayeswood/base/instruction_set.hpp"

#include <stdexcept>

namespace bayeswood {

bool runs_avx2() {
#if defined(BAYESWOOD_AVX2)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
  return false;
#endif
}

bool runs_avx512() {
#if defined(BAYESWOOD_AVX2)
  return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

InstructionSet instruction_set(const std::string& name) {
  if (name == "portable") return InstructionSet::PORTABLE;
  if (name == "avx2" && !runs_avx2()) throw std::invalid_argument("this machine has no AVX2");
  if (name == "avx512" && !runs_avx512())
    throw std::invalid_argument("this machine has no AVX-512");
  if (name != "avx2" && name != "avx512" && name != "auto")
    throw std::invalid_argument("unknown instruction set " + name);
  if (name != "avx2" && runs_avx512()) return InstructionSet::AVX512;
  return runs_avx2() ? InstructionSet::AVX2 : InstructionSet::PORTABLE;
}

}  // namespace bayeswood
