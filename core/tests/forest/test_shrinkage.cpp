#include "bayeswood/forest/leaves/shrinkage.hpp"
#include "bayeswood/grow/cart.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

// Out-of-bag sums of two kinds of trees at one strength are those of the shrunk forest itself.
void check_shrinkage(const RandomData& data, const Target& target) {
  GrowOptions options;
  options.max_features = static_cast<std::uint32_t>(data.d);
  options.scheme = {WeightKind::EXPONENTIAL, 7};
  options.scheme.threshold = 0.5;
  options.kernels = &portable_kernels();
  const EncodedMatrix matrix = data.encoded();
  const Forest forest(data.shape(target),
                      grow_forest({matrix, target, {}, {}, 0, 5}, options, {1, {}}).trees);
  const double strength = 4;
  const Forest shrunk(forest.shape(), shrink_leaves(forest, strength, {2, {}}));
  for (std::size_t t = 0; t < forest.n_trees(); ++t)
    CHECK(check_tree(shrunk.tree(t), forest.shape()).empty());

  const OutOfBag bag{options.scheme, {}, 0, 0, 0};
  const std::size_t size = data.n * forest.n_outputs();
  const std::vector<double> strengths{0, strength};
  const std::vector<std::int32_t> kind{0, 1, 0, 1, 1};
  std::vector<double> sums(2 * 2 * size), plain(size), moved(size);
  std::vector<std::int32_t> counts(2 * data.n), all(data.n);
  predict_oob_shrunk(forest, data.view(), bag, {strengths, kind, 2}, sums.data(), counts.data(),
                     {3, {}});
  predict_oob(forest, data.view(), bag, false, plain.data(), all.data(), {});
  predict_oob(shrunk, data.view(), bag, false, moved.data(), all.data(), {});
  for (std::size_t i = 0; i < size; ++i) {
    CHECK(std::abs(sums[i] + sums[2 * size + i] - plain[i]) < 1e-9);
    CHECK(std::abs(sums[size + i] + sums[3 * size + i] - moved[i]) < 1e-9);
  }
  for (std::size_t i = 0; i < data.n; ++i) CHECK(counts[i] + counts[data.n + i] == all[i]);
}

}  // namespace

TEST(shrunk_leaves_are_lawful_and_summed_by_kind) {
  for (const std::size_t n : {1, 2, 30, 800}) {
    const RandomData data(n, 5, 0.1, n);
    check_shrinkage(data, Target::classification(data.labels, 3, Criterion::GINI));
    check_shrinkage(data, Target::regression(data.y, 1, {}));
  }
}

// Of 20 classes, 17 of them in the rows: leaves lack the others. Of the 17 alone every leaf has
// all.
TEST(shrunk_leaves_name_all_classes_once) {
  const RandomData data(400, 5, 0.1, 3);
  std::vector<std::int32_t> labels(data.n);
  for (std::size_t i = 0; i < data.n; ++i) labels[i] = static_cast<std::int32_t>(mix64(i) % 17);
  const EncodedMatrix matrix = data.encoded();
  for (const std::uint32_t n_classes : {17U, 20U}) {
    const Target target = Target::classification(labels, n_classes, Criterion::GINI);
    GrowOptions options;
    options.max_features = 2;
    options.kernels = &portable_kernels();
    const Forest forest(data.shape(target),
                        grow_forest({matrix, target, {}, {}, 0, 2}, options, {1, {}}).trees);
    const Forest shrunk(forest.shape(), shrink_leaves(forest, 3, {}));
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
      const Tree& tree = shrunk.tree(t);
      CHECK(check_tree(tree, forest.shape()).empty());
      CHECK(tree.leaf_value.size() == 17 * tree.n_leaves());
      CHECK(tree.leaf_class.size() == (n_classes == 17 ? 17 : tree.leaf_value.size()));
      for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf)
        for (std::int32_t c = 0; c < 17; ++c) CHECK(tree.classes_of(leaf)[c] == c);
    }
  }
}
