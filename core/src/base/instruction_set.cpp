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

InstructionSet instruction_set(const std::string& name) {
  if (name == "portable") return InstructionSet::PORTABLE;
  if (name == "avx2" && !runs_avx2()) throw std::invalid_argument("this machine has no AVX2");
  if (name != "avx2" && name != "auto")
    throw std::invalid_argument("unknown instruction set " + name);
  return runs_avx2() ? InstructionSet::AVX2 : InstructionSet::PORTABLE;
}

}  // namespace bayeswood
