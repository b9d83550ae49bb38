// Weighted CART: greedy binary splits that maximise the decrease of weighted impurity, grown until
// a node is pure or no cut leaves enough rows and weight on both sides (Taddy, Section 2.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/row_weights.hpp"
#include "bayeswood/forest/forest.hpp"
#include "bayeswood/grow/encoded_matrix.hpp"
#include "bayeswood/grow/rules/growth_rules.hpp"
#include "bayeswood/grow/search/scan.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

// BEST: the best of all cuts of the features looked at. RANDOM: the best of one random cut each.
enum class Splitter { BEST, RANDOM };

struct GrowOptions {
  Splitter splitter = Splitter::BEST;
  // Share of the trees that cut at random all the same, evenly among their numbers.
  double randomized_fraction = 0;
  std::uint32_t max_features = 1;  // features looked at per node; more only while none can be cut
  std::uint32_t min_samples_leaf = 1;
  std::uint32_t min_samples_split = 2;  // a node of fewer rows is a leaf
  double min_weight_fraction_leaf = 0;
  std::uint32_t max_depth = 0;  // 0: no limit
  // Above 0: a node is split by one of so many best splits over all features, drawn uniformly.
  // Entropy only.
  std::uint32_t n_candidates = 0;
  bool keep_rows = false;
  // Else the lowest feature wins a tie, as it always does in nodes split from a histogram of all
  // features.
  bool random_ties = true;
  // With the best splitter and no candidates; trees that cut at random keep the monotone ones.
  GrowthRules rules;
  WeightScheme scheme;
  const Kernels* kernels = nullptr;
};

// How the tree of a number is to be cut, whatever trees are grown beside it.
Splitter splitter_of(const GrowOptions& options, std::uint64_t number);

struct GrowRequest {
  const EncodedMatrix& matrix;
  const Target& target;
  std::span<const double> sample_weight;  // empty: all ones
  std::span<const double> given_weights;  // n_trees x n_rows for WeightKind::GIVEN
  std::uint64_t first_tree = 0;
  std::size_t n_trees = 1;
};

struct GrownForest {
  std::vector<Tree> trees;
  std::vector<double>
      importances;  // n_trees x n_features, decrease as a share of the root's impurity
};

GrownForest grow_forest(const GrowRequest& request, const GrowOptions& options, const Running& run);

}  // namespace bayeswood
