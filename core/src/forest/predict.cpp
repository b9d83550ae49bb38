#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "bayeswood/forest/compiled_forest.hpp"
#include "bayeswood/forest/forest.hpp"
#include "leaf_walk.hpp"

namespace bayeswood {
namespace {

void add_classes(const Tree& tree, std::size_t n_classes, std::uint32_t leaf, double weight,
                 double* out) {
  const auto begin = static_cast<std::size_t>(tree.leaf_offset[leaf]);
  const auto end = static_cast<std::size_t>(tree.leaf_offset[leaf + 1]);
  if (end - begin == n_classes) {  // a leaf of all classes has them in order
    const double* value = tree.leaf_value.data() + begin;
    for (std::size_t k = 0; k < n_classes; ++k) out[k] += weight * value[k];
    return;
  }
  for (std::size_t e = begin; e < end; ++e) out[tree.leaf_class[e]] += weight * tree.leaf_value[e];
}

// Adds weight * value of the leaf to one row's outputs.
inline void add_leaf(const Forest& forest, std::size_t t, std::uint32_t leaf, double weight,
                     double* out) {
  const std::size_t n_outputs = forest.n_outputs();
  if (forest.shape().is_classifier)
    return add_classes(forest.tree(t), n_outputs, leaf, weight, out);
  const double* value = forest.leaf_values(t).data() + leaf * n_outputs;
  for (std::size_t k = 0; k < n_outputs; ++k) out[k] += weight * value[k];
}

std::int32_t preferred_class(const Tree& tree, std::uint32_t leaf) {
  std::int32_t best = tree.leaf_offset[leaf];
  for (std::int32_t e = best + 1; e < tree.leaf_offset[leaf + 1]; ++e) {
    if (tree.leaf_value[e] > tree.leaf_value[best]) best = e;
  }
  return tree.leaf_class[best];
}

void predict_mean_of(const Forest& forest, const MatrixView& table,
                     std::span<const double> tree_weights, double* out, const Running& run) {
  const std::size_t k = forest.n_outputs();
  std::fill(out, out + table.n_rows() * k, 0.0);
  for_each_leaf(forest, table, run, [&](std::size_t t, std::size_t row, std::uint32_t node) {
    add_leaf(forest, t, forest.tree(t).child[node], tree_weights[t], out + row * k);
  });
}

// Every shape once, its leaves with the weighted sum of the values that its trees have there.
Forest add_up_shapes(const Forest& forest, std::span<const double> tree_weights) {
  std::unordered_map<const Tree*, std::size_t> first_value;
  Trees shapes;
  std::vector<double> values;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const std::span<const double> own = forest.leaf_values(t);
    const auto [at, is_new] = first_value.try_emplace(&forest.tree(t), values.size());
    if (is_new) {
      shapes.push_back(forest.trees()[t]);
      values.resize(values.size() + own.size(), 0.0);
    }
    for (std::size_t i = 0; i < own.size(); ++i) values[at->second + i] += tree_weights[t] * own[i];
  }
  return {forest.shape(), std::move(shapes), std::move(values)};
}

}  // namespace

void predict_mean(const Forest& forest, const MatrixView& table,
                  std::span<const double> tree_weights, double* out, const Running& run) {
  if (forest.shares_shapes()) {
    const Forest shapes = add_up_shapes(forest, tree_weights);
    const std::vector<double> ones(shapes.n_trees(), 1.0);
    return predict_mean_of(shapes, table, ones, out, run);
  }
  predict_mean_of(forest, table, tree_weights, out, run);
}

void predict_votes(const Forest& forest, const MatrixView& table,
                   std::span<const double> tree_weights, double* out, const Running& run) {
  const std::size_t k = forest.n_outputs();
  std::fill(out, out + table.n_rows() * k, 0.0);
  for_each_leaf(forest, table, run, [&](std::size_t t, std::size_t row, std::uint32_t node) {
    const Tree& tree = forest.tree(t);
    out[row * k + preferred_class(tree, tree.child[node])] += tree_weights[t];
  });
}

void predict_draws(const Forest& forest, const MatrixView& table, std::size_t trees_per_member,
                   std::span<const double> tree_factors, double* out, const Running& run) {
  const std::size_t k = forest.n_outputs();
  const std::size_t n = table.n_rows();
  for_each_leaf(forest, table, run, [&](std::size_t t, std::size_t row, std::uint32_t node) {
    double* draw = out + (t / trees_per_member * n + row) * k;
    if (t % trees_per_member == 0) std::fill(draw, draw + k, 0.0);
    add_leaf(forest, t, forest.tree(t).child[node], tree_factors.empty() ? 1.0 : tree_factors[t],
             draw);
  });
}

