#include "bayeswood/forest/leaves/unbeaten.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"

namespace bayeswood {
namespace {

inline std::int32_t count_bits(std::uint64_t word) {
  return __builtin_popcountll(word);
}

#include "unbeaten_row.inl"

}  // namespace

void unbeaten_by_class_avx2(const UnbeatenTask& task) {
  run_by_class(task);
}
void unbeaten_avx2(const UnbeatenTask& task) {
  run_all(task);
}

}  // namespace bayeswood

#include "bayeswood/base/end_avx2.inl"
#else

namespace bayeswood {

void unbeaten_by_class_avx2(const UnbeatenTask&) {}
void unbeaten_avx2(const UnbeatenTask&) {}

}  // namespace bayeswood
#endif
