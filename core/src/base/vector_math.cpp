#include "bayeswood/base/vector_math.hpp"

#include "vector_math.inl"
#include "vector_math_wide.hpp"

namespace bayeswood {

void exp_in_place(std::span<double> values) {
  if (has_avx512()) return exp_in_place_avx512(values);
  if (has_avx2()) return exp_in_place_avx2(values);
  exp_all(values);
}

void log_in_place(std::span<double> values) {
  if (has_avx512()) return log_in_place_avx512(values);
  if (has_avx2()) return log_in_place_avx2(values);
  log_all(values);
}

}  // namespace bayeswood
