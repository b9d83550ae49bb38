#include <algorithm>
#include <cmath>
#include <limits>

#include "bayeswood/safe_bayes/class_posterior.hpp"
#include "bayeswood/safe_bayes/leaf_counts.hpp"
#include "bayeswood/safe_bayes/number_posterior.hpp"
#include "bayeswood/safe_bayes/row_trees.hpp"
#include "bayeswood/safe_bayes/to_forest.hpp"
#include "check.hpp"
#include "even_prior.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

CutCodes grid_codes(const RandomData& data) {
  std::vector<CutCodes::Feature> features(data.d);
  for (std::size_t j = 0; j < data.d; ++j) {
    features[j].n_levels = data.n_levels[j];
    if (data.n_levels[j] > 0) continue;
    const double top = j % 4 == 1 ? 8 : 1;
    for (int e = 1; e < 200; ++e) features[j].edges.push_back(top * e / 200);
    for (int e = 0; e < 200; ++e) features[j].transform.push_back((e + 0.5) / 200);
  }
  return CutCodes(std::move(features));
}

PriorTrees some_trees(const RandomData& data, bool full, std::size_t n_trees = 40) {
  return PriorTrees({full, 6, 0.475, 500}, 7, n_trees, grid_codes(data), {});
}

std::vector<std::int32_t> counted(const PriorTrees& trees, const RandomData& data,
                                  const LeafKernels& kernels) {
  std::vector<std::int32_t> counts(trees.n_leaves() * 3, 0);
  add_counts(trees, {data.view(), data.labels, {}, 3}, 1, counts.data(), kernels, {});
  return counts;
}

}  // namespace

