#include <memory>

#include "bayeswood/forest/walk/compiled_forest.hpp"
#include "bayeswood/forest/walk/walk_tree.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

Forest forest_of(const RandomData& data, Splitter splitter, std::size_t n_trees = 3) {
  const Target target = Target::regression(data.y, 1, {});
  GrowOptions options;
  options.max_features = static_cast<std::uint32_t>(data.d);
  options.scheme = {WeightKind::EXPONENTIAL, 3};
  options.splitter = splitter;
  options.kernels = &portable_kernels();
  const EncodedMatrix matrix = data.encoded();
  return {data.shape(target), grow_forest({matrix, target, {}, {}, 0, n_trees}, options, {}).trees};
}

// Walks in tree t, over what it walks over.
void walk_as_packed(const Forest& forest, std::size_t t, const MatrixView& table,
                    std::span<const std::uint32_t> places, std::uint32_t* leaf) {
  const CompiledForest& compiled = forest.compiled();
  PlacedRows rows;
  std::vector<std::uint32_t> going;
  compiled.encode(compiled.group_of(t), table, 0, table.n_rows(), rows);
  compiled.walk(t, rows, places, leaf, going);
}
void walk_as_wide(const Forest& forest, std::size_t t, const MatrixView& table,
                  std::span<const std::uint32_t> places, std::uint32_t* leaf) {
  const CompiledForest& compiled = forest.compiled();
  std::vector<double> values(compiled.value_layout(table.n_rows()).n_cells());
  std::vector<std::uint32_t> going;
  compiled.encode(table, 0, table.n_rows(), values.data());
  compiled.walk(t, values.data(), table.n_rows(), places, leaf, going);
}

// Walks over some places of a block find the leaves of a walk row by row.
template <class Walk>
void check_walks(const Forest& forest, const RandomData& data, std::size_t n_rows,
                 std::size_t every, Walk walk) {
  const MatrixView table = data.view().rows(0, n_rows);
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < n_rows; ++i)
    if (i % every != 1) places.push_back(i);
  std::vector<std::uint32_t> leaf(places.size());
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    walk(forest, t, table, places, leaf.data());
    for (std::size_t i = 0; i < places.size(); ++i)
      CHECK(leaf[i] == walk_tree(forest.tree(t), forest.shape(), table, places[i]));
  }
}

}  // namespace

TEST(rows_walk_together_as_they_walk_alone) {
  const RandomData data(3000, 8, 0.1, 17);
  const Forest forest = forest_of(data, Splitter::BEST);
  CHECK(forest.compiled().is_packed());
  for (const std::size_t n_rows : {1, 15, 16, 17, 100, 3000})
    for (const std::size_t every : {3000, 7})
      check_walks(forest, data, n_rows, every, walk_as_packed);
}

// One column for each feature; without categories rows enter trees together, where there is
// AVX-512.
TEST(rows_without_missing_values_walk_as_they_walk_alone) {
  for (const std::size_t n_features : {3, 8}) {
    const RandomData trained(3000, n_features, 0.1, 21), asked(3000, n_features, 0.0, 22);
    const Forest forest = forest_of(trained, Splitter::BEST);
    for (const std::size_t n_rows : {1, 63, 64, 65, 3000})
      for (const std::size_t every : {3000, 70, 7})
        check_walks(forest, asked, n_rows, every, walk_as_packed);
  }
}

TEST(places_have_two_columns_where_values_are_missing) {
  const RandomData with(1000, 3, 0.1, 23), without(1000, 3, 0.0, 23);
  const Forest forest = forest_of(with, Splitter::BEST);
  PlacedRows rows;
  forest.compiled().encode(0, without.view(), 0, 1000, rows);
  CHECK(!rows.is_double && rows.cells.size() == rows.layout.n_cells());
  CHECK(rows.layout.n_columns == 3);
  forest.compiled().encode(0, with.view(), 0, 1000, rows);
  CHECK(rows.is_double && rows.layout.n_columns == 6);
}

// Trees of random cuts have thresholds of their own: 60 of them take several groups.
TEST(groups_of_trees_have_places_of_their_own) {
  const RandomData data(4000, 4, 0.1, 19);
  const Forest forest = forest_of(data, Splitter::RANDOM, 60);
  const CompiledForest& compiled = forest.compiled();
  CHECK(compiled.is_packed() && compiled.n_groups() > 1);
  CHECK(compiled.group_of(0) == 0 && compiled.group_of(59) + 1 == compiled.n_groups());
  for (std::size_t t = 1; t < 60; ++t) CHECK(compiled.group_of(t) - compiled.group_of(t - 1) <= 1);
  for (const std::size_t n_rows : {1, 100}) check_walks(forest, data, n_rows, 7, walk_as_packed);
  const std::vector<double> weight(60, 0.25);
  std::vector<double> one(data.n), two(data.n);
  predict_mean(forest, data.view(), weight, one.data(), {});
  predict_mean(forest, data.view(), weight, two.data(), {2, {}});
  CHECK(one == two);
  for (std::size_t i = 0; i < data.n; ++i) {
    double sum = 0;
    for (std::size_t t = 0; t < 60; ++t) {
      const Tree& tree = forest.tree(t);
      sum += 0.25 * tree.leaf_value[tree.child[walk_tree(tree, forest.shape(), data.view(), i)]];
    }
    CHECK(one[i] == sum);
  }
}

TEST(a_tree_may_be_in_several_groups) {
  const RandomData data(4000, 4, 0.1, 20);
  const Forest once = forest_of(data, Splitter::RANDOM, 60);
  Trees trees = once.trees();
  trees.push_back(trees[0]);
  const Forest again(once.shape(), trees);
  CHECK(again.compiled().group_of(60) > 0);
  std::vector<std::int32_t> leaves(data.n * 61);
  apply(again, data.view(), leaves.data(), {});
  for (std::size_t i = 0; i < data.n; ++i) CHECK(leaves[i * 61] == leaves[i * 61 + 60]);
}

TEST(what_is_walked_outlives_the_forest_it_was_taken_from) {
  const RandomData data(2000, 4, 0.0, 24);
  std::unique_ptr<Forest> first(new Forest(forest_of(data, Splitter::BEST)));
  first->compiled();
  std::vector<Tree> trees;
  for (const auto& tree : first->trees()) trees.push_back(*tree);
  const Forest second(*first, trees);
  first.reset();
  check_walks(second, data, 2000, 7, walk_as_packed);
}

TEST(values_walk_where_thresholds_are_too_many) {
  const RandomData data(40000, 2, 0.1, 18);
  const Forest forest = forest_of(data, Splitter::RANDOM);
  CHECK(forest.compiled().is_wide());
  for (const std::size_t n_rows : {5, 16, 1000}) check_walks(forest, data, n_rows, 7, walk_as_wide);
}
