#include "bayeswood/forest/graft.hpp"

#include <stdexcept>
#include <string>

namespace bayeswood {
namespace {

constexpr std::int32_t TRUNK = -1;
constexpr std::size_t MAX_NODES = 0x7fffffff;

struct Place {
  std::int32_t branch;  // or TRUNK
  std::uint32_t node;
};

std::vector<std::size_t> row_starts(const Tree& tree) {
  std::vector<std::size_t> starts{0};
  starts.reserve(tree.n_leaves() + 1);
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    if (tree.feature[i] != LEAF) continue;
    starts.push_back(starts.back() + static_cast<std::size_t>(tree.n_samples[i]));
  }
  return starts;
}

// Copies trunk and branches of one tree, node by node in breadth-first order.
class GraftedTree {
 public:
  GraftedTree(const Forest& trunk, std::span<const Branch> branches, std::size_t t)
      : shape_(trunk.shape()), trunk_(trunk.tree(0)), branches_(branches), t_(t) {
    for (const Branch& branch : branches) {
      const Tree& tree = branch.forest.tree(t);
      n_nodes_ += tree.n_nodes() - 1;
      n_entries_ += tree.leaf_value.size();
      n_rows_ += tree.leaf_rows.size();
      starts_.push_back(tree.leaf_rows.empty() ? std::vector<std::size_t>{} : row_starts(tree));
    }
    n_nodes_ += trunk_.n_nodes();
    if (n_nodes_ > MAX_NODES) throw std::invalid_argument("a grafted tree has too many nodes");
  }

  Tree make() {
    reserve();
    std::vector<Place> order{enter(0)};
    order.reserve(n_nodes_);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Place place = order[i];
      const Tree& from = source(place);
      if (from.feature[place.node] == LEAF) {
        add_leaf(place);
        continue;
      }
      add_split(from, place.node);
      const std::uint32_t left = from.child[place.node];
      for (const std::uint32_t child : {left, left + 1}) {
        order.push_back(place.branch == TRUNK ? enter(child) : Place{place.branch, child});
      }
    }
    to_.link(n_samples_, weight_, shape_.n_levels);
    return std::move(to_);
  }

 private:
  const Tree& source(const Place& place) const {
    return place.branch == TRUNK ? trunk_ : branches_[place.branch].forest.tree(t_);
  }

  // A node of the trunk; a leaf of it is the root of its branch.
  Place enter(std::uint32_t node) const {
    if (trunk_.feature[node] != LEAF) return {TRUNK, node};
    return {static_cast<std::int32_t>(trunk_.child[node]), 0};
  }

  void reserve() {
    const std::size_t n_leaves = (n_nodes_ + 1) / 2;
    to_.feature.reserve(n_nodes_);
    to_.threshold.reserve(n_nodes_);
    to_.missing_left.reserve(n_nodes_);
    to_.leaf_value.reserve(n_entries_);
    to_.leaf_rows.reserve(n_rows_);
    n_samples_.reserve(n_leaves);
    weight_.reserve(n_leaves);
    if (!shape_.is_classifier) return;
    to_.leaf_class.reserve(n_entries_);
    to_.leaf_offset.reserve(n_leaves + 1);
    to_.leaf_offset.push_back(0);
  }

  void add_node(const Tree& from, std::uint32_t node) {
    to_.feature.push_back(from.feature[node]);
    to_.threshold.push_back(from.threshold[node]);
    to_.missing_left.push_back(from.missing_left[node]);
  }

  void add_split(const Tree& from, std::uint32_t node) {
    add_node(from, node);
    const std::int32_t n_levels = shape_.n_levels[from.feature[node]];
    if (n_levels == 0) return;
    const auto words = from.category_words.begin() + from.category_offset[node];
    to_.category_words.insert(to_.category_words.end(), words,
                              words + static_cast<std::ptrdiff_t>(set_words(n_levels)));
  }

  void add_leaf(const Place& place) {
    const Tree& from = source(place);
    const std::uint32_t leaf = from.child[place.node];
    add_node(from, place.node);
    n_samples_.push_back(from.n_samples[place.node]);
    weight_.push_back(from.weight[place.node]);
    add_value(from, leaf);
    if (!from.leaf_rows.empty()) add_rows(place.branch, from, leaf);
  }

  void add_value(const Tree& from, std::uint32_t leaf) {
    const auto n_outputs = static_cast<std::ptrdiff_t>(shape_.n_outputs);
    const bool classes = shape_.is_classifier;
    const std::ptrdiff_t begin = classes ? from.leaf_offset[leaf] : leaf * n_outputs;
    const std::ptrdiff_t end = classes ? from.leaf_offset[leaf + 1] : begin + n_outputs;
    const auto value = from.leaf_value.begin();
    to_.leaf_value.insert(to_.leaf_value.end(), value + begin, value + end);
    if (!classes) return;
    const auto label = from.leaf_class.begin();
    to_.leaf_class.insert(to_.leaf_class.end(), label + begin, label + end);
    to_.leaf_offset.push_back(static_cast<std::int32_t>(to_.leaf_class.size()));
  }

  void add_rows(std::int32_t branch, const Tree& from, std::uint32_t leaf) {
    const auto& rows = branches_[branch].rows;
    for (std::size_t at = starts_[branch][leaf]; at < starts_[branch][leaf + 1]; ++at) {
      const auto row = static_cast<std::size_t>(from.leaf_rows[at]);
      if (!rows.empty() && row >= rows.size())
        throw std::invalid_argument("a branch has more rows than were named");
      to_.leaf_rows.push_back(rows.empty() ? from.leaf_rows[at] : rows[row]);
    }
  }

  const ForestShape& shape_;
  const Tree& trunk_;
  std::span<const Branch> branches_;
  std::size_t t_;
  std::size_t n_nodes_ = 0, n_entries_ = 0, n_rows_ = 0;
  std::vector<std::vector<std::size_t>> starts_;  // per branch: first place of a leaf in leaf_rows
  std::vector<std::int32_t> n_samples_;
  std::vector<float> weight_;
  Tree to_;
};

void check_shape(const ForestShape& trunk, const ForestShape& branch, std::size_t b) {
  if (trunk.n_features != branch.n_features || trunk.n_outputs != branch.n_outputs ||
      trunk.is_classifier != branch.is_classifier || trunk.n_levels != branch.n_levels) {
    throw std::invalid_argument("branch " + std::to_string(b) + " is not of the trunk's shape");
  }
}

void check_parts(const Forest& trunk, std::span<const Branch> branches) {
  if (trunk.n_trees() != 1) throw std::invalid_argument("a trunk is one tree");
  if (branches.size() != trunk.tree(0).n_leaves())
    throw std::invalid_argument("a trunk of " + std::to_string(trunk.tree(0).n_leaves()) +
                                " leaves needs as many branches, got " +
                                std::to_string(branches.size()));
  for (std::size_t b = 0; b < branches.size(); ++b) {
    check_shape(trunk.shape(), branches[b].forest.shape(), b);
    if (branches[b].forest.n_trees() != branches[0].forest.n_trees())
      throw std::invalid_argument("branches differ in their number of trees");
  }
}

}  // namespace

std::vector<Tree> graft(const Forest& trunk, std::span<const Branch> branches, const Running& run) {
  check_parts(trunk, branches);
  std::vector<Tree> trees(branches[0].forest.n_trees());
  parallel_for(
      trees.size(), run.n_threads,
      [&](std::size_t t, unsigned, const StopFlag&) {
        trees[t] = GraftedTree(trunk, branches, t).make();
      },
      run.poll);
  return trees;
}

}  // namespace bayeswood