void predict_sum_votes(const Forest& forest, const MatrixView& table, std::size_t trees_per_member,
                       std::span<const double> member_weights, double* out, const Running& run) {
  const std::size_t k = forest.n_outputs();
  std::fill(out, out + table.n_rows() * k, 0.0);
  std::vector<double> sums(table.n_rows() * k);  // of each row's member so far
  for_each_leaf(forest, table, run, [&](std::size_t t, std::size_t row, std::uint32_t node) {
    double* sum = sums.data() + row * k;
    if (t % trees_per_member == 0) std::fill(sum, sum + k, 0.0);
    add_leaf(forest, t, forest.tree(t).child[node], 1.0, sum);
    if ((t + 1) % trees_per_member == 0)
      out[row * k + (std::max_element(sum, sum + k) - sum)] += member_weights[t / trees_per_member];
  });
}

void apply(const Forest& forest, const MatrixView& table, std::int32_t* out, const Running& run) {
  for_each_leaf(forest, table, run, [&](std::size_t t, std::size_t row, std::uint32_t node) {
    out[row * forest.n_trees() + t] = static_cast<std::int32_t>(node);
  });
}

std::vector<std::vector<bool>> left_out_rows(std::size_t n_trees, std::size_t n_rows,
                                             const OutOfBag& bag, const Running& run) {
  const std::uint64_t shared = bag.scheme.trees_per_draw;
  const std::size_t n_draws = (n_trees + shared - 1) / shared;
  std::vector<std::vector<bool>> left_out(n_draws);
  parallel_for(
      n_draws, run.n_threads,
      [&](std::size_t d, unsigned, const StopFlag&) {
        left_out[d].resize(n_rows);
        draw_left_out(bag.scheme, bag.first_tree + d * shared, bag.sample_weight, left_out[d]);
      },
      run.poll ? [&run](std::size_t, std::size_t total) { return run.poll(0, total); } : Poll{});
  return left_out;
}

void predict_oob(const Forest& forest, const MatrixView& table, const OutOfBag& bag, bool hard,
                 double* sums, std::int32_t* counts, const Running& run) {
  const std::size_t n = table.n_rows();
  const std::size_t k = forest.n_outputs();
  std::fill(sums, sums + n * k, 0.0);
  std::fill(counts, counts + n, 0);
  for_each_oob_leaf(forest, table, bag, run,
                    [&](std::size_t t, std::size_t row, std::uint32_t node) {
                      const Tree& tree = forest.tree(t);
                      const std::uint32_t leaf = tree.child[node];
                      ++counts[row];
                      if (hard) {
                        sums[row * k + preferred_class(tree, leaf)] += 1;
                      } else {
                        add_leaf(forest, t, leaf, 1.0, sums + row * k);
                      }
                    });
}

std::vector<double> split_variation(const Forest& forest, std::size_t trees_per_member) {
  const std::size_t k = forest.n_outputs();
  const auto d = static_cast<std::size_t>(forest.shape().n_features);
  std::vector<double> out(forest.n_trees() / trees_per_member * d, 0.0);
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const Tree& tree = forest.tree(t);
    const auto values = node_values(tree, forest.shape(), forest.leaf_values(t));
    double* member = out.data() + t / trees_per_member * d;
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      if (tree.feature[i] == LEAF) continue;
      const std::size_t left = tree.child[i], right = left + 1;
      const double n_left = tree.n_samples[left], n_right = tree.n_samples[right];
      if (n_left + n_right == 0) continue;
      double squares = 0;
      for (std::size_t j = 0; j < k; ++j) {
        const double apart = values[left * k + j] - values[right * k + j];
        squares += apart * apart;
      }
      member[tree.feature[i]] += n_left * n_right / (n_left + n_right) * squares;
    }
  }
  return out;
}

std::vector<Tree> scale_values(const Forest& forest, std::span<const double> factors) {
  std::vector<Tree> trees;
  trees.reserve(forest.n_trees());
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    trees.push_back(forest.tree(t));
    const std::span<const double> values = forest.leaf_values(t);
    trees.back().leaf_value.assign(values.begin(), values.end());
    for (double& value : trees.back().leaf_value) value *= factors[t];
    trees.back().leaf_rows = {};
  }
  return trees;
}

}  // namespace bayeswood
