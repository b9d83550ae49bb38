#include "bayeswood/forest/shrinkage.hpp"

#include <algorithm>
#include <utility>

#include "leaf_walk.hpp"

namespace bayeswood {
namespace {

// Of every leaf: its classes (classifiers) and values, as `Tree` keeps them.
struct LeafValues {
  std::vector<std::int32_t> offset;
  std::vector<std::int32_t> label;
  std::vector<double> value;
};

void append_leaf(const double* values, std::size_t k, bool is_classifier, LeafValues& out) {
  for (std::size_t j = 0; j < k; ++j) {
    if (is_classifier && values[j] <= 0) continue;
    if (is_classifier) out.label.push_back(static_cast<std::int32_t>(j));
    out.value.push_back(values[j]);
  }
  if (is_classifier) out.offset.push_back(static_cast<std::int32_t>(out.label.size()));
}

// `values`: of all nodes, dense.
LeafValues shrunk(const Tree& tree, const ForestShape& shape, const std::vector<double>& values,
                  double strength) {
  const auto k = static_cast<std::size_t>(shape.n_outputs);
  std::vector<double> above(tree.n_nodes() * k, 0.0);  // what the ancestors contribute
  std::vector<double> share(tree.n_nodes(), 1.0);      // a_l
  LeafValues out;
  if (shape.is_classifier) out.offset.assign(1, 0);
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    double* sum = above.data() + i * k;
    const double* own = values.data() + i * k;
    if (tree.feature[i] == LEAF) {
      for (std::size_t j = 0; j < k; ++j) sum[j] += share[i] * own[j];
      append_leaf(sum, k, shape.is_classifier, out);
      continue;
    }
    const double n = tree.n_samples[i];
    const double below = std::min(n / (n + strength), share[i]);
    for (std::size_t c = tree.child[i]; c < tree.child[i] + 2UL; ++c) {
      share[c] = below;
      for (std::size_t j = 0; j < k; ++j) above[c * k + j] = sum[j] + (share[i] - below) * own[j];
    }
  }
  return out;
}

// Leaf entries held at a time: 64 MiB or so.
constexpr std::size_t MOST_ENTRIES = std::size_t{1} << 22;

// The leaves of trees first, ..., end - 1 at every strength; as many trees as memory is meant for.
class ShrunkTrees {
 public:
  ShrunkTrees(const Forest& forest, const ShrinkageTrial& trial, std::size_t first,
              const Running& run)
      : forest_(forest), trial_(trial), first_(first), end_(first) {
    std::size_t entries = 0;
    do {
      entries += n_entries(end_++);
    } while (end_ < forest.n_trees() && entries + n_entries(end_) <= MOST_ENTRIES);
    leaves_.resize((end_ - first) * trial.strengths.size());
    parallel_for(
        end_ - first, run.n_threads,
        [this](std::size_t i, unsigned, const StopFlag& stop) {
          check_stop(stop);
          shrink(i);
        },
        run.poll ? [&run](std::size_t, std::size_t total) { return run.poll(0, total); } : Poll{});
  }

  std::size_t end() const { return end_; }

  // Adds what tree t says of a row, for each strength.
  void add(std::size_t t, std::uint32_t node, std::size_t row, std::size_t n_rows,
           double* sums) const {
    const std::size_t n_strengths = trial_.strengths.size();
    const std::size_t k = forest_.n_outputs();
    const std::uint32_t leaf = forest_.tree(t).child[node];
    for (std::size_t s = 0; s < n_strengths; ++s) {
      const LeafValues& found = leaves_[(t - first_) * n_strengths + s];
      const auto kind = static_cast<std::size_t>(trial_.kind[t]);
      double* out = sums + ((kind * n_strengths + s) * n_rows + row) * k;
      if (!forest_.shape().is_classifier) {
        for (std::size_t j = 0; j < k; ++j) out[j] += found.value[leaf * k + j];
        continue;
      }
      for (std::int32_t e = found.offset[leaf]; e < found.offset[leaf + 1]; ++e)
        out[found.label[e]] += found.value[e];
    }
  }

 private:
  // Leaves that are left as they are hold few classes, shrunk ones all.
  std::size_t n_entries(std::size_t t) const {
    std::size_t entries = 0;
    for (const double strength : trial_.strengths) {
      const Tree& tree = forest_.tree(t);
      entries += strength > 0 ? tree.n_leaves() * forest_.n_outputs() : tree.leaf_value.size();
    }
    return entries;
  }

  void shrink(std::size_t i) {
    const Tree& tree = forest_.tree(first_ + i);
    const std::size_t n_strengths = trial_.strengths.size();
    std::vector<double> values;
    for (std::size_t s = 0; s < n_strengths; ++s) {
      LeafValues& leaves = leaves_[i * n_strengths + s];
      if (trial_.strengths[s] == 0) {
        leaves = {tree.leaf_offset, tree.leaf_class, tree.leaf_value};
        continue;
      }
      if (values.empty()) values = node_values(tree, forest_.shape());
      leaves = shrunk(tree, forest_.shape(), values, trial_.strengths[s]);
    }
  }

  const Forest& forest_;
  const ShrinkageTrial& trial_;
  std::size_t first_, end_;
  std::vector<LeafValues> leaves_;
};

}  // namespace

std::vector<Tree> shrink_leaves(const Forest& forest, double strength, const Running& run) {
  std::vector<Tree> trees(forest.n_trees());
  parallel_for(
      trees.size(), run.n_threads,
      [&](std::size_t t, unsigned, const StopFlag& stop) {
        check_stop(stop);
        const Tree& tree = forest.tree(t);
        LeafValues leaves =
            shrunk(tree, forest.shape(), node_values(tree, forest.shape()), strength);
        trees[t] = tree;
        trees[t].leaf_value = std::move(leaves.value);
        if (!forest.shape().is_classifier) return;
        trees[t].leaf_offset = std::move(leaves.offset);
        trees[t].leaf_class = std::move(leaves.label);
      },
      run.poll);
  return trees;
}

void predict_oob_shrunk(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                        const ShrinkageTrial& trial, double* sums, std::int32_t* counts,
                        const Running& run) {
  const std::size_t n_training = bag.n_training > 0 ? bag.n_training : table.n_rows();
  const std::size_t n_sums = trial.n_kinds * trial.strengths.size() * table.n_rows();
  std::fill(sums, sums + n_sums * forest.n_outputs(), 0.0);
  std::fill(counts, counts + trial.n_kinds * table.n_rows(), 0);
  const auto left_out = left_out_rows(forest.n_trees(), n_training, bag, run);
  for (std::size_t first = 0; first < forest.n_trees();) {
    const ShrunkTrees part(forest, trial, first, run);
    for_each_chosen_leaf(
        forest, table, run,
        [&](std::size_t t, std::size_t begin, std::size_t end, std::vector<std::uint32_t>& places) {
          places.clear();
          if (t < first || t >= part.end()) return;
          for (std::size_t i = begin; i < end; ++i) {
            if (left_out[bag.scheme.draw_of(t)][bag.training_row(i)])
              places.push_back(static_cast<std::uint32_t>(i - begin));
          }
        },
        [&](std::size_t t, std::size_t row, std::uint32_t node) {
          const auto kind = static_cast<std::size_t>(trial.kind[t]);
          ++counts[kind * table.n_rows() + row];
          part.add(t, node, row, table.n_rows(), sums);
        });
    first = part.end();
  }
}

}  // namespace bayeswood
