// The prior over trees of Chipman, George and McCulloch (1998), node by node (Lakshminarayanan, Roy
// and Teh 2013, eqs 4 and 5), and the rules that nodes may have.
//
// A node at depth d (the root: 0) that can be split is split with probability
// alpha / (1 + d)^beta. Its feature is uniform over those that vary among its rows: at least two
// distinct values that are not missing, or two levels. A numeric cut is uniform over
// [least, largest) of the node's values, on the user's own scale. A category sends a subset of the
// L levels present in the node left, uniform over the 2^L - 2 subsets that leave neither side
// empty. Of a feature with missing values anywhere in the training table, the missing ones go left
// or right with probability 1/2 each. A node in which no feature varies is a leaf with
// probability 1.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/sample/ranked_table.hpp"

namespace bayeswood {

struct ChipmanPrior {
  double alpha = 0.95;
  double beta = 0.5;
  double split_probability(std::uint32_t depth) const {
    return alpha * std::pow(1.0 + depth, -beta);
  }
};

// Least and largest rank of a feature among the rows of a node; `low` < `high` where it varies.
struct Extent {
  std::int32_t low, high;
};

// The features that vary in a node, in ascending order, and their extents.
struct NodeExtents {
  std::vector<std::uint32_t> feature;
  std::vector<Extent> extent;

  std::size_t n_varying() const { return feature.size(); }
  bool splits() const { return !feature.empty(); }
  // Place of a feature in these lists; n_varying() where it does not vary.
  std::size_t find(std::uint32_t j) const;
};

using Rows = std::span<const std::uint32_t>;

NodeExtents find_extents(const RankedTable& table, Rows rows);
// The same for rows that are part of a node's: only what varies there can vary here.
NodeExtents find_extents(const RankedTable& table, Rows rows, const NodeExtents& parent);

struct Rule {
  std::uint32_t feature = 0;
  std::int32_t cut = 0;  // numeric: ranks <= cut go left
  double threshold = 0;  // numeric: from the value of `cut` on, below the next value in the node
  bool missing_left = false;
  std::vector<std::uint64_t> left_levels;  // category: bit = level; empty for numeric rules

  bool goes_left(std::int32_t rank) const {
    if (rank == MISSING_RANK) return missing_left;
    if (left_levels.empty()) return rank <= cut;
    return in_set(left_levels.data(), static_cast<std::uint32_t>(rank));
  }
};

// Uniform between two numbers; below `high` and not below `low` whatever the rounding.
double draw_between(double low, double high, double uniform);

// The levels of a category that the rows hold, ascending.
std::vector<std::int32_t> present_levels(const RankedTable& table, Rows rows,
                                         std::uint32_t feature);

// A feature that varies in the node, uniformly: its place in `extents`.
std::size_t draw_feature(const NodeExtents& extents, Stream& stream);
// The rest of the rule, given the feature's place.
Rule draw_rule_of(const RankedTable& table, Rows rows, const NodeExtents& extents,
                  std::size_t place, Stream& stream);
// A rule from the prior, for a node with a varying feature.
Rule draw_rule(const RankedTable& table, Rows rows, const NodeExtents& extents, Stream& stream);

// Sends a uniform subset of the levels left, so that neither side is empty.
void draw_levels(std::span<const std::int32_t> levels, std::int32_t n_levels, Rule& rule,
                 Stream& stream);

// A rule of a feature without missing values in training sends them to the larger side; levels that
// the node has not seen follow the missing values.
void settle_unseen(const RankedTable& table, std::span<const std::int32_t> present,
                   std::int64_t n_left, std::int64_t n_right, Rule& rule);

// Log of the prior density of a rule in a node that is split (numeric thresholds: with respect to
// length on the user's scale; the rest: probability). -inf where the node cannot have the rule.
double log_rule_probability(const RankedTable& table, Rows rows, const NodeExtents& extents,
                            const Rule& rule);
// Its parts: log of the length that a numeric cut is uniform over, log(2^L - 2) subsets.
double log_length(const RankedTable& table, std::uint32_t feature, const Extent& extent);
double log_subsets(std::size_t n_levels);

}  // namespace bayeswood
