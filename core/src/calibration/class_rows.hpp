// Rows with an entry for every class, in order: nothing is looked up, and classes are vectors. The
// bits are the same with wider instructions.
#pragma once

#include <cstddef>

namespace bayeswood {

// Consecutive rows of a block.
struct ClassRows {
  std::size_t n_rows, n_classes;
  const double* slope;   // k of every class
  const double* offset;  // b
  const double* log;     // n_rows x n_classes, log(C p~)
  double* share;         // of every entry, the score less the row's top, then e to the power of it
};

// Writes what the exponentials are to be taken of, and the largest score of every row.
void score_rows(const ClassRows& rows, double* top);
// The sums of every row's shares.
void sum_shares(const ClassRows& rows, double* total);
// Adds scale * share, and that times log, to the sums of every class.
void add_rows(const ClassRows& rows, const double* scale, double* mass, double* moment);
// Adds -by by' times `scale` to what is on and below the diagonal of a matrix, width x width.
void subtract_outer(std::size_t width, const double* by, double scale, double* matrix);

void score_rows_avx2(const ClassRows& rows, double* top);
void sum_shares_avx2(const ClassRows& rows, double* total);
void add_rows_avx2(const ClassRows& rows, const double* scale, double* mass, double* moment);
void subtract_outer_avx2(std::size_t width, const double* by, double scale, double* matrix);

}  // namespace bayeswood
