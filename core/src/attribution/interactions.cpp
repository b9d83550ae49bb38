#include <algorithm>

#include "bayeswood/attribution/path_table.hpp"
#include "bayeswood/attribution/tree_shap.hpp"
#include "single_rows.hpp"

namespace bayeswood {
namespace {

// What one leaf's game takes from a feature on its path.
struct PathFeature {
  std::size_t feature;
  double kept;  // o
  double z;
};

// One row's way through one tree. The pair i, j of a leaf's features shares
//   v (o_i - z_i)(o_j - z_j) integral_0^1 prod_{k in U \ {i, j}} (z_k + t (o_k - z_k)) dt.
class PairPath {
 public:
  PairPath(const Forest& forest, const PathTable& paths, std::size_t tree, double weight)
      : shape_(forest.shape()),
        paths_(paths),
        values_(forest.leaf_values(tree)),
        rule_(paths.n_points()),
        weight_(weight),
        on_path_(paths.depth() + 1),
        kept_(paths.depth() + 1, 1),
        left_(paths.depth() + 1) {}

  // out: n_features x n_features x n_outputs of the row.
  void add(const MatrixView& table, std::size_t row, double* out) {
    const Tree& tree = paths_.tree();
    for (std::size_t place = 0; place < paths_.nodes().size(); ++place) {
      const PathNode& node = paths_.nodes()[place];
      on_path_[node.depth] = place;
      if (node.depth > 0)
        kept_[node.depth] =
            kept_[node.same_feature] != 0 && (left_[node.depth - 1] != 0) == node.is_left;
      if (tree.feature[node.node] == LEAF) {
        add_leaf(node.depth, tree.child[node.node], out);
      } else {
        left_[node.depth] = goes_left(tree, shape_, node.node, table, row);
      }
    }
  }

 private:
  // The features on the path, each as its last condition leaves it; false if the leaf says nothing.
  bool gather(std::size_t depth) {
    features_.clear();
    for (std::size_t d = depth; d > 0; --d) {
      const PathNode& node = paths_.nodes()[on_path_[d]];
      const auto feature = static_cast<std::size_t>(node.edge_feature);
      const auto is_same = [&](const PathFeature& other) { return other.feature == feature; };
      if (std::any_of(features_.begin(), features_.end(), is_same)) continue;
      if (kept_[d] == 0 && node.z == 0) return false;
      features_.push_back({feature, kept_[d] != 0 ? 1.0 : 0.0, node.z});
    }
    return true;
  }

  void add_leaf(std::size_t depth, std::uint32_t leaf, double* out) {
    if (!gather(depth)) return;
    const std::size_t m = features_.size(), n_points = rule_.point.size();
    factor_.resize(m * n_points);
    product_.assign(rule_.weight.begin(), rule_.weight.end());
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t q = 0; q < n_points; ++q) {
        const PathFeature& own = features_[i];
        factor_[i * n_points + q] = own.z + rule_.point[q] * (own.kept - own.z);
        product_[q] *= factor_[i * n_points + q];
      }
    for (std::size_t i = 0; i < m; ++i) {
      put(i, i, leaf, integral(i, nullptr), out);
      for (std::size_t j = 0; j < i; ++j) add_pair(i, j, leaf, out);
    }
  }

  void add_pair(std::size_t i, std::size_t j, std::uint32_t leaf, double* out) {
    const double* other = factor_.data() + j * rule_.point.size();
    const double half = 0.5 * integral(i, other) * (features_[j].kept - features_[j].z);
    put(i, j, leaf, half, out);
    put(j, i, leaf, half, out);
    put(i, i, leaf, -half, out);
    put(j, j, leaf, -half, out);
  }

  // Of the product without the factors of feature i (and of another), times o_i - z_i.
  double integral(std::size_t i, const double* other) const {
    const std::size_t n_points = rule_.point.size();
    double sum = 0;
    for (std::size_t q = 0; q < n_points; ++q) {
      const double own = factor_[i * n_points + q];
      sum += product_[q] / (other != nullptr ? own * other[q] : own);
    }
    return sum * (features_[i].kept - features_[i].z);
  }

  void put(std::size_t i, std::size_t j, std::uint32_t leaf, double part, double* out) const {
    const std::size_t d = shape_.n_features, n_outputs = shape_.n_outputs;
    double* cell = out + (features_[i].feature * d + features_[j].feature) * n_outputs;
    for_each_value(paths_.tree(), shape_, values_, leaf,
                   [&](std::size_t k, double value) { cell[k] += weight_ * part * value; });
  }

  const ForestShape& shape_;
  const PathTable& paths_;
  std::span<const double> values_;
  Quadrature rule_;
  double weight_;
  std::vector<std::size_t> on_path_;
  std::vector<std::uint8_t> kept_, left_;
  std::vector<PathFeature> features_;
  std::vector<double> factor_, product_;
};

}  // namespace

void shap_interactions(const Forest& forest, const MatrixView& table,
                       std::span<const double> tree_weights, double* out, const Running& run) {
  const std::size_t n = table.n_rows();
  const std::size_t row_size = table.n_columns() * table.n_columns() * forest.n_outputs();
  std::fill_n(out, n * row_size, 0.0);
  parallel_for((n + ROWS_PER_TASK - 1) / ROWS_PER_TASK, run.n_threads,
               [&](std::size_t task, unsigned, const StopFlag& stop) {
                 for (std::size_t t = 0; t < forest.n_trees(); ++t) {
                   const PathTable paths(forest.tree(t));
                   PairPath path(forest, paths, t, tree_weights[t]);
                   const std::size_t end = std::min((task + 1) * ROWS_PER_TASK, n);
                   for (std::size_t row = task * ROWS_PER_TASK; row < end; ++row) {
                     check_stop(stop);
                     path.add(table, row, out + row * row_size);
                   }
                 }
               },
               run.poll);
}

}  // namespace bayeswood
