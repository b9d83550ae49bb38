#include <cmath>

#include "bayeswood/base/instruction_set.hpp"
#include "class_rows.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"

namespace bayeswood {
namespace {

#include "class_rows.inl"

constexpr std::size_t WIDE = 4;

// A row as vectors, of which the last may be part of one.
struct RowOfVectors {
  std::size_t last;  // where that one begins
  __m256i there;     // what of it there is

  explicit RowOfVectors(std::size_t n) : last((n - 1) / WIDE * WIDE) {
    const __m256i size = _mm256_set1_epi64x(static_cast<std::int64_t>(n - last));
    there = _mm256_cmpgt_epi64(size, _mm256_setr_epi64x(0, 1, 2, 3));
  }
  __m256d read(const double* x) const { return _mm256_maskload_pd(x, there); }
  void write(double* to, __m256d x) const { _mm256_maskstore_pd(to, there, x); }
};

double largest(__m256d x) {
  const __m128d pair = _mm_max_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_max_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

__m256d score(__m256d slope, __m256d log, __m256d offset) {
  return _mm256_add_pd(_mm256_mul_pd(slope, log), offset);
}

double score_vectors(const ClassRows& rows, const RowOfVectors& row, const double* log,
                     double* share) {
  const std::size_t z = row.last;
  const __m256d last =
      score(row.read(rows.slope + z), row.read(log + z), row.read(rows.offset + z));
  __m256d most = _mm256_blendv_pd(_mm256_set1_pd(-HUGE_VAL), last, _mm256_castsi256_pd(row.there));
  for (std::size_t c = 0; c < z; c += WIDE) {
    const __m256d own = score(_mm256_loadu_pd(rows.slope + c), _mm256_loadu_pd(log + c),
                              _mm256_loadu_pd(rows.offset + c));
    _mm256_storeu_pd(share + c, own);
    most = _mm256_max_pd(most, own);
  }
  const double top = largest(most);
  const __m256d all = _mm256_set1_pd(top);
  for (std::size_t c = 0; c < z; c += WIDE)
    _mm256_storeu_pd(share + c, _mm256_sub_pd(_mm256_loadu_pd(share + c), all));
  row.write(share + z, _mm256_sub_pd(last, all));
  return top;
}

// The sums of V vectors of classes from the c-th on stay in registers.
template <std::size_t V, bool LAST>
void add_columns(const ClassRows& rows, const RowOfVectors& row, std::size_t c, const double* scale,
                 double* mass, double* moment) {
  const auto read = [&row](const double* x, std::size_t v) {
    return LAST && v + 1 == V ? row.read(x + v * WIDE) : _mm256_loadu_pd(x + v * WIDE);
  };
  const auto write = [&row](double* to, std::size_t v, __m256d x) {
    LAST&& v + 1 == V ? row.write(to + v * WIDE, x) : _mm256_storeu_pd(to + v * WIDE, x);
  };
  __m256d masses[V], moments[V];
  for (std::size_t v = 0; v < V; ++v) {
    masses[v] = read(mass + c, v);
    moments[v] = read(moment + c, v);
  }
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    const double *share = rows.share + i * rows.n_classes + c,
                 *log = rows.log + i * rows.n_classes + c;
    const __m256d by = _mm256_set1_pd(scale[i]);
    for (std::size_t v = 0; v < V; ++v) {
      const __m256d own = _mm256_mul_pd(by, read(share, v));
      masses[v] = _mm256_add_pd(masses[v], own);
      moments[v] = _mm256_add_pd(moments[v], _mm256_mul_pd(own, read(log, v)));
    }
  }
  for (std::size_t v = 0; v < V; ++v) {
    write(mass + c, v, masses[v]);
    write(moment + c, v, moments[v]);
  }
}

}  // namespace

void score_rows_avx2(const ClassRows& rows, double* top) {
  const std::size_t n = rows.n_classes;
  const RowOfVectors row(n);
  for (std::size_t i = 0; i < rows.n_rows; ++i)
    top[i] = score_vectors(rows, row, rows.log + i * n, rows.share + i * n);
}
void sum_shares_avx2(const ClassRows& rows, double* total) {
  sum_each(rows, total);
}
void add_rows_avx2(const ClassRows& rows, const double* scale, double* mass, double* moment) {
  constexpr std::size_t V = 4;
  const RowOfVectors row(rows.n_classes);
  std::size_t c = 0;
  for (; c + V * WIDE <= row.last; c += V * WIDE)
    add_columns<V, false>(rows, row, c, scale, mass, moment);
  for (; c < row.last; c += WIDE) add_columns<1, false>(rows, row, c, scale, mass, moment);
  add_columns<1, true>(rows, row, c, scale, mass, moment);
}
void subtract_outer_avx2(std::size_t width, const double* by, double scale, double* matrix) {
  subtract_each(width, by, scale, matrix);
}

}  // namespace bayeswood

#include "bayeswood/base/end_avx2.inl"
#else

namespace bayeswood {

void score_rows_avx2(const ClassRows&, double*) {}
void sum_shares_avx2(const ClassRows&, double*) {}
void add_rows_avx2(const ClassRows&, const double*, double*, double*) {}
void subtract_outer_avx2(std::size_t, const double*, double, double*) {}

}  // namespace bayeswood
#endif
