#include <algorithm>

#include "bayeswood/base/left_out.hpp"
#include "bayeswood/forest/leaves/leaf_responses.hpp"
#include "bayeswood/forest/walk/compiled_forest.hpp"
#include "bayeswood/grow/cart.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

GrowOptions options_for(const RandomData& data, WeightKind kind) {
  GrowOptions options;
  options.max_features = static_cast<std::uint32_t>(data.d);
  options.scheme = {kind, 7};
  options.keep_rows = true;
  options.kernels = &portable_kernels();
  return options;
}

GrownForest grow(const EncodedMatrix& matrix, const Target& target, const GrowOptions& options,
                 unsigned threads = 1) {
  return grow_forest({matrix, target, {}, {}, 0, 3}, options, {threads, {}});
}

GrownForest grow(const RandomData& data, const Target& target, const GrowOptions& options,
                 unsigned threads = 1) {
  return grow(data.encoded(), target, options, threads);
}

bool same(const Tree& a, const Tree& b) {
  const auto bits = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.feature == b.feature && a.leaf_value == b.leaf_value && a.leaf_rows == b.leaf_rows &&
         a.missing_left == b.missing_left && a.category_words == b.category_words &&
         std::equal(a.threshold.begin(), a.threshold.end(), b.threshold.begin(), b.threshold.end(),
                    bits);
}

// Every training row must reach the leaf that holds it.
void check_rows_reach_their_leaves(const RandomData& data, const Target& target,
                                   const GrownForest& grown) {
  const Forest forest(data.shape(target), grown.trees);
  std::vector<std::int32_t> leaf(data.n * forest.n_trees());
  apply(forest, data.view(), leaf.data(), {});
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const Tree& tree = forest.tree(t);
    CHECK(check_structure(tree, forest.shape()).empty());
    CHECK(check_tree(tree, forest.shape()).empty());
    std::size_t at = 0;
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      for (std::int32_t k = 0; tree.feature[i] == LEAF && k < tree.n_samples[i]; ++k) {
        CHECK(leaf[static_cast<std::size_t>(tree.leaf_rows[at++]) * forest.n_trees() + t] ==
              static_cast<std::int32_t>(i));
      }
    }
  }
}

void check_all_ways(const RandomData& data, const Target& target, Splitter splitter,
                    std::uint32_t min_samples_leaf) {
  const EncodedMatrix matrix = data.encoded();
  for (const auto kind : {WeightKind::EXPONENTIAL, WeightKind::BOOTSTRAP, WeightKind::UNIT}) {
    for (const std::uint32_t features : {1U, static_cast<std::uint32_t>(data.d)}) {
      GrowOptions options = options_for(data, kind);
      options.splitter = splitter;
      options.min_samples_leaf = min_samples_leaf;
      options.scheme.threshold = kind == WeightKind::EXPONENTIAL && features == 1 ? 0.3 : 0.0;
      options.max_features = features;
      const GrownForest grown = grow(matrix, target, options);
      check_rows_reach_their_leaves(data, target, grown);
      const GrownForest threaded = grow(matrix, target, options, 3);
      for (std::size_t t = 0; t < grown.trees.size(); ++t)
        CHECK(same(grown.trees[t], threaded.trees[t]));
      if (avx2_kernels() == nullptr) continue;
      options.kernels = avx2_kernels();
      const GrownForest fast = grow(matrix, target, options);
      for (std::size_t t = 0; t < grown.trees.size(); ++t)
        CHECK(same(grown.trees[t], fast.trees[t]));
    }
  }
}

void check_all_ways(const RandomData& data, const Target& target,
                    std::uint32_t min_samples_leaf = 1) {
  check_all_ways(data, target, Splitter::BEST, min_samples_leaf);
  check_all_ways(data, target, Splitter::RANDOM, min_samples_leaf);
}

}  // namespace

