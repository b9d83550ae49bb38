// Lanes of doubles for kernels_avx512.cpp, which includes this between begin_avx512.inl and
// end_avx512.inl.
#pragma once

namespace bayeswood {
namespace {

struct Lanes2 {
  static constexpr std::uint32_t N = 2;
  using Numbers = __m128d;
  using Words = __m128i;
  static Numbers all(double x) { return _mm_set1_pd(x); }
  static Words words(std::int64_t x) { return _mm_set1_epi64x(x); }
  static Words load(const std::uint64_t* x) {
    return _mm_load_si128(reinterpret_cast<const Words*>(x));
  }
  static void store(double* to, Numbers x) { _mm_store_pd(to, x); }
  static void store(std::int64_t* to, Words x) { _mm_store_si128(reinterpret_cast<Words*>(to), x); }
  static Numbers add(Numbers a, Numbers b) { return _mm_add_pd(a, b); }
  static Numbers subtract(Numbers a, Numbers b) { return _mm_sub_pd(a, b); }
  static Numbers multiply(Numbers a, Numbers b) { return _mm_mul_pd(a, b); }
  static Numbers divide(Numbers a, Numbers b) { return _mm_div_pd(a, b); }
  static Numbers least(Numbers a, Numbers b) { return _mm_min_pd(a, b); }
  static Numbers first(Numbers a, Numbers b) { return _mm_unpacklo_pd(a, b); }
  static Numbers second(Numbers a, Numbers b) { return _mm_unpackhi_pd(a, b); }
  static Words next(Words a) { return _mm_add_epi64(a, words(1)); }
  static Words halved(Words a) { return _mm_srli_epi64(a, 1); }
  static __mmask8 odd(Words a) { return _mm_test_epi64_mask(a, words(1)); }
  static __mmask8 reach(__mmask8 m, Numbers a, Numbers b) {
    return _mm_mask_cmp_pd_mask(m, a, b, _CMP_GE_OQ);
  }
  static __mmask8 exceed(__mmask8 m, Numbers a, Numbers b) {
    return _mm_mask_cmp_pd_mask(m, a, b, _CMP_GT_OQ);
  }
  static Numbers chosen(Numbers a, __mmask8 m, Numbers b) { return _mm_mask_mov_pd(a, m, b); }
  static Words chosen(Words a, __mmask8 m, Words b) { return _mm_mask_mov_epi64(a, m, b); }
  template <class Row>
  static Numbers pairs(Row row, int l) {
    return row(l);
  }
};

struct Lanes4 {
  static constexpr std::uint32_t N = 4;
  using Numbers = __m256d;
  using Words = __m256i;
  static Numbers all(double x) { return _mm256_set1_pd(x); }
  static Words words(std::int64_t x) { return _mm256_set1_epi64x(x); }
  static Words load(const std::uint64_t* x) {
    return _mm256_load_si256(reinterpret_cast<const Words*>(x));
  }
  static void store(double* to, Numbers x) { _mm256_store_pd(to, x); }
  static void store(std::int64_t* to, Words x) {
    _mm256_store_si256(reinterpret_cast<Words*>(to), x);
  }
  static Numbers add(Numbers a, Numbers b) { return _mm256_add_pd(a, b); }
  static Numbers subtract(Numbers a, Numbers b) { return _mm256_sub_pd(a, b); }
  static Numbers multiply(Numbers a, Numbers b) { return _mm256_mul_pd(a, b); }
  static Numbers divide(Numbers a, Numbers b) { return _mm256_div_pd(a, b); }
  static Numbers least(Numbers a, Numbers b) { return _mm256_min_pd(a, b); }
  static Numbers first(Numbers a, Numbers b) { return _mm256_unpacklo_pd(a, b); }
  static Numbers second(Numbers a, Numbers b) { return _mm256_unpackhi_pd(a, b); }
  static Words next(Words a) { return _mm256_add_epi64(a, words(1)); }
  static Words halved(Words a) { return _mm256_srli_epi64(a, 1); }
  static __mmask8 odd(Words a) { return _mm256_test_epi64_mask(a, words(1)); }
  static __mmask8 reach(__mmask8 m, Numbers a, Numbers b) {
    return _mm256_mask_cmp_pd_mask(m, a, b, _CMP_GE_OQ);
  }
  static __mmask8 exceed(__mmask8 m, Numbers a, Numbers b) {
    return _mm256_mask_cmp_pd_mask(m, a, b, _CMP_GT_OQ);
  }
  static Numbers chosen(Numbers a, __mmask8 m, Numbers b) { return _mm256_mask_mov_pd(a, m, b); }
  static Words chosen(Words a, __mmask8 m, Words b) { return _mm256_mask_mov_epi64(a, m, b); }
  // Pairs of the lists l and l + 2.
  template <class Row>
  static Numbers pairs(Row row, int l) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(row(l)), row(l + 2), 1);
  }
};

struct Lanes8 {
  static constexpr std::uint32_t N = 8;
  using Numbers = __m512d;
  using Words = __m512i;
  static Numbers all(double x) { return _mm512_set1_pd(x); }
  static Words words(std::int64_t x) { return _mm512_set1_epi64(x); }
  static Words load(const std::uint64_t* x) { return _mm512_load_si512(x); }
  static void store(double* to, Numbers x) { _mm512_store_pd(to, x); }
  static void store(std::int64_t* to, Words x) { _mm512_store_si512(to, x); }
  static Numbers add(Numbers a, Numbers b) { return _mm512_add_pd(a, b); }
  static Numbers subtract(Numbers a, Numbers b) { return _mm512_sub_pd(a, b); }
  static Numbers multiply(Numbers a, Numbers b) { return _mm512_mul_pd(a, b); }
  static Numbers divide(Numbers a, Numbers b) { return _mm512_div_pd(a, b); }
  static Numbers least(Numbers a, Numbers b) { return _mm512_min_pd(a, b); }
  static Numbers first(Numbers a, Numbers b) { return _mm512_unpacklo_pd(a, b); }
  static Numbers second(Numbers a, Numbers b) { return _mm512_unpackhi_pd(a, b); }
  static Words next(Words a) { return _mm512_add_epi64(a, words(1)); }
  static Words halved(Words a) { return _mm512_srli_epi64(a, 1); }
  static __mmask8 odd(Words a) { return _mm512_test_epi64_mask(a, words(1)); }
  static __mmask8 reach(__mmask8 m, Numbers a, Numbers b) {
    return _mm512_mask_cmp_pd_mask(m, a, b, _CMP_GE_OQ);
  }
  static __mmask8 exceed(__mmask8 m, Numbers a, Numbers b) {
    return _mm512_mask_cmp_pd_mask(m, a, b, _CMP_GT_OQ);
  }
  static Numbers chosen(Numbers a, __mmask8 m, Numbers b) { return _mm512_mask_mov_pd(a, m, b); }
  static Words chosen(Words a, __mmask8 m, Words b) { return _mm512_mask_mov_epi64(a, m, b); }
  // Pairs of the lists l, l + 2, l + 4 and l + 6.
  template <class Row>
  static Numbers pairs(Row row, int l) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(Lanes4::pairs(row, l)),
                              Lanes4::pairs(row, l + 4), 1);
  }
};

}  // namespace
}  // namespace bayeswood
