// The hand-over object: trees of one shape, and everything that is asked of them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/base/parallel.hpp"
#include "bayeswood/base/row_weights.hpp"
#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

class CompiledForest;

class Forest {
 public:
  Forest(ForestShape shape, std::vector<Tree> trees);
  Forest(ForestShape shape, Trees trees);
  // Trees that differ from those of another forest in their leaves' values only: what prediction
  // walks is taken over.
  Forest(const Forest& other, std::vector<Tree> trees);
  // Trees of shapes that some have in common, each with leaf values of its own, tree after tree:
  // n_leaves x n_outputs. The shapes' leaves hold none; those that are alike are kept once.
  // Regression only.
  Forest(ForestShape shape, Trees shapes, std::vector<double> leaf_values);
  ~Forest();

  const ForestShape& shape() const { return shape_; }
  std::size_t n_trees() const { return trees_.size(); }
  const Tree& tree(std::size_t t) const { return *trees_[t]; }
  const Trees& trees() const { return trees_; }
  // Whether trees have their shapes in common, so that their values are here.
  bool shares_shapes() const { return !first_value_.empty(); }
  // Of tree t: see Tree::leaf_value.
  std::span<const double> leaf_values(std::size_t t) const {
    if (!shares_shapes()) return trees_[t]->leaf_value;
    return std::span(values_).subspan(first_value_[t], first_value_[t + 1] - first_value_[t]);
  }
  // Where shapes are shared: the trees of each in order, the shapes in that of their first trees.
  std::size_t n_shapes() const { return first_of_shape_.size() - 1; }
  std::span<const std::uint32_t> trees_of_shape(std::size_t s) const {
    return std::span(by_shape_).subspan(first_of_shape_[s],
                                        first_of_shape_[s + 1] - first_of_shape_[s]);
  }
  std::size_t n_values() const { return values_.size(); }
  std::size_t n_outputs() const { return static_cast<std::size_t>(shape_.n_outputs); }
  bool has_rows() const;
  std::size_t nbytes() const;

  // The form that prediction walks, built at the first prediction.
  const CompiledForest& compiled() const;

 private:
  void group_by_shape();

  ForestShape shape_;
  Trees trees_;
  // Where shapes are shared:
  std::vector<double> values_;
  std::vector<std::size_t> first_value_;     // of each tree, and the end
  std::vector<std::uint32_t> by_shape_;      // trees
  std::vector<std::size_t> first_of_shape_;  // in by_shape_, and the end
  mutable std::once_flag compiled_once_;
  mutable std::unique_ptr<CompiledForest> compiled_;
};

struct Running {
  unsigned n_threads = 1;
  Poll poll = {};
};

// out: n_rows x n_outputs, sum over trees of tree_weights[t] times the leaf's value.
void predict_mean(const Forest& forest, const MatrixView& table,
                  std::span<const double> tree_weights, double* out, const Running& run);
// out: n_rows x n_classes, tree_weights summed by the class each tree prefers.
void predict_votes(const Forest& forest, const MatrixView& table,
                   std::span<const double> tree_weights, double* out, const Running& run);
// A member is `trees_per_member` trees that follow one another, the last one those that are left;
// what they say adds up, times tree_factors (empty: 1). out: n_members x n_rows x n_outputs.
void predict_draws(const Forest& forest, const MatrixView& table, std::size_t trees_per_member,
                   std::span<const double> tree_factors, double* out, const Running& run);
// out: n_rows x n_outputs, member_weights summed by the output whose sum is largest in each member.
void predict_sum_votes(const Forest& forest, const MatrixView& table, std::size_t trees_per_member,
                       std::span<const double> member_weights, double* out, const Running& run);
// out: n_rows x n_trees, node index of the leaf.
void apply(const Forest& forest, const MatrixView& table, std::int32_t* out, const Running& run);
// Writes these where `where`, n_trees x n_rows, is not 0.
void apply_where(const Forest& forest, const MatrixView& table, std::span<const std::uint8_t> where,
                 std::int32_t* out, const Running& run);
// The training rows that each tree gave weight 0.
struct OutOfBag {
  const WeightScheme& scheme;
  std::span<const double> sample_weight;    // empty: all ones
  std::uint64_t first_tree = 0;             // number of the forest's first tree
  std::size_t first_row = 0;                // the table's first row among the training rows
  std::size_t n_training = 0;               // training rows; 0: as many as the table has
  std::span<const std::int32_t> rows = {};  // which training rows; empty: from `first_row` on

  std::size_t training_row(std::size_t i) const {
    return rows.empty() ? first_row + i : static_cast<std::size_t>(rows[i]);
  }
};

// Sums over the trees in which the training row had weight 0, and their number.
void predict_oob(const Forest& forest, const MatrixView& table, const OutOfBag& bag, bool hard,
                 double* sums, std::int32_t* counts, const Running& run);

// How much splits by each feature make the values of a member's trees vary over the training rows:
// sum over its splits of n_left n_right / n (mean_left - mean_right)^2 and over outputs. n_members
// x n_features. Regression only.
std::vector<double> split_variation(const Forest& forest, std::size_t trees_per_member);

// The trees with all leaf values multiplied by their tree's factor; leaves forget their rows.
std::vector<Tree> scale_values(const Forest& forest, std::span<const double> factors);

// The distribution of y at a row: the mixture over trees of the training responses in its leaf. Its
// mean is that of the leaves' means m_t, its variance that of their variances v_t plus the variance
// of the m_t.
struct Mixture {
  double* mean;  // n_rows x n_outputs, as the next
  double* variance;
};

// Regression only. `leaf_variance`: v of every leaf, tree after tree, n_leaves x n_outputs; empty:
// all zero, as they are where leaves are pure.
void predict_moments(const Forest& forest, const MatrixView& table,
                     std::span<const double> tree_weights, std::span<const double> leaf_variance,
                     const Mixture& out, const Running& run);
// The same over the trees in which the training row had weight 0, all alike, and their number. NaN
// where there are none.
void predict_oob_moments(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                         std::span<const double> leaf_variance, const Mixture& out,
                         std::int32_t* counts, const Running& run);

}  // namespace bayeswood