TEST(regression_trees_are_lawful_for_all_sizes) {
  for (const std::size_t n : {1, 2, 3, 17, 400, 9000}) {
    const RandomData data(n, 6, n % 2 == 0 ? 0.2 : 0.0, n);
    // Of the most rows, the large nodes matter: small ones are those of the other sizes.
    check_all_ways(data, Target::regression(data.y, 1, {}), n == 9000 ? 10 : 1);
  }
}

TEST(class_trees_are_lawful) {
  const RandomData data(700, 6, 0.1, 3);
  check_all_ways(data, Target::classification(data.labels, 3, Criterion::GINI));
  check_all_ways(data, Target::classification(data.labels, 3, Criterion::ENTROPY));
  std::vector<std::int32_t> binary(data.labels);
  for (auto& label : binary) label = label > 0;
  check_all_ways(data, Target::classification(binary, 2, Criterion::GINI));
}

TEST(nodes_beyond_16_bit_rows_are_lawful) {
  const RandomData data(70000, 4, 0.05, 5);
  GrowOptions options = options_for(data, WeightKind::EXPONENTIAL);
  options.min_samples_leaf = 500;
  for (const auto criterion : {Criterion::GINI, Criterion::ENTROPY}) {
    const Target target = Target::classification(data.labels, 3, criterion);
    check_rows_reach_their_leaves(data, target, grow(data, target, options));
  }
  options.splitter = Splitter::RANDOM;
  const Target target = Target::regression(data.y, 1, {});
  check_rows_reach_their_leaves(data, target, grow(data, target, options));
}

TEST(several_outputs_are_lawful) {
  const RandomData data(300, 5, 0.1, 4);
  std::vector<double> y;
  for (std::size_t i = 0; i < data.n; ++i) {
    y.push_back(data.y[i]);
    y.push_back(1e6 - data.y[i] * data.y[i]);
  }
  check_all_ways(data, Target::regression(y, 2, {}));
}

TEST(leaves_obey_the_limits) {
  const RandomData data(5000, 6, 0.1, 9);
  GrowOptions options = options_for(data, WeightKind::UNIT);
  options.min_samples_leaf = 20;
  options.min_weight_fraction_leaf = 0.01;
  options.max_depth = 6;
  const Target target = Target::regression(data.y, 1, {});
  for (const Tree& tree : grow(data, target, options).trees) {
    CHECK(tree.depth() <= 6);
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      CHECK(tree.n_samples[i] >= 50);  // one hundredth of 5,000 rows of weight 1
    }
  }
}

TEST(random_cuts_of_bins_send_no_row_astray) {
  const RandomData data(3000, 4, 0.1, 15);
  GrowOptions options = options_for(data, WeightKind::UNIT);
  options.splitter = Splitter::RANDOM;
  const EncodedMatrix matrix = data.encoded(20);
  const Target target = Target::regression(data.y, 1, {});
  check_rows_reach_their_leaves(data, target,
                                grow_forest({matrix, target, {}, {}, 0, 3}, options, {}));
}

TEST(trees_leave_out_what_predicts_out_of_bag) {
  const RandomData data(500, 4, 0.1, 16);
  std::vector<std::int32_t> groups(data.n);
  for (std::size_t i = 0; i < data.n; ++i) groups[i] = static_cast<std::int32_t>(i % 40);
  GrowOptions options = options_for(data, WeightKind::EXPONENTIAL);
  options.scheme = make_scheme("exponential", 7, 0.4, groups, data.n);
  const Target target = Target::regression(data.y, 1, {});
  const Forest forest(data.shape(target), grow(data, target, options).trees);
  std::vector<double> sums(data.n), mean(data.n), variance(data.n);
  std::vector<std::int32_t> counts(data.n), again(data.n), expected(data.n, 3);
  for (std::size_t t = 0; t < 3; ++t) {
    for (const auto row : forest.tree(t).leaf_rows) --expected[row];
  }
  const OutOfBag bag{options.scheme, {}};
  predict_oob(forest, data.view(), bag, false, sums.data(), counts.data(), {});
  predict_oob_moments(forest, data.view(), bag, {}, {mean.data(), variance.data()}, again.data(),
                      {});
  CHECK(counts == expected);
  CHECK(again == expected);
  for (std::size_t i = 0; i < data.n; ++i) {
    CHECK(counts[i] == counts[i % 40]);
    CHECK(counts[i] == 0 ? std::isnan(mean[i])
                         : std::abs(mean[i] - sums[i] / counts[i]) < 1e-12 && variance[i] >= 0);
  }
  LeafResponses responses(forest, data.y, {}, options.scheme, {});
  std::vector<double> leaves(responses.n_leaves());
  responses.leaf_variances(leaves.data(), {});
  for (const double v : leaves) CHECK(v >= 0);
}

