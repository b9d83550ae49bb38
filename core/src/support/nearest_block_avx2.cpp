#include "bayeswood/base/instruction_set.hpp"
#include "nearest_block.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"

namespace bayeswood {
namespace {

struct Lanes {
  __m256d at;

  static Lanes all(double x) { return {_mm256_set1_pd(x)}; }
  static Lanes load(const double* from) { return {_mm256_loadu_pd(from)}; }
  void store(double* to) const { _mm256_storeu_pd(to, at); }
};
inline Lanes operator+(Lanes a, Lanes b) {
  return {_mm256_add_pd(a.at, b.at)};
}
inline Lanes operator-(Lanes a, Lanes b) {
  return {_mm256_sub_pd(a.at, b.at)};
}
inline Lanes operator*(Lanes a, Lanes b) {
  return {_mm256_mul_pd(a.at, b.at)};
}
inline Lanes where_less(Lanes a, Lanes b, Lanes yes, Lanes no) {
  return {_mm256_blendv_pd(no.at, yes.at, _mm256_cmp_pd(a.at, b.at, _CMP_LT_OQ))};
}
inline Lanes where_equal(Lanes a, Lanes b, Lanes yes, Lanes no) {
  return {_mm256_blendv_pd(no.at, yes.at, _mm256_cmp_pd(a.at, b.at, _CMP_EQ_OQ))};
}
// Of a number and NaN the second.
inline Lanes smaller(Lanes a, Lanes b) {
  return {_mm256_min_pd(a.at, b.at)};
}
inline Lanes larger(Lanes a, Lanes b) {
  return {_mm256_max_pd(a.at, b.at)};
}
inline bool any_less(Lanes a, Lanes b) {
  return _mm256_movemask_pd(_mm256_cmp_pd(a.at, b.at, _CMP_LT_OQ)) != 0;
}

#include "nearest_block.inl"

}  // namespace

void search_block_avx2(const NearestBlock& block) {
  search_any(block);
}

}  // namespace bayeswood

#include "bayeswood/base/end_avx2.inl"
#else

namespace bayeswood {

void search_block_avx2(const NearestBlock&) {}

}  // namespace bayeswood
#endif
