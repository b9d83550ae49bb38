// The best split of a node, by the way that SearchChoice names for it.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/grow/search/candidates/candidate_search.hpp"
#include "bayeswood/grow/search/classes/class_search.hpp"
#include "bayeswood/grow/search/histograms/histogram.hpp"
#include "bayeswood/grow/search/lists/plain_search.hpp"
#include "bayeswood/grow/search/lists/sorted_search.hpp"
#include "bayeswood/grow/search/pair_search.hpp"
#include "bayeswood/grow/search/search_choice.hpp"
#include "bayeswood/grow/search/two_classes/count_search.hpp"
#include "bayeswood/grow/search/two_classes/weight_search.hpp"

namespace bayeswood {

// Of nodes in a subtree.
class SubtreeSearch {
 public:
  SubtreeSearch(const Subtree& subtree, const SearchChoice& choice);

  // By feature: how far the tree trusts a category, see level_trust.hpp.
  void set_trust(const double* trust);
  // After another subtree was loaded.
  void load();

  Split best(const SmallNode& node, TreeContext& tree);
  // Where the classes of the node that was searched last stand in lanes; else null.
  ClassLanes* lanes() { return classes_.lanes(); }
  ClassLanes* waiting() { return classes_.waiting(); }
  // Of a node that another grower takes.
  void drop(std::uint32_t n_pushed) { classes_.drop(n_pushed); }

 private:
  const Subtree& subtree_;
  const SearchChoice& choice_;
  CandidateSearch<NodeLists> candidates_;
  PairSearch pairs_;
  CountSearch<LocalRows> counts_;
  WeightSearch weights_;
  PlainSearch plain_;
  ClassSearch classes_;
  SortedSearch<NodeLists> lists_;
};

// Of nodes too large for one.
class TableSearch {
 public:
  // `rows`: by training row.
  TableSearch(const EncodedMatrix& matrix, const Target& target, const RowData& rows,
              const SearchChoice& choice);

  // Finds out how far the tree trusts each category; by feature.
  const double* set_trust(const LargeNode& root);

  // `histogram`: of all features, where they are kept.
  Split best(const LargeNode& node, const Histogram* histogram, TreeContext& tree);
  void fill_all(const LargeNode& node, Histogram& histogram) const;

 private:
  double trust(const LargeNode& root, std::uint32_t feature);

  const EncodedMatrix& matrix_;
  const Target& target_;
  const SearchChoice& choice_;
  std::vector<std::uint32_t> features_;  // all
  std::vector<double> trust_;            // by feature, in categories
  LevelSearch levels_;
  CandidateSearch<TableLists> candidates_;
  CountSearch<TableRows> counts_;
  HistogramSearch histograms_;
  SortedSearch<TableLists> lists_;
};

}  // namespace bayeswood
