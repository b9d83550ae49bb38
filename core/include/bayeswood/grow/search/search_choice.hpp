// Which way searches the splits of a node: all of that is decided here. What trees lose without a
// way is measured in docs/performance.md.
//
//   way          class            serves
//   CANDIDATES   CandidateSearch  trees that draw among the best splits of all features
//   PAIR         PairSearch       nodes of two rows
//   HISTOGRAMS   HistogramSearch  numbers and two classes in nodes too large for a subtree
//   COUNTS       CountSearch      two classes of whole weights, few features at a node
//   WEIGHTS      WeightSearch     two classes of other weights, few features, not too few rows
//   PLAIN_LISTS  PlainSearch      numbers, most features at a node, eight lists at once
//   CLASSES      ClassSearch      several classes: their weights in lanes, few values in bins
//   LISTS        SortedSearch     everything else
//
// COUNTS, WEIGHTS and PLAIN_LISTS want plain features: no categories, no missing values.
#pragma once

#include <cstdint>

#include "bayeswood/grow/cart.hpp"

namespace bayeswood {

enum class Way {
  CANDIDATES,
  PAIR,
  HISTOGRAMS,
  COUNTS,
  WEIGHTS,
  PLAIN_LISTS,
  CLASSES,
  LISTS,
};

// Above this many rows a node of numbers is large, and its smaller child is grown first, whoever
// grows it: the order in which features are drawn is part of a seed's result.
constexpr std::uint32_t HISTOGRAM_ROWS = 12288;

class SearchChoice {
 public:
  SearchChoice(const EncodedMatrix& matrix, const Target& target, const GrowOptions& options);

  // Of a node that is grown from the whole table, and of one in a subtree. `counting`: the rows of
  // the tree have counts.
  Way in_table(bool counting) const;
  Way in_subtree(const NodeTotals& node, bool counting) const;

  // The rows that a subtree has at most.
  std::uint32_t subtree_rows(bool counting) const;
  // Subtrees keep the rows of all features sorted; PlainSearch, where it serves, and twigs too.
  bool keeps_lists() const { return keeps_lists_; }
  bool grows_twigs() const { return plain_lists_; }
  // Lists of classes are parted with AVX-512, and there are twigs too; the lists of a tree are
  // picked out of those of the whole table.
  bool grows_class_twigs() const { return class_twigs_; }
  // Nodes of the table look at all features, so that histograms go from parent to child.
  bool keeps_histograms() const { return keeps_histograms_; }
  // Rows of nodes of the table are moved to stand together, see moved_rows.hpp.
  bool moves_rows() const { return moves_rows_; }
  // Rows of whole weights are to be counted.
  bool may_count() const { return may_count_; }
  bool bins_weights() const { return bins_weights_; }

  // How the cuts of a node of several classes are scored: from lanes, else row by row; and whether
  // most of them are ruled out beforehand.
  struct ClassScores {
    bool in_lanes, screened;
  };
  bool may_screen() const { return may_screen_; }
  ClassScores class_scores(const NodeTotals& node, std::size_t n_present) const;
  // Classes: whether a feature is split from sums by code, else from a sorted list. `width`: of the
  // lanes, 0 without.
  bool sums_codes(const FeatureCodes& codes, std::uint32_t n_rows, std::uint32_t width) const;

 private:
  TargetKind kind_;
  std::uint32_t n_outputs_;
  bool has_categories_, draws_candidates_, keeps_lists_, keeps_histograms_, moves_rows_;
  bool may_count_, bins_weights_, plain_lists_, may_screen_, sums_codes_, class_twigs_;
};

}  // namespace bayeswood
