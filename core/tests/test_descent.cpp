#include "bayeswood/forest/compiled_forest.hpp"
#include "bayeswood/forest/walk_tree.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

Forest forest_of(const RandomData& data, Splitter splitter) {
  const Target target = Target::regression(data.y, 1, {});
  GrowOptions options;
  options.max_features = static_cast<std::uint32_t>(data.d);
  options.scheme = {WeightKind::EXPONENTIAL, 3};
  options.splitter = splitter;
  options.kernels = &portable_kernels();
  const EncodedMatrix matrix = data.encoded();
  return {data.shape(target), grow_forest({matrix, target, {}, {}, 0, 3}, options, {}).trees};
}

// Walks over these places of a block find the leaves of a walk row by row.
template <class Cell>
void check_walks(const Forest& forest, const RandomData& data, std::size_t n_rows,
                 std::size_t every) {
  const CompiledForest& compiled = forest.compiled();
  std::vector<Cell> cells(compiled.layout(n_rows).n_cells());
  compiled.encode(data.view(), 0, n_rows, cells.data());
  std::vector<std::uint32_t> places, going;
  for (std::uint32_t i = 0; i < n_rows; ++i)
    if (i % every != 1) places.push_back(i);
  std::vector<std::uint32_t> leaf(places.size());
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
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

TEST(values_walk_where_thresholds_are_too_many) {
  const RandomData data(40000, 2, 0.1, 18);
  const Forest forest = forest_of(data, Splitter::RANDOM);
  CHECK(forest.compiled().is_wide());
  for (const std::size_t n_rows : {5, 16, 1000}) check_walks<double>(forest, data, n_rows, 7);
}