// Every tree over rows parts all that differ, its rules can be read again, and are read with care.
TEST(trees_over_rows_are_written_down_and_read) {
  const RandomData data(300, 8, 0.1, 5);
  const CutCodes codes = grid_codes(data);
  const RowCodes rows(codes, data.view(), 11);
  CHECK(rows.n_rows() == 300);
  const auto trees = draw_over_rows(codes, rows, 11, 12, 40, {});
  std::vector<std::int64_t> n_leaves;
  std::vector<std::uint32_t> rules;
  std::vector<std::uint64_t> sets;
  for (const PriorTree& tree : trees) {
    CHECK(tree.n_leaves == 40);
    n_leaves.push_back(tree.n_leaves);
    rules.insert(rules.end(), tree.rule.begin(), tree.rule.end());
    sets.insert(sets.end(), tree.set_words.begin(), tree.set_words.end());
  }
  const auto again = read_rules(codes, n_leaves, rules, sets);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    CHECK(again[t].rule == trees[t].rule && again[t].child == trees[t].child);
    CHECK(again[t].set_begin == trees[t].set_begin && again[t].set_words == trees[t].set_words);
  }
  const PriorTrees all(grid_codes(data), trees);
  std::vector<std::int32_t> counts = counted(all, data, portable_leaf_kernels());
  for (std::size_t leaf = 0; leaf < all.n_leaves(); ++leaf)
    CHECK(counts[3 * leaf] + counts[3 * leaf + 1] + counts[3 * leaf + 2] > 0);
  for (const std::uint32_t wrong : {0x7ffeU, 0xfffe0000U, PriorTree::LEAF_RULE}) {
    auto broken = rules;
    broken[0] = wrong;
    bool refused = false;
    try {
      read_rules(codes, n_leaves, broken, sets);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

TEST(both_ways_of_counting_agree_with_single_rows) {
  for (const double missing : {0.0, 0.1}) {
    for (const std::size_t d : {2, 8}) {  // without and with categories
      const RandomData data(1300, d, missing, 3);
      const MatrixView table = data.view();
      for (const bool full : {true, false}) {
        const PriorTrees trees = some_trees(data, full);
        std::vector<std::int64_t> leaf(data.n * trees.n_trees());
        find_leaves(trees, table, leaf.data(), portable_leaf_kernels(), {});
        std::vector<std::int32_t> expected(trees.n_leaves() * 3, 0);
        for (std::size_t i = 0; i < leaf.size(); ++i)
          ++expected[static_cast<std::size_t>(leaf[i]) * 3 + data.labels[i / trees.n_trees()]];
        CHECK(counted(trees, data, portable_leaf_kernels()) == expected);
        if (avx2_leaf_kernels() != nullptr)
          CHECK(counted(trees, data, *avx2_leaf_kernels()) == expected);
      }
    }
  }
}

TEST(the_forest_sends_rows_to_the_leaf_that_counted_them) {
  const RandomData data(700, 8, 0.1, 5);
  for (const bool full : {true, false}) {
    const PriorTrees trees = some_trees(data, full);
    const auto counts = counted(trees, data, portable_leaf_kernels());
    const ClassSummary summary = summarise_classes(trees, {counts, even_prior(3, 1.5), true}, {});
    std::vector<std::int32_t> n_rows;
    for (std::size_t l = 0; l < trees.n_leaves(); ++l)
      n_rows.push_back(counts[3 * l] + counts[3 * l + 1] + counts[3 * l + 2]);
    const LeafValues leaves{summary.probability, n_rows, 3, true};
    const Forest forest(forest_shape(trees, leaves), to_trees(trees, leaves, {}));
    for (std::size_t t = 0; t < forest.n_trees(); ++t)
      CHECK(check_tree(forest.tree(t), forest.shape()).empty());
    std::vector<double> draws(forest.n_trees() * data.n * 3);
    predict_draws(forest, data.view(), 1, {}, draws.data(), {});
    std::vector<std::int64_t> leaf(data.n * trees.n_trees());
    find_leaves(trees, data.view(), leaf.data(), portable_leaf_kernels(), {});
    for (std::size_t t = 0; t < trees.n_trees(); ++t) {
      for (std::size_t i = 0; i < data.n; ++i) {
        const auto l = static_cast<std::size_t>(leaf[i * trees.n_trees() + t]);
        for (std::size_t c = 0; c < 3; ++c)
          CHECK(draws[(t * data.n + i) * 3 + c] == summary.probability[l * 3 + c]);
      }
    }
  }
}

TEST(adding_and_taking_away_leaves_nothing) {
  const RandomData data(900, 5, 0.05, 9);
  const PriorTrees trees = some_trees(data, true);
  auto counts = counted(trees, data, portable_leaf_kernels());
  add_counts(trees, {data.view(), data.labels, {}, 3}, -1, counts.data(), portable_leaf_kernels(),
             {});
  CHECK(std::all_of(counts.begin(), counts.end(), [](std::int32_t n) { return n == 0; }));
}

TEST(leaving_out_a_row_is_taking_it_away) {
  const RandomData data(120, 5, 0.05, 11);
  for (const bool full : {true, false}) {
    const PriorTrees trees = some_trees(data, full, 5);
    auto counts = counted(trees, data, portable_leaf_kernels());
    std::vector<double> left(trees.n_trees() * data.n * 3);
    leave_one_out_classes(trees, {counts, even_prior(3, 0.9), true}, data.view(), data.labels,
                          left.data(), portable_leaf_kernels(), {});
    for (std::size_t i = 0; i < data.n; i += 17) {
      const MatrixView row(data.cells.data() + i * data.d, false, 1, data.d,
                           static_cast<std::ptrdiff_t>(data.d), 1);
      const std::span<const std::int32_t> label(&data.labels[i], 1);
      auto others = counts;
      add_counts(trees, {row, label, {}, 3}, -1, others.data(), portable_leaf_kernels(), {});
      const ClassSummary summary = summarise_classes(trees, {others, even_prior(3, 0.9), true}, {});
      std::vector<std::int64_t> leaf(trees.n_trees());
      find_leaves(trees, row, leaf.data(), portable_leaf_kernels(), {});
      for (std::size_t t = 0; t < trees.n_trees(); ++t) {
        for (std::size_t c = 0; c < 3; ++c) {
          const double expected = summary.probability[static_cast<std::size_t>(leaf[t]) * 3 + c];
          CHECK(std::abs(left[(t * data.n + i) * 3 + c] - expected) < 1e-12);
        }
      }
    }
  }
}

TEST(sums_of_squares_of_large_numbers_are_exact) {
  LeafSums sums{};
  const std::int64_t value = (1 << 30) - 1;
  for (int i = 0; i < 1000; ++i) add_value(value, 1, sums);
  const NormalInverseGamma model({0.5, 2, 1, 1e-9}, 1000);
  const NumberPredictive p = model.predictive(sums);
  // All equal: the spread is that of the prior and of the shift from the prior mean alone.
  const double mean = 1e-9 * static_cast<double>(value);
  const double scale = 1 + 0.5 * 0.5 * 1000 / 1000.5 * mean * mean;
  CHECK(std::abs(p.variance - scale / 501 * 1001.5 / 1000.5) < 1e-12);
  add_value(value, -1000, sums);
  CHECK(sums.n == 0 && sums.sum == 0 && sums.squares_high == 0 && sums.squares_low == 0);
}
