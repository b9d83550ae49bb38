#include <cmath>

#include "bayeswood/base/instruction_set.hpp"
#include "class_rows.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"

namespace bayeswood {
namespace {

#include "class_rows.inl"

}  // namespace

void score_rows_avx2(const ClassRows& rows, double* top) {
  score_each(rows, top);
}
void sum_shares_avx2(const ClassRows& rows, double* total) {
  sum_each(rows, total);
}
void add_rows_avx2(const ClassRows& rows, const double* scale, double* mass, double* moment) {
  add_each(rows, scale, mass, moment);
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
