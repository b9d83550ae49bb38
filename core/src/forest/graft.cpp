#include "bayeswood/forest/graft.hpp"

#include <array>
#include <optional>
#include <stdexcept>
#include <string>

#include "bayeswood/forest/tree_writer.hpp"

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
      : shape_(trunk.shape()),
        trunk_(trunk.tree(0)),
        branches_(branches),
        t_(t),
        writer_(shape_.n_levels, trunk.n_outputs(), shape_.is_classifier) {
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
    writer_.reserve({(n_nodes_ + 1) / 2, n_entries_, n_rows_});
    using Children = std::optional<std::array<Place, 2>>;
    visit_breadth_first(enter(0), n_nodes_, [&](const Place& place) -> Children {
      const Tree& from = source(place);
      if (from.feature[place.node] == LEAF) {
        add_leaf(place);
        return {};
      }
      add_split(from, place.node);
      const std::uint32_t left = from.child[place.node];
      if (place.branch == TRUNK) return {{enter(left), enter(left + 1)}};
      return {{Place{place.branch, left}, Place{place.branch, left + 1}}};
    });
    return writer_.finish();
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

  void add_split(const Tree& from, std::uint32_t node) {
    const std::int32_t feature = from.feature[node];
    const std::int32_t n_levels = shape_.n_levels[feature];
    const std::span<const std::uint64_t> words =
        n_levels == 0 ? std::span<const std::uint64_t>{}
                      : std::span(from.category_words)
                            .subspan(from.category_offset[node], set_words(n_levels));
    writer_.add_split(feature, from.missing_left[node] != 0, from.threshold[node], words);
  }

  void add_leaf(const Place& place) {
    const Tree& from = source(place);
    const std::uint32_t leaf = from.child[place.node];
    const bool classes = shape_.is_classifier;
    const std::size_t n_outputs = static_cast<std::size_t>(shape_.n_outputs);
    const std::size_t begin = classes ? from.leaf_offset[leaf] : leaf * n_outputs;
    const std::size_t n = classes ? from.leaf_offset[leaf + 1] - begin : n_outputs;
    writer_.add_leaf(from.n_samples[place.node], from.weight[place.node],
                     classes ? from.classes_of(leaf) : std::span<const std::int32_t>{},
                     std::span(from.leaf_value).subspan(begin, n));
    if (!from.leaf_rows.empty()) add_rows(place.branch, from, leaf);
  }

  void add_rows(std::int32_t branch, const Tree& from, std::uint32_t leaf) {
    const auto& rows = branches_[branch].rows;
    for (std::size_t at = starts_[branch][leaf]; at < starts_[branch][leaf + 1]; ++at) {
      const auto row = static_cast<std::size_t>(from.leaf_rows[at]);
      if (!rows.empty() && row >= rows.size())
        throw std::invalid_argument("a branch has more rows than were named");
      writer_.add_row(rows.empty() ? from.leaf_rows[at] : rows[row]);
    }
  }

  const ForestShape& shape_;
  const Tree& trunk_;
  std::span<const Branch> branches_;
  std::size_t t_;
  std::size_t n_nodes_ = 0, n_entries_ = 0, n_rows_ = 0;
  std::vector<std::vector<std::size_t>> starts_;  // per branch: first place of a leaf in leaf_rows
  TreeWriter writer_;
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
