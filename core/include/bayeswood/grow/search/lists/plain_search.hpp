// The best split of a node of numbers from the sorted lists of plain features: no categories, no
// missing values.
#pragma once

#include <cstdint>
#include <span>

#include "bayeswood/grow/search/split_search.hpp"

namespace bayeswood {

// Sorted lists of a node's rows, by feature.
struct PlainLists {
  const SmallEntry* first;
  std::size_t stride;
  const SmallEntry* of(std::uint32_t feature) const { return first + feature * stride; }
};

// Splits that SortedSearch would find from the same lists, bit for bit.
class PlainSearch {
 public:
  struct Node {
    const NodeTotals& totals;
    const WeightedValue* pair;
    PlainLists lists;
    Limits limits;
    const Kernels& kernels;
  };
  static constexpr std::size_t GROUP = ANY_NUMBER;

  void prepare(const Node& node) { node_ = &node; }
  std::uint32_t search(std::span<const std::uint32_t> features, Split& best);
  // Rows that go left by the best split.
  std::uint32_t n_left() const { return position_ + 1; }

  // In place of that where two rows are all that is left.
  Split separate_pair(const Node& node, TreeContext& tree);

 private:
  template <class Lanes, class Scan>
  void scan(Scan scan, std::span<const std::uint32_t> features, Split& best);
  void keep(double score, std::uint32_t feature, std::uint32_t position, Split& best);

  const Node* node_ = nullptr;
  std::uint32_t position_ = 0;  // in its list, of the last entry that goes left
};

static_assert(SplitSearch<PlainSearch>);

}  // namespace bayeswood
