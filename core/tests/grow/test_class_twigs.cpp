// Lists of classes that are kept down the tree, and twigs, must give the trees of the portable way,
// which sorts a node's rows for the features it looks at. Where the machine has no AVX-512, nothing
// is compared.
#include <algorithm>

#include "bayeswood/grow/cart.hpp"
#include "bayeswood/grow/search/search_choice.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

// Numbers without gaps; of nine columns one has five values, and one is the one before once more,
// so that cuts of different features are equally good.
RandomData class_table(std::size_t n, std::size_t d, std::uint32_t n_classes) {
  RandomData data(n, d, 0.0, n + d);
  std::fill(data.n_levels.begin(), data.n_levels.end(), 0);
  Stream stream(n + d, 1, Purpose::RULES);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      double& cell = data.cells[i * d + j];
      cell = stream.next_uniform();
      if (j % 9 == 4) cell = std::floor(5 * cell);
      if (j % 9 == 6) cell = data.cells[i * d + j - 1];
    }
    const double shifted = n_classes * (0.8 * data.cells[i * d] + 0.2 * stream.next_uniform());
    data.labels[i] = static_cast<std::int32_t>(shifted) % static_cast<std::int32_t>(n_classes);
  }
  return data;
}

void check_same_trees(const EncodedMatrix& matrix, const Target& target, GrowOptions options) {
  options.keep_rows = true;
  const auto grown = [&](const Kernels& kernels) {
    options.kernels = &kernels;
    return grow_forest({matrix, target, {}, {}, 0, 2}, options, {});
  };
  const GrownForest slow = grown(portable_kernels());
  const GrownForest fast = grown(*avx512_kernels());
  CHECK(slow.importances == fast.importances);
  for (std::size_t t = 0; t < slow.trees.size(); ++t) {
    CHECK(slow.trees[t].feature == fast.trees[t].feature);
    CHECK(slow.trees[t].leaf_value == fast.trees[t].leaf_value);
    CHECK(slow.trees[t].leaf_rows == fast.trees[t].leaf_rows);
    for (std::size_t i = 0; i < slow.trees[t].n_nodes(); ++i)
      CHECK(slow.trees[t].feature[i] == LEAF ||
            slow.trees[t].threshold[i] == fast.trees[t].threshold[i]);
  }
}

void check_all_weights(const EncodedMatrix& matrix, const Target& target) {
  const auto d = static_cast<std::uint32_t>(matrix.n_features());
  for (const auto kind : {WeightKind::EXPONENTIAL, WeightKind::BOOTSTRAP, WeightKind::UNIT}) {
    for (const std::uint32_t leaf : {1U, 3U}) {
      GrowOptions options;
      options.scheme = {kind, 5};
      options.min_samples_leaf = leaf;
      options.max_features = leaf == 3 ? d : d / 4 + 1;
      options.kernels = avx512_kernels();
      CHECK(SearchChoice(matrix, target, options).grows_class_twigs());
      check_same_trees(matrix, target, options);
    }
  }
}

}  // namespace

TEST(twigs_of_classes_are_the_portable_trees) {
  if (avx512_kernels() == nullptr) return;
  for (const std::size_t n : {17, 300, 1024, 1025, 2200}) {
    for (const std::size_t d : {1, 4, 10}) {
      for (const std::uint32_t n_classes : {3U, 30U}) {
        const RandomData data = class_table(n, d, n_classes);
        const EncodedMatrix matrix = data.encoded();
        check_all_weights(matrix, Target::classification(data.labels, n_classes, Criterion::GINI));
      }
    }
  }
}

TEST(twigs_of_entropy_are_the_portable_trees) {
  if (avx512_kernels() == nullptr) return;
  const RandomData data = class_table(2500, 9, 5);
  const EncodedMatrix matrix = data.encoded();
  check_all_weights(matrix, Target::classification(data.labels, 5, Criterion::ENTROPY));
}

TEST(rows_of_a_list_are_numbered_anew) {
  if (avx512_kernels() == nullptr) return;
  Stream stream(4, 0, Purpose::RULES);
  for (const std::uint32_t n : {1U, 15U, 16U, 17U, 300U}) {
    std::vector<std::uint16_t> number(n);
    for (std::uint32_t id = 0; id < n; ++id)
      number[id] = stream.below(3) == 0 ? NO_NUMBER : static_cast<std::uint16_t>(65534 - id);
    std::vector<SmallEntry> list, wanted, found(n + LIST_ROOM);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t id = n - 1 - i;
      list.push_back(make_entry<SmallEntry>(i, id));
      if (number[id] != NO_NUMBER) wanted.push_back(make_entry<SmallEntry>(i, number[id]));
    }
    avx512_kernels()->pick_list(list.data(), n, number.data(), found.data());
    CHECK(std::equal(wanted.begin(), wanted.end(), found.begin()));
  }
}
