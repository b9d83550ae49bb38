#include "bayeswood/forest/shrinkage.hpp"

#include <algorithm>
#include <memory>
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
  out.value.reserve(tree.n_leaves() * k);
  if (shape.is_classifier) {
    out.offset.assign(1, 0);
    out.label.reserve(tree.n_leaves() * k);
  }
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

// Values of all nodes of a tree, as the classes that are not 0: few in deep nodes.
class NodeEntries {
 public:
  NodeEntries(const Tree& tree, const ForestShape& shape, std::span<const double> strengths)
      : tree_(tree),
        shape_(shape),
        begin_(tree.n_nodes()),
        end_(tree.n_nodes()),
        ones_(strengths.size(), 1.0) {
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      if (tree.feature[i] == LEAF) continue;
      internal_.push_back(static_cast<std::uint32_t>(i));
      const double n = tree.n_samples[i];
      for (const double strength : strengths) share_.push_back(n / (n + strength));
    }
    label_.reserve(4 * tree.leaf_value.size());
    value_.reserve(4 * tree.leaf_value.size());
    for (std::size_t i = tree.n_nodes(); i-- > 0;) {
      begin_[i] = value_.size();
      if (tree.feature[i] == LEAF) {
        copy_leaf(tree.child[i]);
      } else {
        merge(tree.child[i]);
      }
      end_[i] = value_.size();
    }
  }

  std::uint32_t parent(std::uint32_t node) const { return internal_[(node - 1) / 2]; }

  // a of a node, for each strength.
  const double* shares(std::uint32_t node) const {
    return node == 0 ? ones_.data() : share_.data() + (node - 1) / 2 * ones_.size();
  }

  // Adds weight times the node's value.
  void add(std::uint32_t node, double weight, double* out) const {
    for (std::size_t e = begin_[node]; e < end_[node]; ++e) out[label_[e]] += weight * value_[e];
  }

 private:
  void copy_leaf(std::uint32_t leaf) {
    const auto k = static_cast<std::uint32_t>(shape_.n_outputs);
    const bool classes = shape_.is_classifier;
    const std::uint32_t first = classes ? tree_.leaf_offset[leaf] : leaf * k;
    const std::uint32_t last = classes ? tree_.leaf_offset[leaf + 1] : first + k;
    for (std::uint32_t e = first; e < last; ++e) {
      label_.push_back(classes ? tree_.leaf_class[e] : static_cast<std::int32_t>(e - first));
      value_.push_back(tree_.leaf_value[e]);
    }
  }

  // The weighted mean of two children, whose labels ascend.
  void merge(std::uint32_t child) {
    const double left = tree_.weight[child];
    const double total = left + tree_.weight[child + 1];
    const double share = total > 0 ? left / total : 0.5;
    std::size_t a = begin_[child], b = begin_[child + 1];
    while (a < end_[child] || b < end_[child + 1]) {
      const bool has_a = a < end_[child], has_b = b < end_[child + 1];
      const bool take_a = has_a && (!has_b || label_[a] <= label_[b]);
      const bool take_b = has_b && (!has_a || label_[b] <= label_[a]);
      const std::int32_t label = label_[take_a ? a : b];
      const double value =
          (take_a ? share * value_[a] : 0.0) + (take_b ? (1 - share) * value_[b] : 0.0);
      a += take_a;
      b += take_b;
      label_.push_back(label);
      value_.push_back(value);
    }
  }

  const Tree& tree_;
  const ForestShape& shape_;
  std::vector<std::size_t> begin_, end_;
  std::vector<std::uint32_t> internal_;
  std::vector<double> ones_;
  std::vector<double> share_;  // of every internal node and strength, a of its children
  std::vector<std::int32_t> label_;
  std::vector<double> value_;
};

// Shrunk values of leaves of one tree after another, for each strength: what the ancestors of a
// node contribute is found once, and only for nodes above a leaf that is asked for.
class PathSums {
 public:
  PathSums(std::size_t n_strengths, std::size_t n_outputs)
      : n_strengths_(n_strengths), k_(n_outputs), value_(n_strengths * n_outputs) {}

  void start(const NodeEntries& tree, std::size_t n_nodes) {
    tree_ = &tree;
    is_known_.assign(n_nodes, 0);
    above_.resize(std::max(above_.size(), n_nodes * value_.size()));
  }

  // n_strengths x n_outputs.
  const double* leaf(std::uint32_t node) {
    path_.clear();
    for (std::uint32_t up = node; !is_known_[up]; up = tree_->parent(up)) {
      path_.push_back(up);
      if (up == 0) break;
    }
    for (std::size_t i = path_.size(); i-- > 0;) find_above(path_[i]);
    const double* share = tree_->shares(node);
    std::copy_n(above_.data() + node * value_.size(), value_.size(), value_.data());
    for (std::size_t s = 0; s < n_strengths_; ++s)
      tree_->add(node, share[s], value_.data() + s * k_);
    return value_.data();
  }

 private:
  void find_above(std::uint32_t node) {
    double* above = above_.data() + node * value_.size();
    is_known_[node] = 1;
    if (node == 0) {
      std::fill_n(above, value_.size(), 0.0);
      return;
    }
    const std::uint32_t up = tree_->parent(node);
    std::copy_n(above_.data() + up * value_.size(), value_.size(), above);
    const double *share = tree_->shares(up), *below = tree_->shares(node);
    for (std::size_t s = 0; s < n_strengths_; ++s) {
      if (share[s] != below[s]) tree_->add(up, share[s] - below[s], above + s * k_);
    }
  }

