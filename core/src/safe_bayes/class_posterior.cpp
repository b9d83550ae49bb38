#include "bayeswood/safe_bayes/class_posterior.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "bayeswood/safe_bayes/row_blocks.hpp"

namespace bayeswood {
namespace {

std::int64_t rows_in_tree(const ClassCounts& data, std::size_t n_leaves) {
  std::int64_t n = 0;
  for (const auto m : data.counts.first(n_leaves * data.n_classes())) n += m;
  return n;
}

// Counts of every node of a tree, and what follows from them.
struct Nodes {
  std::vector<std::int32_t> counts;  // n_nodes x n_classes
  std::vector<std::int32_t> n;

  Nodes(const PriorTree& tree, const std::int32_t* leaf_counts, std::size_t k)
      : counts(tree.n_nodes() * k), n(tree.n_nodes(), 0) {
    for (std::uint32_t v = tree.n_nodes(); v-- > 0;) {
      const std::int32_t* from = tree.is_leaf(v) ? leaf_counts + tree.leaf_number(v) * k
                                                 : counts.data() + tree.left(v) * k;
      const bool inner = !tree.is_leaf(v);
      for (std::size_t c = 0; c < k; ++c) {
        const std::int32_t m = inner ? from[c] + from[k + c] : from[c];
        counts[v * k + c] = m;
        n[v] += m;
      }
    }
  }
  std::span<const std::int32_t> of(std::uint32_t v, std::size_t k) const {
    return {counts.data() + v * k, k};
  }
};

std::vector<double> log_marginals(const Nodes& nodes, const DirichletMultinomial& model,
                                  std::size_t k) {
  std::vector<double> found(nodes.n.size(), 0.0);
  for (std::uint32_t v = 0; v < found.size(); ++v) {
    if (nodes.n[v] > 0) found[v] = model.log_marginal(nodes.of(v, k), nodes.n[v]);
  }
  return found;
}

// Top-down: mixes each node's predictive into its leaves, weighted by P(the node is the leaf).
void mix_down(const PriorTree& tree, const Nodes& nodes, const Pruning& pruning,
              const std::vector<double>& reached, const DirichletMultinomial& model, std::size_t k,
              double* leaf_probability) {
  std::vector<double> mixed(tree.n_nodes() * k, 0.0);
  for (std::uint32_t v = 0; v < tree.n_nodes(); ++v) {
    const double share = reached[v] * pruning.stop[v];
    double* own = mixed.data() + v * k;
    for (std::size_t c = 0; c < k; ++c)
      own[c] += share * model.predictive(c, nodes.counts[v * k + c], nodes.n[v]);
    if (tree.is_leaf(v)) {
      std::copy_n(own, k, leaf_probability + tree.leaf_number(v) * k);
    } else {
      std::copy_n(own, k, mixed.data() + tree.left(v) * k);
      std::copy_n(own, k, mixed.data() + (tree.left(v) + 1) * k);
    }
  }
}

// What leaving a row out needs of one tree.
struct ClassPaths {
  Nodes nodes;
  std::vector<double> stop;
  PathUp path;
};

ClassPaths make_table(const PriorTree& tree, const std::int32_t* leaf_counts,
                      const ClassCounts& data, const DirichletMultinomial& model) {
  Nodes nodes(tree, leaf_counts, data.n_classes());
  const auto log_marginal = log_marginals(nodes, model, data.n_classes());
  auto pruning = average_prunings(tree, log_marginal, nodes.n, data.average_prunings);
  return {std::move(nodes), std::move(pruning.stop), PathUp(tree)};
}

std::uint32_t highest_alone(const std::vector<std::int32_t>& n, const PathUp& path,
                            std::uint32_t v) {
  while (n[v] == 1 && v != 0 && n[path.parent(v)] == 1) v = path.parent(v);
  return v;
}

// Bottom-up along the path of a row of class y that is left out. With q_v the predictive of node v
// without the row and r_v = W_{-i}(v) / W(v) = 1 / p_{v,-i}(y):
//   r_v = stop_v / q_v(y) + (1 - stop_v) r_child,   stop_{v,-i} = stop_v / (q_v(y) r_v).
// No logarithms, no cancellation. False if the row was not counted.
bool leave_out(const ClassPaths& table, std::uint32_t leaf_node, std::int32_t y,
               const DirichletMultinomial& model, std::size_t k, double* p) {
  if (table.nodes.of(leaf_node, k)[y] < 1) return false;
  // Where the row is alone, leaving it out leaves the prior, the same in all these nodes.
  std::uint32_t v = highest_alone(table.nodes.n, table.path, leaf_node);
  double ratio = 0;
  for (bool at_leaf = true;; at_leaf = false, v = table.path.parent(v)) {
    const auto m = table.nodes.of(v, k);
    const std::int32_t n = table.nodes.n[v] - 1;
    const double q_y = model.predictive(static_cast<std::size_t>(y), m[y] - 1, n);
    const double stop = at_leaf ? 1.0 : table.stop[v];
    ratio = stop / q_y + (1 - stop) * ratio;
    const double own = stop / (q_y * ratio);
    for (std::size_t c = 0; c < k; ++c) {
      const double q = static_cast<std::int32_t>(c) == y ? q_y : model.predictive(c, m[c], n);
      p[c] = at_leaf ? q : own * q + (1 - own) * p[c];
    }
    if (v == 0) return true;
  }
}

}  // namespace

ClassSummary summarise_classes(const PriorTrees& trees, const ClassCounts& data,
                               const Running& run) {
  const std::size_t k = data.n_classes();
  const std::size_t d = trees.codes().n_features();
  const DirichletMultinomial model(data.prior, rows_in_tree(data, trees.tree(0).n_leaves));
  ClassSummary summary{std::vector<double>(trees.n_trees()),
                       std::vector<double>(trees.n_leaves() * k),
                       std::vector<double>(trees.n_trees() * d, 0.0)};
  parallel_for(
      trees.n_trees(), run.n_threads,
      [&](std::size_t t, unsigned, const StopFlag& stop) {
        check_stop(stop);
        const PriorTree& tree = trees.tree(t);
        const std::size_t first = trees.first_leaf()[t] * k;
        const Nodes nodes(tree, data.counts.data() + first, k);
        const auto log_marginal = log_marginals(nodes, model, k);
        const Pruning pruning =
            average_prunings(tree, log_marginal, nodes.n, data.average_prunings);
        const auto reached = reach(tree, pruning);
        summary.log_evidence[t] = pruning.log_w[0];
        mix_down(tree, nodes, pruning, reached, model, k, summary.probability.data() + first);
        add_importances(tree, pruning, log_marginal, reached, summary.importances.data() + t * d);
      },
      run.poll);
  return summary;
}

void leave_one_out_classes(const PriorTrees& trees, const ClassCounts& data,
                           const MatrixView& table, std::span<const std::int32_t> labels,
                           double* out, const LeafKernels& kernels, const Running& run) {
  const std::size_t k = data.n_classes();
  const std::size_t n_rows = table.n_rows();
  const DirichletMultinomial model(data.prior, rows_in_tree(data, trees.tree(0).n_leaves));
  std::vector<std::unique_ptr<ClassPaths>> tables(trees.n_trees());
  parallel_for(trees.n_trees(), run.n_threads, [&](std::size_t t, unsigned, const StopFlag&) {
    const std::int32_t* own = data.counts.data() + trees.first_leaf()[t] * k;
    tables[t] = std::make_unique<ClassPaths>(make_table(trees.tree(t), own, data, model));
  });
  for_each_block(
      trees, table, kernels, run,
      [&](std::size_t t, std::size_t first, std::size_t n, const std::uint32_t* leaf) {
        for (std::size_t i = 0; i < n; ++i) {
          const std::uint32_t node = tables[t]->path.leaf_node(leaf[i]);
          double* p = out + (t * n_rows + first + i) * k;
          if (!leave_out(*tables[t], node, labels[first + i], model, k, p)) {
            throw std::invalid_argument("row " + std::to_string(first + i) + " was never counted");
          }
        }
      });
}

}  // namespace bayeswood
