#include "class_rows.hpp"

#include <cmath>

#include "bayeswood/base/instruction_set.hpp"

namespace bayeswood {
namespace {

#include "class_rows.inl"

}  // namespace

void score_rows(const ClassRows& rows, double* top) {
  if (runs_avx2()) return score_rows_avx2(rows, top);
  score_each(rows, top);
}
void sum_shares(const ClassRows& rows, double* total) {
  if (runs_avx2()) return sum_shares_avx2(rows, total);
  sum_each(rows, total);
}
void add_rows(const ClassRows& rows, const double* scale, double* mass, double* moment) {
  if (runs_avx2()) return add_rows_avx2(rows, scale, mass, moment);
  add_each(rows, scale, mass, moment);
}
void subtract_outer(std::size_t width, const double* by, double scale, double* matrix) {
  if (runs_avx2()) return subtract_outer_avx2(width, by, scale, matrix);
  subtract_each(width, by, scale, matrix);
}

}  // namespace bayeswood
