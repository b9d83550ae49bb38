#include "bayeswood/base/vector_math.hpp"

#include "bayeswood/base/instruction_set.hpp"
#include "vector_math.inl"
#include "vector_math_wide.hpp"

namespace bayeswood {
namespace {

InstructionSet best_set() {
  static const InstructionSet best = instruction_set("auto");
  return best;
}

}  // namespace

void exp_in_place(std::span<double> values) {
  if (best_set() == InstructionSet::AVX512) return exp_in_place_avx512(values);
  if (best_set() == InstructionSet::AVX2) return exp_in_place_avx2(values);
  exp_all(values);
}

void log_in_place(std::span<double> values) {
  if (best_set() == InstructionSet::AVX512) return log_in_place_avx512(values);
  if (best_set() == InstructionSet::AVX2) return log_in_place_avx2(values);
  log_all(values);
}

}  // namespace bayeswood
