#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "bayeswood/base/left_out.hpp"
#include "bayeswood/forest/forest.hpp"
#include "bayeswood/forest/walk/compiled_forest.hpp"
#include "leaf_sums.hpp"

namespace bayeswood {
namespace {

// Adds weight * value of the leaf to one row's outputs.
inline void add_leaf(const Forest& forest, std::size_t t, std::uint32_t leaf, double weight,
                     double* out) {
  const std::size_t n_outputs = forest.n_outputs();
  if (forest.shape().is_classifier)
    return add_classes(forest.tree(t), n_outputs, leaf, weight, out);
  const double* value = forest.leaf_values(t).data() + leaf * n_outputs;
  for (std::size_t k = 0; k < n_outputs; ++k) out[k] += weight * value[k];
}

// Weighted values of the shapes' leaves, shape after shape, added up over the trees of each.
std::vector<double> add_up_shapes(const Forest& forest, std::span<const double> tree_weights) {
  std::vector<double> values;
  for (std::size_t s = 0; s < forest.n_shapes(); ++s) {
    const std::size_t first = values.size();
    for (const std::uint32_t t : forest.trees_of_shape(s)) {
      const std::span<const double> own = forest.leaf_values(t);
      values.resize(first + own.size(), 0.0);
      for (std::size_t i = 0; i < own.size(); ++i) values[first + i] += tree_weights[t] * own[i];
    }
  }
  return values;
}

// Calls add(leaves, out of the rows, stop) for blocks of rows.
template <class Add>
void fill_blocks(const Forest& forest, const MatrixView& table, double* out, const Running& run,
                 Add add) {
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  std::fill(out, out + n * k, 0.0);
  for_each_row_block(forest, n, block_rows(n, run.n_threads, most_block_rows(forest)), run,
                     [&](std::size_t begin, std::size_t end, const StopFlag& stop) {
                       LeafSums leaves(forest, table, 1);
                       leaves.load(begin, end);
                       add(leaves, out + begin * k, stop);
                     });
}

// A shape's sum over its trees comes first, whether for all leaves or for those of few rows: one
// row gets the bits that it gets among many.
void predict_mean_of_shapes(const Forest& forest, const MatrixView& table,
                            std::span<const double> tree_weights, double* out, const Running& run) {
  const std::size_t n_reached = table.n_rows() * forest.n_trees() * forest.n_outputs();
  const bool few = n_reached <= forest.n_values();
  const std::vector<double> values =
      few ? std::vector<double>{} : add_up_shapes(forest, tree_weights);
  fill_blocks(forest, table, out, run, [&](LeafSums& leaves, double* rows, const StopFlag& stop) {
    std::size_t first = 0;
    for (std::size_t s = 0; s < forest.n_shapes(); ++s) {
      check_stop(stop);
      const auto trees = forest.trees_of_shape(s);
      if (few) {
        leaves.add_shape(trees, tree_weights, rows);
      } else {
        leaves.add(trees[0], std::span(values).subspan(first), 1.0, 0, rows);
        first += forest.leaf_values(trees[0]).size();
      }
    }
  });
}

}  // namespace

void predict_mean(const Forest& forest, const MatrixView& table,
                  std::span<const double> tree_weights, double* out, const Running& run) {
  if (forest.shares_shapes()) return predict_mean_of_shapes(forest, table, tree_weights, out, run);
  fill_blocks(forest, table, out, run, [&](LeafSums& leaves, double* rows, const StopFlag& stop) {
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
      check_stop(stop);
      leaves.add(t, forest.leaf_values(t), tree_weights[t], 0, rows);
    }
  });
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
  const MemberBlocks members{forest, table, trees_per_member, tree_factors};
  members.for_each(run, [&](std::size_t begin, std::size_t end, const StopFlag& stop) {
    members.visit_block(
        begin, end, stop, [&](std::size_t member) { return out + (member * n + begin) * k; },
        [](std::size_t, const double*) {});
  });
}

