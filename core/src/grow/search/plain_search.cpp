#include "bayeswood/grow/search/plain_search.hpp"

#include <algorithm>
#include <iterator>

namespace bayeswood {

namespace {

constexpr std::uint32_t WIDE_ROWS =
    12;  // below, eight lists together are slower than two times four

}  // namespace

// Further features are drawn one by one while none of those before can be cut.
PlainSearch::Found PlainSearch::search(TreeContext& tree, const NodeTotals& node,
                                       const WeightedValue* pair, const PlainLists& lists) {
  const Task task{node, pair, tree.limits(node), *tree.options.kernels};
  tree.features.restart();
  Found best;
  std::uint32_t wanted = tree.options.max_features;
  while (tree.features.left() > 0 && !best.found()) {
    const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(wanted, tree.features.left()));
    for (std::uint32_t k = 0; k < n; ++k) {
      features_[k] = tree.features.next();
      lists_[k] = lists.of(features_[k]);
    }
    best = best_of(task, n);
    wanted = 1;
  }
  return best;
}

PlainSearch::Found PlainSearch::best_of(const Task& task, std::uint32_t n_lists) const {
  Found best;
  for (std::uint32_t begin = 0; begin < n_lists;) {
    const bool wide = n_lists - begin > LANES && task.node.n >= WIDE_ROWS;
    const std::uint32_t size = std::min(wide ? WIDE_LANES : LANES, n_lists - begin);
    if (wide) {
      scan<WideTask>(task, task.kernels.scan_wide, begin, size, best);
    } else {
      scan<LaneTask>(task, task.kernels.scan_lanes, begin, size, best);
    }
    begin += size;
  }
  return best;
}

// Lanes that are left over take the first list again.
template <class Lanes, class Scan>
void PlainSearch::scan(const Task& task, Scan scan, std::uint32_t begin, std::uint32_t n_lists,
                       Found& best) const {
  const NodeTotals& node = task.node;
  Lanes lanes{{}, node.n, task.pair, node.w, node.wy, task.limits};
  for (std::uint32_t k = 0; k < std::size(lanes.list); ++k)
    lanes.list[k] = lists_[begin + (k < n_lists ? k : 0)];
  Cut cuts[std::size(Lanes{}.list)];
  scan(lanes, cuts);
  for (std::uint32_t k = 0; k < n_lists; ++k) {
    const double score = cuts[k].score + node.score;  // from gain to score
    if (score > best.score + task.limits.tolerance)
      best = {score, features_[begin + k], cuts[k].position};
  }
}

// Whatever separates two rows takes away all impurity: the first feature that does it wins.
PlainSearch::Found PlainSearch::separate_pair(TreeContext& tree, const NodeTotals& node,
                                              const WeightedValue* pair, const PlainLists& lists) {
  const SmallEntry* any = lists.of(0);
  if (std::min(pair[id_of(any[0])].w, pair[id_of(any[1])].w) < tree.limits(node).min_weight)
    return {};
  tree.features.restart();
  while (tree.features.left() > 0) {
    const std::uint32_t feature = tree.features.next();
    const SmallEntry* entries = lists.of(feature);
    if (code_of(entries[0]) != code_of(entries[1])) return {node.score + node.impurity, feature, 0};
  }
  return {};
}

Split PlainSearch::split_of(const Found& found, const PlainLists& lists) {
  const SmallEntry* entries = lists.of(found.feature);
  Split split;
  split.score = found.score;
  split.feature = found.feature;
  split.cut_code = code_of(entries[found.position]);
  split.upper_code = code_of(entries[found.position + 1]);
  return split;
}

}  // namespace bayeswood
