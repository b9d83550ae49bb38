#include "bayeswood/forest/compiled_forest.hpp"
#include "bayeswood/forest/walk_tree.hpp"
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

// What tree t walks over.
void encode_for(const CompiledForest& compiled, std::size_t t, const MatrixView& table,
                std::size_t n_rows, std::uint16_t* out) {
  compiled.encode(compiled.group_of(t), table, 0, n_rows, out);
}
void encode_for(const CompiledForest& compiled, std::size_t, const MatrixView& table,
                std::size_t n_rows, double* out) {
  compiled.encode(table, 0, n_rows, out);
}

// Walks over these places of a block find the leaves of a walk row by row.
template <class Cell>
void check_walks(const Forest& forest, const RandomData& data, std::size_t n_rows,
                 std::size_t every) {
  const CompiledForest& compiled = forest.compiled();
  std::vector<Cell> cells(compiled.layout(n_rows).n_cells());
  std::vector<std::uint32_t> places, going;
  for (std::uint32_t i = 0; i < n_rows; ++i)
    if (i % every != 1) places.push_back(i);
  std::vector<std::uint32_t> leaf(places.size());
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    encode_for(compiled, t, data.view(), n_rows, cells.data());
    compiled.walk(t, cells.data(), n_rows, places, leaf.data(), going);
    for (std::size_t i = 0; i < places.size(); ++i)
      CHECK(leaf[i] == walk_tree(forest.tree(t), forest.shape(), data.view(), places[i]));
  }
}

}  // namespace

TEST(rows_walk_together_as_they_walk_alone) {
  const RandomData data(3000, 8, 0.1, 17);
  const Forest forest = forest_of(data, Splitter::BEST);
  CHECK(forest.compiled().is_packed());
  for (const std::size_t n_rows : {1, 15, 16, 17, 100, 3000})
    for (const std::size_t every : {3000, 7})
      check_walks<std::uint16_t>(forest, data, n_rows, every);
}

// Trees of random cuts have thresholds of their own: 60 of them take several groups.
TEST(groups_of_trees_have_places_of_their_own) {
  const RandomData data(4000, 4, 0.1, 19);
  const Forest forest = forest_of(data, Splitter::RANDOM, 60);
  const CompiledForest& compiled = forest.compiled();
  CHECK(compiled.is_packed() && compiled.n_groups() > 1);
  CHECK(compiled.group_of(0) == 0 && compiled.group_of(59) + 1 == compiled.n_groups());
  for (std::size_t t = 1; t < 60; ++t) CHECK(compiled.group_of(t) - compiled.group_of(t - 1) <= 1);
  for (const std::size_t n_rows : {1, 100}) check_walks<std::uint16_t>(forest, data, n_rows, 7);
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

TEST(values_walk_where_thresholds_are_too_many) {
  const RandomData data(40000, 2, 0.1, 18);
  const Forest forest = forest_of(data, Splitter::RANDOM);
  CHECK(forest.compiled().is_wide());
  for (const std::size_t n_rows : {5, 16, 1000}) check_walks<double>(forest, data, n_rows, 7);
}
