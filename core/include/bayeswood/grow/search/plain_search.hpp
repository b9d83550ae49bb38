// The best split of a node of numbers from the sorted lists of plain features: no categories, no
// missing values.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/grow/node.hpp"

namespace bayeswood {

// Sorted lists of a node's rows, by feature.
struct PlainLists {
  const SmallEntry* first;
  std::size_t stride;
  const SmallEntry* of(std::uint32_t feature) const { return first + feature * stride; }
};

// Numbers that SmallGrower's lanes would find from the same lists, bit for bit.
class PlainSearch {
 public:
  struct Found {
    double score = NO_SCORE;
    std::uint32_t feature = 0;
    std::uint32_t position = 0;  // the last entry that goes left
    bool found() const { return score > NO_SCORE; }
  };

  explicit PlainSearch(std::size_t n_features) : features_(n_features), lists_(n_features) {}

  // Where the machine scans eight lists at once.
  static bool fits(const EncodedMatrix& matrix, const Target& target, const GrowOptions& options) {
    return options.kernels != nullptr && options.kernels->scan_wide != nullptr &&
           target.kind == TargetKind::SCALAR && !matrix.has_categories() && !matrix.has_missing() &&
           options.n_candidates == 0;
  }

  Found search(TreeContext& tree, const NodeTotals& node, const WeightedValue* pair,
               const PlainLists& lists);

  // Where two rows are all that is left.
  Found separate_pair(TreeContext& tree, const NodeTotals& node, const WeightedValue* pair,
                      const PlainLists& lists);

  static Split split_of(const Found& found, const PlainLists& lists);

 private:
  struct Task {
    const NodeTotals& node;
    const WeightedValue* pair;
    Limits limits;
    const Kernels& kernels;
  };
  Found best_of(const Task& task, std::uint32_t n_lists) const;
  template <class Lanes, class Scan>
  void scan(const Task& task, Scan scan, std::uint32_t begin, std::uint32_t n_lists,
            Found& best) const;

  std::vector<std::uint32_t> features_;  // in the order drawn, with their lists
  std::vector<const SmallEntry*> lists_;
};

}  // namespace bayeswood
