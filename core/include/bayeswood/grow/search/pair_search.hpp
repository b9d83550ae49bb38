// Two rows: whatever separates them takes away all impurity, and the first feature that does it
// wins. For numeric features.
#pragma once

#include <algorithm>
#include <utility>

#include "bayeswood/grow/subtree.hpp"

namespace bayeswood {

class PairSearch {
 public:
  explicit PairSearch(const Subtree& subtree) : subtree_(subtree) {}

  Split separate(const SmallNode& node, TreeContext& tree) const {
    Split split;
    const auto ids = subtree_.ids(node.begin, 2);
    if (std::min(subtree_.weight(ids[0]), subtree_.weight(ids[1])) < node.limits.min_weight)
      return split;
    tree.features.restart();
    while (tree.features.left() > 0 && !split.found()) {
      const std::uint32_t feature = tree.features.next();
      const auto [low, high] = sorted(node, feature);
      if (code_of(low) == code_of(high)) continue;
      split.score = node.totals.score + node.totals.impurity;
      split.feature = feature;
      split.cut_code = code_of(low);
      split.upper_code = code_of(high);
      split.missing_seen = code_of(high) == MISSING_CODE;
      if (subtree_.is_counted()) split.left = subtree_.rows().counted.counts[id_of(low)];
    }
    return split;
  }

 private:
  std::pair<SmallEntry, SmallEntry> sorted(const SmallNode& node, std::uint32_t feature) const {
    if (subtree_.keeps_lists()) {
      const SmallEntry* list = subtree_.list(feature) + node.begin;
      return {list[0], list[1]};
    }
    const std::uint16_t* codes = subtree_.column(feature);
    const auto ids = subtree_.ids(node.begin, 2);
    return std::minmax({make_entry<SmallEntry>(codes[ids[0]], ids[0]),
                        make_entry<SmallEntry>(codes[ids[1]], ids[1])});
  }

  const Subtree& subtree_;
};

}  // namespace bayeswood