TEST(a_threshold_keeps_a_row) {
  std::vector<double> weights(3);
  for (std::uint64_t tree = 0; tree < 50; ++tree) {
    draw_weights(make_scheme("exponential", 1, 100.0, {}, 3), tree, {}, weights);
    CHECK((weights[0] > 0) + (weights[1] > 0) + (weights[2] > 0) == 1);
  }
}

TEST(a_smaller_bootstrap_sample_is_the_beginning_of_a_larger) {
  const std::vector<double> weight{1, 0, 2, 0, 1};
  WeightScheme scheme = make_scheme("bootstrap", 5, 0.0, {}, 5);
  std::vector<double> all(5), fewer(5);
  draw_weights(scheme, 3, weight, all);
  CHECK(all[0] + all[2] + all[4] == 3 && all[1] == 0 && all[3] == 0);
  for (scheme.n_draws = 1; scheme.n_draws <= 3; ++scheme.n_draws) {
    std::vector<double> some(5);
    draw_weights(scheme, 3, weight, some);
    CHECK(some[0] + some[2] + some[4] == scheme.n_draws);
    for (std::size_t i = 0; i < 5; ++i) CHECK(some[i] >= fewer[i] && some[i] <= all[i]);
    fewer = some;
  }
  std::vector<bool> left_out(5);
  scheme.n_draws = 2;
  draw_left_out(scheme, 3, {}, left_out);
  CHECK(std::count(left_out.begin(), left_out.end(), false) <= 2);
}

TEST(some_rows_are_left_out_as_all_are) {
  const std::vector<std::int32_t> groups{0, 1, 1, 2, 3, 0}, rows{4, 1, 0};
  const std::vector<double> weight{1, 0, 1, 1, 1, 1};
  for (const double threshold : {0.3, 3.0, 30.0}) {  // at 30 all rows but one are left out
    for (const bool grouped : {false, true}) {
      for (const bool weighted : {false, true}) {
        const auto scheme = make_scheme("exponential", 7, threshold,
                                        grouped ? std::span(groups) : std::span<const int>{}, 6);
        const auto sample_weight = weighted ? std::span(weight) : std::span<const double>{};
        for (std::uint64_t tree = 0; tree < 20; ++tree) {
          std::vector<bool> all(6), some;
          draw_left_out(scheme, tree, sample_weight, all);
          draw_left_out_of(scheme, tree, sample_weight, 6, rows, some);
          CHECK(some == (std::vector<bool>{all[4], all[1], all[0]}));
        }
      }
    }
  }
}

TEST(a_forest_of_too_many_thresholds_predicts_the_same) {
  const RandomData data(9000, 4, 0.1, 17);
  const Target target = Target::regression(data.y, 1, {});
  GrowOptions options = options_for(data, WeightKind::UNIT);
  options.splitter = Splitter::RANDOM;
  const EncodedMatrix matrix = data.encoded();
  const auto trees = grow_forest({matrix, target, {}, {}, 0, 30}, options, {}).trees;
  const Forest all(data.shape(target), trees);
  const Forest few(data.shape(target), {trees[0], trees[1], trees[2]});
  CHECK(all.compiled().n_groups() > 1);
  CHECK(few.compiled().n_groups() == 1);
  std::vector<std::int32_t> a(data.n * 30), b(data.n * 3);
  apply(all, data.view(), a.data(), {});
  apply(few, data.view(), b.data(), {});
  for (std::size_t i = 0; i < data.n; ++i) {
    for (std::size_t t = 0; t < 3; ++t) CHECK(a[i * 30 + t] == b[i * 3 + t]);
  }
}

