// The prior over the trees of a sum (Chipman, George and McCulloch 2010, section 2.2), as a chain
// asks for it: node by node, over rows that hold slots.
//
// A node at depth d (the root: 0) that can be split is split with probability alpha (1 + d)^-beta.
// Its feature is drawn among those that vary in the node, uniformly or in proportion to the
// features' shares; a number is cut uniformly at one of the table's cuts that leave rows on both
// sides; of a category a subset of the L levels in the node goes left, uniformly over the 2^L - 2
// that leave neither side empty, and a fair coin says where each level goes that the node does not
// hold. Of a feature with missing values anywhere in the table, the missing ones go left or right
// with probability 1/2 each. A node in which no feature varies is a leaf with probability 1.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/sums/code_table.hpp"
#include "bayeswood/sums/row_loops.hpp"
#include "bayeswood/sums/sum_tree.hpp"

namespace bayeswood {

// A node's rows: those that hold its slot.
struct NodeRows {
  const Slot* slots;
  Slot slot;
};

class SumLaw {
 public:
  SumLaw(const CodeTable& table, const RowKernels& kernels, const ChipmanPrior& prior);

  const CodeTable& table() const { return table_; }
  const RowLoops& loops() const { return loops_; }
  // See RowLoops.
  void set_team(Team* team) { loops_.set_team(team); }
  // Of a node that is split, and of a leaf that could be.
  double log_split(std::uint32_t depth) const;
  double log_stop(std::uint32_t depth) const;
  double split_probability(std::uint32_t depth) const { return prior_.split_probability(depth); }

  // Shares of the features, which sum to 1; by default they are equal.
  void set_shares(std::span<const double> shares);
  bool has_shares() const { return !shares_.empty(); }

  // A tree of one leaf, with all rows.
  SumTree single_leaf() const;

  // The features that vary, looked for among those that vary in the parent.
  Varying find_varying(const NodeRows& rows, const Varying& parent) const;
  bool any_varies(const NodeRows& rows, const Varying& parent) const;
  const Varying& varying() const { return varying_; }  // in the table
  bool varies(const Varying& varying, std::uint32_t feature) const;
  // Sum of shares over the features that vary.
  double sum_varying(const Varying& varying, std::span<const double> shares) const;
  // Log of a varying feature's probability.
  double log_feature(const Varying& varying, std::uint32_t feature) const;

  // A rule from the prior of a node in which something varies; its log probability given the
  // feature.
  double draw(const NodeRows& rows, const Varying& varying, Stream& stream, Rule& rule) const;
  // The same of a rule that there is; -infinity where the node cannot have it.
  double log_cut(const NodeRows& rows, const Rule& rule) const;
  // Moves the cut of a number to another one near by: uniformly over those within a tenth of the
  // node's cuts. `log_back`: log probability of the way back less that of the way there. False if
  // there is no other cut.
  bool shift(const NodeRows& rows, Stream& stream, Rule& rule, double& log_back) const;
  // Gives those of the rows that go right another slot; their number.
  std::size_t split(const NodeRows& rows, const Rule& rule, Slot right, Slot* out) const;
  bool same(const Rule& a, const Rule& b) const;
  // The rule as a tree outside the chain has it: where training has no missing values they go to
  // the larger side, and levels that the node does not hold (`in_node`: whether a slot is one of
  // its leaves') follow them.
  Rule settled(const Rule& rule, const Slot* slots, const std::bitset<MOST_SLOTS>& in_node,
               std::uint32_t n_left, std::uint32_t n_right) const;

  CodeRange range(const NodeRows& rows, std::uint32_t feature) const;
  std::vector<std::int32_t> present_levels(const NodeRows& rows, std::uint32_t feature) const;

 private:
  template <class IsIn>
  std::vector<std::int32_t> levels_where(const Slot* slots, std::uint32_t feature,
                                         IsIn is_in) const;
  std::uint32_t draw_feature(const Varying& varying, Stream& stream) const;
  double log_subset(std::uint32_t feature, std::size_t n_present) const;

  const CodeTable& table_;
  RowLoops loops_;
  ChipmanPrior prior_;
  std::vector<double> shares_;
  Varying varying_;
  std::vector<double> log_split_, log_stop_;  // by depth
};

}  // namespace bayeswood
