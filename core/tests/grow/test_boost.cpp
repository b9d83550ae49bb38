#include "bayeswood/forest/walk/walk_tree.hpp"
#include "bayeswood/grow/boost.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

struct Settings {
  std::uint32_t n_outputs = 1;
  std::uint32_t max_features = 3;
  bool weighted = false;
  std::vector<std::int8_t> monotone = {};
};

// Trees are lawful, and what bags say of the rows they left out is what walks down them say.
void check_bags(const RandomData& data, const Settings& settings, unsigned n_threads) {
  const EncodedMatrix matrix = data.encoded();
  std::vector<double> y, weights;
  for (std::size_t i = 0; i < data.n; ++i) {
    for (std::uint32_t k = 0; k < settings.n_outputs; ++k) y.push_back(data.y[i] * (k + 1.0));
    if (settings.weighted) weights.push_back(0.5 + data.y[i] * data.y[i]);
  }
  WeightScheme scheme{WeightKind::SUBSAMPLE, 7};
  scheme.threshold = 0.4;
  BoostOptions options;
  options.stage = {settings.max_features, 1, 5, 0, 7, settings.monotone};
  options.n_bags = 3;
  BoostedBags bags(matrix, {y, settings.n_outputs, weights}, scheme, options, {n_threads, {}});
  bags.grow(4, std::vector<std::size_t>{0, 1, 2}, {n_threads, {}});
  const ForestShape shape{static_cast<std::int32_t>(data.d),
                          static_cast<std::int32_t>(settings.n_outputs), false, data.n_levels};
  std::vector<double> sums(y.size()), expected(y.size());
  std::vector<std::int32_t> counts(data.n);
  bags.out_of_bag(sums.data(), counts.data());
  std::vector<bool> left_out(data.n);
  for (std::size_t b = 0; b < bags.n_bags(); ++b) {
    draw_left_out(scheme, b, {}, left_out);
    for (const auto& tree : bags.trees(b)) {
      CHECK(check_tree(*tree, shape).empty());
      for (std::size_t i = 0; i < data.n; ++i) {
        if (!left_out[i]) continue;
        const std::uint32_t leaf = tree->child[walk_tree(*tree, shape, data.view(), i)];
        for (std::size_t k = 0; k < settings.n_outputs; ++k)
          expected[i * settings.n_outputs + k] += tree->leaf_value[leaf * settings.n_outputs + k];
      }
    }
  }
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(sums[i] - expected[i]) < 1e-9);
}

}  // namespace

TEST(monotone_bags_know_what_they_left_out) {
  for (const bool weighted : {false, true})
    check_bags(RandomData(400, 4, 0.1, 5), {1, 4, weighted, {1, -1, 0, 0}}, 2);
}

TEST(boosted_bags_are_lawful_and_know_rows_left_out) {
  for (const std::size_t n : {2, 3, 40, 1500}) {
    const RandomData data(n, 6, 0.1, n);
    for (const std::uint32_t max_features : {1U, 3U, 6U}) {
      check_bags(data, {1, max_features, false}, 1);
      check_bags(data, {1, max_features, true}, 2);
      check_bags(data, {3, max_features, true}, 1);
    }
  }
}

TEST(bins_are_few_and_hold_all_codes) {
  for (const std::uint32_t heavy : {1U, 50U, 100000U}) {
    std::vector<std::uint32_t> rows(700, 1);
    for (std::size_t code = 3; code < rows.size(); code += 7) rows[code] = heavy;
    const std::vector<std::uint16_t> last = share_out(rows);
    CHECK(last.size() <= MOST_BINS);
    CHECK(last.back() == rows.size() - 1);
    for (std::size_t bin = 1; bin < last.size(); ++bin) CHECK(last[bin] > last[bin - 1]);
  }
}
