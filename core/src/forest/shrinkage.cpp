#include "bayeswood/forest/shrinkage.hpp"

#include <algorithm>
#include <utility>

#include "leaf_walk.hpp"
#include "node_values.hpp"

namespace bayeswood {
namespace {

// Shrinks the leaves of one tree after another; its buffers are used again.
class LeafShrinker {
 public:
  LeafShrinker(const ForestShape& shape, double strength)
      : shape_(shape),
        k_(static_cast<std::size_t>(shape.n_outputs)),
        strength_(strength),
        values_(shape),
        leaf_(k_) {
    for (std::int32_t j = 0; j < shape.n_outputs; ++j) all_labels_.push_back(j);
  }

  Tree shrunk(const Tree& tree) {
    start(tree);
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      if (tree.feature[i] == LEAF) continue;
      const std::size_t inner = inner_number(tree, i);
      const double n = tree.n_samples[i];
      const double below = std::min(n / (n + strength_), share_[inner]);
      values_.add(i, share_[inner] - below, above_.data() + inner * k_, sum_.data());
      for (const std::size_t c : {tree.child[i], tree.child[i] + 1}) hand_down(tree, c, below);
    }
    return std::move(out_);
  }

 private:
  void start(const Tree& tree) {
    values_.load(tree, tree.leaf_value);
    above_.resize((tree.n_leaves() - 1) * k_);
    share_.resize(tree.n_leaves() - 1);
    out_ = tree;
    out_.leaf_value = {};
    out_.leaf_value.reserve(tree.n_leaves() * k_);
    if (shape_.is_classifier) {
      out_.leaf_offset.assign(1, 0);
      out_.leaf_offset.reserve(tree.n_leaves() + 1);
      out_.leaf_class = {};
      out_.leaf_class.reserve(tree.n_leaves() * k_);
    }
    sum_.assign(k_, 0.0);
    hand_down(tree, 0, 1.0);
  }

  static std::size_t inner_number(const Tree& tree, std::size_t node) {
    return (tree.child[node] - 1) / 2;
  }

  // Tells a node what its ancestors contribute, which is in sum_, and its share a. Leaves come in
  // their order: children follow one another as their parents do.
  void hand_down(const Tree& tree, std::size_t node, double share) {
    if (tree.feature[node] != LEAF) {
      const std::size_t inner = inner_number(tree, node);
      share_[inner] = share;
      std::copy(sum_.begin(), sum_.end(), above_.begin() + inner * k_);
    } else {
      values_.add(node, share, sum_.data(), leaf_.data());
      append_leaf(leaf_.data());
    }
  }

  // As `Tree` keeps them: without the classes that have none.
  void append_leaf(const double* values) {
    const auto positive = [](double value) { return value > 0; };
    if (!shape_.is_classifier || std::all_of(values, values + k_, positive)) {
      out_.leaf_value.insert(out_.leaf_value.end(), values, values + k_);
      if (!shape_.is_classifier) return;
      out_.leaf_class.insert(out_.leaf_class.end(), all_labels_.begin(), all_labels_.end());
    } else {
      for (std::size_t j = 0; j < k_; ++j) {
        if (!positive(values[j])) continue;
        out_.leaf_class.push_back(static_cast<std::int32_t>(j));
        out_.leaf_value.push_back(values[j]);
      }
    }
    out_.leaf_offset.push_back(static_cast<std::int32_t>(out_.leaf_class.size()));
  }

  const ForestShape& shape_;
  std::size_t k_;
  double strength_;
  std::vector<std::int32_t> all_labels_;
  NodeValues values_;
  std::vector<double> above_;  // of nodes that have children, what the ancestors contribute
  std::vector<double> share_;  // of the same, a_l
  std::vector<double> sum_, leaf_;
  Tree out_;
};

// Shrunk values of leaves of one tree after another, for each strength: what the ancestors of a
// node contribute is found once, and only for nodes above a leaf that is asked for.
class PathSums {
 public:
  PathSums(std::span<const double> strengths, const ForestShape& shape)
      : strengths_(strengths),
        k_(static_cast<std::size_t>(shape.n_outputs)),
        ones_(strengths.size(), 1.0),
        values_(shape),
        value_(strengths.size() * k_) {}

  void start(const Tree& tree) {
    tree_ = &tree;
    values_.load(tree, tree.leaf_value);
    internal_.clear();
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      if (tree.feature[i] != LEAF) internal_.push_back(static_cast<std::uint32_t>(i));
    }
    place_.assign(tree.n_nodes(), UNKNOWN);
    above_.assign(value_.size(), 0.0);  // of the root
    share_.assign(ones_.begin(), ones_.end());
    place_[0] = 0;
    n_known_ = 1;
  }

