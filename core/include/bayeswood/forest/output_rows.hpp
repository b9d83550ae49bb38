// Rows of numbers, one for every output, added up as vectors. The bits are the same with wider
// instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/base/prefetch.hpp"

namespace bayeswood {

// Leaves of one tree that all have a value for every output, and rows that each came to one of
// them.
struct FullLeaves {
  std::size_t n_outputs;
  double weight;
  const double* value;          // n_leaves x n_outputs
  const std::uint32_t* number;  // of the leaf, by node
  std::span<const std::uint32_t> node;
  std::span<const std::uint32_t> place;
};

// What strengths of shrinkage have in common: rows of n_strengths x n_outputs.
struct StrengthRows {
  std::size_t n_strengths, n_outputs;
};

struct OutputKernels {
  // out = base + factor * row. Here and below nothing overlaps.
  void (*add_row)(std::size_t n, const double* base, double factor, const double* row, double* out);
  // row = base + factor * row.
  void (*scale_onto)(std::size_t n, const double* base, double factor, double* row);
  // out = a * x + b * y.
  void (*mix_rows)(std::size_t n, double a, const double* x, double b, const double* y,
                   double* out);
  // out = base + factor * row for every strength's factor and base.
  void (*add_to_each)(const StrengthRows& size, const double* base, const double* factor,
                      const double* row, double* out);
  // Adds the rows of strengths to sums that lie `stride` apart.
  void (*add_apart)(const StrengthRows& size, const double* rows, std::size_t stride, double* sums);
  // sums, by place: += weight * value of the leaf.
  void (*add_leaves)(const FullLeaves& leaves, double* sums);
};

const OutputKernels& portable_output_kernels();
const OutputKernels& avx2_output_kernels();  // portable ones where there are none
// The best that this machine runs.
const OutputKernels& output_kernels();

// out = share * left + (1 - share) * right; what has no row (null) is left to be added. Of classes,
// which a leaf names once each: it does not matter which child comes first.
inline void mix_known(const OutputKernels& kernels, double share, const double* left,
                      const double* right, const std::vector<double>& zeros, double* out) {
  const std::size_t n = zeros.size();
  if (left != nullptr && right != nullptr)
    return kernels.mix_rows(n, share, left, 1 - share, right, out);
  if (left != nullptr) return kernels.add_row(n, zeros.data(), share, left, out);
  if (right != nullptr) return kernels.add_row(n, zeros.data(), 1 - share, right, out);
  std::fill_n(out, n, 0.0);
}

}  // namespace bayeswood
