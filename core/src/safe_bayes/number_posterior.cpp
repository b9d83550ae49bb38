#include "bayeswood/safe_bayes/number_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "bayeswood/safe_bayes/row_blocks.hpp"

namespace bayeswood {
namespace {

std::vector<LeafSums> node_sums(const PriorTree& tree, const LeafSums* leaf_sums) {
  std::vector<LeafSums> sums(tree.n_nodes());
  for (std::uint32_t v = tree.n_nodes(); v-- > 0;) {
    sums[v] = tree.is_leaf(v) ? leaf_sums[tree.leaf_number(v)]
                              : sums[tree.left(v)] + sums[tree.left(v) + 1];
  }
  return sums;
}

// First and second moment and degrees of freedom, mixed over the nodes that may be the leaf.
struct Mixed {
  double mean = 0, square = 0, freedom = 0;

  void add(double share, const NumberPredictive& p) {
    mean += share * p.mean;
    square += share * (p.variance + p.mean * p.mean);
    freedom += share * p.freedom;
  }
  void scale(double share) {
    mean *= share;
    square *= share;
    freedom *= share;
  }
};

void mix_down(const PriorTree& tree, const std::vector<LeafSums>& sums, const Pruning& pruning,
              const std::vector<double>& reached, const NormalInverseGamma& model,
              NumberPredictive* leaves) {
  std::vector<Mixed> mixed(tree.n_nodes());
  for (std::uint32_t v = 0; v < tree.n_nodes(); ++v) {
    mixed[v].add(reached[v] * pruning.stop[v], model.predictive(sums[v]));
    if (tree.is_leaf(v)) {
      const Mixed& m = mixed[v];
      leaves[tree.leaf_number(v)] = {m.mean, m.square - m.mean * m.mean, m.freedom};
    } else {
      mixed[tree.left(v)] = mixed[tree.left(v) + 1] = mixed[v];
    }
  }
}

std::int64_t rows_in_tree(const PriorTrees& trees, std::span<const LeafSums> sums) {
  std::int64_t n_rows = 0;
  for (const auto& leaf : sums.first(trees.tree(0).n_leaves)) n_rows += leaf.n;
  return n_rows;
}

// Sums, marginal likelihoods and pruning of one tree.
struct NumberTree {
  std::vector<LeafSums> nodes;
  std::vector<double> log_marginal;
  Pruning pruning;

  NumberTree(const PriorTree& tree, const LeafSums* leaf_sums, const NormalInverseGamma& model,
             bool average)
      : nodes(node_sums(tree, leaf_sums)) {
    std::vector<std::int32_t> n;
    for (const auto& node : nodes) {
      log_marginal.push_back(model.log_marginal(node));
      n.push_back(static_cast<std::int32_t>(node.n));
    }
    pruning = average_prunings(tree, log_marginal, n, average);
  }
};

struct NumberPaths {
  NumberTree tree;
  PathUp path;
};

// As for classes: with q_v the density of the response in node v without the row and
// r_v = W_{-i}(v) / W(v),  r_v = stop_v / q_v + (1 - stop_v) r_child.
LeftOutNumber leave_out(const NumberPaths& table, std::uint32_t leaf_node, std::int32_t value,
                        const NormalInverseGamma& model) {
  constexpr double LEAST_DENSITY = 1e-290;
  LeafSums one{};
  add_value(value, -1, one);
  Mixed mixed;
  double ratio = 0;
  // Where the row is alone, leaving it out leaves the prior, the same in all these nodes.
  const auto alone = [&](std::uint32_t v) { return table.tree.nodes[v].n == 1; };
  std::uint32_t start = leaf_node;
  while (alone(start) && start != 0 && alone(table.path.parent(start)))
    start = table.path.parent(start);
  for (std::uint32_t v = start;; v = table.path.parent(v)) {
    const LeafSums others = table.tree.nodes[v] + one;
    const double log_q = table.tree.log_marginal[v] - model.log_marginal(others);
    const double q = std::max(LEAST_DENSITY, std::exp(log_q));
    const double stop = v == start ? 1.0 : table.tree.pruning.stop[v];
    ratio = stop / q + (1 - stop) * ratio;
    const double own = stop / (q * ratio);
    mixed.scale(1 - own);
    mixed.add(own, model.predictive(others));
    if (v == 0) break;
  }
  return {mixed.mean, mixed.square - mixed.mean * mixed.mean, -std::log(ratio)};
}

}  // namespace

NumberSummary summarise_numbers(const PriorTrees& trees, std::span<const LeafSums> sums,
                                const NumberPrior& prior, bool average, const Running& run) {
  const std::size_t d = trees.codes().n_features();
  const NormalInverseGamma model(prior, rows_in_tree(trees, sums));
  NumberSummary summary{std::vector<double>(trees.n_trees()),
                        std::vector<NumberPredictive>(trees.n_leaves()),
                        std::vector<double>(trees.n_trees() * d, 0.0)};
  parallel_for(
      trees.n_trees(), run.n_threads,
      [&](std::size_t t, unsigned, const StopFlag& stop) {
        check_stop(stop);
        const PriorTree& tree = trees.tree(t);
        const std::size_t first = trees.first_leaf()[t];
        const NumberTree found(tree, sums.data() + first, model, average);
        const auto reached = reach(tree, found.pruning);
        summary.log_evidence[t] = found.pruning.log_w[0];
        mix_down(tree, found.nodes, found.pruning, reached, model,
                 summary.predictive.data() + first);
        add_importances(tree, found.pruning, found.log_marginal, reached,
                        summary.importances.data() + t * d);
      },
      run.poll);
  return summary;
}

void leave_one_out_numbers(const PriorTrees& trees, std::span<const LeafSums> sums,
                           const NumberPrior& prior, bool average, const MatrixView& table,
                           std::span<const std::int32_t> values, LeftOutNumber* out,
                           const LeafKernels& kernels, const Running& run) {
  const NormalInverseGamma model(prior, rows_in_tree(trees, sums));
  std::vector<std::unique_ptr<NumberPaths>> tables(trees.n_trees());
  parallel_for(trees.n_trees(), run.n_threads, [&](std::size_t t, unsigned, const StopFlag&) {
    const PriorTree& tree = trees.tree(t);
    const LeafSums* own = sums.data() + trees.first_leaf()[t];
    tables[t] = std::make_unique<NumberPaths>(
        NumberPaths{NumberTree(tree, own, model, average), PathUp(tree)});
  });
  for_each_block(
      trees, table, kernels, run,
      [&](std::size_t t, std::size_t first, std::size_t n, const std::uint32_t* leaf) {
        for (std::size_t i = 0; i < n; ++i) {
          const std::uint32_t node = tables[t]->path.leaf_node(leaf[i]);
          if (tables[t]->tree.nodes[node].n < 1) {
            throw std::invalid_argument("row " + std::to_string(first + i) + " was never counted");
          }
          out[t * table.n_rows() + first + i] =
              leave_out(*tables[t], node, values[first + i], model);
        }
      });
}

}  // namespace bayeswood