  // n_strengths x n_outputs.
  const double* leaf(std::uint32_t node) {
    path_.clear();
    for (std::uint32_t up = node; place_[up] == UNKNOWN; up = parent(up)) path_.push_back(up);
    for (std::size_t i = path_.size(); i-- > 0;) find_above(path_[i]);
    const double* above = above_.data() + place_[node] * value_.size();
    const double* share = share_.data() + place_[node] * ones_.size();
    for (std::size_t s = 0; s < ones_.size(); ++s)
      values_.add(node, share[s], above + s * k_, value_.data() + s * k_);
    return value_.data();
  }

 private:
  static constexpr std::uint32_t UNKNOWN = ~0U;

  std::uint32_t parent(std::uint32_t node) const { return internal_[(node - 1) / 2]; }

  // What the ancestors of a node contribute, those of its parent being known, and its share a.
  void find_above(std::uint32_t node) {
    const std::uint32_t up = parent(node);
    place_[node] = n_known_++;
    above_.resize(std::max(above_.size(), n_known_ * value_.size()));
    share_.resize(std::max(share_.size(), n_known_ * ones_.size()));
    double* above = above_.data() + place_[node] * value_.size();
    double* share = share_.data() + place_[node] * ones_.size();
    const double* above_up = above_.data() + place_[up] * value_.size();
    const double* share_up = share_.data() + place_[up] * ones_.size();
    const double* own = values_.row(up);
    const double n = tree_->n_samples[up];
    for (std::size_t s = 0; s < ones_.size(); ++s) {
      share[s] = n / (n + strengths_[s]);
      const double weight = share_up[s] - share[s];
      for (std::size_t j = 0; j < k_; ++j)
        above[s * k_ + j] = above_up[s * k_ + j] + weight * own[j];
    }
  }

  std::span<const double> strengths_;
  std::size_t k_;
  const Tree* tree_ = nullptr;
  std::vector<double> ones_;
  NodeValues values_;
  std::vector<std::uint32_t> internal_;  // nodes that have children, in order
  std::vector<std::uint32_t> place_;     // of every node that is known, in the next two
  std::vector<double> above_;            // what its ancestors contribute, for each strength
  std::vector<double> share_;            // a
  std::vector<double> value_;
  std::vector<std::uint32_t> path_;
  std::uint32_t n_known_ = 0;
};

}  // namespace

std::vector<Tree> shrink_leaves(const Forest& forest, double strength, const Running& run) {
  std::vector<Tree> trees(forest.n_trees());
  std::vector<LeafShrinker> shrinkers(worker_count(trees.size(), run.n_threads),
                                      LeafShrinker(forest.shape(), strength));
  parallel_for(
      trees.size(), run.n_threads,
      [&](std::size_t t, unsigned worker, const StopFlag& stop) {
        check_stop(stop);
        trees[t] = shrinkers[worker].shrunk(forest.tree(t));
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
  for_each_oob_leaf(forest, table, bag, run,
                    [&](std::size_t t, std::size_t row, std::uint32_t node) {
                      const Tree& tree = forest.tree(t);
                      const auto kind = static_cast<std::size_t>(trial.kind[t]);
                      const std::size_t leaf = tree.child[node];
                      ++counts[kind * n + row];
                      for (std::size_t s = 0; s < trial.strengths.size(); ++s) {
                        double* sum = sums + ((kind * trial.strengths.size() + s) * n + row) * k;
                        for (std::size_t j = 0; !classes && j < k; ++j)
                          sum[j] += tree.leaf_value[leaf * k + j];
                        if (classes)
                          add_classes(tree, k, static_cast<std::uint32_t>(leaf), 1.0, sum);
                      }
                    });
}

}  // namespace

void predict_oob_shrunk(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                        const ShrinkageTrial& trial, double* sums, std::int32_t* counts,
                        const Running& run) {
  const std::size_t n_sums = trial.n_kinds * trial.strengths.size() * table.n_rows();
  std::fill(sums, sums + n_sums * forest.n_outputs(), 0.0);
  std::fill(counts, counts + trial.n_kinds * table.n_rows(), 0);
  const auto is_zero = [](double strength) { return strength == 0; };
  if (std::all_of(trial.strengths.begin(), trial.strengths.end(), is_zero))
    return add_leaves(forest, table, bag, trial, sums, counts, run);
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  const std::size_t n_strengths = trial.strengths.size();
  for_each_block_of_oob_leaves(
      forest, table, bag, run, [&] { return PathSums(trial.strengths, forest.shape()); },
      [&](PathSums& paths, std::size_t t, std::size_t begin, const auto& places, const auto& leaf) {
        if (places.empty()) return;
        const auto kind = static_cast<std::size_t>(trial.kind[t]);
        paths.start(forest.tree(t));
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
}

}  // namespace bayeswood