void predict_sum_votes(const Forest& forest, const MatrixView& table, std::size_t trees_per_member,
                       std::span<const double> member_weights, double* out, const Running& run) {
  const std::size_t k = forest.n_outputs();
  std::fill(out, out + table.n_rows() * k, 0.0);
  const MemberBlocks members{forest, table, trees_per_member};
  members.for_each(run, [&](std::size_t begin, std::size_t end, const StopFlag& stop) {
    members.visit_block(begin, end, stop, no_place, [&](std::size_t member, const double* sums) {
      for (std::size_t row = begin; row < end; ++row, sums += k)
        out[row * k + (std::max_element(sums, sums + k) - sums)] += member_weights[member];
    });
  });
}

void apply(const Forest& forest, const MatrixView& table, std::int32_t* out, const Running& run) {
  for_each_leaf(forest, table, run, [&](std::size_t t, std::size_t row, std::uint32_t node) {
    out[row * forest.n_trees() + t] = static_cast<std::int32_t>(node);
  });
}

void apply_where(const Forest& forest, const MatrixView& table, std::span<const std::uint8_t> where,
                 std::int32_t* out, const Running& run) {
  const auto choose = [&](std::size_t t, std::size_t begin, std::size_t end, auto& places) {
    const std::uint8_t* is_asked = where.data() + t * table.n_rows() + begin;
    places.resize(end - begin);
    std::size_t n = 0;
    for (std::size_t i = 0; i < end - begin; ++i) {  // without a branch
      places[n] = static_cast<std::uint32_t>(i);
      n += is_asked[i] != 0 ? 1 : 0;
    }
    places.resize(n);
  };
  for_each_chosen_leaf(forest, table, run, choose,
                       [&](std::size_t t, std::size_t row, std::uint32_t node) {
                         out[row * forest.n_trees() + t] = static_cast<std::int32_t>(node);
                       });
}

namespace {

// One for each draw of weights: mark(tree, bits) fills those of a tree that has the draw.
template <class Mark>
std::vector<std::vector<bool>> marked_by_draw(std::size_t n_trees, const OutOfBag& bag,
                                              const Running& run, Mark mark) {
  const std::uint64_t shared = bag.scheme.trees_per_draw;
  std::vector<std::vector<bool>> left_out((n_trees + shared - 1) / shared);
  parallel_for(
      left_out.size(), run.n_threads,
      [&](std::size_t d, unsigned, const StopFlag&) {
        mark(bag.first_tree + d * shared, left_out[d]);
      },
      run.poll ? [&run](std::size_t, std::size_t total) { return run.poll(0, total); } : Poll{});
  return left_out;
}

}  // namespace

std::vector<std::vector<bool>> left_out_rows(std::size_t n_trees, std::size_t n_rows,
                                             const OutOfBag& bag, const Running& run) {
  return marked_by_draw(n_trees, bag, run, [&](std::uint64_t tree, std::vector<bool>& out) {
    out.resize(n_rows);
    draw_left_out(bag.scheme, tree, bag.sample_weight, out);
  });
}

std::vector<std::vector<bool>> left_out_of_table(std::size_t n_trees, std::size_t n_rows,
                                                 const OutOfBag& bag, const Running& run) {
  const std::size_t n_training = bag.n_training > 0 ? bag.n_training : n_rows;
  if (bag.rows.empty() && bag.first_row == 0 && n_rows == n_training)
    return left_out_rows(n_trees, n_rows, bag, run);
  std::vector<std::int32_t> rows(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) rows[i] = static_cast<std::int32_t>(bag.training_row(i));
  return marked_by_draw(n_trees, bag, run, [&](std::uint64_t tree, std::vector<bool>& out) {
    draw_left_out_of(bag.scheme, tree, bag.sample_weight, n_training, rows, out);
  });
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
