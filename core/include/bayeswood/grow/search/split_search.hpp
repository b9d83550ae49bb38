// What all ways to search a split have in common, and how a node asks one.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>

#include "bayeswood/grow/node.hpp"

namespace bayeswood {

// A way to search: takes a node, then groups of at most GROUP features of it. It keeps the best
// split in `best`, where earlier features win ties, and returns how many categories gained less
// than they had to pay.
template <class Search>
concept SplitSearch = requires(Search& search, const typename Search::Node& node,
                               std::span<const std::uint32_t> features, Split& best) {
  { Search::GROUP } -> std::convertible_to<std::size_t>;
  search.prepare(node);  // which outlives the search
  { search.search(features, best) } -> std::same_as<std::uint32_t>;
};

constexpr std::size_t ANY_NUMBER = std::numeric_limits<std::size_t>::max();

// The best split over the features that a tree draws for a node. Others are looked at in place of
// categories that could not pay, and one by one while nothing can be cut.
template <SplitSearch Search>
Split best_split(Search& search, const typename Search::Node& node, TreeContext& tree) {
  Split best;
  search.prepare(node);
  tree.features.restart();
  std::size_t wanted = tree.options.max_features;
  while (tree.features.left() > 0 && (wanted > 0 || !best.found())) {
    check_stop(tree.stop);
    const std::size_t size =
        std::min({std::max<std::size_t>(wanted, 1), Search::GROUP, tree.features.left()});
    const std::uint32_t n_refused = search.search(tree.features.draw(size), best);
    wanted += n_refused - std::min(wanted, size);
  }
  return best;
}

}  // namespace bayeswood
