#include "bayeswood/safe_bayes/to_forest.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "bayeswood/forest/tree_writer.hpp"

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
        first_leaf_(trees.first_leaf()[t]),
        n_(node_rows(from_, leaves.n_rows.data() + first_leaf_)),
        writer_(shape.n_levels, static_cast<std::size_t>(shape.n_outputs), shape.is_classifier) {}

  Tree make() {
    reserve();
    using Children = std::optional<std::array<std::uint32_t, 2>>;
    visit_breadth_first(0U, from_.n_nodes(), [&](std::uint32_t v) -> Children {
      if (ends(v)) {
        add_leaf(v);
        return {};
      }
      add_split(v);
      return {{from_.left(v), from_.left(v) + 1}};
    });
    return writer_.finish();
  }

 private:
  void reserve() {
    std::size_t n_leaves = 1;
    for (std::uint32_t v = 0; v < from_.n_nodes(); ++v) n_leaves += ends(v) ? 0 : 1;
    writer_.reserve({n_leaves, n_leaves * static_cast<std::size_t>(leaves_.n_outputs)});
  }

  bool ends(std::uint32_t v) const { return from_.is_leaf(v) || (from_.is_full && n_[v] == 0); }

  void add_leaf(std::uint32_t v) {
    std::uint32_t leaf = v;
    while (!from_.is_leaf(leaf)) leaf = from_.left(leaf);
    const auto k = static_cast<std::size_t>(leaves_.n_outputs);
    const double* value = leaves_.value.data() + (first_leaf_ + from_.leaf_number(leaf)) * k;
    const std::span<double> written = writer_.add_leaf(n_[v], static_cast<double>(n_[v]));
    for (std::size_t c = 0; c < k; ++c)
      written[c] = leaves_.is_classifier ? std::min(1.0, value[c]) : value[c];
  }

  void add_split(std::uint32_t v) {
    const std::size_t j = from_.feature(v);
    const bool is_category = codes_.is_category(j);
    const double threshold = is_category ? 0.0 : codes_.threshold(j, from_.place(v));
    words_.assign(set_words(codes_.feature(j).n_levels), 0);
    for (std::int32_t level = 0; level < codes_.feature(j).n_levels; ++level) {
      const bool left = from_.in_left_set(v, static_cast<std::uint16_t>(level + 1));
      words_[level / 64] |= static_cast<std::uint64_t>(left) << (level % 64);
    }
    writer_.add_split(j, from_.missing_left(v), threshold, words_);
  }

  const CutCodes& codes_;
  const PriorTree& from_;
  const LeafValues& leaves_;
  std::size_t first_leaf_;
  std::vector<std::int64_t> n_;
  TreeWriter writer_;
  std::vector<std::uint64_t> words_;  // of one split's levels
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
