// The nearest rows of a sample, in several views of its columns at once.
//
// Two values of a column differ by |x - r|; by `mismatch` if one of them is missing or the column
// is a category and its levels differ; by nothing if both are missing. A view weighs the columns:
// its squared distance is the sum over columns of weight * difference^2, columns ascending.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/base/parallel.hpp"

namespace bayeswood {

struct SampleColumns {
  std::span<const double> values;  // n_columns x n_rows; NaN is missing
  std::size_t n_rows;
  std::span<const std::uint8_t> is_category;  // one per column
  double mismatch;

  std::size_t n_columns() const { return is_category.size(); }
  std::span<const double> column(std::size_t j) const { return values.subspan(j * n_rows, n_rows); }
};

// Ways to look at rows: each column by itself, if asked for, then those with weights.
struct ColumnViews {
  bool each_column;
  std::span<const double> weights;  // n_weighted x n_columns, >= 0

  std::size_t count(std::size_t n_columns) const {
    return (each_column ? n_columns : 0) + weights.size() / n_columns;
  }
};

constexpr std::size_t MOST_NEIGHBOURS = 3;

struct NearestRows {
  std::size_t k;            // at most MOST_NEIGHBOURS, and as many as there are (other) rows
  double* squared;          // n_views x n_table x k, ascending
  std::int32_t* neighbour;  // n_columns x n_table x k of the columns by themselves, if these are
                            // asked for; of equals the first row of the sample
};

// With `leave_out`, row i of the table is row i of the sample and no neighbour of itself.
void nearest_rows(const SampleColumns& sample, const ColumnViews& views, const MatrixView& table,
                  bool leave_out, InstructionSet instructions, const NearestRows& out,
                  unsigned n_threads, const Poll& poll = {});

}  // namespace bayeswood
