#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "bayeswood/forest/forest.hpp"
#include "bayeswood/forest/walk/leaf_walk.hpp"

namespace bayeswood {
namespace {

// Mean and variance of a mixture, tree after tree: with weight w of a tree and W of all so far,
//   mean += w / W (m - mean),   sum += w (v + (m - old mean) (m - mean)).
// Squares are taken of differences alone, so that a large mean costs the variance no digits.
class MixtureSums {
 public:
  MixtureSums(const Forest& forest, std::size_t n_rows, std::span<const double> leaf_variance,
              const Mixture& out)
      : forest_(forest),
        k_(forest.n_outputs()),
        leaf_variance_(leaf_variance),
        first_leaf_(forest.n_trees()),
        weight_(n_rows, 0.0),
        out_(out) {
    std::size_t n_leaves = 0;
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
      first_leaf_[t] = n_leaves;
      n_leaves += forest.tree(t).n_leaves();
    }
    std::fill(out.mean, out.mean + n_rows * k_, 0.0);
    std::fill(out.variance, out.variance + n_rows * k_, 0.0);
  }

  void add(std::size_t t, std::size_t row, std::uint32_t node, double w) {
    const Tree& tree = forest_.tree(t);
    const std::size_t leaf = tree.child[node];
    const double* value = forest_.leaf_values(t).data() + leaf * k_;
    const double* spread =
        leaf_variance_.empty() ? nullptr : leaf_variance_.data() + (first_leaf_[t] + leaf) * k_;
    weight_[row] += w;
    const double share = w / weight_[row];
    for (std::size_t k = 0; k < k_; ++k) {
      double& mean = out_.mean[row * k_ + k];
      const double before = value[k] - mean;
      mean += share * before;
      const double within = spread != nullptr ? spread[k] : 0;
      out_.variance[row * k_ + k] += w * (within + before * (value[k] - mean));
    }
  }

  // NaN for a row that met no tree.
  void finish() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      const bool met = weight_[i] > 0;
      for (std::size_t at = i * k_; at < (i + 1) * k_; ++at) {
        out_.variance[at] = met ? out_.variance[at] / weight_[i] : nan;
        if (!met) out_.mean[at] = nan;
      }
    }
  }

 private:
  const Forest& forest_;
  std::size_t k_;
  std::span<const double> leaf_variance_;
  std::vector<std::size_t> first_leaf_;
  std::vector<double> weight_;
  Mixture out_;
};

}  // namespace

void predict_moments(const Forest& forest, const MatrixView& table,
                     std::span<const double> tree_weights, std::span<const double> leaf_variance,
                     const Mixture& out, const Running& run) {
  MixtureSums sums(forest, table.n_rows(), leaf_variance, out);
  for_each_leaf(forest, table, run, [&](std::size_t t, std::size_t row, std::uint32_t node) {
    if (tree_weights[t] > 0) sums.add(t, row, node, tree_weights[t]);
  });
  sums.finish();
}

void predict_oob_moments(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                         std::span<const double> leaf_variance, const Mixture& out,
                         std::int32_t* counts, const Running& run) {
  MixtureSums sums(forest, table.n_rows(), leaf_variance, out);
  std::fill(counts, counts + table.n_rows(), 0);
  for_each_oob_leaf(forest, table, bag, run,
                    [&](std::size_t t, std::size_t row, std::uint32_t node) {
                      ++counts[row];
                      sums.add(t, row, node, 1.0);
                    });
  sums.finish();
}

}  // namespace bayeswood
