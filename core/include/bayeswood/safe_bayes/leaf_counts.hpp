// Sufficient statistics of the leaves of prior trees: additive, so that chunks in any order, merged
// shards and forgotten rows give the very numbers of one batch.
#pragma once

#include <cstdint>
#include <span>

#include "bayeswood/leaf/normal_inverse_gamma.hpp"
#include "bayeswood/safe_bayes/leaf_kernels.hpp"

namespace bayeswood {

struct LabelledRows {
  const MatrixView& table;
  std::span<const std::int32_t> labels;
  std::span<const std::int32_t> copies;  // of each row; empty: one each
  std::uint32_t n_classes;
};

// counts (n_leaves x n_classes) += sign times the rows' classes.
void add_counts(const PriorTrees& trees, const LabelledRows& rows, std::int32_t sign,
                std::int32_t* counts, const LeafKernels& kernels, const Running& run);

struct MeasuredRows {
  const MatrixView& table;
  std::span<const std::int32_t> values;  // fixed-point responses, at most 2^30 in size
  std::span<const std::int32_t> copies;  // of each row; empty: one each
};

// sums (one per leaf) += sign times the rows' responses.
void add_sums(const PriorTrees& trees, const MeasuredRows& rows, std::int32_t sign, LeafSums* sums,
              const LeafKernels& kernels, const Running& run);

// Leaf of each row in each tree, numbered over all trees: n_rows x n_trees.
void find_leaves(const PriorTrees& trees, const MatrixView& table, std::int64_t* out,
                 const LeafKernels& kernels, const Running& run);

// out: n_rows x n_outputs, sum over trees of tree_weights[t] times the value of the row's leaf.
void pool_leaves(const PriorTrees& trees, const MatrixView& table, std::span<const double> values,
                 std::size_t n_outputs, std::span<const double> tree_weights, double* out,
                 const LeafKernels& kernels, const Running& run);

}  // namespace bayeswood
