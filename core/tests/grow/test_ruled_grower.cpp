#include <algorithm>

#include "bayeswood/grow/cart.hpp"
#include "bayeswood/grow/rules/ruled_search.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

GrowOptions options_with(const RandomData& data, const GrowthRules& rules, WeightKind kind) {
  GrowOptions options;
  options.max_features = static_cast<std::uint32_t>(data.d);
  options.scheme = {kind, 7};
  options.keep_rows = true;
  options.kernels = &portable_kernels();
  options.rules = rules;
  return options;
}

// Every training row must reach the leaf that holds it, in lawful trees.
void check_grown(const RandomData& data, const Target& target, const GrownForest& grown) {
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

void check_all_rules(const RandomData& data, const Target& target, bool can_be_ordered) {
  const EncodedMatrix matrix = data.encoded();
  std::vector<GrowthRules> tried(5);
  tried[0].max_leaf_nodes = 9;
  tried[1].ccp_alpha = 1e-3;
  tried[2].min_impurity_decrease = 1e-3;
  tried[3].interactions = {{0, 1, 2}, {3}};
  tried[4].max_leaf_nodes = 20;
  if (can_be_ordered) tried[4].monotone = {1, -1, 0, 0};
  for (const auto& rules : tried) {
    for (const auto kind : {WeightKind::EXPONENTIAL, WeightKind::BOOTSTRAP, WeightKind::UNIT}) {
      const GrowOptions options = options_with(data, rules, kind);
      const GrownForest grown = grow_forest({matrix, target, {}, {}, 0, 3}, options, {2, {}});
      check_grown(data, target, grown);
      for (const auto& tree : grown.trees)
        CHECK(rules.max_leaf_nodes == 0 || tree.n_leaves() <= rules.max_leaf_nodes);
    }
  }
}

}  // namespace

TEST(ruled_trees_are_lawful) {
  for (const double missing : {0.0, 0.2}) {
    const RandomData data(250, 4, missing, 3);
    std::vector<double> positive(data.y);
    for (double& y : positive) y = y * y;
    std::vector<std::int32_t> binary(data.labels);
    for (auto& label : binary) label = std::min(label, 1);
    check_all_rules(data, Target::regression(data.y, 1, {}), true);
    check_all_rules(data, Target::regression(data.y, 1, {}, Criterion::ABSOLUTE_ERROR), true);
    check_all_rules(data, Target::regression(positive, 1, {}, Criterion::POISSON), true);
    for (const auto criterion : {Criterion::GINI, Criterion::ENTROPY}) {
      check_all_rules(data, Target::classification(binary, 2, criterion), true);
      check_all_rules(data, Target::classification(data.labels, 3, criterion), false);
    }
  }
}

TEST(random_cuts_keep_the_order) {
  const RandomData data(250, 4, 0.1, 3);
  const EncodedMatrix matrix = data.encoded();
  std::vector<std::int32_t> binary(data.labels);
  for (auto& label : binary) label = std::min(label, 1);
  GrowthRules rules;
  rules.monotone = {1, -1, 0, 0};
  GrowOptions options = options_with(data, rules, WeightKind::BOOTSTRAP);
  options.splitter = Splitter::RANDOM;
  for (const Target& target :
       {Target::regression(data.y, 1, {}), Target::classification(binary, 2, Criterion::GINI)}) {
    const GrownForest grown = grow_forest({matrix, target, {}, {}, 0, 3}, options, {2, {}});
    check_grown(data, target, grown);
  }
}

TEST(a_weighted_median_may_lie_in_a_gap) {
  std::vector<WeightedValue> even{{1, 4}, {1, 2}, {1, 8}, {1, 3}};
  CHECK(weighted_median(even) == 3.5);
  std::vector<WeightedValue> heavy{{1, 4}, {5, 2}, {1, 8}};
  CHECK(weighted_median(heavy) == 2);
}
