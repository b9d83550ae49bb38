// The priors over trees as a Markov chain needs them: rules drawn and measured, node by node.
//
// Chipman: see tree_prior.hpp. Denison, Holmes, Mallick and Smith: the same weight for every
// number of leaves k and each of its Catalan(k - 1) shapes; the feature uniform over all features;
// a numeric cut uniform over the feature's distinct training values but the largest; a category's
// left set uniform over the 2^L - 2 subsets of the L levels seen in training that leave neither
// side empty; a coin for missing values as in Chipman's prior. Trees with an empty leaf have
// probability 0, so that what is left is not uniform over k.
//
// Denison's with the rules of the node: the same weights of k and of shapes; the feature uniform
// over those that have a rule in the node; a numeric cut, with the side of missing values, uniform
// over the node's own values that leave min_leaf rows on both sides; levels as in Chipman's prior.
// A rule lower down that is none of its node's after a change above has probability 0.
//
// State space. A rule of a category says for every level where it goes, also for those that its
// node does not hold: under Chipman's prior these are fair coins. They are summed out of all that
// is reported, but a change above the node may bring such levels into it, and then they are there.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/leaf/row_copies.hpp"
#include "bayeswood/sample/tree_prior.hpp"

namespace bayeswood {

enum class TreePriorKind : std::uint8_t { CHIPMAN, DENISON, DENISON_NODE };

// Buffers of one chain.
struct RuleScratch {
  std::vector<std::uint32_t> open;
  std::vector<std::int32_t> first;
  std::vector<std::uint8_t> marked;
  std::vector<std::uint32_t> varying;  // ascending
  std::vector<std::uint32_t> right;
  std::vector<std::uint64_t> seen;
  std::vector<std::uint64_t> ranked;   // rank and copies of a node's rows in one number
  std::vector<std::int32_t> distinct;  // ranks, ascending
};

// The lawful cuts of a number in a node under DENISON_NODE: for each side of the missing values
// (only the first where training has none) a range of places in RuleScratch::distinct.
struct NodeCuts {
  std::uint32_t begin[2] = {0, 0}, end[2] = {0, 0};
  std::uint32_t size(int side) const { return end[side] - begin[side]; }
  std::uint32_t size() const { return size(0) + size(1); }
};

// What dividing the rows of a node by a rule showed.
struct Division {
  bool lawful = false;  // whether the prior allows the rule there
  std::uint32_t n_left = 0;
  double log_rule = 0;    // prior of the rule, levels that are not in the node included
  double log_absent = 0;  // log of the number of ways to place these levels
  // Numeric, Chipman: neighbouring ranks in the node on both sides of the cut.
  std::int32_t gap_low = 0, gap_high = 0;
};

class TreeLaw {
 public:
  // `min_leaf` and `copies` are those of the chains; only DENISON_NODE asks for them.
  TreeLaw(const RankedTable& table, TreePriorKind kind, const ChipmanPrior& prior,
          const RowCopies& copies, std::int64_t min_leaf = 1);

  const RankedTable& table() const { return table_; }
  TreePriorKind kind() const { return kind_; }
  bool is_chipman() const { return kind_ == TreePriorKind::CHIPMAN; }
  // Whether rules depend on the rows of their node.
  bool is_local() const { return kind_ != TreePriorKind::DENISON; }
  const ChipmanPrior& chipman() const { return prior_; }

  // Chipman's factors of a node that is split, and of a leaf that could be; 0 under Denison's
  // prior.
  double log_split(std::uint32_t depth) const;
  double log_stop(std::uint32_t depth) const;
  // Denison's factor of the shapes with so many leaves; 0 under Chipman's prior.
  double log_shape(std::uint32_t n_leaves) const;

  // Whether the prior could split the node; true where its rules ask no node.
  bool can_vary(Rows rows, RuleScratch& scratch) const;
  // Features that have a rule in the node, into scratch.varying; their number. Where rules ask no
  // node: of no use, 0.
  std::uint32_t find_varying(Rows rows, RuleScratch& scratch) const;

  // A rule from the prior, after find_varying; false where the drawn feature has no cut at all.
  bool draw(Rows rows, RuleScratch& scratch, Stream& stream, Rule& rule) const;
  // The same given its feature.
  bool draw_of(std::uint32_t feature, Rows rows, RuleScratch& scratch, Stream& stream,
               Rule& rule) const;

  // A rule near another of the same node: a cut a few of the node's values away, one level or the
  // missing values on the other side. False if there is none in the direction drawn. `log_back`:
  // log of the density of the way back less that of the way there.
  bool shift(const Rule& from, Rows rows, RuleScratch& scratch, Stream& stream, Rule& rule,
             double& log_back) const;

  // Divides the rows, left ones first, and measures the rule in a node with `n_varying` features.
  Division divide(const Rule& rule, std::span<std::uint32_t> rows, std::uint32_t n_varying,
                  RuleScratch& scratch) const;

  bool same(const Rule& a, const Rule& b) const;
  // The rule as a tree outside the chain has it: levels and missing values that the node has not
  // seen go where settle_unseen sends them.
  Rule settled(const Rule& rule, Rows rows, std::int64_t n_left, std::int64_t n_right) const;
  // Log of the length of the thresholds that divide a node's rows alike; 0 where cuts are discrete.
  double log_gap(const Rule& rule, std::int32_t gap_low, std::int32_t gap_high) const;

 private:
  bool draw_chipman(std::uint32_t feature, Rows rows, RuleScratch& scratch, Stream& stream,
                    Rule& rule) const;
  bool draw_denison(std::uint32_t feature, Stream& stream, Rule& rule) const;
  bool draw_node_cut(std::uint32_t feature, Rows rows, RuleScratch& scratch, Stream& stream,
                     Rule& rule) const;
  void draw_node_levels(std::uint32_t feature, Rows rows, RuleScratch& scratch, Stream& stream,
                        Rule& rule) const;
  NodeCuts find_cuts(std::uint32_t feature, Rows rows, RuleScratch& scratch) const;
  bool has_cut(std::uint32_t feature, Rows rows, RuleScratch& scratch) const;
  bool shift_cut(const Rule& from, Rows rows, Stream& stream, Rule& rule, double& log_back) const;
  void shift_level(Rows rows, RuleScratch& scratch, Stream& stream, Rule& rule) const;
  Division divide_numbers(const Rule& rule, std::span<std::uint32_t> rows,
                          RuleScratch& scratch) const;
  Division divide_levels(const Rule& rule, std::span<std::uint32_t> rows,
                         RuleScratch& scratch) const;
  void find_seen(const std::int32_t* column, Rows rows, RuleScratch& scratch,
                 std::size_t n_words) const;

  const RankedTable& table_;
  TreePriorKind kind_;
  ChipmanPrior prior_;
  RowCopies copies_;
  std::int64_t min_leaf_;
  std::vector<double> log_split_, log_stop_;       // by depth
  std::vector<double> log_shape_;                  // by leaves, from 1 on; empty if Chipman's
  std::vector<double> log_count_;                  // log of 0 .. n_features
  std::vector<double> log_denison_;                // of a rule, by feature
  std::vector<std::vector<std::int32_t>> levels_;  // seen in training, by feature
};

}  // namespace bayeswood
