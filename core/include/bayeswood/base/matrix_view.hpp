// A strided, read-only look at the caller's float32 or float64 table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayeswood {

class MatrixView {
 public:
  MatrixView(const void* data, bool is_float32, std::size_t n_rows, std::size_t n_columns,
             std::ptrdiff_t row_stride, std::ptrdiff_t column_stride)
      : data_(data),
        is_float32_(is_float32),
        n_rows_(n_rows),
        n_columns_(n_columns),
        row_stride_(row_stride),
        column_stride_(column_stride) {}

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return n_columns_; }

  double operator()(std::size_t row, std::size_t column) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row) * row_stride_ +
                              static_cast<std::ptrdiff_t>(column) * column_stride_;
    return is_float32_ ? static_cast<double>(static_cast<const float*>(data_)[at])
                       : static_cast<const double*>(data_)[at];
  }

  // A look at n rows from `first` on.
  MatrixView rows(std::size_t first, std::size_t n) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(first) * row_stride_;
    const void* data = is_float32_ ? static_cast<const void*>(static_cast<const float*>(data_) + at)
                                   : static_cast<const double*>(data_) + at;
    return {data, is_float32_, n, n_columns_, row_stride_, column_stride_};
  }

 private:
  const void* data_;
  bool is_float32_;
  std::size_t n_rows_;
  std::size_t n_columns_;
  std::ptrdiff_t row_stride_;  // in elements
  std::ptrdiff_t column_stride_;
};

}  // namespace bayeswood
