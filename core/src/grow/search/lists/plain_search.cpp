#include "bayeswood/grow/search/lists/plain_search.hpp"

#include <algorithm>
#include <iterator>

namespace bayeswood {

namespace {

constexpr std::uint32_t WIDE_ROWS =
    12;  // below, eight lists together are slower than two times four

}  // namespace

std::uint32_t PlainSearch::search(std::span<const std::uint32_t> features, Split& best) {
  while (!features.empty()) {
    const bool wide = features.size() > LANES && node_->totals.n >= WIDE_ROWS;
    const std::size_t size = std::min<std::size_t>(wide ? WIDE_LANES : LANES, features.size());
    if (wide) {
      scan<WideTask>(node_->kernels.scan_wide, features.first(size), best);
    } else {
      scan<LaneTask>(node_->kernels.scan_lanes, features.first(size), best);
    }
    features = features.subspan(size);
  }
  return 0;
}

// Lanes that are left over take the first list again.
template <class Lanes, class Scan>
void PlainSearch::scan(Scan scan, std::span<const std::uint32_t> features, Split& best) {
  const NodeTotals& totals = node_->totals;
  Lanes lanes{{}, totals.n, node_->pair, totals.w, totals.wy, node_->limits};
  for (std::uint32_t k = 0; k < std::size(lanes.list); ++k)
    lanes.list[k] = node_->lists.of(features[k < features.size() ? k : 0]);
  Cut cuts[std::size(Lanes{}.list)];
  scan(lanes, cuts);
  for (std::uint32_t k = 0; k < features.size(); ++k) {
    const double score = cuts[k].score + totals.score;  // from gain to score
    if (score > best.score + node_->limits.tolerance)
      keep(score, features[k], cuts[k].position, best);
  }
}

void PlainSearch::keep(double score, std::uint32_t feature, std::uint32_t position, Split& best) {
  const SmallEntry* entries = node_->lists.of(feature);
  best.score = score;
  best.feature = feature;
  best.cut_code = code_of(entries[position]);
  best.upper_code = code_of(entries[position + 1]);
  position_ = position;
}

// Whatever separates two rows takes away all impurity: the first feature that does it wins.
Split PlainSearch::separate_pair(const Node& node, TreeContext& tree) {
  Split split;
  prepare(node);
  const SmallEntry* any = node.lists.of(0);
  if (std::min(node.pair[id_of(any[0])].w, node.pair[id_of(any[1])].w) < node.limits.min_weight)
    return split;
  tree.features.restart();
  while (tree.features.left() > 0 && !split.found()) {
    const std::uint32_t feature = tree.features.next();
    const SmallEntry* entries = node.lists.of(feature);
    if (code_of(entries[0]) != code_of(entries[1]))
      keep(node.totals.score + node.totals.impurity, feature, 0, split);
  }
  return split;
}

}  // namespace bayeswood
