#include "bayeswood/forest/shrinkage.hpp"
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
