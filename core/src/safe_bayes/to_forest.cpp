#include "bayeswood/safe_bayes/to_forest.hpp"

#include <algorithm>
#include <limits>

namespace bayeswood {
namespace {

std::vector<std::int64_t> node_rows(const PriorTree& tree, const std::int32_t* leaf_rows) {
  std::vector<std::int64_t> n(tree.n_nodes());
  for (std::uint32_t v = tree.n_nodes(); v-- > 0;) {
    n[v] = tree.is_leaf(v) ? leaf_rows[tree.leaf_number(v)] : n[tree.left(v)] + n[tree.left(v) + 1];
  }
  return n;
}

// Copies one tree, node by node in breadth-first order.
class TreeCopy {
 public:
  TreeCopy(const PriorTrees& trees, std::size_t t, const LeafValues& leaves,
           const ForestShape& shape)
      : codes_(trees.codes()),
        from_(trees.tree(t)),
        leaves_(leaves),
        shape_(shape),
        first_leaf_(trees.first_leaf()[t]),
        n_(node_rows(from_, leaves.n_rows.data() + first_leaf_)) {}

  Tree make() {
    reserve();
    if (leaves_.is_classifier) to_.leaf_offset.push_back(0);
    std::vector<std::uint32_t> order{0};
    order.reserve(from_.n_nodes());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t v = order[i];
      if (ends(v)) {
        add_leaf(v);
      } else {
        add_split(v);
        order.push_back(from_.left(v));
        order.push_back(from_.left(v) + 1);
      }
    }
    to_.link(n_samples_, weight_, shape_.n_levels);
    return std::move(to_);
  }

 private:
  void reserve() {
    std::uint32_t leaves = 0;
    for (std::uint32_t v = 0; v < from_.n_nodes(); ++v) leaves += n_[v] > 0 || !from_.is_full;
    to_.feature.reserve(2 * leaves);
    to_.threshold.reserve(2 * leaves);
    to_.missing_left.reserve(2 * leaves);
    n_samples_.reserve(leaves);
    weight_.reserve(leaves);
    to_.leaf_value.reserve(leaves * static_cast<std::size_t>(leaves_.n_outputs));
    if (leaves_.is_classifier) to_.leaf_class.reserve(to_.leaf_value.capacity());
  }

  bool ends(std::uint32_t v) const { return from_.is_leaf(v) || (from_.is_full && n_[v] == 0); }

  void add_leaf(std::uint32_t v) {
    std::uint32_t leaf = v;
    while (!from_.is_leaf(leaf)) leaf = from_.left(leaf);
    const auto k = static_cast<std::size_t>(leaves_.n_outputs);
    const double* value = leaves_.value.data() + (first_leaf_ + from_.leaf_number(leaf)) * k;
    to_.feature.push_back(LEAF);
    to_.threshold.push_back(std::numeric_limits<double>::quiet_NaN());
    to_.missing_left.push_back(0);
    n_samples_.push_back(static_cast<std::int32_t>(n_[v]));
    weight_.push_back(static_cast<float>(n_[v]));
    for (std::size_t c = 0; c < k; ++c) {
      if (leaves_.is_classifier) to_.leaf_class.push_back(static_cast<std::int32_t>(c));
      to_.leaf_value.push_back(leaves_.is_classifier ? std::min(1.0, value[c]) : value[c]);
    }
    if (leaves_.is_classifier)
      to_.leaf_offset.push_back(static_cast<std::int32_t>(to_.leaf_class.size()));
  }

  void add_split(std::uint32_t v) {
    const std::size_t j = from_.feature(v);
    const bool is_category = codes_.is_category(j);
    to_.feature.push_back(static_cast<std::int32_t>(j));
    to_.missing_left.push_back(from_.missing_left(v) ? 1 : 0);
    to_.threshold.push_back(is_category ? std::numeric_limits<double>::quiet_NaN()
                                        : codes_.threshold(j, from_.place(v)));
    if (!is_category) return;
    const std::int32_t n_levels = codes_.feature(j).n_levels;
    const std::size_t begin = to_.category_words.size();
    to_.category_words.resize(begin + set_words(n_levels), 0);
    for (std::int32_t level = 0; level < n_levels; ++level) {
      const bool left = from_.in_left_set(v, static_cast<std::uint16_t>(level + 1));
      to_.category_words[begin + level / 64] |= static_cast<std::uint64_t>(left) << (level % 64);
    }
  }

  const CutCodes& codes_;
  const PriorTree& from_;
  const LeafValues& leaves_;
  const ForestShape& shape_;
  std::size_t first_leaf_;
  std::vector<std::int64_t> n_;
  Tree to_;
  std::vector<std::int32_t> n_samples_;
  std::vector<float> weight_;
};

}  // namespace

ForestShape forest_shape(const PriorTrees& trees, const LeafValues& leaves) {
  ForestShape shape{static_cast<std::int32_t>(trees.codes().n_features()),
                    leaves.n_outputs,
                    leaves.is_classifier,
                    {}};
  for (std::size_t j = 0; j < trees.codes().n_features(); ++j)
    shape.n_levels.push_back(trees.codes().feature(j).n_levels);
  return shape;
}

std::vector<Tree> to_trees(const PriorTrees& trees, const LeafValues& leaves, const Running& run) {
  const ForestShape shape = forest_shape(trees, leaves);
  std::vector<Tree> made(trees.n_trees());
  parallel_for(
      trees.n_trees(), run.n_threads,
      [&](std::size_t t, unsigned, const StopFlag& stop) {
        check_stop(stop);
        made[t] = TreeCopy(trees, t, leaves, shape).make();
      },
      run.poll);
  return made;
}

}  // namespace bayeswood