TEST(a_forest_too_large_to_pack_predicts_the_same) {
  const RandomData data(200, 4, 0.1, 11);
  const Target target = Target::regression(data.y, 1, {});
  const GrownForest grown = grow(data, target, options_for(data, WeightKind::EXPONENTIAL));
  ForestShape wide = data.shape(target);
  wide.n_features = 20000;  // more columns than 16 bits can name
  wide.n_levels.resize(20000, 0);
  std::vector<double> cells(data.n * 20000, 0.0);
  for (std::size_t i = 0; i < data.n; ++i) std::copy_n(&data.cells[i * 4], 4, &cells[i * 20000]);
  const Forest narrow_forest(data.shape(target), grown.trees);
  const Forest wide_forest(wide, grown.trees);
  CHECK(narrow_forest.compiled().is_packed());
  CHECK(!wide_forest.compiled().is_packed());
  CHECK(!wide_forest.compiled().is_wide());
  std::vector<std::int32_t> a(data.n * 3), b(data.n * 3);
  apply(narrow_forest, data.view(), a.data(), {});
  apply(wide_forest, {cells.data(), false, data.n, 20000, 20000, 1}, b.data(), {});
  CHECK(a == b);
}

// Three columns without categories, few looked at: classes in lanes and in bins, two classes by
// their sums.
TEST(plain_class_trees_are_lawful_on_every_way) {
  for (const std::size_t n : {2, 40, 250, 3000, 14000}) {
    for (const double missing : {0.0, 0.1}) {
      const RandomData data(n, 3, missing, n + 21);
      const EncodedMatrix matrix = data.encoded();
      for (const std::int32_t n_classes : {2, 3, 10, 16, 17}) {
        std::vector<std::int32_t> labels(n);
        for (std::size_t i = 0; i < n; ++i) {
          labels[i] = static_cast<std::int32_t>(std::abs(data.y[i]) * 1000) % n_classes;
        }
        const auto n_labels = static_cast<std::uint32_t>(n_classes);
        const Target target = Target::classification(labels, n_labels, Criterion::GINI);
        GrowOptions options = options_for(data, WeightKind::EXPONENTIAL);
        options.max_features = 1;
        // Bins of two classes want leaves of one row; those of others are large here.
        const std::uint32_t of_most = n_classes > 2 ? 20 : 1;
        options.min_samples_leaf = n == 250 ? 5 : n == 14000 ? of_most : 1;
        const GrownForest grown = grow(matrix, target, options);
        check_rows_reach_their_leaves(data, target, grown);
        if (avx2_kernels() == nullptr) continue;
        options.kernels = avx2_kernels();
        const GrownForest fast = grow(matrix, target, options);
        for (std::size_t t = 0; t < grown.trees.size(); ++t)
          CHECK(same(grown.trees[t], fast.trees[t]));
      }
    }
  }
}

// A constant feature cannot be cut, whatever dust rounding leaves right of its only bin.
TEST(constant_features_are_not_cut) {
  RandomData data(5000, 3, 0.0, 22);
  for (std::size_t i = 0; i < data.n; ++i) {
    for (std::size_t j = 0; j < data.d; ++j) data.cells[i * data.d + j] = 1.0;
  }
  for (const std::uint32_t n_classes : {2U, 3U}) {
    std::vector<std::int32_t> labels(data.n);
    for (std::size_t i = 0; i < data.n; ++i) labels[i] = static_cast<std::int32_t>(i % n_classes);
    const Target target = Target::classification(labels, n_classes, Criterion::GINI);
    GrowOptions options = options_for(data, WeightKind::EXPONENTIAL);
    options.max_features = 1;
    for (const Tree& tree : grow(data, target, options).trees) CHECK(tree.n_nodes() == 1);
  }
}