  std::size_t n_strengths_, k_;
  const NodeEntries* tree_ = nullptr;
  std::vector<std::uint8_t> is_known_;
  std::vector<double> above_;  // of every node that is known, what its ancestors contribute
  std::vector<double> value_;
  std::vector<std::uint32_t> path_;
};

// Leaf entries of the trees that are looked at together: with those of inner nodes 200 MiB or so.
constexpr std::size_t MOST_ENTRIES = std::size_t{1} << 22;

// The values of trees first, ..., end - 1.
class TreeEntries {
 public:
  TreeEntries(const Forest& forest, std::span<const double> strengths, std::size_t first,
              const Running& run)
      : first_(first), end_(first) {
    std::size_t entries = 0;
    do {
      entries += forest.tree(end_++).leaf_value.size();
    } while (end_ < forest.n_trees() &&
             entries + forest.tree(end_).leaf_value.size() <= MOST_ENTRIES);
    trees_.resize(end_ - first);
    parallel_for(
        trees_.size(), run.n_threads,
        [&](std::size_t i, unsigned, const StopFlag& stop) {
          check_stop(stop);
          trees_[i] =
              std::make_unique<NodeEntries>(forest.tree(first + i), forest.shape(), strengths);
        },
        run.poll ? [&run](std::size_t, std::size_t total) { return run.poll(0, total); } : Poll{});
  }

  std::size_t end() const { return end_; }
  const NodeEntries& of(std::size_t t) const { return *trees_[t - first_]; }

 private:
  std::size_t first_, end_;
  std::vector<std::unique_ptr<NodeEntries>> trees_;
};

}  // namespace

std::vector<Tree> shrink_leaves(const Forest& forest, double strength, const Running& run) {
  std::vector<Tree> trees(forest.n_trees());
  parallel_for(
      trees.size(), run.n_threads,
      [&](std::size_t t, unsigned, const StopFlag& stop) {
        check_stop(stop);
        const Tree& tree = forest.tree(t);
        LeafValues leaves = shrunk(tree, forest.shape(),
                                   node_values(tree, forest.shape(), tree.leaf_value), strength);
        trees[t] = tree;
        trees[t].leaf_value = std::move(leaves.value);
        if (!forest.shape().is_classifier) return;
        trees[t].leaf_offset = std::move(leaves.offset);
        trees[t].leaf_class = std::move(leaves.label);
      },
      run.poll);
  return trees;
}

namespace {

// Of leaves as they are.
void add_leaves(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                const ShrinkageTrial& trial, double* sums, std::int32_t* counts,
                const Running& run) {
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  const bool classes = forest.shape().is_classifier;
  for_each_oob_leaf(
      forest, table, bag, run, [&](std::size_t t, std::size_t row, std::uint32_t node) {
        const Tree& tree = forest.tree(t);
        const auto kind = static_cast<std::size_t>(trial.kind[t]);
        const std::size_t leaf = tree.child[node];
        ++counts[kind * n + row];
        for (std::size_t s = 0; s < trial.strengths.size(); ++s) {
          double* sum = sums + ((kind * trial.strengths.size() + s) * n + row) * k;
          for (std::size_t j = 0; !classes && j < k; ++j) sum[j] += tree.leaf_value[leaf * k + j];
          if (!classes) continue;
          for (std::int32_t e = tree.leaf_offset[leaf]; e < tree.leaf_offset[leaf + 1]; ++e)
            sum[tree.leaf_class[e]] += tree.leaf_value[e];
        }
      });
}

}  // namespace

void predict_oob_shrunk(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                        const ShrinkageTrial& trial, double* sums, std::int32_t* counts,
                        const Running& run) {
  const std::size_t n_training = bag.n_training > 0 ? bag.n_training : table.n_rows();
  const std::size_t n_sums = trial.n_kinds * trial.strengths.size() * table.n_rows();
  std::fill(sums, sums + n_sums * forest.n_outputs(), 0.0);
  std::fill(counts, counts + trial.n_kinds * table.n_rows(), 0);
  const auto is_zero = [](double strength) { return strength == 0; };
  if (std::all_of(trial.strengths.begin(), trial.strengths.end(), is_zero))
    return add_leaves(forest, table, bag, trial, sums, counts, run);
  const auto left_out = left_out_rows(forest.n_trees(), n_training, bag, run);
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  const std::size_t n_strengths = trial.strengths.size();
  for (std::size_t first = 0; first < forest.n_trees();) {
    const TreeEntries part(forest, trial.strengths, first, run);
    for_each_block_of_leaves(
        forest, table, run, [&] { return PathSums(n_strengths, k); },
        [&](std::size_t t, std::size_t begin, std::size_t end, std::vector<std::uint32_t>& places) {
          places.clear();
          if (t < first || t >= part.end()) return;
          for (std::size_t i = begin; i < end; ++i) {
            if (left_out[bag.scheme.draw_of(t)][bag.training_row(i)])
              places.push_back(static_cast<std::uint32_t>(i - begin));
          }
        },
        [&](PathSums& paths, std::size_t t, std::size_t begin, const auto& places,
            const auto& leaf) {
          if (places.empty()) return;
          const auto kind = static_cast<std::size_t>(trial.kind[t]);
          paths.start(part.of(t), forest.tree(t).n_nodes());
          for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t row = begin + places[i];
            const double* value = paths.leaf(leaf[i]);
            ++counts[kind * n + row];
            for (std::size_t s = 0; s < n_strengths; ++s) {
              double* sum = sums + ((kind * n_strengths + s) * n + row) * k;
              for (std::size_t j = 0; j < k; ++j) sum[j] += value[s * k + j];
            }
          }
        });
    first = part.end();
  }
}

}  // namespace bayeswood
