// Splits from sorted lists, for any target and any feature: of numbers four at once where all are
// numeric, else one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "bayeswood/grow/search/lists/list_search.hpp"
#include "bayeswood/grow/search/lists/node_lists.hpp"
#include "bayeswood/grow/search/split_search.hpp"

namespace bayeswood {

// `Lists`: of a subtree or of the whole table.
template <class Lists>
class SortedSearch {
 public:
  using Node = typename Lists::Node;
  using Entry = typename Lists::Entry;
  static constexpr std::size_t GROUP = Lists::GROUP;

  SortedSearch(const Lists& lists, const EncodedMatrix& matrix, const Target& target,
               const RowData& rows)
      : matrix_(matrix), target_(target), rows_(rows), lists_(lists), search_(rows, target) {}

  // By feature: how far the tree trusts a category, see level_trust.hpp.
  void set_trust(const double* trust) { search_.set_trust(trust); }

  void prepare(const Node& node) {
    node_ = &node;
    lists_.set_node(node);
  }

  std::uint32_t search(std::span<const std::uint32_t> features, Split& best) {
    lists_.sort_group(features);
    if constexpr (std::is_same_v<Entry, SmallEntry>) {
      if (target_.kind == TargetKind::SCALAR && all_numeric(features)) {
        scan_lanes(features, best);
        return 0;
      }
    }
    std::uint32_t n_refused = 0;
    for (std::uint32_t k = 0; k < features.size(); ++k) {
      Split split = search_.search(lists_.of(features[k], k), matrix_.feature(features[k]),
                                   features[k], node_->totals, node_->limits);
      n_refused += split.refused ? 1 : 0;
      keep_better(best, std::move(split), node_->limits.tolerance);
    }
    return n_refused;
  }

  // How the levels of a category differ in the node: CLASSES and MULTI.
  LevelSpread spread(std::uint32_t feature) {
    return search_.spread(lists_.of(feature, 0), node_->totals.n);
  }

 private:
  bool all_numeric(std::span<const std::uint32_t> features) const {
    return std::none_of(features.begin(), features.end(),
                        [this](std::uint32_t f) { return matrix_.feature(f).is_category; });
  }

  // Lanes that are left over take the first list again.
  void scan_lanes(std::span<const std::uint32_t> features, Split& best) {
    const NodeTotals& totals = node_->totals;
    LaneTask lanes{{}, totals.n, rows_.pair, totals.w, totals.wy, node_->limits};
    for (std::uint32_t k = 0; k < LANES; ++k)
      lanes.list[k] = k < features.size() ? lists_.of(features[k], k) : lanes.list[0];
    Cut cuts[LANES];
    node_->kernels.scan_lanes(lanes, cuts);
    for (std::uint32_t k = 0; k < features.size(); ++k) {
      cuts[k].score += totals.score;  // from gain to score
      if (cuts[k].score > best.score + node_->limits.tolerance)
        best = search_.numeric_split(lanes.list[k], cuts[k], features[k], totals.n);
      if (code_of(lanes.list[k][totals.n - 1]) != MISSING_CODE) continue;
      keep_better(best,
                  search_.search_missing_left(lanes.list[k], features[k], totals, node_->limits),
                  node_->limits.tolerance);
    }
  }

  const EncodedMatrix& matrix_;
  const Target& target_;
  const RowData& rows_;
  const Node* node_ = nullptr;
  Lists lists_;
  ListSearch<Entry> search_;
};

static_assert(SplitSearch<SortedSearch<NodeLists>>);
static_assert(SplitSearch<SortedSearch<TableLists>>);

}  // namespace bayeswood
