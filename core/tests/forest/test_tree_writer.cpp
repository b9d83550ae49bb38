#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "bayeswood/forest/inner_nodes.hpp"
#include "bayeswood/forest/tree_writer.hpp"
#include "check.hpp"

using namespace bayeswood;

namespace {

// Number 0 splits by a number, 1 by a category with 70 levels; 2, 3 and 4 are leaves.
//       0
//     1   2
//    3 4
const std::vector<std::int32_t> N_LEVELS{0, 70};
const std::vector<std::uint64_t> LEFT_LEVELS{0b1010, 1};
using Children = std::optional<std::array<int, 2>>;

template <class AddLeaf>
Tree write(std::size_t n_outputs, bool is_classifier, AddLeaf&& add_leaf) {
  TreeWriter writer(N_LEVELS, n_outputs, is_classifier);
  const auto order = visit_breadth_first(0, 5, [&](int node) -> Children {
    if (node == 0) {
      writer.add_split(0, true, 0.5, {});
      return {{1, 2}};
    }
    if (node == 1) {
      writer.add_split(1, false, 0.0, LEFT_LEVELS);
      return {{3, 4}};
    }
    add_leaf(node, writer);
    return {};
  });
  CHECK((order == std::vector<int>{0, 1, 2, 3, 4}));
  return writer.finish();
}

void check_rules(const Tree& tree, const ForestShape& shape) {
  CHECK(check_structure(tree, shape).empty() && check_tree(tree, shape).empty());
  CHECK((tree.feature == UnwrittenVector<std::int32_t>{0, 1, LEAF, LEAF, LEAF}));
  CHECK((tree.missing_left == UnwrittenVector<std::uint8_t>{1, 0, 0, 0, 0}));
  CHECK(tree.threshold[0] == 0.5);
  for (std::size_t i = 1; i < 5; ++i) CHECK(std::isnan(tree.threshold[i]));
  CHECK(tree.category_words == LEFT_LEVELS);
  CHECK((tree.child == UnwrittenVector<std::uint32_t>{1, 3, 0, 1, 2}));
  CHECK((tree.n_samples == UnwrittenVector<std::int32_t>{9, 7, 2, 3, 4}));
  std::vector<std::uint32_t> inner;
  list_inner_nodes(tree, inner);
  CHECK((inner == std::vector<std::uint32_t>{0, 1}));
  const Tree copy = tree;  // which has the same arrays of nodes, and leaves of its own
  CHECK(copy.feature.data() == tree.feature.data() && copy.weight.data() == tree.weight.data());
  CHECK(copy.leaf_value.data() != tree.leaf_value.data());
}

}  // namespace

TEST(a_leaf_can_name_every_class) {
  const Tree tree = write(2, true, [](int node, TreeWriter& writer) {
    const std::span<double> p = writer.add_leaf(node, 2.0 * node);
    CHECK(p.size() == 2);
    p[0] = 1.0 / node;
    p[1] = 1 - p[0];
  });
  check_rules(tree, {2, 2, true, N_LEVELS});
  CHECK((tree.weight == UnwrittenVector<float>{18, 14, 4, 6, 8}));
  CHECK((tree.leaf_class == UnwrittenVector<std::int32_t>{0, 1, 0, 1, 0, 1}));
  CHECK((tree.leaf_offset == UnwrittenVector<std::int32_t>{0, 2, 4, 6}));
  CHECK(tree.leaf_value[4] == 0.25);
}

TEST(a_leaf_can_name_some_classes_and_its_rows) {
  const Tree tree = write(3, true, [](int node, TreeWriter& writer) {
    const std::vector<std::int32_t> labels{0, 2};
    const std::vector<double> values{0.25, 0.75};
    const std::size_t n = node == 2 ? 2 : 1;
    const std::vector<double> one{1.0};
    writer.add_leaf(node, 1, std::span(labels).last(n), n == 2 ? values : one);
    for (int i = 0; i < node; ++i) writer.add_row(10 * node + i);
  });
  check_rules(tree, {2, 3, true, N_LEVELS});
  CHECK((tree.leaf_class == UnwrittenVector<std::int32_t>{0, 2, 2, 2}));
  CHECK((tree.leaf_offset == UnwrittenVector<std::int32_t>{0, 2, 3, 4}));
  CHECK((tree.leaf_rows == UnwrittenVector<std::int32_t>{20, 21, 30, 31, 32, 40, 41, 42, 43}));
}

TEST(a_leaf_can_hold_numbers) {
  const Tree tree = write(2, false, [](int node, TreeWriter& writer) {
    const std::vector<double> values{1.0 * node, -1.0 * node};
    writer.add_leaf(node, 1, {}, values);
    const std::vector<std::int32_t> rows(static_cast<std::size_t>(node), node);
    writer.add_rows(rows);
  });
  check_rules(tree, {2, 2, false, N_LEVELS});
  CHECK(tree.leaf_offset.empty() && tree.leaf_class.empty());
  CHECK((tree.leaf_value == UnwrittenVector<double>{2, -2, 3, -3, 4, -4}));
}

TEST(a_tree_can_be_one_leaf) {
  TreeWriter writer(N_LEVELS, 1, false);
  writer.reserve({1, 1});
  writer.add_leaf(5, 5)[0] = 2.5;
  const Tree tree = writer.finish();
  CHECK(check_structure(tree, {2, 1, false, N_LEVELS}).empty());
  CHECK(check_tree(tree, {2, 1, false, N_LEVELS}).empty());
  CHECK(tree.n_nodes() == 1 && tree.leaf_value[0] == 2.5);
}
